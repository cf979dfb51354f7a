"""The table as the host sees it: the client of the wire, the simulated table, the emulated Pico."""

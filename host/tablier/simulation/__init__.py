"""Tables without hardware, simulated and emulated: their arenas, their faults, and their ports."""

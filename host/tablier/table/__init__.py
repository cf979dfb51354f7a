"""The table as the host sees it: the client of the wire, its clock, the ports."""

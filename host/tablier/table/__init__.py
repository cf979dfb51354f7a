"""The table as the host sees it: the client of the wire, its clock, the ports.

``client`` is the one object that others use. Under it ``ports`` finds tables and ``open_port`` is one that is open;
``greeting`` says hello and reads a table's, ``unusable`` says why a table cannot be used; ``wanted`` holds desired
state until the table does, ``events`` takes its events strictly in order and once, ``table_time`` learns its clock;
``refusals`` words refusals and faults. ``incoming`` is what the client hands out.
"""

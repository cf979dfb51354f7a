"""The circuits simulated: netlists for ngspice, made from the wiring and the bill, and what they must show.

    python -m hardware.spice                    simulate; write SIMULATION.md and its curves
    python -m hardware.spice --into FOLDER      the same into another folder
"""

"""The circuits simulated: netlists for ngspice, made from the wiring and the bill, and what they must show."""

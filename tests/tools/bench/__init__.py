"""Measurements, by ``make bench``: medians over runs, each beside a peer or a limit measured in the same run."""

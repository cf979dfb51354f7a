"""Measurements, by ``make bench``: medians over runs, each beside a peer or a limit measured in the same run."""


def verdict(met: bool) -> str:
    """Return the word for a limit that was kept or not."""
    return "met" if met else "MISSED"

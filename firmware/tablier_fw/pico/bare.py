"""Replacements for sensors and floor on a table without an arena: they never report anything."""


class NoArena:
    ticks = 0
    line = 0
    level = 0
    changed = 0
    thresholds: list = []

    def arrived(self) -> bool:
        return False

    def next(self) -> bool:
        return False

    def step(self) -> None:
        pass

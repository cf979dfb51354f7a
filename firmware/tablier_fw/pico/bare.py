"""What stands in for sensors and floor where there is no arena: nothing is ever felt."""


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

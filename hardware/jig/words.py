"""The jig's verbs, apart from its hardware: buttons, pixels, and how a card falls.

The words are those of the simulated table's tester, and the falls its plainest ones; tests compare them.
"""

BUTTONS = ("minus", "plus", "a", "b")
GROUPS = (("ring", 0, 32), ("public", 1, 6)) + tuple(("hood%d" % place, 0, 5) for place in range(1, 7))
"""Name, number of the first pixel, and count, in the order in which they are sent: the ring on its own line."""
WAYS = ("flat", "leaning", "rim", "outside")
RIM, IMPACT, FLOOR = 4, 8, 9
"""The first line of each kind; the low tier is 0 to 3, the floor's two sensors 9 (offer) and 10 (pile)."""


class Refused(Exception):
    """A verb that cannot be obeyed; the text says why."""


def number(text: str, below: int) -> int:
    if not text.isdigit() or int(text) >= below:
        raise Refused("not a number from 0 to %d: %s" % (below - 1, text))
    return int(text)


def button(args: list[str]) -> int:
    """Return the bit of PLACE BUTTON."""
    if len(args) != 2 or args[0] not in ("1", "2", "3", "4", "5", "6") or args[1] not in BUTTONS:
        raise Refused("which button? a place from 1 to 6 and one of " + " ".join(BUTTONS))
    return (int(args[0]) - 1) * 4 + BUTTONS.index(args[1])


def one(args: list[str], below: int) -> int:
    """Return the only number after a verb."""
    if len(args) != 1:
        raise Refused("one number is needed, from 0 to %d" % (below - 1))
    return number(args[0], below)


def switched(args: list[str]) -> bool:
    if args not in (["on"], ["off"]):
        raise Refused("on or off?")
    return args == ["on"]


def pixel(args: list[str]) -> int:
    """Return the place of GROUP N among all pixels."""
    start = 0
    for name, first, count in GROUPS:
        if len(args) == 2 and args[0] == name and args[1].isdigit():
            at = int(args[1]) - first
            if not 0 <= at < count:
                raise Refused("%s has pixels %d to %d, not %s" % (name, first, first + count - 1, args[1]))
            return start + at
        start += count
    raise Refused("which pixel? a group (%s) and a number" % " ".join([group[0] for group in GROUPS]))


def fall(how: str, column: int) -> list[tuple[int, int, bool]]:
    """Return what a card does that lands so: (ms, line, whether it is there from then on), in order.

    An impact only begins.
    """
    rim = RIM + column
    if how == "rim":
        return [(0, rim, True), (40, IMPACT, True)]
    if how == "leaning":
        return [(0, rim, True), (12, rim, False), (20, column, True), (40, IMPACT, True)]
    return [
        (0, rim, True),
        (12, rim, False),
        (20, column, True),
        (32, column, False),
        (40, IMPACT, True),
        (70, FLOOR, True),
        (70, FLOOR + 1, True),
    ]

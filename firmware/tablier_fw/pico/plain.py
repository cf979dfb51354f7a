"""The plain twins of ``fast``. Runs anywhere; used by the test that compares them."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PRESSED, RELEASED = 3, 17
"""Equal samples after which :func:`scan` changes a button, four a millisecond."""


def pack(frame: "Any", words: "Any", groups: "Any", count: int) -> int:
    """Write the pixels of ``frame`` (red, green, blue) to ``words``, as the chains take them: green, red, blue, 0.

    ``groups`` holds three numbers for each of ``count`` groups: its pixels that are there, those behind them that are
    not, and the limit of the sum of its channels. A group over its
    limit is dimmed. Returns the number of dimmed groups.
    """
    source = target = dimmed = 0
    for group in range(count):
        pixels, missing, most = groups[3 * group], groups[3 * group + 1], groups[3 * group + 2]
        end = source + 3 * pixels
        total = sum(frame[source:end])
        scale = 256
        if total > most:
            scale = (most << 8) // total
            dimmed += 1
        for at in range(source, end, 3):
            red, green, blue = [channel * scale >> 8 for channel in frame[at : at + 3]]
            words[target] = green << 24 | red << 16 | blue << 8
            target += 1
        source = end + 3 * missing
    return dimmed


def scan(ring: "Any", state: "Any", head: int, good: int) -> int:
    """Debounce the samples in the ring, up to the first that makes a press; return the buttons it pressed, or 0.

    A sample whose pattern is not ``good`` is discarded. ``state``: index of the next sample, the ring's mask, the
    buttons that count as pressed, those that are there, five bits of the counters of all buttons as in
    :mod:`tablier_fw.buttons`, the buttons whose contacts bounce, 1 if the last sample was discarded.
    """
    pressed = 0
    while state[0] != head and not pressed:
        word = ring[state[0]]
        state[0] = (state[0] + 1) & state[1]
        state[10] = int(word >> 24 & 0xFF != good)
        if state[10]:
            continue
        stable = state[2]
        differs = (~word ^ stable) & state[3]
        c0, c1, c2, c3, c4 = state[4], state[5], state[6], state[7], state[8]
        c4 = (c4 ^ (c3 & c2 & c1 & c0)) & differs
        c3 = (c3 ^ (c2 & c1 & c0)) & differs
        c2 = (c2 ^ (c1 & c0)) & differs
        c1 = (c1 ^ c0) & differs
        c0 = ~c0 & differs
        # The counters of open buttons that stand at three, and those of pressed ones that stand at 17.
        changed = c1 & c0 & ~(c2 | c3 | c4) & ~stable | c4 & c0 & ~(c1 | c2 | c3) & stable
        pressed = changed & ~stable
        state[2] = stable ^ changed
        for at, counter in ((4, c0), (5, c1), (6, c2), (7, c3), (8, c4), (9, differs)):
            state[at] = counter & ~changed
    return pressed


def peek(words: "Any", index: int) -> int:
    """Return the lower 30 bits of a word in memory: a larger number would be on the heap."""
    return int.from_bytes(words[4 * index : 4 * index + 4], "little") & 0x3FFFFFFF

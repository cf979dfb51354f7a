"""The plain twins of ``fast``. Runs anywhere; used by the test that compares them."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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
    """Move on in the ring to the next sample with news, and return its 24 buttons, 1 while pressed.

    Equal samples are news only a few times in a row. Returns -1 if there is none, and -2 for a sample whose pattern is
    not ``good``, after which any sample is news. ``state``: index of the next sample, the last sample, how
    often it came in a row, the ring's mask, how many equal samples are handed over.
    """
    while state[0] != head:
        word = ring[state[0]]
        state[0] = (state[0] + 1) & state[3]
        if word >> 24 & 0xFF != good:
            state[1] = -1
            return -2
        if word != state[1]:
            state[1], state[2] = word, 1
        elif state[2] < state[4]:
            state[2] += 1
        else:
            continue
        return ~word & 0xFFFFFF
    return -1


def peek(words: "Any", index: int) -> int:
    """Return the lower 30 bits of a word in memory: a larger number would be on the heap."""
    return int.from_bytes(words[4 * index : 4 * index + 4], "little") & 0x3FFFFFFF

"""Text from outside, made safe to print: what a log, a bot, a table, a file or a command line says goes through here on
its way to a terminal. Every start of the command line loads this."""

import json
import os
import re
import unicodedata
from collections.abc import Callable, Sequence

_JOINER, _NON_JOINER = "\u200d", "\u200c"
JOINERS = _JOINER + _NON_JOINER
"""Characters without a width, by which neighbours join or do not: in emoji, in Persian, in scripts of India."""
_SPACES = "\u00a0\u202f"
"""Spaces at which no line is broken, as French has them before a colon and a question mark."""
_MARKS = "\ufe0f" + "".join(map(chr, range(0x1F3FB, 0x1F400)))
"""What may stand between an emoji and a joiner: that it is shown as a picture, and the colour of a skin."""
_BEGINS = "http"
_ADDRESS = re.compile(r"https?://[!-~]*[A-Za-z0-9/]")
"""An address: signs of ASCII, without what ends a sentence or a clause."""
_VIRAMA = 9
"""The combining class of signs after which a joiner says how the next letter joins."""


def printable(text: str) -> str:
    """Return the text as one line that cannot command a terminal or hide what it says: what is not printable (control
    characters, line ends, marks of direction) is escaped."""
    return masked(text, lambda character: ascii(character)[1:-1])


def masked(text: str, mask: Callable[[str], str]) -> str:
    """Return a text with a mask in the place of each character that is not printable."""
    if text.isprintable() or _breakable(text).isprintable():
        return text
    return "".join(c if c.isprintable() or c in _SPACES or _joins(text, at) else mask(c) for at, c in enumerate(text))


def _breakable(text: str) -> str:
    for space in _SPACES:
        text = text.replace(space, " ")
    return text


def is_printable(text: str) -> bool:
    """Return whether a text can be shown as it is: nothing in it commands a terminal, ends a line, turns the direction
    or cannot be seen. Joiners may stand where they join something."""
    return text.isprintable() or all(c.isprintable() or _joins(text, at) for at, c in enumerate(text))


def _joins(text: str, at: int) -> bool:
    """Return whether a character is a joiner, and between two that it can join or hold apart."""
    if text[at] not in JOINERS:
        return False
    before, after = text[max(0, at - 4) : at].rstrip(_MARKS)[-1:], text[at + 1 : at + 2]
    if not before or not after:
        return False
    if unicodedata.combining(before) == _VIRAMA:
        return unicodedata.category(after)[0] == "L"
    if text[at] == _JOINER and unicodedata.category(before) == "So":
        return unicodedata.category(after) == "So"
    return all(unicodedata.bidirectional(each) == "AL" and each.isalpha() for each in (before, after))


def link_pieces(text: str, lines: Sequence[str]) -> list[list[tuple[str, str]]]:
    """Return the lines into which a text was broken, each as pieces with the address that a piece is part of, or with
    an empty text. So an address can be followed whole that does not fit into one line."""
    addresses = iter(_ADDRESS.findall(text))
    whole = rest = next(addresses, "")
    found = []
    for line in lines:
        pieces, at = [], 0
        while rest:
            begins = line.find(_BEGINS, at) if rest == whole else len(line) - len(line.lstrip()) if not at else -1
            if begins < 0 or line[begins : begins + 1] != rest[:1]:
                break
            shown = line[begins : begins + len(rest)]
            length = next((at for at, sign in enumerate(shown) if sign != rest[at]), len(shown))
            pieces += [(line[at:begins], ""), (line[begins : begins + length], whole)]
            at, rest = begins + length, rest[length:]
            if rest:
                break
            whole = rest = next(addresses, "")
        found.append([piece for piece in (*pieces, (line[at:], "")) if piece[0]])
    return found


def linked(text: str, lines: Sequence[str]) -> list[str]:
    """Return lines of a text for a terminal, which can follow their addresses (OSC 8)."""
    return [
        "".join(f"\x1b]8;;{to}\x1b\\{piece}\x1b]8;;\x1b\\" if to else piece for piece, to in pieces)
        for pieces in link_pieces(text, lines)
    ]


def printable_json(line: str) -> str:
    """Return JSON that says the same and cannot command a terminal."""
    if line.isprintable():
        return line
    return masked(line, lambda character: character if character == "\n" else json.dumps(character)[1:-1])


def ascii_only() -> bool:
    """Return whether the terminal shows ASCII alone: a locale is named that is not one of UTF-8, or it is a dumb one.
    Where none is named, as in containers and behind ssh, it shows UTF-8 as terminals do."""
    if os.environ.get("TERM") == "dumb":
        return True
    names = {name: os.environ.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG")}
    if names["LC_CTYPE"] == "C.UTF-8" and names["LANG"] in ("", "C", "POSIX"):
        names["LC_CTYPE"] = ""  # Python itself has set it at its start, in the place of "C" (PEP 538)
    named = next(filter(None, names.values()), "UTF-8")
    return "utf8" not in named.lower().replace("-", "")


__all__ = [
    "JOINERS",
    "ascii_only",
    "is_printable",
    "link_pieces",
    "linked",
    "masked",
    "printable",
    "printable_json",
]

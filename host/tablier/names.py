"""People's names: which two are one, which may be a slip of the finger, and names for players who have none."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import count

NAMES = ("Anne", "Bernard", "Christine", "Daniel", "Éric", "Françoise")
"""Names for players to whom nobody has given one."""

_WORD = re.compile(r"[\s-]+")
_FORMS = (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
_UNSEEN = dict.fromkeys((0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x200C, 0x200D, 0x2800, 0x3164, 0xFFA0, *_FORMS))
"""Characters that cannot be seen: joiners, fillers, and those that pick the form of the character before."""


def same_name(name: str) -> str:
    """Return what all spellings of one name have in common: case, blanks and what cannot be seen do not tell people
    apart."""
    seen = name.translate(_UNSEEN)
    return unicodedata.normalize("NFC", " ".join(unicodedata.normalize("NFC", seen).split()).casefold())


def near_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that may be meant by another one, which differs by an accent or a slip of the finger: a
    letter too many, too few, or wrong, or two exchanged; ``None`` where there is none, or the name itself is known."""
    typed, near = same_name(name), None
    for each in known:
        if same_name(each) == typed:
            return None
        if near is None and _is_slip(bare_name(typed), bare_name(each)):
            near = each
    return near


def short_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name of which another one is a single word, accents or not; ``None`` where there is none."""
    short = bare_name(name)
    return next((each for each in known if short and short in _WORD.split(bare_name(each))), None)


def bare_name(name: str) -> str:
    """Return what spellings of a name have in common of which some leave out accents."""
    return without_accents(same_name(name))


def without_accents(text: str) -> str:
    """Return a text without the accents of its letters."""
    return "".join(letter for letter in unicodedata.normalize("NFD", text) if not unicodedata.combining(letter))


def _is_slip(typed: str, meant: str) -> bool:
    """Return whether one slip of the finger, or none, makes one text of another."""
    if abs(len(typed) - len(meant)) > 1:
        return False
    pairs = zip(typed, meant, strict=False)
    at = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(typed), len(meant)))
    left, wanted = typed[at:], meant[at:]
    exchanged = left[:2] == wanted[1::-1] and left[2:] == wanted[2:]
    return exchanged or left[1:] == wanted[1:] or left[1:] == wanted or left == wanted[1:]


def free_names(taken: Iterable[str]) -> Iterator[str]:
    """Yield names for bots that nobody has: those of :data:`NAMES` first that are nobody's by a slip, then numbered
    ones."""
    taken = list(taken)
    known = set(map(same_name, taken))
    numbered = (f"Bot {number}" for number in count(1))
    for name in NAMES:
        if same_name(name) not in known and near_name(name, taken) is None:
            yield name
    yield from (name for name in numbered if same_name(name) not in known)


__all__ = ["NAMES", "bare_name", "free_names", "near_name", "same_name", "short_name"]

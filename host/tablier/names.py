"""People's names: which two are spellings of one."""

import unicodedata

_FORMS = (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
_UNSEEN = dict.fromkeys((0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x200C, 0x200D, 0x2800, 0x3164, 0xFFA0, *_FORMS))
"""Characters that cannot be seen: joiners, fillers, and those that pick the form of the character before."""


def same_name(name: str) -> str:
    """Return what all spellings of one name have in common: case, blanks and what cannot be seen do not tell people
    apart."""
    seen = name.translate(_UNSEEN)
    return unicodedata.normalize("NFC", " ".join(unicodedata.normalize("NFC", seen).split()).casefold())


__all__ = ["same_name"]

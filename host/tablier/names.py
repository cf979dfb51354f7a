"""People's names: which two are spellings of one."""

import unicodedata


def same_name(name: str) -> str:
    """Return what all spellings of one name have in common: case and blanks do not tell people apart."""
    return unicodedata.normalize("NFC", " ".join(unicodedata.normalize("NFC", name).split()).casefold())


__all__ = ["same_name"]

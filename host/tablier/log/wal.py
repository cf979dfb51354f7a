"""What a ``-wal`` itself says of the log that it was written for.

The format is SQLite's (https://www.sqlite.org/fileformat2.html#walformat): a header of 32 bytes, then frames, each with
a header of 24 bytes and a page. The last frame of a commit says how many pages the file has after it.
"""

from __future__ import annotations

from pathlib import Path
from struct import Struct, unpack

_HEADER = Struct(">8I")
_FRAME = Struct(">6I")
_LITTLE_ENDIAN, _BIG_ENDIAN = 0x377F0682, 0x377F0683


def belongs(wal: Path, pages: int) -> bool:
    """Return False for a ``-wal`` that was written for another state of a log.

    :param wal: its path.
    :param pages: the number of pages that SQLite finds in the log with this ``-wal``: what page 1 says. A file that was
        put in the place of the log says another number than the last commit, unless that changed page 1, too.
    """
    try:
        raw = wal.read_bytes()
    except OSError:  # opening the log reports it
        return True
    sizes = _sizes(raw)
    # To compute the checksums of a few MB takes half a second; hardly ever is there a reason.
    return not sizes or pages in sizes or _last_size(raw) in (None, pages)


def _sizes(raw: bytes) -> set[int]:
    """Return the sizes that frames of this ``-wal`` say, whether they are whole or not."""
    return {size for _, size, *_ in _frames(raw) if size}


def _frames(raw: bytes) -> list[tuple[int, ...]]:
    """Return the headers of the frames that were written since the ``-wal`` was begun anew."""
    if len(raw) < _HEADER.size:
        return []
    _, _, page, _, *salts, _, _ = _HEADER.unpack_from(raw)
    found = []
    for at in range(_HEADER.size, len(raw) - _FRAME.size - page + 1, _FRAME.size + page):
        frame = _FRAME.unpack_from(raw, at)
        if list(frame[2:4]) != salts:
            break
        found.append(frame)
    return found


def _last_size(raw: bytes) -> int | None:
    """Return the size in pages after the last commit that is whole; ``None`` where none is."""
    magic, _, page, *_ = _HEADER.unpack_from(raw)
    if magic not in (_LITTLE_ENDIAN, _BIG_ENDIAN):
        return None
    order = "<" if magic == _LITTLE_ENDIAN else ">"
    sums = _add(order, (0, 0), raw[: _HEADER.size - 8])
    if sums != _HEADER.unpack_from(raw)[6:]:
        return None
    last = None
    for number, frame in enumerate(_frames(raw)):
        at = _HEADER.size + number * (_FRAME.size + page)
        sums = _add(order, _add(order, sums, raw[at : at + 8]), raw[at + _FRAME.size : at + _FRAME.size + page])
        if sums != frame[4:]:
            break
        last = frame[1] or last
    return last


def _add(order: str, sums: tuple[int, int], raw: bytes) -> tuple[int, int]:
    one, two = sums
    words = unpack(f"{order}{len(raw) // 4}I", raw)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        one = (one + even + two) & 0xFFFFFFFF
        two = (two + odd + one) & 0xFFFFFFFF
    return one, two


__all__ = ["belongs"]

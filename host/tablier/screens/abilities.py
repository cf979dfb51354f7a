"""Whether a terminal shows pictures, by its own account.

It is asked while people may be typing already: the replies are taken out of what comes from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from tablier.screens.painter import KITTY, SIXEL

ASK = "\x1b_Gi=1,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b]11;?\x1b\\\x1b[16t\x1b[c"
"""Asks a terminal for kitty's protocol, its background, the size of a cell, and last for what every terminal tells."""
_CELL = (10, 20)
"""The pixels of a cell where a terminal does not tell."""
_SIXEL_DIGIT = "4"
_REPLY = re.compile(
    r"\x1b_G(?P<kitty>[^\x1b]*)\x1b\\"
    r"|\x1b\]11;rgb:(?P<red>[0-9a-fA-F]+)/(?P<green>[0-9a-fA-F]+)/(?P<blue>[0-9a-fA-F]+)(?:\x1b\\|\x07)"
    r"|\x1b\[6;(?P<high>\d+);(?P<wide>\d+)t"
    r"|\x1b\[\?(?P<attributes>[\d;]*)c"
)
_BEGUN = re.compile(r"\x1b(?:_[^\x1b]*(?:\x1b)?|\][^\x1b\x07]*(?:\x1b)?|\[6?;?[\d;]*|\[\?[\d;]*)?\Z")
"""The beginning of a reply, at the end of what has come."""


class Ability(NamedTuple):
    """How a terminal shows pictures."""

    protocol: str
    cell: tuple[int, int]
    """The pixels of a cell: its width and height."""
    dark: bool


class Replies:
    """Takes a terminal's replies to :data:`ASK` out of what comes from it."""

    def __init__(self, found: Callable[[Ability | None], object]) -> None:
        """``found`` is called once, with ``None`` where the terminal shows no pictures."""
        self._found = found
        self._held = ""
        self._kitty, self._dark, self._cell = False, True, _CELL
        self.over = False
        """True once the last reply has come."""

    def without(self, data: str) -> str:
        """Return what is no reply. The beginning of one is held back until more comes."""
        data, self._held = self._held + data, ""
        if self.over:
            return data
        data = _REPLY.sub(self._take, data)
        begun = None if self.over else _BEGUN.search(data)
        if begun is not None:
            data, self._held = data[: begun.start()], data[begun.start() :]
        return data

    def release(self) -> str:
        """Return what was held back: nothing has followed it, so it is a key."""
        held, self._held = self._held, ""
        return held

    def _take(self, reply: re.Match[str]) -> str:
        if reply["kitty"] is not None:
            self._kitty = reply["kitty"].endswith(";OK")
        elif reply["red"] is not None:
            shares = (int(reply[name], 16) / (16 ** len(reply[name]) - 1) for name in ("red", "green", "blue"))
            self._dark = sum(share * part for share, part in zip(shares, (0.299, 0.587, 0.114), strict=True)) < 0.5
        elif reply["wide"] is not None:
            self._cell = (int(reply["wide"]) or _CELL[0], int(reply["high"]) or _CELL[1])
        else:
            self.over = True
            # Sixel first: some terminals that know both know kitty's protocol without its placeholders.
            sixel = _SIXEL_DIGIT in reply["attributes"].split(";")
            protocol = SIXEL if sixel else KITTY if self._kitty else None
            self._found(None if protocol is None else Ability(protocol, self._cell, self._dark))
        return ""


__all__ = ["ASK", "Ability", "Replies"]

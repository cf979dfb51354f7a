"""The process that makes pixels of drawings, ``python -m tablier.screens.painter``; it needs the extra ``pictures``.

It is a process of its own because both libraries would stand in the way of keys: resvg holds Python's lock while it
draws, and textual-image, once imported in a terminal, reads the terminal's replies itself. On standard input comes a
request a line, :class:`Request` as JSON; on standard output goes what a terminal is to be sent, and :data:`END`.
``TEXTUAL_CELL_WIDTH`` and ``TEXTUAL_CELL_HEIGHT`` say how many pixels a cell of the terminal has.
"""

from __future__ import annotations

import io
import json
import sys
from typing import Any, NamedTuple

KITTY, SIXEL = "kitty", "sixel"
"""The protocols for pictures: kitty's, with placeholders in the text, and sixel."""
END = b"\0\n"


class Request(NamedTuple):
    """A drawing that is to be painted."""

    protocol: str
    svg: str
    style: str
    """Rules of a style sheet for it."""
    ground: str
    """The colour around it."""
    columns: int
    rows: int
    """The cells that it fills."""
    width: int
    height: int
    """The pixels that it has there."""


def png(request: Request) -> bytes:
    """Return the drawing as PNG; its text is set in the fonts of the system."""
    import resvg_py

    return resvg_py.svg_to_bytes(svg_string=request.svg, style_sheet=request.style, background=request.ground)


def paint(request: Request, console: Any) -> None:
    """Print a picture on a console of Rich."""
    from textual_image.renderable import SixelImage, TGPImage

    kind = {KITTY: TGPImage, SIXEL: SixelImage}[request.protocol]
    console.print(kind(io.BytesIO(png(request)), request.columns, request.rows), end="")


def main() -> None:
    """Paint until standard input is closed."""
    from rich.console import Console

    for line in sys.stdin:
        request = Request(*json.loads(line))
        out = io.StringIO()
        console = Console(
            file=out,
            width=request.columns,
            height=request.rows,
            force_terminal=True,
            color_system="truecolor",
            no_color=False,
            legacy_windows=False,
        )
        paint(request, console)  # kitty's picture itself goes to standard output at once, before its placeholders
        sys.stdout.write(out.getvalue())
        sys.stdout.flush()
        sys.stdout.buffer.write(END)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()

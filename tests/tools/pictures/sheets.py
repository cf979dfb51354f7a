"""Two pages for each game, to be printed and laid beside it: how it is played at the table, and what the lights show.

    python -m tests.tools.pictures.sheets          makes those of all games, into build/sheets
    python -m tests.tools.pictures.sheets d21      makes those of that game

The first page is the section "The sheet" of ``games/SHEET.md`` and of the game's document, the second its drawings of
a seat (``tests.tools.pictures.seats``). Pages are SVG, A4; where ``rsvg-convert`` is installed, they are one PDF too.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import accumulate, takewhile
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple
from xml.sax.saxutils import escape

from tablier_fw import colours

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "build" / "sheets"
PICTURES = ROOT / "host" / "pictures" / "table"
GAMES = ROOT / "host" / "tablier" / "games"
FOLDERS = {
    "dilemma": "dilemma",
    "struggle": "struggle",
    "dicke-daemonen": "daemonen",
    "roudalon": "roudalon",
    "d21": "d21",
}
SECTION = "The sheet"
COLOURS = {
    "white": ("WHITE",),
    "warm": ("WARM",),
    "red": ("RED",),
    "orange": ("ORANGE",),
    "amber": ("AMBER",),
    "yellow": ("YELLOW",),
    "green": ("GREEN", "JADE"),
    "pink": ("PINK",),
    "blue": ("AZURE", "BLUE"),
    "lavender": ("LAVENDER",),
    "magenta": ("MAGENTA",),
    "rose": ("ROSE",),
    "turquoise": ("MARK",),
    "violet": ("ROLL",),
}
"""The words for colours on sheets, and what of the palette each names."""

WIDTH, HEIGHT, MARGIN = 595, 842, 42
"""A4, in points."""
SIZES = (14.0, 13.5, 13.0, 12.5, 12.0, 11.5, 11.0, 10.5, 10.0, 9.5, 9.0, 8.5, 8.0)
"""Sizes of the text, of which the first is taken that fits."""
CAPTIONS = 8.8, 10.5
"""The smallest and the largest size of what stands beside a drawing."""
LEAD = 1.38
_WIDE = 0.535
"""The width of a letter in its size: more than any sans-serif has on average."""
_WIDE_IN_FEW = 0.6
"""The same of a line of a few words, where an average says less."""
_SAMPLES = 78
"""The height of what is drawn below the words."""
NUMBERS = (("the number 3", 3, "white"), ("the number 7", 2, "amber"), ("the number 12", 2, "blue"))
"""How a hood shows numbers: so many lights, of a colour."""
_STRIP = re.compile(r"!\[[^]]*\]\([^)]*\)|\[([^]]*)\]\([^)]*\)")


class TooLong(ValueError):
    """A section does not fit on a page."""


class Line(NamedTuple):
    text: str
    indent: float
    """In sizes of the text."""
    above: float
    """Space above it, in lines."""
    columns: tuple[int, ...] = ()
    """Of a row of a table, whose cells are separated by tabs: where each cell begins, in letters."""


def section(text: str) -> tuple[str, list[str]]:
    """Return the title of a document, and the blocks of its section: paragraphs, items, rows of tables."""
    title = text.partition("\n")[0].removeprefix("# ")
    text = text.partition(f"## {SECTION}\n")[2].partition("\n## ")[0]
    blocks: list[str] = []
    fresh = True
    for line in text.splitlines():
        starts = fresh or line.startswith("|") or re.match(r"(\d+\.|[-*]) ", line)
        if not line.strip():
            fresh = True
            continue
        if starts:
            blocks.append(line.strip())
        else:
            blocks[-1] += " " + line.strip()
        fresh = False
    return title, [_STRIP.sub(r"\1", block) for block in blocks if not block.startswith(("![", "(Drawn", "|--"))]


def lines(blocks: list[str], size: float) -> Iterator[Line]:
    """Break blocks into the lines of a page."""
    for number, block in enumerate(blocks):
        row = block.startswith("|")
        follows = row and number > 0 and blocks[number - 1].startswith("|")
        if row:
            if not follows:
                columns = _columns(list(takewhile(lambda each: each.startswith("|"), blocks[number:])))
            yield Line("\t".join(_cells(block)), 0, 0 if follows else 0.5, columns)
            continue
        lead, dot, rest = block.partition(". ")
        item = bool(dot) and lead.isdigit()
        indent, words = (1.35 if item else 0.0), (rest if item else block).split()
        most = int((WIDTH - 2 * MARGIN - indent * size) / (size * _WIDE))
        if words[0] in ("*", "-"):
            words[0] = "•"
        text = f"{lead}. " if item else ""
        first = True
        for word in words:
            if text.strip() and _letters(text + word) >= most + (2 if item and first else 0):
                yield Line(text, 0 if first and item else indent, 0.5 if first else 0)
                text, first = "", False
            text += word + " "
        yield Line(text, 0 if first and item else indent, 0.5 if first else 0)


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def _columns(rows: Sequence[str]) -> tuple[int, ...]:
    """Return where the cells of a table begin, in letters."""
    widths = [max(len(_plain(cell)) for cell in column) + 3 for column in zip(*map(_cells, rows), strict=True)]
    return tuple(accumulate([0, *widths[:-1]]))


def _letters(text: str) -> float:
    """Return how wide a line's words are, in letters; bold ones are wider."""
    return sum(len(_plain(part)) * (1.16 if number % 2 else 1) for number, part in enumerate(text.split("**")))


def _plain(text: str) -> str:
    return text.replace("**", "").replace("`", "")


def _styled(text: str, bold: bool) -> tuple[str, bool]:
    """Return a line's words as SVG, and whether bold goes on in the next line."""
    parts = []
    for number, part in enumerate(text.rstrip().split("**")):
        bold = bold if number == 0 else not bold
        for code, piece in enumerate(part.split("`")):
            weight = ' font-weight="bold"' if bold else ""
            family = ' font-family="DejaVu Sans Mono, monospace" font-size="90%"' if code % 2 else ""
            parts.append(f"<tspan{weight}{family}>{escape(piece)}</tspan>" if piece else "")
    return "".join(parts), bold


def words_page(text: str) -> str:
    """Return the page with the words, in the largest size in which they fit. Raise :class:`TooLong`."""
    title, blocks = section(text)
    for size in SIZES:
        broken = list(lines(blocks, size))
        if sum(1 + line.above for line in broken) * size * LEAD <= HEIGHT - 2 * MARGIN - 40 - _SAMPLES:
            break
    else:
        raise TooLong(f"{title}: the section {SECTION!r} does not fit on a page")
    page = [_head(title, SECTION)]
    y, bold = MARGIN + 40.0, False
    for line in broken:
        y += (1 + line.above) * size * LEAD
        if line.above:
            bold = False
        if line.columns:
            for at, cell in zip(line.columns, line.text.split("\t"), strict=True):
                x = MARGIN + at * size * _WIDE
                page.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}">{_styled(cell, False)[0]}</text>')
            continue
        words, bold = _styled(line.text, bold)
        where = f'x="{MARGIN + line.indent * size:g}" y="{y:.1f}" font-size="{size:g}"'
        page.append(f'<text xml:space="preserve" {where}>{words}</text>')
    return "\n".join([*page, *_samples(" ".join(blocks)), "</svg>\n"])


def _samples(told: str) -> Iterator[str]:
    """Draw the colours that a sheet names, and numbers as a hood shows them, at the foot of the page."""
    named = [word for word in COLOURS if re.search(rf"\b{word}\b", told)]
    top, each = HEIGHT - MARGIN - _SAMPLES + 12, (WIDTH - 2 * MARGIN) / len(named)
    yield f'<rect x="{MARGIN}" y="{top}" width="{WIDTH - 2 * MARGIN}" height="{_SAMPLES - 12}" rx="4" fill="#181818"/>'
    for number, word in enumerate(named):
        x = MARGIN + each * (number + 0.5)
        yield _disc(x, top + 15, 7, colours.PALETTE[getattr(colours, COLOURS[word][0])])
        yield f'<text x="{x:.1f}" y="{top + 33}" font-size="7.5" text-anchor="middle" fill="#fff">{word}</text>'
    each = (WIDTH - 2 * MARGIN) / len(NUMBERS)
    for number, (what, count, colour) in enumerate(NUMBERS):
        x = MARGIN + each * number + 10
        yield f'<text x="{x:.1f}" y="{top + 54}" font-size="9" fill="#fff">{what}</text>'
        for light in range(5):
            lit = colours.PALETTE[getattr(colours, COLOURS[colour][0])] if light < count else (34, 34, 34)
            yield _disc(x + 84 + 16 * light, top + 51, 6, lit)


def _disc(x: float, y: float, radius: int, colour: Sequence[int]) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="#{bytes(colour).hex()}" stroke="#444"/>'


def lights_page(title: str, picture: str) -> str:
    """Return the page with the drawings of a seat: of each phase what it is, the ring with its places, and the hood."""
    words = re.findall(r'<text x="16" y="\d+" fill="#eee">([^<]*)</text>', picture)
    hoods = re.findall(r"under the hood of place (\d)", picture)
    drawings = picture.partition(">")[2].rpartition("</svg>")[0]
    drawings = re.sub(r'<rect[^>]*/>|<text[^>]*fill="#(eee|999)">[^<]*</text>', "", drawings)
    left = -(-len(words) // 2)
    wide, high = (WIDTH - 2 * MARGIN - 10) / 2, (HEIGHT - 2 * MARGIN - 70) / left
    caption = max(CAPTIONS[0], min(CAPTIONS[1], high / 11))
    page = [_head(title, "What the lights show"), f"<defs><g id='rows'>{drawings}</g></defs>"]
    for number, (told, hood) in enumerate(zip(words, hoods, strict=True)):
        column, row = divmod(number, left)
        x, y = MARGIN + column * (wide + 10), MARGIN + 40 + row * high
        page.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high - 6:.1f}" rx="4" fill="#181818"/>')
        below = high - 14
        ring = min(wide * 0.56, below * 280 / 202)
        page.append(_crop(x + 2, y + 4, ring, below, (30, 242 * number + 34, 280, 202)))
        aside = x + ring + 6
        spans = "".join(
            f'<tspan x="{aside:.1f}" y="{y + 5 + 1.22 * caption * (n + 1):.1f}">{line} </tspan>'
            for n, line in enumerate(
                wrap(f"{number + 1}. {told}", int((x + wide - 4 - aside) / caption / _WIDE_IN_FEW))
            )
        )
        page.append(f'<text font-size="{caption:.1f}" fill="#fff">{spans}</text>')
        note = f"under the hood of place {hood}"
        page.append(f'<text x="{aside:.1f}" y="{y + high - 32:.1f}" font-size="7.5" fill="#ccc">{note}</text>')
        page.append(_crop(aside, y + high - 28, x + wide - aside - 6, 18, (350, 242 * number + 102, 340, 48)))
    for line, note in enumerate(
        ("One ring around a light: it swells; two: it blinks.", "Places are numbered clockwise, place 1 in front.")
    ):
        page.append(
            f'<text x="{MARGIN}" y="{HEIGHT - MARGIN - 6 + 13 * line}" font-size="10.5" fill="#444">{note}</text>'
        )
    return "\n".join([*page, "</svg>\n"])


def _crop(x: float, y: float, wide: float, high: float, shown: tuple[int, int, int, int]) -> str:
    """Show a part of the drawings in a box."""
    box = " ".join(map(str, shown))
    at = f'x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}"'
    return f'<svg {at} viewBox="{box}" overflow="hidden"><use href="#rows"/></svg>'


def _head(title: str, what: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="210mm" height="297mm" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="DejaVu Sans, Verdana, sans-serif" fill="#111">\n'
        '<rect width="100%" height="100%" fill="#fff"/>\n'
        f'<text x="{MARGIN}" y="{MARGIN + 20}" font-size="20" font-weight="bold">{escape(title)}</text>\n'
        f'<text x="{WIDTH - MARGIN}" y="{MARGIN + 20}" font-size="12" text-anchor="end" fill="#555">{what}</text>'
    )


def document(game: str) -> str:
    """Return a game's document."""
    return _with_common((GAMES / FOLDERS[game] / "README.md").read_text(encoding="utf-8"))


def _with_common(text: str) -> str:
    """Return a document whose sheet begins with the lines of every table."""
    common = (GAMES / "SHEET.md").read_text(encoding="utf-8").partition(f"## {SECTION}\n")[2].strip()
    before, head, after = text.partition(f"## {SECTION}\n")
    return f"{before}{head}\n{common}\n{after.lstrip()}"


def pages(game: str) -> tuple[str, str]:
    """Return the two pages of a game."""
    words = document(game)
    picture = (PICTURES / f"{game}.svg").read_text(encoding="utf-8")
    return words_page(words), lights_page(section(words)[0], picture)


def main(args: list[str]) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    convert = shutil.which("rsvg-convert")
    for game in args or FOLDERS:
        made = [FOLDER / f"{game}-{number}.svg" for number in (1, 2)]
        for path, page in zip(made, pages(game), strict=True):
            path.write_text(page, encoding="utf-8")
            print(path.relative_to(ROOT))
        if convert:
            both = FOLDER / f"{game}.pdf"
            subprocess.run([convert, "--format", "pdf", "--output", both, *made], check=True)
            print(both.relative_to(ROOT))
    if not convert:
        print("rsvg-convert is not installed: no PDF was made")


if __name__ == "__main__":
    main(sys.argv[1:])

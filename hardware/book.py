"""The guide as one PDF to print: steps, parts, pieces, drawings, boards and safety. Needs WeasyPrint.

The pages are those of Markdown; a link to another page of the book leads there and says its number, and one that leads
out of it is text.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from hardware.guide import anchor
from hardware.tools import Missing

PAGES = ("BUILD.md", "KIT.md", "PARTS.md", "PIECES.md", "README.md", "SUPPLY.md")
"""The pages of the book, in their order."""
STYLE = """
@page { size: A4; margin: 16mm 15mm 18mm; @bottom-center { content: counter(page); font: 9pt DejaVu Sans } }
body { font: 9.5pt/1.35 DejaVu Sans, sans-serif; color: #111 }
@page wide { size: A4 landscape } #parts-md { page: wide }
h1 { break-before: page; font-size: 20pt } section:first-child h1 { break-before: avoid }
h2 { font-size: 13pt; margin-top: 1.4em; break-after: avoid } h3 { break-after: avoid }
code { font: 8.5pt DejaVu Sans Mono, monospace } pre { background: #f2f2f2; padding: 2mm; white-space: pre-wrap }
table { border-collapse: collapse; margin: 0.6em 0; width: 100%; font-size: 8pt }
td, th { border: 0.2mm solid #999; padding: 0.8mm 1.2mm; text-align: left; vertical-align: top }
td { overflow-wrap: break-word } tr, img { break-inside: avoid }
.wide { font-size: 6.6pt } .wide td:nth-child(2) { white-space: nowrap } .wide td:nth-child(4) { width: 19mm }
img { max-width: 100%; max-height: 98mm; display: block; margin: 0.5em auto } .sheet img { max-height: 245mm }
.sheet { break-before: page } .flat { page: wide }
.flat img { height: 148mm; max-height: 148mm; width: 100%; object-fit: contain }
a { color: #104a90; text-decoration: none }
a[href^="#"]::after { content: " (p. " target-counter(attr(href), page) ")"; font-size: 85%; color: #555 }
#contents { columns: 2; margin: 1em 0 } #contents p { margin: 0; break-inside: avoid }
#contents .part { font-weight: bold; margin-top: 0.5em }
#contents a::after { content: leader(".") target-counter(attr(href), page); font-size: 100% }
"""


def load() -> Any:
    """Return WeasyPrint, or raise Missing."""
    # The fonts in the file carry a date: the same pages give the same file.
    os.environ.setdefault("SOURCE_DATE_EPOCH", "1793491200")
    try:
        import weasyprint as module
    except (ImportError, OSError):
        raise Missing(
            "the guide as PDF needs WeasyPrint: .venv/bin/pip install -e '.[guide]' and its library Pango:"
            " apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0, brew install pango"
        ) from None
    return module


def html(folder: Path) -> str:
    """Return the book of the pages and drawings that were made in a folder."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark").enable("table")
    texts = {name: (folder / name).read_text(encoding="utf-8") for name in PAGES}
    known = {name: {anchor(heading) for heading in headings(text)} for name, text in texts.items()}
    parts = []
    for name, text in texts.items():
        body = _led(_named(_elsewhere(parser.render(text)), name), name, known)
        parts.append(f'<section id="{_id(name)}">{_widths(body)}</section>')
    entries = []
    for name, text in texts.items():
        title, *sections = headings(text)
        entries.append(f'<p class="part"><a href="#{_id(name)}">{escape(title)}</a></p>')
        # The lists of each step need no entries of their own.
        entries += [_entry(_id(name, anchor(it)), it) for it in sections if name not in ("KIT.md", "SUPPLY.md")]
    entries.append('<p class="part">Drawings and boards</p>')
    for path in sorted((folder / "drawings").glob("*.svg")):
        src, svg = f"drawings/{path.name}", path.read_text(encoding="utf-8")
        found = re.search(r'class="title"[^>]*>([^<:]*)', svg)
        parts.append(_sheet(src, f"Drawing: {path.stem}", flat=_flat(svg)))
        entries.append(_entry(_id(src), f"{path.stem}: {found[1]}" if found else path.stem))
    for path in sorted((folder / "boards").glob("*.png")):
        src, title = f"boards/{path.name}", path.stem.replace("-", ", ")
        # WeasyPrint names a picture after its address: with its path the file would be another in each folder.
        image = base64.b64encode(path.read_bytes()).decode()
        parts.append(_sheet(src, f"Board: {title}", flat=True, data=f"data:image/png;base64,{image}"))
        entries.append(_entry(_id(src), f"board: {title}"))
    contents = f'<div id="contents">{"".join(entries)}</div>'
    first = parts[0].replace("</h1>", f"</h1>{contents}", 1)
    body = "".join([first, *parts[1:]])
    return f"<!doctype html><title>Building a table</title><style>{STYLE}</style>{body}"


def _entry(target: str, title: str) -> str:
    return f'<p><a href="#{target}">{escape(re.sub("[`*]", "", title))}</a></p>'


def _sheet(src: str, heading: str, *, flat: bool, data: str = "") -> str:
    """Return a drawing, or a picture by its data, on a page of its own."""
    kind = "sheet flat" if flat else "sheet"
    return f'<section class="{kind}" id="{_id(src)}"><h2>{escape(heading)}</h2><img src="{data or src}"></section>'


def _flat(svg: str) -> bool:
    """Return True for a drawing that is wider than high: it gets a page of its kind."""
    box = re.search(r'viewBox="([^"]*)"', svg)
    _, _, width, height = map(float, box[1].split()) if box else (0.0, 0.0, 0.0, 1.0)
    return width > 1.15 * height


def headings(text: str) -> list[str]:
    """Return the headings of a page, in their order."""
    return re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)


def _id(name: str, part: str = "") -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()) + (f"--{part}" if part else "")


def _named(body: str, name: str) -> str:
    """Give each heading the name that links lead to."""

    def one(match: re.Match[str]) -> str:
        plain = re.sub(r"<[^>]*>", "", match[2]).replace("&amp;", "&")
        return f'<h{match[1]} id="{_id(name, anchor(plain))}">{match[2]}</h{match[1]}>'

    return re.sub(r"<h([1-6])>(.*?)</h\1>", one, body, flags=re.S)


def _elsewhere(body: str) -> str:
    """Lead to drawings that have a page of their own, in place of showing them small."""
    return re.sub(
        r'<img src="(drawings/[\w-]+\.svg)" alt="([^"]*)"[^>]*>',
        lambda it: f'<a href="{it[1]}">{it[2] or "Drawing"}</a>',
        body,
    )


def _led(body: str, page: str, known: Mapping[str, set[str]]) -> str:
    """Lead the links of a page to their places in the book."""
    return re.sub(r'<a href="([^"]*)">(.*?)</a>', lambda it: _link(it[1], it[2], page, known), body, flags=re.S)


def _link(target: str, text: str, page: str, known: Mapping[str, set[str]]) -> str:
    """Return a link that leads to somewhere in the book, or to the web; else its text."""
    if target.startswith("https://"):
        return f'<a href="{target}">{text}</a>'
    path, _, part = target.partition("#")
    path = path or page
    if path in known and (not part or part in known[path]):
        return f'<a href="#{_id(path, part)}">{text}</a>'
    if path.startswith("drawings/") and path.count("/") == 1 and path.endswith(".svg"):
        return f'<a href="#{_id(path)}">{text}</a>'
    return text


def _widths(body: str) -> str:
    """Mark tables of many columns, whose letters are smaller."""

    def one(match: re.Match[str]) -> str:
        columns = match[0].split("</tr>", 1)[0].count("<th")
        return match[0].replace("<table>", '<table class="wide">' if columns > 6 else "<table>", 1)

    return re.sub(r"<table>.*?</table>", one, body, flags=re.S)


def make(folder: Path) -> None:
    """Write ``guide.pdf`` of the pages in a folder."""
    weasyprint = load()
    weasyprint.HTML(string=html(folder), base_url=f"{folder.resolve()}/").write_pdf(str(folder / "guide.pdf"))

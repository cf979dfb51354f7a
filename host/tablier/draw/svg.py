"""A thin layer over ElementTree for writing SVG."""

from __future__ import annotations

from xml.etree import ElementTree as ET

FONT = "DejaVu Sans, Verdana, sans-serif"


class Svg:
    """An SVG document under construction. Numbers are user units; attribute names take ``_`` for ``-``."""

    def __init__(self, width: float, height: float, background: str = "#faf7f0") -> None:
        self.root = ET.Element(
            "svg",
            xmlns="http://www.w3.org/2000/svg",
            viewBox=f"0 0 {_number(width)} {_number(height)}",
            width=_number(width),
            height=_number(height),
        )
        self.add("rect", x=0, y=0, width=width, height=height, fill=background)

    def add(self, tag: str, parent: ET.Element | None = None, /, **attributes: float | str) -> ET.Element:
        """Adds an element to ``parent`` (or the document) and returns it."""
        element = ET.SubElement(self.root if parent is None else parent, tag)
        for name, value in attributes.items():
            element.set(name.rstrip("_").replace("_", "-"), value if isinstance(value, str) else _number(value))
        return element

    def text(
        self, x: float, y: float, text: str, parent: ET.Element | None = None, /, **attributes: float | str
    ) -> ET.Element:
        """Adds a line of text; ``anchor`` (start, middle, end), ``size`` and ``fill`` have defaults."""
        anchor = attributes.pop("anchor", "start")
        size = attributes.pop("size", 16)
        attributes.setdefault("fill", "#222")
        element = self.add("text", parent, x=x, y=y, font_family=FONT, font_size=size, text_anchor=anchor, **attributes)
        element.text = text
        return element

    def dumps(self) -> str:
        ET.indent(self.root)
        return ET.tostring(self.root, encoding="unicode") + "\n"


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")

"""The manual: short sentences, an example on every page, and commands that exist."""

import re
import shlex
from pathlib import Path

import pytest

from tablier.cli.main import build_parser

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "host" / "manual").rglob("*.md"))
WORDS = 14
"""The most words that the sentences of a page may have on average."""
COMMAND = re.compile(r"^ *tablier\b(?P<words>.*)$", re.M)


def sentences(page: str) -> list[str]:
    """Return the sentences of a page's paragraphs and lists, without its headings, tables and examples."""
    prose = re.sub(r"^```.*?^```|^[|#].*?$|^<img.*?$|^    .*?$", "", page, flags=re.S | re.M)
    blocks = re.split(r"\n\s*\n|\n(?=[-*] |\d+\. )", prose)
    return [one for block in blocks for one in re.split(r"(?<=[.!?:])\s+(?=[A-Z`*\[])", " ".join(block.split())) if one]


def examples(page: str) -> list[str]:
    return re.findall(r"^```\w*\n(.*?)^```", page, re.M | re.S)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_is_read_easily(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    lengths = [len(re.findall(r"\S*\w\S*", one)) for one in sentences(page)]
    assert sum(lengths) / len(lengths) <= WORDS and examples(page)


@pytest.mark.parametrize("path", [ROOT / "README.md", *PAGES], ids=lambda path: path.stem)
def test_the_commands_of_a_page_exist(path: Path) -> None:
    for example in examples(path.read_text(encoding="utf-8")):
        for found in COMMAND.finditer(example):
            words = shlex.split(re.split(r"\s(?:[#;|<>])\s?", f"{found['words']} # ")[0])
            if words and "--help" not in words:  # else the start screen
                build_parser().parse_args(words)

"""Wording stands in ``golden/said/``, not in tests: a file there for each file of tests that uses ``wording``.

    python -m tests.wording tests/cli/test_season.py …  writes what the tests of these files say anew

After a change of texts, write them again and read the difference: it is what people are told now.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parent
GOLDEN = TESTS / "golden" / "said"
RENEW = "TABLIER_RENEW_WORDING"
_MARGIN = "    "


class Wording:
    """What one test says, compared with what it said; what it hides stands under a word of its own.

    A test with several parameters says the same for all, or gives each text a key; it is not ``alone``."""

    def __init__(self, tests: Path, name: str, *, alone: bool) -> None:
        self._tests, self._name, self._alone = tests, name, alone
        self._then = read(golden_of(tests)).get(name, {})
        self._now: dict[str, str] = {}
        self._hidden: list[tuple[str, str]] = []

    def hide(self, pattern: str, word: str) -> None:
        """Have a word stand for what is other in each run."""
        self._hidden.append((pattern, word))

    def __call__(self, text: object, key: str = "") -> None:
        """Hold that this is what was said. ``key``: what it answers; else its number in the test."""
        words = str(text)
        for pattern, word in self._hidden:
            words = re.sub(pattern, word, words)
        words = "\n".join(line.rstrip() for line in words.split("\n"))
        key = key or str(len(self._now) + 1)
        assert self._now.setdefault(key, words) == words, f"{key}: another text under the same key"
        if RENEW not in os.environ or key in self._then:
            cure = f"if the change is meant: python -m tests.wording {self._tests.relative_to(TESTS.parent)}"
            assert words == self._then.get(key), cure

    def close(self) -> None:
        """Write what was said, or hold that nothing is missing."""
        if RENEW in os.environ:
            path = golden_of(self._tests)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_written({**read(path), self._name: self._then | self._now}), encoding="utf-8")
        elif self._alone:
            assert self._now.keys() == self._then.keys(), "this is no longer said"


def golden_of(tests: Path) -> Path:
    """Return where the wording of a file of tests stands."""
    return (GOLDEN / tests.relative_to(TESTS)).with_suffix(".txt")


def read(path: Path) -> dict[str, dict[str, str]]:
    """Return the texts of a golden file, by test and key."""
    tests: dict[str, dict[str, list[str]]] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        if line.startswith("== "):
            texts = tests.setdefault(line.removeprefix("== "), {})
        elif line and not line.startswith(_MARGIN):
            lines = texts.setdefault(line, [])
        else:
            lines.append(line.removeprefix(_MARGIN))
    return {test: {key: "\n".join(lines) for key, lines in texts.items()} for test, texts in tests.items()}


def _written(tests: dict[str, dict[str, str]]) -> str:
    """Return a golden file: ``== TEST``, then each key, and below it its text, indented."""
    lines = []
    for test, texts in sorted(tests.items()):
        lines.append(f"== {test}")
        for key, text in texts.items():
            lines += [key, *((_MARGIN + line).rstrip() for line in text.split("\n"))]
    return "".join(f"{line}\n" for line in lines)


def main(files: list[str]) -> Any:
    import pytest

    os.environ[RENEW] = "1"
    for file in files:
        golden_of(Path(file).absolute()).unlink(missing_ok=True)
    return pytest.main(["-q", *files])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))

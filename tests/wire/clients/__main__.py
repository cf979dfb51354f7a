"""Generate a codec of the wire in C, Rust and JavaScript from ``firmware/protocol.json``, each with its vectors.

``python -m tests.wire.clients FOLDER`` writes them into a folder for each language, and a host beside the one in
JavaScript. It needs nothing but Python.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.wire.clients import c, javascript, rust

DOCUMENT = Path(__file__).resolve().parents[3] / "firmware" / "protocol.json"
LANGUAGES = {"c": c, "rust": rust, "javascript": javascript}


def generate(language: str, folder: Path) -> None:
    """Write a codec into a folder."""
    document = json.loads(DOCUMENT.read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in LANGUAGES[language].files(document).items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: python -m tests.wire.clients FOLDER", file=sys.stderr)
        return 2
    for language in LANGUAGES:
        generate(language, Path(sys.argv[1]) / language)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

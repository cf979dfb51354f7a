"""Codecs in three other languages, generated from ``firmware/protocol.json`` alone, against its vectors."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.wire.clients import __main__ as clients

from sample import each, sample

BUILD = {
    "c": [
        ["gcc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-o", "vectors", "tablier_wire.c", "vectors.c"],
        ["./vectors"],
    ],
    "rust": [["rustc", "--edition", "2021", "-A", "warnings", "-o", "vectors", "vectors.rs"], ["./vectors"]],
    "javascript": [["node", "vectors.mjs", str(clients.DOCUMENT)]],
}


def needs(tool: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(tool) is None, reason=f"there is no {tool} on this computer")


LANGUAGES = [pytest.param(name, marks=needs(steps[0][0])) for name, steps in [*BUILD.items()][:: sample(2, 1)]]


def run(folder: Path, language: str) -> tuple[str, bool]:
    """Build and run the vectors; return what the last program said, and whether it was content."""
    for command in BUILD[language]:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=200, check=False)
        if command is not BUILD[language][-1]:
            assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr, done.returncode == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_generated_codec_agrees_with_every_vector(tmp_path: Path, language: str) -> None:
    clients.generate(language, tmp_path)
    said, good = run(tmp_path, language)
    assert good, said
    (counts,) = re.findall(r"(\d+) \w+, (\d+) failures", said)
    checks, failures = map(int, counts)
    vectors = json.loads(clients.DOCUMENT.read_text(encoding="utf-8"))["vectors"]
    least = sum(len(vectors[kind]) for kind in ("payloads", "decoded", "faults", "revisions", "abilities", "streams"))
    assert checks >= least and failures == 0


CHANGES = [
    ('"name": "places", "type": "u8", "range": [1, 63]', '"name": "places", "type": "u8", "range": [1, 31]'),
    ('"name": "quiet", "type": "u16"', '"name": "quiet", "type": "u32"'),
    ('["<", "start", ["count", "labels"]]', '["<=", "start", ["count", "labels"]]'),
    ('"default": []', '"defaults": []'),
    ('"count": [1, 40]', '"count": [1, 41]'),
    ('"slot": ["+", 8, "place"]', '"slot": ["+", 9, "place"]'),
]


@needs("node")
@pytest.mark.parametrize(("old", "new"), each(3, CHANGES))
def test_a_declaration_that_is_another_fails_the_vectors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str
) -> None:
    text = clients.DOCUMENT.read_text(encoding="utf-8")
    head, mark, rest = text.partition('"vectors": ')
    assert old in head
    changed = tmp_path / "protocol.json"
    changed.write_text(head.replace(old, new, 1) + mark + rest, encoding="utf-8")
    monkeypatch.setattr(clients, "DOCUMENT", changed)
    clients.generate("javascript", tmp_path)
    said, good = run(tmp_path, "javascript")
    assert not good and "Error" in said

"""The words that scripts of pages put together: as the host does in the same language."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from installed import needs
from tablier.languages import ELIDED, MERGED, _begins_with_vowel, find_language
from tablier.texts import Text, render

WORDS_JS = Path(__file__).parents[2] / "host" / "tablier" / "web" / "pages" / "words.js"
NAMES = (
    *("Anne", "Éric", "Œdipe", "Hélène", "Habib", "Hadrien", "Hans", "Heidi", "Hugo", "Yves", "Yann", "Yasmine", "Y"),
    *("Oui-Oui", "Onzième", "Zoé", "Ursule", "7 nains", "le robot", "les robots", "“Anne”", "h", "Åse", "anne", ""),
)
SCRIPT = """
globalThis.document = { querySelector: () => ({ content: process.argv[2] }) };
const { say } = await import(process.argv[1]);
const [templates, names] = JSON.parse(process.argv[3]);
console.log(JSON.stringify(templates.map((key) => names.map((name) => say(key, { name, next: "?", count: 3 })))));
"""
TEMPLATES = (
    "à la place de {name}",
    "De {name}, {next}",
    "cartes de « {name} »",
    "({name}) {next}. de {name}{next}",
    "{name} que {name}",
    "{count} {name}",
    "deux {name}",
    "de {nobody}",
)


@needs("node")
def test_a_script_elides_as_the_host_does() -> None:
    french = find_language("fr")
    assert french is not None
    words = {"elided": render(ELIDED, read=french), "merged": render(MERGED, read=french)}
    given = [TEMPLATES, NAMES]
    done = subprocess.run(
        ["node", "--input-type=module", "-e", SCRIPT, "--", str(WORDS_JS), json.dumps(words), json.dumps(given)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    for template, lines in zip(TEMPLATES, said, strict=True):
        for name, line in zip(NAMES, lines, strict=True):
            args = {"name": name, "next": "?", "count": 3}
            if name and template != "cartes de « {name} »":
                assert line == render(Text(template, args), read=french), (template, name)
    assert said[0][:3] == ["à la place d’Anne", "à la place d’Éric", "à la place d’Œdipe"]
    assert said[1][0] == "D’Anne, ?" and said[2][0] == "cartes de « Anne »"
    assert _begins_with_vowel("Hélène") and not _begins_with_vowel("Hans")

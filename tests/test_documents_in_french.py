"""The documents in French say what the English ones say: each section, ruling, step, table and line of a sheet."""

import re
from pathlib import Path

import pytest

HOST = Path(__file__).parents[1] / "host"
GAMES = HOST / "tablier" / "games"
MANUAL = HOST / "manual"
RULES = ("d21", "daemonen", "dilemma", "roudalon", "struggle")
PAGES = {"club.md": "club.md", "evening.md": "soiree.md", "browser.md": "navigateur.md", "playing.md": "jouer.md"}
DOCUMENTS = [
    *((GAMES / game / "README.md", GAMES / game / "locale" / "fr" / "README.md") for game in RULES),
    (GAMES / "SHEET.md", GAMES / "locale" / "fr" / "SHEET.md"),
    *((MANUAL / english, MANUAL / "fr" / french) for english, french in PAGES.items()),
]


def outline(path: Path) -> list[str]:
    """Return the kind of each heading, item and row of a document, with the ruling and the numbers that it names."""
    found: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        kind = re.match(r"(#+ |[*-] |\d+\. |\|)", line)
        if kind:
            found.append(kind[1] + " ".join(re.findall(r"R-[A-Z]\d+", line.split("*Why")[0].split("*Pourquoi")[0])[:1]))
    return found


@pytest.mark.parametrize(("english", "french"), DOCUMENTS, ids=lambda path: f"{path.parent.parent.name}-{path.name}")
def test_a_document_in_french_has_every_part_of_the_english_one(english: Path, french: Path) -> None:
    assert outline(french) == outline(english)


def lines_of_sheet(path: Path, section: str) -> list[str]:
    text = path.read_text(encoding="utf-8").partition(f"## {section}\n")[2].partition("\n## ")[0]
    return [line for line in text.splitlines() if line.startswith("* ")]


@pytest.mark.parametrize(
    ("english", "french"), DOCUMENTS[:6], ids=lambda path: f"{path.parent.parent.name}-{path.name}"
)
def test_a_sheet_in_french_names_the_same_buttons_and_numbers(english: Path, french: Path) -> None:
    def keys(line: str) -> list[str]:
        return re.findall(r"`\w+`|\b\d+\b", line.rpartition("**")[2])

    said = [keys(line) for line in lines_of_sheet(french, "La fiche")]
    assert said == [keys(line) for line in lines_of_sheet(english, "The sheet")]
    assert said


@pytest.mark.parametrize("game", RULES)
def test_the_glossary_names_every_ruling_of_a_game(game: str) -> None:
    rulings = set(re.findall(r"R-[A-Z]\d+", (GAMES / game / "locale" / "fr" / "README.md").read_text(encoding="utf-8")))
    glossary = (MANUAL / "fr" / "glossaire.md").read_text(encoding="utf-8")
    assert rulings <= set(re.findall(r"R-[A-Z]\d+", glossary))
    assert rulings


@pytest.mark.parametrize(
    "path",
    [french for _, french in DOCUMENTS] + sorted((MANUAL / "fr").glob("*.md")),
    ids=lambda path: f"{path.parent.parent.parent.name}-{path.name}",
)
def test_no_breaking_space_stands_before_high_punctuation(path: Path) -> None:
    prose = re.sub(
        r"```.*?```|`[^`\n]*`|^    .*?$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    assert not re.findall(r".{0,20}(?: [;!?»]| :(?![-|])|« |\n[:;!?»]).{0,9}", prose)


def test_no_breaking_space_stands_before_high_punctuation_in_the_catalogues() -> None:
    catalogues = sorted((HOST / "tablier").rglob("locale/fr/LC_MESSAGES/*.po"))
    assert len(catalogues) == 6
    for path in catalogues:
        said = re.findall(r"^msgstr.*", path.read_text(encoding="utf-8"), re.MULTILINE)
        assert not [
            line for line in said if re.search(r" (?:[;!?»]|:(?!\w))|« |\w'\w", line[8:]) and "fs rm" not in line
        ]


def test_the_catalogues_elide_and_quote_as_french_does() -> None:
    """A word before a vowel loses its own; what is quoted stands in guillemets; the program's name has its capital."""
    for path in sorted((HOST / "tablier").rglob("locale/fr/LC_MESSAGES/*.po")):
        said = [line[7:] for line in re.findall(r"^msgstr.*", path.read_text(encoding="utf-8"), re.MULTILINE)]
        assert not [
            line for line in said if re.search(r"(?<!-)\b(?:de|[dq]ue|ne|se|me|te|le|la) [aâeéèêiou][^\W\d]", line)
        ]
        assert not [line for line in said if re.search(r"(?<![\w’])'\w", line)]
        assert not [line for line in said if re.search(r"\b(?:un|le|du|de) tablier\b(?! [a-z]+ )", line)]

"""Twenty pictures of a seat, to be read with nothing but the sheets, and what its buttons would do, apart.

    python -m tests.tools.pictures.reading     into build/reading

Whoever has never seen the project gets the sheets (``make sheets``) and ``picture-1.svg`` to ``picture-20.svg``: the
light and the hood of a place, the ring, and what was read out; and says what ``minus``, ``plus``, ``a`` and ``b`` would
do. ``answers.md`` says what they do, from the question that was open and not from the sheets. Where somebody is wrong,
a sheet is.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple
from xml.sax.saxutils import escape

sys.path += [str(Path(__file__).parents[2]), str(Path(__file__).parents[2] / "play")]  # where pytest finds it too

from playing import a_table
from sheet_evenings import EVENINGS, NAMES, Evening, Room, people_of
from sheets import FOLDERS, Sheet, family, sheet_of

from tablier.games import lights_of
from tablier.games.core.questions import Choice, Menu, Poll, Question, Roll, Tally, Window, bare
from tablier.texts import Json, render
from tablier_fw import colours

from .seats import Seen, svg

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "build" / "reading"
COUNT = 20
_LOOKS = 8
_LEGEND = ("one circle around a light: it swells", "two circles: it blinks", "grey and hollow: it is dark")
_MOVES = 22  # of an evening, for as many pictures


class Picture(NamedTuple):
    game: str
    place: int
    heard: str
    options: str
    drawing: str
    does: dict[str, str]


class Watched(Room):
    """An evening of which one picture is kept of each question."""

    def __init__(self, evening: Evening) -> None:
        super().__init__(evening)
        self.pictures: dict[str, Picture] = {}
        self._shown = 0, 0, False
        self._looks = 0

    def _look(self) -> None:
        """Look at a question for a while before anybody answers it: a picture is of nothing before it, and of nothing
        that still moves."""
        now = self.running.session.id, len(self._pile), self.running.showing
        if now != self._shown or self.running.showing:
            self._shown, self._looks = now, 0
            for film in self._films.values():
                film.clear()
        super()._look()
        self._looks += 1

    def _sight(self, seat: int) -> Json:
        sight = super()._sight(seat)
        if self._looks < _LOOKS:
            return {**sight, "mine": False}
        question, place = self.running.session.question, self.evening.places[seat - 1]
        ready = len(self._films.get(f"hood{place}", ())) == _LOOKS and family(sight["light"]) == "white"
        if question is not None and sight["mine"] and ready and question.text.template not in self.pictures:
            seen = {group: self._seen(group) for group in ("ring", "public", f"hood{place}")}
            words = f"place {place} of {', '.join(map(str, self.evening.places))}"
            does = self._does(question, seat, place)
            drawing = svg([(words, place, seen)])
            self.pictures[question.text.template] = Picture(
                self.evening.game, place, sight["heard"], sight["options"], drawing, does
            )
        return sight

    def _seen(self, group: str) -> list[Seen]:
        looks = [[bytes.fromhex(pixel) for pixel in look] for look in self._films[group]]
        found = []
        for pixel in zip(*looks, strict=True):
            most = max(pixel, key=sum)
            least = round(100 * min(map(sum, pixel)) / sum(most)) if sum(most) else 100
            found.append(Seen((most[0], most[1], most[2]), least))
        return found

    def _does(self, question: Question, seat: int, place: int) -> dict[str, str]:
        """Return what each button does, from the open question."""
        nothing = dict.fromkeys(("minus", "plus", "a", "b"), "nothing")
        if isinstance(question, Menu) and not question.secret:
            at = self.running._table._walked.get(seat, question.start)
            texts = [render(option.to_json(), NAMES) for option in question.options]
            step = {name: texts[(at + way) % len(texts)] for name, way in (("minus", -1), ("plus", 1))}
            none = lights_of(self.evening.game).hood is None
            peeks = "dark for five seconds" if none else "shows what the hood has to show, for five seconds"
            return {**step, "a": peeks, "b": f"takes: {texts[at]}"}
        if isinstance(question, Menu):
            shown = bytes.fromhex(self._pixels[f"hood{place}"][0])
            looks = [bytes(colours.option_look(label)) for label in question.labels]
            takes = "nothing: it is dim"
            if shown in looks:
                takes = f"takes: {render(question.options[looks.index(shown)].to_json(), NAMES)}"
            return {"minus": "the colour before", "plus": "the colour after", "a": "shows the fist", "b": takes}
        if isinstance(question, Poll):
            no, yes = [bare(move) for (move,) in question.leads] or ("no", "yes")
            meant = {"a": ("no", no), "b": ("yes", yes)}
            return {
                **nothing,
                **{button: word if word == move else f"{word} ({move})" for button, (word, move) in meant.items()},
            }
        if isinstance(question, Window):
            return {**nothing, "a": "throws no more", "b": "throws no more, and a card of this place missed the arena"}
        if isinstance(question, Choice):
            hood = [family(pixel) for pixel in self._pixels[f"hood{place}"]]
            means = {"blue": "peace", "orange": "conflict", "": "nothing"}
            lock = "locks what is chosen" if hood[4] else "nothing yet"
            return {**nothing, "plus": lock, "a": f"chooses {means[hood[1]]}", "b": f"chooses {means[hood[3]]}"}
        if isinstance(question, Roll):
            return {**nothing, "b": "the table rolls"}
        assert isinstance(question, Tally)
        if question.mark and len(question.given) == question.dice:
            ends = {"check": "right; or, with a die marked, they are entered again"}
            done = ends.get(question.what, "the others are thrown again; with all marked, they are played")
            return {"minus": "the die before", "plus": "the die after", "a": "marks the die, or unmarks it", "b": done}
        return {
            "minus": "changes what is at hand",
            "plus": "changes what is at hand",
            "a": "back to the one before",
            "b": "the next; after the last, done",
        }


def pictures() -> list[Picture]:
    """Return one picture of each question that people met in the evenings of the sheets' test, :data:`COUNT` of them,
    as many of each game as there are."""
    by_game: list[list[Picture]] = []
    for game in FOLDERS:
        found: dict[str, Picture] = {}
        for evening in EVENINGS[game]:
            room = Watched(replace(evening, most=min(evening.most, _MOVES)))
            with a_table(seed=evening.seed) as table:
                room.play(table, people_of(evening, Sheet(sheet_of(game))))
            found = {**room.pictures, **found}
        by_game.append(list(found.values()))
    chosen: list[Picture] = []
    while len(chosen) < COUNT and any(by_game):
        for each in by_game:
            if each and len(chosen) < COUNT:
                chosen.append(each.pop(-(len(chosen) // len(by_game) % 2)))  # the first, the last, the second, …
    return sorted(chosen, key=lambda picture: list(FOLDERS).index(picture.game))


def page(number: int, picture: Picture) -> str:
    """Return a picture with what was read out under it."""
    heard = [*wrap(picture.heard, 78), *wrap(picture.options, 78)]
    words = "".join(
        f'<text x="16" y="{264 + 20 * n}" fill="#eee" font-size="14">{escape(line)}</text>'
        for n, line in enumerate([f"{number}. {picture.game}. Read out:", *heard])
    )
    high = 274 + 20 * (len(heard) + 1)
    drawing = picture.drawing.replace("0 0 690 242", f"0 0 690 {high}", 1)
    legend = "".join(
        f'<text x="360" y="{190 + 18 * n}" fill="#999" font-size="13">{line}</text>' for n, line in enumerate(_LEGEND)
    )
    return drawing.replace("</svg>", f"{legend}{words}</svg>")


def main(args: list[str]) -> None:
    folder = Path(args[0]) if args else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    answers = ["# What the buttons do", ""]
    for number, picture in enumerate(pictures(), 1):
        (folder / f"picture-{number}.svg").write_text(page(number, picture), encoding="utf-8")
        answers += [f"## {number}. {picture.game}: {picture.heard}", ""]
        answers += [f"* `{button}`: {does}" for button, does in picture.does.items()] + [""]
    (folder / "answers.md").write_text("\n".join(answers), encoding="utf-8")
    print(folder)


if __name__ == "__main__":
    main(sys.argv[1:])

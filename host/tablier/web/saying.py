"""An update as pages get it: its texts as sentences with names, its board as a picture. Nothing is added to what the
viewer may know, and the view itself stays here.

The board is drawn of what everybody may see, once for all pages; a seat has besides what lies before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tablier.course.seats import AT_SCREEN, AT_TABLE
from tablier.games import rules_of, words_of
from tablier.games.core import Move, Rules, seat_name
from tablier.games.core.parts import PartError, called
from tablier.games.core.questions import Window, bare
from tablier.games.core.words import Parts
from tablier.html.boards import draw, draw_hand, read
from tablier.printable import number_text, printable
from tablier.screens.names import fit_names
from tablier.texts import Json, render

WINDOW = Window.kind


class Said(NamedTuple):
    """What a channel says of an update."""

    state: Json
    news: list[Json]


def say(update: Json) -> Said:
    """Return an update as pages get it."""
    names = names_of(update)
    rules = rules_of(update["rules"], len(names), update["options"])
    view = dict(update["view"])
    question = update["question"]
    state = {
        "game": update["game"],
        "rules": update["rules"],
        "title": rules.title,
        "viewer": update["viewer"],
        "ply": update["ply"],
        "practice": update["practice"],
        "seats": _seats(update, names),
        "reading": read(rules, view, names),
        "question": None if question is None else _question(question, names, update["now"]),
        "over": None if update["over"] is None else _result(update, names),
    }
    if update["viewer"] is None:
        state["board"] = draw(rules, view, names, rules.parse(update["last"]) if update["last"] else None)
    else:
        state["hand"] = draw_hand(rules, view, names, update["viewer"])
    mine = (question or {}).get("mine")
    if mine is not None:
        state["question"]["mine"]["can"] = _can(rules, update["viewer"], question["kind"], mine)
    return Said(state, news_of(update, names))


def _can(rules: Rules[Any], seat: int, kind: str, mine: Json) -> list[Json]:
    """Return each move that a seat can make now, with the parts of the drawing that it names, in groups."""
    moves = mine.get("moves", [])
    if kind == WINDOW:
        moves = [bare(Move(seat, "throw", (rank,))) for rank in mine["cards"]]
    return [{"move": move, "parts": _parts(rules, seat, move)} for move in moves]


def _parts(rules: Rules[Any], seat: int, move: str) -> Parts:
    words = words_of(rules.name)
    try:
        return called(rules.name, "words", "parts", lambda: words.parts_of(rules, seat, move))
    except PartError:  # it is played by its words then
        return ()


def names_of(update: Json) -> list[str]:
    """Return the players' names as pages show them."""
    return fit_names([seat["name"] for seat in update["seats"]])


def news_of(update: Json, names: Sequence[str]) -> list[Json]:
    """Return the news of an update: each ``n``, ``kind``, ``turn``, ``at``, ``said``; ``drops``: the kinds of earlier
    news of the same turn that it makes superfluous."""
    words = words_of(update["rules"])
    drops: dict[str, list[str]] = {}
    for kind, by in words.overtaken.items():
        drops.setdefault(by, []).append(kind)
    return [
        {
            "n": news["n"],
            "kind": news["kind"],
            "turn": news["turn"],
            "at": news.get("at", 0),
            "said": printable(render(news["text"], names)),
            "drops": drops.get(news["kind"], []),
        }
        for news in update["news"]
        if news["kind"] not in words.untold
    ]


def _seats(update: Json, names: Sequence[str]) -> list[Json]:
    question = update["question"] or {"seats": (), "waiting": ()}
    return [
        {
            **seat_of(seat, name),
            "moves": number in update["to_move"],
            "asked": number in question["seats"],
            "waits": number in question["waiting"],
        }
        for number, (seat, name) in enumerate(zip(update["seats"], names, strict=True), 1)
    ]


def seat_of(seat: Json, name: str) -> Json:
    """Return a seat as pages get it: its source is ``table``, ``screen`` or ``bot``; which program is the host's
    business."""
    source = seat["source"] if seat["source"] in (AT_SCREEN, AT_TABLE) else "bot"
    return {"name": name, "place": seat["place"], "source": source}


def _question(question: Json, names: Sequence[str], now: float) -> Json:
    """Return a question with its texts said; ``left``: the seconds until it closes by itself."""
    told: Json = {key: question[key] for key in ("id", "kind", "what", "seats", "waiting") if key in question}
    told["said"] = _said(question["text"], names)
    told["secret"] = bool(question.get("secret"))
    told["open"] = bool(question.get("open"))
    left = question.get("deadline")
    told["left"] = None if left is None else max(0.0, left - now)
    for key in ("options", "labels", "leads"):
        if key in question:
            told[key] = question[key]
    if "options" in question:
        told["options_said"] = [_said(option, names) for option in question["options"]]
    if "mine" in question:
        mine = dict(question["mine"])
        if "outcomes" in mine:
            mine["outcomes"] = [_said(outcome, names) for outcome in mine["outcomes"]]
        told["mine"] = mine
    return told


def _said(text: Any, names: Sequence[str]) -> str:
    return printable(text if isinstance(text, str) else render(text, names))


def _result(update: Json, names: Sequence[str]) -> Json:
    over = update["over"]
    scores = [
        {"name": name, "score": number_text(over["scores"][seat_name(seat)]), "won": seat in over["winners"]}
        for seat, name in enumerate(names, 1)
    ]
    return {"scores": scores, "head": over["head"], "remarks": [_said(text, names) for text in over["remarks"]]}


__all__ = ["Said", "names_of", "news_of", "say", "seat_of"]

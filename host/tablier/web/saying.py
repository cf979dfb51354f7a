"""An update as pages get it: its texts as sentences with names, its board as a picture. Nothing is added to what the
viewer may know, and the view itself stays here.

The board is drawn of what everybody may see, once for all pages; a seat has besides what lies before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tablier import messages
from tablier.course.seats import AT_SCREEN, AT_TABLE
from tablier.games import rules_of, words_of
from tablier.games.core import Move, Rules
from tablier.games.core.parts import PartError, called
from tablier.games.core.questions import bare
from tablier.games.core.words import Parts
from tablier.html.boards import draw, draw_hand, read
from tablier.messages import Question, Seat, Update
from tablier.printable import printable
from tablier.screens.names import fit_names
from tablier.screens.scores import scoreboard
from tablier.texts import Text, render
from tablier.web.states import (
    Can,
    GameState,
    ListedSeat,
    MineState,
    NewsState,
    OverState,
    Player,
    QuestionState,
    SeatState,
    Source,
)


class Said(NamedTuple):
    """What a channel says of an update."""

    state: GameState
    news: list[NewsState]


def say(update: Update) -> Said:
    """Return an update as pages get it."""
    names = names_of(update)
    rules = rules_of(update.rules, len(names), update.options)
    view, viewer, over = update.view, update.viewer, update.over
    state = GameState(
        game=update.game,
        rules=update.rules,
        title=rules.title,
        viewer=viewer,
        ply=update.ply,
        practice=update.practice,
        seats=_seats(update, names),
        reading=read(rules, view, names),
        question=None if update.question is None else _question(rules, update, update.question, names),
        over=None
        if over is None
        else OverState(
            scores=players_of(names, over), head=over.head, remarks=[_said(text, names) for text in over.remarks]
        ),
        board=draw(rules, view, names, rules.parse(update.last) if update.last else None) if viewer is None else None,
        hand=None if viewer is None else draw_hand(rules, view, names, viewer),
    )
    return Said(state, news_of(update, names))


def players_of(names: Sequence[str], result: messages.Result | None) -> list[Player]:
    """Return the lines of a scoreboard."""
    return [Player(name=each.name, score=each.points, won=each.won) for each in scoreboard(names, result)]


def can_of(rules: Rules[Any], seat: int, moves: Sequence[str]) -> list[Can]:
    """Return moves that a seat can make now, with the parts of the drawing that each names, in groups."""
    return [Can(move=move, parts=_parts(rules, seat, move)) for move in moves]


def _parts(rules: Rules[Any], seat: int, move: str) -> Parts:
    words = words_of(rules.name)
    try:
        return called(rules.name, "words", "parts", lambda: words.parts_of(rules, seat, move))
    except PartError:  # it is played by its words then
        return ()


def names_of(update: Update) -> list[str]:
    """Return the players' names as pages show them."""
    return fit_names([seat.name for seat in update.seats])


def news_of(update: Update, names: Sequence[str]) -> list[NewsState]:
    """Return the news of an update."""
    words = words_of(update.rules)
    drops: dict[str, list[str]] = {}
    for kind, by in words.overtaken.items():
        drops.setdefault(by, []).append(kind)
    return [
        NewsState(
            n=news.n,
            kind=news.kind,
            turn=news.turn,
            at=news.at,
            said=_said(news.text, names),
            drops=drops.get(news.kind, []),
        )
        for news in update.news
        if news.kind not in words.untold
    ]


def _seats(update: Update, names: Sequence[str]) -> list[SeatState]:
    question = update.question
    asked, waiting = ([], []) if question is None else (question.seats, question.waiting)
    return [
        SeatState(
            name=name,
            place=seat.place,
            source=_source(seat),
            moves=number in update.to_move,
            asked=number in asked,
            waits=number in waiting,
        )
        for number, (seat, name) in enumerate(zip(update.seats, names, strict=True), 1)
    ]


def seat_of(seat: Seat, name: str) -> ListedSeat:
    """Return a seat of a list as pages get it."""
    return ListedSeat(name=name, place=seat.place, source=_source(seat))


def _source(seat: Seat) -> Source:
    """Return what decides for a seat; which program is the host's business."""
    return "table" if seat.source == AT_TABLE else "screen" if seat.source == AT_SCREEN else "bot"


def _question(rules: Rules[Any], update: Update, question: Question, names: Sequence[str]) -> QuestionState:
    """Return a question with its texts said."""
    choice = question if isinstance(question, messages.Choice) else None
    options: Sequence[Text | str] = question.options if isinstance(question, messages.Choice | messages.Menu) else ()
    return QuestionState(
        id=question.id,
        kind=question.kind,
        what=question.what,
        seats=question.seats,
        waiting=question.waiting,
        said=_said(question.text, names),
        secret=question.secret,
        open=choice is not None and choice.open,
        left=None if question.deadline is None else max(0.0, question.deadline - update.now),
        options=[] if choice is None else choice.options,
        options_said=[_said(option, names) for option in options],
        mine=_mine(rules, update, question, names),
    )


def _mine(rules: Rules[Any], update: Update, question: Question, names: Sequence[str]) -> MineState | None:
    mine, seat = question.mine, update.viewer
    if mine is None or seat is None:
        return None
    waits = mine.waits
    match mine:
        case messages.MyTurn(moves=moves, may_pass=may_pass):
            return MineState(waits=waits, can=can_of(rules, seat, moves), moves=moves, may_pass=may_pass)
        case messages.MyChoice(moves=moves, bind=bind, outcomes=outcomes):
            said = [_said(outcome, names) for outcome in outcomes]
            return MineState(waits=waits, can=can_of(rules, seat, moves), moves=moves, bind=bind, outcomes=said)
        case messages.MyWindow(cards=cards):
            throws = [bare(Move(seat, "throw", (rank,))) for rank in cards]
            return MineState(waits=waits, can=can_of(rules, seat, throws))
    return MineState(waits=waits, can=[])


def _said(text: Text | str, names: Sequence[str]) -> str:
    return printable(text if isinstance(text, str) else render(text, names))


__all__ = ["Said", "can_of", "names_of", "news_of", "players_of", "say", "seat_of"]

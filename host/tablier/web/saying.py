"""An update as pages get it: its texts as sentences with names, its board as a picture. Nothing is added to what the
viewer may know, and the view itself stays here.

A board is drawn of what everybody may see, for paper and for phones, once for all pages that look at it; a seat has
besides what lies before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from html import escape
from typing import Any, NamedTuple

from tablier import messages
from tablier.course.seats import AT_SCREEN, AT_TABLE
from tablier.games import deed_of, leads_to, rules_of, seem_of, steps_of, title_of, warns_of, words_of
from tablier.games.core import Rules, RulesError, seat_name
from tablier.games.core.drawing import MOVES, Note, Surface
from tablier.games.core.menus import PASS
from tablier.games.core.parts import PartError, called
from tablier.games.core.questions import bare
from tablier.games.core.words import Parts, read_move
from tablier.html.boards import beside, cards_of, draw, draw_hand, read
from tablier.messages import Question, Seat, Update
from tablier.printable import printable
from tablier.screens.names import fit_names
from tablier.screens.replies import replies_to
from tablier.screens.scores import scoreboard
from tablier.screens.turn import asked_text, whose_turn
from tablier.texts import Json, Text, Who, all_of, render, spelled
from tablier.web.states import (
    BesideState,
    BoardState,
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
    TurnState,
)
from tablier.web.words import SEAT

_ANSWERS = {PASS: SEAT["pass"], "done": SEAT["done"], "yes": SEAT["yes"], "no": SEAT["no"]}
"""By line: what its button says."""


SURFACES = tuple(Surface)
"""Each is a topic of its own, by its name."""


class Said(NamedTuple):
    """What a channel says of an update, made for each language in which pages take it."""

    state: Callable[[], GameState]
    news: list[Callable[[], NewsState]]


def say(update: Update) -> Said:
    """Return an update as pages get it."""
    return Said(partial(_state, update), news_of(update))


def _state(update: Update) -> GameState:
    names = names_of(update)
    rules = rules_of(update.rules, len(names), update.options)
    view, viewer, over = update.view, update.viewer, update.over
    hand = None if viewer is None else draw_hand(rules, view, names, viewer)
    return GameState(
        game=update.game,
        rules=update.rules,
        title=title_of(rules.name),
        viewer=viewer,
        ply=update.ply,
        practice=update.practice,
        seats=_seats(rules, update, names),
        reading=read(rules, view, names),
        turn=_turn(update, names),
        question=None if update.question is None else _question(rules, update, update.question, names, hand or ""),
        over=None
        if over is None
        else OverState(
            headline=headline_of(title_of(rules.name), names, over, viewer or 0),
            scores=players_of(names, over),
            head=over.head,
            remarks=[_said(text, names) for text in over.remarks],
        ),
        hand=hand,
    )


def boards_of(update: Update) -> dict[Surface, Callable[[], BoardState]]:
    """Return what draws the board of a spectator's update, by the surfaces that pages have."""
    return {surface: partial(_board, update, surface) for surface in SURFACES}


def _board(update: Update, surface: Surface) -> BoardState:
    names = names_of(update)
    rules = rules_of(update.rules, len(names), update.options)
    view, last = update.view, rules.parse(update.last) if update.last else None
    waiting = update.question.waiting if update.question else ()

    def sign_of(line: Note) -> str:
        """Return the sign of a line: of all who may move, those have it that are asked."""
        return "" if line.sign == MOVES and waiting and line.seat not in waiting else line.sign

    lines = beside(rules, view, names) if surface == Surface.PHONE else ()
    return BoardState(
        board=draw(rules, view, names, last, surface),
        beside=[
            BesideState(said=_said(line.text, names), seat=line.seat, part=line.part, sign=sign_of(line))
            for line in lines
        ],
    )


def players_of(names: Sequence[str], result: messages.Result | None) -> list[Player]:
    """Return the lines of a scoreboard, in the order of the seats."""
    places = {} if result is None else dict(enumerate(ranks([*_places(result)]), 1))
    return [
        Player(name=each.name, score=each.points, won=each.won, rank=places.get(seat, len(places) + 1) if result else 0)
        for seat, each in enumerate(scoreboard(names, result), 1)
    ]


def _places(result: messages.Result) -> Iterator[tuple[bool, float]]:
    """Yield by what each seat is ranked: winners first, then by points."""
    for seat, score in enumerate(result.scores, 1):
        yield seat in result.winners, score


def ranks(merits: Sequence[Any]) -> list[int]:
    """Return the rank of each of some merits, the largest first: 1, 2, 2, 4."""
    return [1 + sum(other > each for other in merits) for each in merits]


def headline_of(title: str, names: Sequence[str], result: messages.Result, you: int = 0) -> str:
    """Return who has won a game. ``you``: the seat of who reads it."""
    won = [Who(seat) for seat in result.winners]
    about: Json = {"title": title, "names": all_of(won), "who": won}
    if not won:
        level = len(result.scores) > 1 and min(result.scores) == max(result.scores) > 0
        text = Text("Draw: {title} has no winner", about) if level else Text("Nobody wins {title}", about)
    elif len(won) == 1:
        text = Text("{names} wins {title}", about, you="You win {title}")
    else:
        text = Text("{names} win {title}", about, you="{names} win {title}")
    said = _said(text, names, you)
    return said[:1].upper() + said[1:]


def parts_of(rules: Rules[Any], seat: int, move: str) -> Parts:
    words = words_of(rules.name)
    try:
        return called(rules.name, "words", "parts", lambda: words.parts_of(rules, seat, move))
    except PartError:  # it is played by its words then
        return ()


def names_of(update: Update) -> list[str]:
    """Return the players' names as pages show them."""
    return fit_names([seat.name for seat in update.seats])


def news_of(update: Update) -> list[Callable[[], NewsState]]:
    """Return what makes the news of an update."""
    words, names = words_of(update.rules), names_of(update)
    drops: dict[str, list[str]] = {}
    for kind, overtaking in words.overtaken.items():
        for by in overtaking:
            drops.setdefault(by, []).append(kind)
    return [
        partial(_news, news, names, drops.get(news.kind, [])) for news in update.news if news.kind not in words.untold
    ]


def _news(news: messages.News, names: Sequence[str], drops: list[str]) -> NewsState:
    said = _said(news.text, names)
    return NewsState(n=news.n, kind=news.kind, turn=news.turn, at=news.at, said=said, own=news.own, drops=drops)


def _seats(rules: Rules[Any], update: Update, names: Sequence[str]) -> list[SeatState]:
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
            simulated=seat.simulated or seat.source not in (AT_TABLE, AT_SCREEN),
            cards=cards_of(rules, update.view, number),
        )
        for number, (seat, name) in enumerate(zip(update.seats, names, strict=True), 1)
    ]


def seat_of(seat: Seat, name: str) -> ListedSeat:
    """Return a seat of a list as pages get it."""
    return ListedSeat(name=name, place=seat.place, source=_source(seat))


def _source(seat: Seat) -> Source:
    """Return what decides for a seat; which program is the host's business."""
    return "table" if seat.source == AT_TABLE else "screen" if seat.source == AT_SCREEN else "bot"


def _turn(update: Update, names: Sequence[str]) -> TurnState:
    mine = update.question and update.question.mine
    whose, text = whose_turn(update, names, yours=bool(mine and mine.waits))
    return TurnState(whose=whose, said="" if text is None else _said(text, names))


def _question(rules: Rules[Any], update: Update, question: Question, names: Sequence[str], hand: str) -> QuestionState:
    """Return a question with its texts said. ``hand``: what lies before the seat, as it is drawn."""
    choice = question if isinstance(question, messages.Choice) else None
    return QuestionState(
        id=question.id,
        kind=question.kind,
        what=question.what,
        seats=question.seats,
        waiting=question.waiting,
        said=_said(asked_text(question, names), names, you=update.viewer or 0),
        secret=question.secret,
        open=choice is not None and update.viewer in choice.to_open,
        left=None if question.deadline is None else max(0.0, question.deadline - update.now),
        options=[] if choice is None else choice.options,
        mine=_mine(rules, update, question, names, hand),
    )


def _mine(rules: Rules[Any], update: Update, question: Question, names: Sequence[str], hand: str) -> MineState | None:
    mine, seat = question.mine, update.viewer
    if mine is None or seat is None:
        return None
    can: list[Can] = []
    ways: dict[tuple[str, ...], int] = {}
    choice = mine if isinstance(mine, messages.MyChoice) else None
    moves = isinstance(question, messages.Turn | messages.Choice | messages.Window)
    for line, reply in replies_to(question, mine, names).items():
        parts = parts_of(rules, seat, line) if moves else ()
        told = _told(rules, update, seat, line, names) if moves else _UNTOLD
        if not moves or not parts or (line in _ANSWERS and not _is_drawn(parts, hand)):
            said = told.deed or (render(_ANSWERS[line]) if line in _ANSWERS else printable(spelled(line)))
            parts = ((" ".join(("answer", line)),),)
            told = _UNTOLD._replace(deed=said[:1].upper() + said[1:])
        way = ways.setdefault(tuple(told.steps), len(ways)) if told.steps else -1
        deed, outcome, warns = told.deed, told.outcome, told.warns
        can.append(Can(move=line, parts=parts, reply=reply, deed=deed, outcome=outcome, warns=warns, way=way))
    if isinstance(question, messages.Poll):  # as buttons stand: no to the left
        can.reverse()
    listed = [list(way) for way in ways]
    seem = _seem(rules, update, seat, can) if question.secret else []
    return MineState(waits=mine.waits, can=can, ways=listed, seem=seem, bind=choice.bind if choice else None)


def _seem(rules: Rules[Any], update: Update, seat: int, can: Sequence[Can]) -> list[list[str]]:
    """Return the first parts of moves that a seat seems to have, and has not: all but the last one, which is secret."""
    try:
        moves = seem_of(rules, update.view, seat)
    except PartError:  # nothing more is marked
        return []
    has = {tuple(part for group in each.parts[:-1] for part in group) for each in can}
    seem = (parts_of(rules, seat, bare(move)) for move in moves)
    paths = dict.fromkeys(tuple(part for group in parts[:-1] for part in group) for parts in seem)
    return [list(path) for path in paths if path not in has]


class _Told(NamedTuple):
    """A move of a seat as a command, what it leads to, whether that warns, and what is touched for it."""

    deed: str
    outcome: str
    warns: bool
    steps: list[str]


_UNTOLD = _Told("", "", False, [])


def _told(rules: Rules[Any], update: Update, seat: int, line: str, names: Sequence[str]) -> _Told:
    """Return what a game says of a move of a seat."""
    try:
        move = rules.parse(f"{seat_name(seat)} {line}")
    except RulesError:  # of a card that is thrown it is not known how it lands
        move = read_move(seat, line)
    try:
        steps = steps_of(rules, move)
        deed = deed_of(rules, update.view, move)
        window = isinstance(update.question, messages.Window)
        leads = None if window else leads_to(rules, update.view, move)
        warns = not window and warns_of(rules, update.view, move)
    except PartError:  # the move can be made without it
        return _UNTOLD
    said = ["" if text is None else _said(text, names, you=seat) for text in (deed, leads)]
    return _Told(said[0], said[1], warns, [_said(text, names, you=seat) for text in steps])


def _is_drawn(parts: Parts, hand: str) -> bool:
    """Return whether all parts of a move are drawn in a hand."""
    names = [part for group in parts for part in group]
    return bool(names) and all(f'data-part="{escape(part, quote=True)}"' in hand for part in names)


def _said(text: Text | str, names: Sequence[str], you: int = 0) -> str:
    return printable(text if isinstance(text, str) else render(text, names, you=you))


__all__ = [
    "SURFACES",
    "Said",
    "boards_of",
    "headline_of",
    "names_of",
    "news_of",
    "parts_of",
    "players_of",
    "ranks",
    "say",
    "seat_of",
]

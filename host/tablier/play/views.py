"""What viewers are told and shown: news, and the updates that :mod:`tablier.play.connections` describes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from msgspec import structs

from tablier import messages
from tablier.course.seats import Seat
from tablier.course.session import Session
from tablier.games import leads_to
from tablier.games.core import Move
from tablier.games.core.questions import Choice, Leads, Menu, Poll, Roll, Tally, Turn, Window, bare
from tablier.log.fold import GameInfo
from tablier.texts import Text


@dataclass
class Heard:
    """How far a viewer has followed the news."""

    known: int
    """The number of the last one that it knew when it began to watch."""
    joined: int
    """How many of the news, for whomever, came too early for it unless it lacks their numbers."""
    looked: int = 0
    """The news examined for this viewer so far."""
    count: int = 0
    """The numbered ones among them that it may see."""


class Told(NamedTuple):
    """A piece of news."""

    audience: tuple[int | None, ...] | None
    """For whom it is; ``None`` for all."""
    logged: bool
    """Whether it follows from the log; if not it is of the moment, and has no number."""
    kind: str
    text: Text
    turn: str | None
    at: int

    def sent(self, n: int | None) -> messages.News:
        own = self.audience is not None and None not in self.audience
        return messages.News(n=n, kind=self.kind, text=self.text, turn=self.turn, at=self.at, own=own)


class News:
    """News in the order in which they happened, each for all viewers or for some."""

    def __init__(self) -> None:
        self.all: list[Told] = []
        self.recalled = 0
        """How many of them were told before the game was resumed."""

    def say(
        self,
        kind: str,
        text: Text,
        audience: tuple[int | None, ...] | None = None,
        turn: str | None = None,
        at: int = 0,
        *,
        logged: bool = False,
    ) -> None:
        """Add a piece. ``audience``: for whom it is, ``None`` for all; ``at``: the number of the move that it tells of,
        0 for none; ``logged``: it follows from the log, so it is told again when the game is resumed."""
        self.all.append(Told(audience, logged, kind, text, turn, at))

    def since(self, viewer: int | None, heard: Heard) -> list[messages.News]:
        """Return what a viewer has not had, and count it as had.

        News are numbered for each viewer by what it may see: else a seat could count what another is told.
        """
        news = []
        for index, told in enumerate(self.all[heard.looked :], heard.looked):
            if told.audience is not None and viewer not in told.audience:
                continue
            heard.count += told.logged
            if told.logged and (heard.count > heard.known or index >= max(heard.joined, self.recalled)):
                news.append(told.sent(heard.count))
            elif not told.logged and (heard.count >= heard.known or index >= heard.joined):
                news.append(told.sent(None))
        heard.looked = len(self.all)
        return news


@dataclass(frozen=True)
class Snapshot:
    """A game at one moment. What a viewer may see of it is made once, however many look."""

    session: Session
    info: GameInfo
    over: bool
    head: str
    """The hash of the log's last entry."""
    now: float
    deadline: float | None
    remarks: Sequence[Text] = ()
    """What is to be said beside the result of a game that is over."""
    _seen: dict[int | None, messages.Update] = field(default_factory=dict)

    def update(self, viewer: int | None, news: list[messages.News]) -> messages.Update:
        """Return an update: what a viewer may see now, and its news."""
        if viewer not in self._seen:
            self._seen[viewer] = self._see(viewer)
        return structs.replace(self._seen[viewer], news=news)

    def _see(self, viewer: int | None) -> messages.Update:
        session, position = self.session, self.session.position
        rules, state = position.rules, position.state
        last, fell = self._lately
        over: messages.Over | None = None
        if self.over:
            over = messages.Over(
                scores=list(rules.scores(state)),
                winners=list(rules.winners(state)),
                head=self.head,
                remarks=list(self.remarks),
                unrevealed=session.unrevealed,
            )
        return messages.Update(
            game=self.info.id,
            rules=self.info.game,
            options=rules.given,
            seats=seats_sent(session.seats),
            viewer=viewer,
            ply=session.ply,
            to_move=list(position.to_move),
            last=None if last is None else str(last),
            fell=list(map(str, fell)),
            view=rules.view(state, viewer),
            question=self._question(viewer),
            practice=session.practice,
            over=over,
            now=self.now,
            news=[],
        )

    @cached_property
    def _lately(self) -> tuple[Move | None, Sequence[Move]]:
        """Return the last move of a seat, and those of the table since, as everybody may know them."""
        return self.session.position.lately()

    def _outcomes(self, seat: int, moves: Sequence[Move]) -> list[Text]:
        """Return what each move of a choice leads to, where the game says so."""
        position = self.session.position
        view = position.rules.view(position.state, seat)
        said = [leads_to(position.rules, view, move) for move in moves]
        texts = [text for text in said if text is not None]
        return texts if len(texts) == len(said) else []

    def _question(self, viewer: int | None) -> messages.Question | None:
        """Return what a viewer may see of the open question."""
        session, question = self.session, self.session.question
        if question is None:
            return None
        waiting = list(session.open.waiting)
        asked: dict[str, Any] = {
            "id": session.id,
            "what": question.what,
            "seats": list(question.seats),
            "text": question.text,
            "waiting": waiting,
            "deadline": self.deadline,
        }
        seat = viewer if viewer in question.seats and not session.seats[viewer - 1].is_bot else 0
        waits = viewer in waiting
        mine = messages.Mine(waits=waits) if seat else None
        match question:
            case Turn(moves=moves, may_pass=may_pass, secret=secret):
                turn = messages.MyTurn(waits=waits, moves=list(map(bare, moves)), may_pass=may_pass) if seat else None
                return messages.Turn(**asked, secret=secret, mine=turn)
            case Choice(options=options):
                to_open = list(session.open.to_open)
                choice = self._my_choice(seat, question.moves[seat], waits=waits) if seat else None
                return messages.Choice(
                    **asked, secret=True, options=list(options), open=bool(to_open), to_open=to_open, mine=choice
                )
            case Poll(first=first, leads=leads, subject=subject, listed=listed):
                return messages.Poll(
                    **asked, first=first, leads=_leads(leads), subject=subject, listed=list(listed), mine=mine
                )
            case Menu(leads=leads, subject=subject, listed=listed, secret=secret):
                menu = messages.MyMenu(waits=waits, shut=sorted(question.shut) if secret else []) if seat else None
                return messages.Menu(
                    **asked,
                    secret=secret,
                    options=list(question.options),
                    labels=list(question.labels),
                    start=question.start,
                    leads=_leads(leads),
                    subject=subject,
                    listed=list(listed),
                    mine=menu,
                )
            case Window(thrown=thrown, to_lay=to_lay):
                cards = messages.MyWindow(waits=waits, cards=list(question.cards.get(seat, ()))) if seat else None
                return messages.Window(**asked, thrown=list(thrown), to_lay=list(to_lay), mine=cards)
            case Tally(dice=dice, faces=faces, leads=leads, secret=secret):
                given = [] if secret else list(question.given)
                leads_to = _leads(leads)
                return messages.Tally(
                    **asked, secret=secret, dice=dice, faces=faces, given=given, leads=leads_to, mine=mine
                )
            case Roll(secret=secret):
                return messages.Roll(**asked, secret=secret, mine=mine)
        raise AssertionError(f"{question} is of no kind")

    def _my_choice(self, seat: int, moves: Sequence[Move], *, waits: bool) -> messages.MyChoice:
        bind = self.session.open.bind(seat)
        return messages.MyChoice(
            waits=waits, moves=list(map(bare, moves)), bind=bind, outcomes=self._outcomes(seat, moves)
        )


def _leads(leads: Leads) -> list[list[str]]:
    return [list(map(bare, moves)) for moves in leads]


def seats_sent(seats: Sequence[Seat]) -> list[messages.Seat]:
    """Return seats without what is only of interest to the log."""
    return [
        messages.Seat(name=seat.name, place=seat.place, source=seat.source, simulated=bool(seat.simulated))
        for seat in seats
    ]

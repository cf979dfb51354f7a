"""What people do to open games: reply for their seats, take moves back, pause, and so on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Annotated, Protocol

from msgspec import Meta

from tablier import messages
from tablier.bots.sources import COMMAND
from tablier.course.seats import AT_SCREEN
from tablier.keeper.access import AT_TABLE, HOLDING, NAMELESS, NAMES_PROGRAMS, ORGANISING, PAUSING, PLAYING, SEATED
from tablier.keeper.methods import Asker, method
from tablier.keeper.peer import Peer
from tablier.keeper.protocol import FORBIDDEN, REFUSED, Count, Name, OfGame, OfSeat, Params, Refusal, Seconds
from tablier.log.replies import AnyReply, Words, check_printable
from tablier.play.game import Conductor

AnySeat = Annotated[int, Meta(ge=0, le=6, description="a number from 0 to 6")]
MoveNumber = Annotated[Count | None, Meta(description="the number of a move, or null")]


class Reply(OfGame, frozen=True, kw_only=True):
    """A reply to the open question."""

    reply: AnyReply

    @property
    def speaker(self) -> int:
        return self.reply.seat


class Back(OfSeat, frozen=True, kw_only=True):
    """A seat's last ``count`` moves, and what followed."""

    count: Count = 1


class Anybody(OfGame, frozen=True, kw_only=True):
    """A seat, or 0 for the keeper of the log."""

    seat: AnySeat


class Pause(Anybody, frozen=True, kw_only=True):
    """A game is paused, or resumed."""

    on: bool = True


class Correct(Anybody, frozen=True, kw_only=True):
    """What was really played as move ``at``; ``None``: the last move of a seat."""

    at: MoveNumber = None
    move: Words

    def __post_init__(self) -> None:
        check_printable(self, "move")


class Dispute(Anybody, frozen=True, kw_only=True):
    """What was not right about move ``at``; ``None``: the last move of a seat."""

    at: MoveNumber = None
    text: Words

    def __post_init__(self) -> None:
        check_printable(self, "text")


class Source(OfSeat, frozen=True, kw_only=True):
    """What decides for a seat from now on. ``person``: the name of who has it at a screen; ``None``: who had it."""

    source: Name
    person: Words | None = None

    def __post_init__(self) -> None:
        check_printable(self, "source", "person")


class Wait(OfGame, frozen=True, kw_only=True):
    """Bots wait, or do no longer."""

    on: bool


class Pace(OfGame, frozen=True, kw_only=True):
    """The seconds that bots take for a move."""

    seconds: Seconds


class Playing(Protocol):
    """The open games, as orders need them."""

    def playing(self, number: int) -> AbstractContextManager[Conductor]:
        """Return a game that has begun, to do something to. Raise :class:`Refusal`, also for what the game declines."""

    def person_of(self, number: int, name: str) -> str:
        """Return somebody of a game's evening. Raise :class:`Refusal`."""

    def organises(self, peer: Peer, params: Params) -> bool:
        """Return whether a connection has come in as an organiser of the evening that parameters name."""

    def check_source(self, number: int, seat: int, source: str, person: str | None) -> None:
        """Raise :class:`Refusal` or ``TableError`` where a seat cannot have a source at its table, or at the screen of
        a person; ``None``: of who had it."""

    def seat_was_given(self, number: int) -> None:
        """Take note that something else decides for a seat of a game."""

    def set_pace(self, number: int, seconds: float) -> None:
        """Take note of the pace that bots have from now on."""

    def stop(self, number: int) -> None:
        """Close a game, which can be resumed."""


class Orders:
    """Carries out what people want of open games."""

    def __init__(self, games: Playing) -> None:
        self._games = games

    @contextmanager
    def _speaking(self, asker: Asker, params: OfGame) -> Iterator[Conductor]:
        """Return the game in which somebody speaks for a seat, or in nobody's name."""
        with self._games.playing(params.game) as game:
            if params.speaker:
                game.check_speaker(params.speaker, own=asker.peer.rights.holds(params.game, params.speaker))
            yield game

    @method("reply", Reply, HOLDING, takes="`game`, `reply`: of a seat to the open question")
    def _reply(self, asker: Asker, params: Reply) -> messages.Done:
        with self._games.playing(params.game) as game:
            game.reply(params.reply)
        return messages.DONE

    @method("back", Back, AT_TABLE, takes="`game`, `seat`, `count`?")
    def _back(self, asker: Asker, params: Back) -> messages.Done:
        with self._speaking(asker, params) as game:
            game.take_back(params.seat, params.count)
        return messages.DONE

    @method("mistake", OfSeat, AT_TABLE, takes="`game`, `seat`")
    def _mistake(self, asker: Asker, params: OfSeat) -> messages.Done:
        with self._speaking(asker, params) as game:
            game.report_mistake(params.seat)
        return messages.DONE

    @method("correct", Correct, NAMELESS, takes="`game`, `seat`, `at`?, `move`")
    def _correct(self, asker: Asker, params: Correct) -> messages.Done:
        with self._speaking(asker, params) as game:
            game.correct(params.seat, params.at, params.move)
        return messages.DONE

    @method("dispute", Dispute, NAMELESS, takes="`game`, `seat`, `at`?, `text`")
    def _dispute(self, asker: Asker, params: Dispute) -> messages.Done:
        with self._speaking(asker, params) as game:
            game.dispute(params.seat, params.at, params.text)
        return messages.DONE

    @method(
        "pause",
        Pause,
        PAUSING,
        takes="`game`, `seat`, `on`? (true)",
        gives="everybody but bots is asked whether to resume the game; the first yes ends the pause, and so does"
        " `on` false",
    )
    def _pause(self, asker: Asker, params: Pause) -> messages.Done:
        with self._speaking(asker, params) as game:
            game.pause(params.seat, ends=not params.on)
        return messages.DONE

    @method(
        "call",
        OfSeat,
        AT_TABLE,
        takes="`game`, `seat`",
        gives="the seat stops play, as a place does by its gesture, and is asked by a menu why: to go on, to pause,"
        " or which move was played otherwise; without an answer play continues after a minute",
    )
    def _call(self, asker: Asker, params: OfSeat) -> messages.Done:
        with self._speaking(asker, params) as game:
            game.call(params.seat)
        return messages.DONE

    @method(
        "source",
        Source,
        SEATED,
        takes="`game`, `seat`, `source`: what decides for the seat from now on: `screen`, `table`, a bot (`good`),"
        " or `bot:` and a program, which the operator alone may name; `person`?: the name of somebody who is there and"
        " has it at a screen from now on, which organisers and the operator may say",
    )
    def _source(self, asker: Asker, params: Source) -> messages.Done:
        rights, number, seat = asker.peer.rights, params.game, params.seat
        own = rights.holds(number, seat)
        if params.source.startswith(COMMAND) and not rights.operator:
            raise Refusal(FORBIDDEN, NAMES_PROGRAMS)
        person = None
        if params.person is not None:
            if not rights.operator and not self._games.organises(asker.peer, params):
                raise Refusal(FORBIDDEN, "who has a seat is for organisers of the evening to say, and for the operator")
            if params.source != AT_SCREEN:
                raise Refusal(REFUSED, "person has a seat at a screen; source is {source}", source=params.source)
            own, person = False, self._games.person_of(number, params.person)
        self._games.check_source(number, seat, params.source, person)
        with self._games.playing(number) as game:
            game.give_seat(seat, params.source, seat if own else 0, person)
        self._games.seat_was_given(number)
        return messages.DONE

    @method("hurry", OfGame, PLAYING, takes="`game`", gives="bots decide at once, until a person at a screen is asked")
    def _hurry(self, asker: Asker, params: OfGame) -> messages.Done:
        with self._games.playing(params.game) as game:
            game.chairs.hurry()
        return messages.DONE

    @method(
        "wait",
        Wait,
        PLAYING,
        takes="`game`, `on`",
        gives="bots wait, until it is sent with `false`, or somebody sends `hurry`: a full screen sends it while its"
        " card is read",
    )
    def _wait(self, asker: Asker, params: Wait) -> messages.Done:
        with self._games.playing(params.game) as game:
            game.chairs.set_waiting(params.on)
        return messages.DONE

    @method(
        "pace",
        Pace,
        PLAYING,
        takes="`game`, `seconds` (0 to 60)",
        gives="bots take so long for a move from now on; news tell it",
    )
    def _pace(self, asker: Asker, params: Pace) -> messages.Done:
        with self._games.playing(params.game) as game:
            game.set_pace(params.seconds)
        self._games.set_pace(params.game, params.seconds)
        return messages.DONE

    @method("stop", OfGame, ORGANISING, takes="`game`", gives="it can be resumed")
    def _stop(self, asker: Asker, params: OfGame) -> messages.Done:
        self._games.stop(params.game)
        return messages.DONE

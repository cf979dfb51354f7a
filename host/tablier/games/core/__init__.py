"""The common core of the games: moves, rules, positions.

A game is a :class:`Rules` object (one game, its seats, its options) and a chain of immutable *states*. All that can
happen is a :class:`Move`; chance is a move of the table. Rules are pure: no input or output, no clock, no randomness.

* A state is an immutable, hashable value (a ``NamedTuple``): equality is identity of content, a copy is a reference,
  taking a move back is going back to the state before it.
* :class:`Position` adds the history: ``push`` (always checked), ``pop``, ``copy``, ``legal_moves``.
* What a seat may see of a state is one function, :meth:`Rules.view`; what it may see of a move is
  :meth:`Rules.events`, each event naming its audience.

Errors: :class:`RulesError` and its three children. Their text says what was seen and what is allowed, as a template and
its arguments: a screen puts names in, ``str(error)`` is the line for records and the command line.
"""

from __future__ import annotations

import json
import reprlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from tablier.texts import Json, Text, TextError, Typed, Who, all_of, any_of, counted, language, suggest, text_of

TABLE = 0
"""The actor of what no seat decides: dice, draws, the end of a throwing window."""
JUDGE = "judge"
"""The kind of an event that asks the players whether a move was allowed; it is logged as a note."""


class RulesError(TextError):
    """Something is not as the rules demand; the text is one line for a reader."""


class OptionError(RulesError):
    """An unknown option, a value that an option does not allow, or a wrong number of seats."""


class MalformedMove(RulesError):
    """Text that is not a move of this game."""


class IllegalMove(RulesError):
    """A move of this game that is not legal in this position. The position is unchanged."""


class Move(NamedTuple):
    """One move: who (seat number from 1, or :data:`TABLE`), what, with what.

    ``str(move)`` is its canonical notation; its ``repr`` is the call that rebuilds it.
    """

    actor: int
    verb: str
    args: tuple[Any, ...] = ()

    def __str__(self) -> str:
        head = f"{seat_name(self.actor)} {self.verb}"
        return head + " " + " ".join(map(str, self.args)) if self.args else head

    @property
    def typed(self) -> Typed:
        """Return the move as an argument of a text."""
        return Typed(*str(self).split(" ", 1))


class Draw(NamedTuple):
    """The draw that a move of the table needs; it is the same for every source of chance."""

    ranges: tuple[int, ...]
    """One number is drawn from each: from 0, and below it."""
    move: Callable[[Sequence[int]], Move]
    """Return the table's move that the numbers stand for, one for each of the ranges."""
    seat: int = TABLE
    """For whom it is drawn, or who throws."""
    dice: bool = False
    """Dice that the seat throws; else it comes from a bag or a deck."""
    secret: bool = False
    """Only the seat may know what is drawn."""
    given: tuple[int, ...] = ()
    """The faces, from 0, of dice that are not thrown again and lie beside those that are."""


class Event(NamedTuple):
    """Something that happened because of a move and is told to people; not a move itself.

    ``audience`` holds the seats that may be told; ``None`` means everybody, spectators included.
    """

    kind: str
    text: Text
    audience: tuple[int, ...] | None = None


def shown(value: object) -> str:
    """Return a value as an error quotes it: one line, and cut where it is long or deep."""
    return _SHORT.repr(value)


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 120
_SHORT.maxlong = 40
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = 12
_SHORT.maxlevel = 4


def _cut(error: Exception) -> str:
    """Return the text of an error, cut where it quotes something long."""
    text = str(error)
    return text if len(text) <= 300 else text[:300] + "…"


def highest(scores: Sequence[float]) -> tuple[int, ...]:
    """Return the seats with the highest score: most points win, and tied players all win."""
    best = max(scores)
    return tuple(seat for seat, score in enumerate(scores, 1) if score == best)


def seat_name(seat: int) -> str:
    """``1`` → ``"p1"``; :data:`TABLE` → ``"table"``."""
    return f"p{seat}" if seat else "table"


def parse_seat(text: str, seats: int) -> int:
    """``"p1"`` → ``1``, ``"table"`` → :data:`TABLE`. Raise :class:`MalformedMove` for anything else."""
    if text == "table":
        return TABLE
    for seat in range(1, seats + 1):
        if text == f"p{seat}":
            return seat
    raise MalformedMove("there is no actor {text} here; actors are p1–p{seats} and table", text=repr(text), seats=seats)


def parse_number(text: str) -> int:
    """Return a decimal number as the record format allows it: digits, no sign, no point, no leading zero."""
    if text.isascii() and text.isdigit() and (text == "0" or text[0] != "0"):
        return int(text)
    raise MalformedMove("{text} is not a number (decimal digits, no sign, no leading zero)", text=repr(text))


def whole_number(value: object) -> int:
    """Return a whole number of a described position, as it is: nothing is rounded. Raise :class:`ValueError`."""
    if type(value) is not int:
        raise ValueError(f"{shown(value)} is not a whole number")
    return value


def left_of(seat: int, seats: int) -> int:
    """Return the next seat clockwise."""
    return seat % seats + 1


# -- what several games say ------------------------------------------------------------------------

GAME_OVER = Text("the game is over")
SETTLED = Text("it is settled who begins")
ON_TURN = Text("it is {who}'s turn")
NOT_NOW = Text("'{move}' is not possible now")
MISSING = Text("{key} is missing")
NOTHING_MORE = Text("'{move}' takes nothing more")
THE_FORM = Text("the form is: {form}")
SAYS_YES, SAYS_NO = Text("{who} says yes."), Text("{who} says no.")


def games_text(count: int) -> Text:
    """Return a number of games."""
    return counted(count, "{count} game", "{count} games")


def moves_text(count: int) -> Text:
    """Return a number of moves."""
    return counted(count, "{count} move", "{count} moves")


def points_text(count: int) -> Text:
    """Return a number of points."""
    return counted(count, "{count} point", "{count} points")


def dice_text(count: int) -> Text:
    """Return a number of dice."""
    return counted(count, "{count} die", "{count} dice", "no dice")


@dataclass(frozen=True)
class Option:
    """One option of a game.

    ``check`` gets the JSON value and the number of seats and returns the value that the rules use, or raises
    ``ValueError`` with what is allowed.
    """

    default: Any
    check: Callable[[Any, int], Any]
    help: Text


def seat_option(value: Any, seats: int) -> int:
    """Return the check of an option that names a seat."""
    if isinstance(value, str) and value in {f"p{n}" for n in range(1, seats + 1)}:
        return int(value[1:])
    raise TextError("a seat from p1 to p{seats}", seats=seats)


def _listed(value: Any) -> Any:
    return list(map(_listed, value)) if isinstance(value, tuple) else value


def _unlisted(value: Any) -> Any:
    return tuple(map(_unlisted, value)) if isinstance(value, list) else value


S = TypeVar("S", bound="tuple[Any, ...]")


class Rules(ABC, Generic[S]):
    """The rules of one game for a number of seats and a set of options. Immutable once made."""

    name: ClassVar[str]
    """As in a record: ``dilemma``."""
    title: ClassVar[str]
    """As people say it: ``Dilemma``."""
    seat_counts: ClassVar[tuple[int, ...]]
    OPTIONS: ClassVar[Mapping[str, Option]]
    VERSION: ClassVar[int] = 1
    """Raised whenever the same moves lead elsewhere than before, or another draw follows from the same chance. Logs of
    other versions are refused."""
    OPEN_MOVES: ClassVar[bool] = True
    """True if everybody may know which moves a seat has. Where not, its options are shown at its own screen only."""
    OPEN_EVENTS: ClassVar[bool] = False
    """True if everybody is told of every move and none is for people to judge (:data:`JUDGE`): then nobody has to look
    at what is told of a move to know that it is no secret."""
    OPEN_VIEWS: ClassVar[bool] = False
    """True if a seat that is to move sees the same as everybody, so that all may see its hints."""
    IN_PRELUDE: ClassVar[bool] = False
    """True of the rules of a prelude, which settles what a game begins with."""
    most_legal: int | None = None
    """The most legal moves that an actor, the table included, can have at a time. Adapters need it, and ``longest``,
    for a game without an encoding of its own."""
    longest: int | None = None
    """The most moves that a game can have, those of the table included."""
    found_open: tuple[Any, Any] = (None, None)
    """The state and the move that :meth:`allows` has last found to be legal: that very move is often played next."""

    def __init__(self, seats: int, options: Mapping[str, Any] | None = None) -> None:
        """Raise :class:`OptionError` when the number of seats or an option is not allowed."""
        if seats not in self.seat_counts:
            allowed = any_of(self.seat_counts)
            raise OptionError(
                "{game} is played by {allowed} players, not {seats}",
                game=self.shown_title(),
                allowed=allowed,
                seats=seats,
            )
        self.seats = seats
        self.options: dict[str, Any] = {}
        """The checked value of every option, defaults included."""
        self.given: Json = dict(options or {})
        """The options as they were given, for a record."""
        for key in self.given:
            if key not in self.OPTIONS:
                about = {"game": self.shown_title(), "option": shown(key), "known": list(self.OPTIONS) or Text("none")}
                raise OptionError(
                    suggest(Text("{game} has no option {option}; its options: {known}", about), key, self.OPTIONS)
                )
        for key, option in self.OPTIONS.items():
            value = self.given.get(key, option.default)
            try:
                self.options[key] = option.check(value, seats)
            except OptionError:  # the check has said it in its own words
                raise
            except ValueError as error:
                raise OptionError(
                    "option {option} is {value}; allowed: {allowed}",
                    option=key,
                    value=shown(value),
                    allowed=text_of(error),
                ) from None
        self._parsed: dict[str, Move] = {}
        self._texts: dict[Move, str] = {}
        self._begun: dict[str, Rules[S]] = {}
        self.known: dict[Move, Move] = {}
        """The moves that :meth:`canonical` has found so far."""

    @classmethod
    def shown_title(cls) -> str:
        """Return the title in the reader's language."""
        return language().find("game", cls.title)

    # -- the course of a game -------------------------------------------------------------------

    @abstractmethod
    def initial(self) -> S:
        """Return the state in which a game begins."""

    def to_move(self, state: S) -> tuple[int, ...]:
        """Return who can move: seats in their order, then :data:`TABLE` if the table can. Empty when the game is
        over."""
        actors = {move.actor for move in self.legal(state)}
        return (*sorted(actors - {TABLE}), *(actors & {TABLE}))

    @abstractmethod
    def legal(self, state: S) -> Sequence[Move]:
        """Return every legal move of every actor, each once, in canonical form; of chance, every distinct outcome."""

    def refuse(self, state: S, move: Move) -> Text | None:
        """Return why the move is not legal here, or ``None`` if it is. Agrees with :meth:`legal`.

        The move is one of this game, as :meth:`parse` or :meth:`canonical` gives it. A game overrides it where it can
        say more than whose turn it is.
        """
        if move in self.legal(state):
            return None
        due = self.to_move(state)
        if not due:
            return GAME_OVER
        if move.actor in due:
            return NOT_NOW.of(move=move.typed)
        if due == (TABLE,):
            return Text("the table moves next")
        return ON_TURN.of(who=all_of([Who(seat) for seat in due if seat != TABLE]))

    def allows(self, state: S, move: Move) -> bool:
        """Return whether :meth:`legal` lists a move, which need not be one of this game."""
        try:
            move = self.canonical(move)
        except MalformedMove:
            return False
        if self.refuse(state, move) is not None:
            return False
        self.found_open = state, move
        return True

    @abstractmethod
    def apply(self, state: S, move: Move) -> S:
        """Return the state after a legal move. Unchecked: :meth:`refuse` was asked, or the move comes from
        :meth:`legal`."""

    @abstractmethod
    def scores(self, state: S) -> tuple[float, ...]:
        """Return the running scores, seat by seat."""

    def winners(self, state: S) -> tuple[int, ...]:
        """Return the winning seats in their order; empty until the game is over. As it stands, most points win."""
        return () if self.to_move(state) else highest(self.scores(state))

    def ending(self, state: S) -> str | None:
        """Return why the game is over, as one word of the game's own list, or ``None`` while it runs."""
        return None if self.to_move(state) else "over"

    def chance(self, state: S) -> Sequence[tuple[Move, int]]:
        """Return every outcome of the table's move with its weight, from 1; empty where no chance moves."""
        return ()

    def attempt(self, move: Move) -> Move:
        """Return what a seat decides of its move where chance decides the rest, as it does of a card that is thrown
        without an arena. No move of the game itself, and typed like one. As it stands, a seat decides all of a move."""
        return move

    def outcomes(self, attempt: Move) -> Sequence[tuple[Move, int]]:
        """Return every move that an attempt can come to, with its weight, from 1; empty where the seat decides all."""
        return ()

    def draw(self, state: S) -> Draw:
        """Return how the table's move is drawn, where :meth:`chance` has outcomes. As it stands, by their weights."""
        outcomes = self.chance(state)
        first = outcomes[0][0]
        told = [event.audience for event in self.events(state, first, self.apply(state, first)) if event.audience]
        total = sum(weight for _, weight in outcomes)

        def move(numbers: Sequence[int]) -> Move:
            (at,) = numbers
            for move, weight in outcomes:
                at -= weight
                if at < 0:
                    return move
            raise ValueError(f"{numbers} is not drawn from {total}")

        return Draw((total,), move, told[0][0], secret=True) if told else Draw((total,), move)

    # -- as a session conducts it -----------------------------------------------------------------

    def prelude(self) -> Prelude[Any] | None:
        """Return the rules of what the table settles before the first position, such as who begins.

        ``None`` where there is nothing to settle, as where the options name it.
        """
        return None

    def conducted(self) -> Rules[S]:
        """Return the rules as a session conducts them: these, unless to be asked would tell what a seat holds.

        Such a game asks the seat all the same, and the seat makes its :meth:`idle` move. A log has those moves like all
        others, so that it is alike in both cases; a record leaves them out (:attr:`Position.recorded`).
        """
        return self

    def idle(self, state: S) -> Move | None:
        """Return the only move of a seat that is asked though the rules leave it nothing to decide, else ``None``."""
        return None

    # -- who may know what ----------------------------------------------------------------------

    @abstractmethod
    def view(self, state: S, seat: int | None) -> Json:
        """Return what a seat may see of the state, as JSON; ``None`` is a spectator. Nothing else may be shown to
        them."""

    def events(self, before: S, move: Move, after: S) -> list[Event]:
        """Return what people are told of a move, in order. As it stands, everybody is told the move as it is typed."""
        who = Who(move.actor) if move.actor else Text("The table", context="seat")
        return [Event(move.verb, Text("{who}: {move}.", {"who": who, "move": move.typed}))]

    def judged(self, before: S, move: Move, after: S) -> list[Event]:
        """Return the events of a move that ask the players whether it was allowed. Agrees with :meth:`events`; a game
        overrides it where most moves have none, since each move of a log that is run again is asked for them."""
        if self.OPEN_EVENTS:
            return []
        return [event for event in self.events(before, move, after) if event.kind == JUDGE]

    def secret(self, before: S, move: Move, now: S) -> bool:
        """Return whether a move, played in ``before``, may still not be told to everybody in ``now``, a later state.

        As it stands: while the game runs, a move that told some seats what it did not tell all. A game overrides it
        where a secret has no audience yet (a choice that nobody is told before it is opened) or ends before the game.
        """
        if self.OPEN_EVENTS or not self.to_move(now):
            return False
        return any(event.audience is not None for event in self.events(before, move, self.apply(before, move)))

    # -- positions that are set up ----------------------------------------------------------------

    def describe(self, state: S) -> Json:
        """Return the whole state as JSON, secrets included; :meth:`restore` of it is the same state.

        As it stands: the fields of the state, a ``NamedTuple`` of numbers, words, and tuples of these.
        """
        fields: Json = state._asdict()  # type: ignore[attr-defined]
        return {key: _listed(value) for key, value in fields.items()}

    def restore(self, description: Json) -> S:
        """Return the state of a description. Raise :class:`RulesError` for what describes none.

        It is not checked whether play can lead to it.
        """
        try:
            return self.read(description)
        except KeyError as error:
            raise RulesError(
                "not a position of {game}: {key} is missing", game=self.shown_title(), key=_cut(error)
            ) from None
        except (AttributeError, IndexError, TypeError, ValueError) as error:
            raise RulesError("not a position of {game}: {why}", game=self.shown_title(), why=_cut(error)) from None

    def read(self, description: Json) -> S:
        """Return the state that :meth:`describe` has described. May raise ``KeyError`` for what is missing, and
        ``AttributeError``, ``IndexError``, ``TypeError`` or ``ValueError`` for what is no description."""
        first = self.initial()
        return type(first)(*(_unlisted(description[key]) for key in first._fields))  # type: ignore[attr-defined]

    # -- notation -----------------------------------------------------------------------------------

    @abstractmethod
    def parse_args(self, actor: int, verb: str, args: list[str]) -> Move:
        """Return the move with the canonical arguments of a text. Raise :class:`MalformedMove`."""

    def parse(self, text: str) -> Move:
        """Return the move that a text says, in canonical form, legal here or not. Raise :class:`MalformedMove`."""
        try:
            return self._parsed[text]
        except KeyError:
            pass
        if len(text) > _TEXT_MAX:
            raise MalformedMove("a move has at most {most} characters, not {count}", most=_TEXT_MAX, count=len(text))
        words = text.split(" ")
        if len(words) < 2 or "" in words:
            raise MalformedMove("a move is an actor, a verb and its arguments, with single spaces between them")
        move = self.parse_args(parse_seat(words[0], self.seats), words[1], words[2:])
        if len(self._parsed) < _PARSED_MAX:
            self._parsed[text] = move
        return move

    def parse_typed(self, text: str) -> Move:
        """Return what a seat types as its move, legal here or not, so that :meth:`refuse` can say why not: also what is
        no move of the game, an attempt or the beginning of a move for which there may be a reason. Raise
        :class:`MalformedMove`. As it stands, a move."""
        return self.parse(text)

    def canonical(self, move: Move) -> Move:
        """Return the move as :meth:`parse` gives it, legal here or not. Raise :class:`MalformedMove` if no text says
        it."""
        try:
            return self.known[move]
        except (KeyError, TypeError):
            pass
        try:
            canonical = self.parse(str(Move(*move)))
            if len(self.known) < _PARSED_MAX:
                self.known[move] = canonical
        except TypeError:  # not three parts, or arguments that are no words
            raise MalformedMove("{move} is not a move of {game}", move=shown(move), game=self.shown_title()) from None
        return canonical

    def text(self, move: Move) -> str:
        """Return the canonical notation of a move in canonical form: ``str`` of it, made once."""
        try:
            return self._texts[move]
        except KeyError:
            text = str(move)
            if len(self._texts) < _PARSED_MAX:
                self._texts[move] = text
            return text

    def after_prelude(self, settled: Json) -> Rules[S]:
        """Return the rules of the game that begins when a prelude has settled some options: the same object each time,
        since what it has parsed is known in the next game."""
        key = json.dumps(settled, sort_keys=True)
        rules = self._begun.get(key)
        if rules is None:
            rules = type(self)(self.seats, {**self.given, **settled})
            if len(self._begun) < _BEGUN_MAX:
                self._begun[key] = rules
        return rules

    def wrong_verb(self, verb: str, known: Iterable[str]) -> MalformedMove:
        """Return the error for a verb that this actor does not have."""
        template = "there is no move {verb} here; possible: {known}"
        return MalformedMove(template, verb=repr(verb), known=list(known))


class Prelude(Rules[S]):
    """The rules of a prelude to a game, which bear the game's name: draws that settle some options before it begins.

    An example is the roll-off for the first turn. Only the table moves in a prelude. A session conducts it like a game,
    with the same sources of chance and the same questions. It then begins the game with the options that were settled,
    and a record holds these options only. A game that is given them at the start has no prelude
    (:meth:`Rules.prelude`).
    """

    IN_PRELUDE = True
    OPTIONS = {}
    TEXT: ClassVar[Text]
    """The announcement with which it begins."""
    SETTLES: ClassVar[tuple[str, ...]]
    """The options of the game that it settles."""

    def __init__(self, game: Rules[Any]) -> None:
        super().__init__(game.seats)
        self.game = game
        """The rules of the game, with the options that were named."""
        self.given = game.given

    @abstractmethod
    def settled(self, state: S) -> Json:
        """Return the options that a state gives in which nothing is left to be done."""

    def begun(self, state: S) -> Rules[Any]:
        """Return the rules of the game that begins then."""
        return self.game.after_prelude(self.settled(state))

    # -- chance alone moves ---------------------------------------------------------------------

    def legal(self, state: S) -> Sequence[Move]:
        return [move for move, _ in self.chance(state)]

    # -- nothing is won in it, and nobody sets one up --------------------------------------------

    def scores(self, state: S) -> tuple[float, ...]:
        return (0,) * self.seats

    def winners(self, state: S) -> tuple[int, ...]:
        return ()

    def describe(self, state: S) -> Json:
        return self.view(state, None)


_TEXT_MAX = 200  # far more than any move needs; keeps errors that quote a part of it readable, and its numbers small
_BEGUN_MAX = 64
_PARSED_MAX = 20_000  # texts remembered by each rules object, so that reading a long file stays bounded


class Position(Generic[S]):
    """A game in progress: rules, the current state, and how it came about.

    Copies are cheap whatever the length of the history: states and the chain of past moves are shared, not copied.
    """

    __slots__ = ("_past", "ply", "rules", "state")

    def __init__(self, rules: Rules[S], state: S | None = None) -> None:
        self.rules = rules
        self.state: S = rules.initial() if state is None else state
        self.ply = 0
        """The number of moves pushed."""
        self._past: Any = None  # (past, state before, move) or None

    def push(self, move: Move) -> None:
        """Play a move. Raise, and change nothing, when it is not legal.

        :class:`IllegalMove` for a move of this game, :class:`MalformedMove` for what is none.
        """
        # This is _push_checked of what canonical says, written out: every move of every search comes through here.
        rules, state = self.rules, self.state
        try:
            move = rules.known[move]
        except (KeyError, TypeError):
            move = rules.canonical(move)
        allowed, found = rules.found_open
        if (move is not found or state is not allowed) and (reason := rules.refuse(state, move)) is not None:
            raise IllegalMove(reason)
        self.state = rules.apply(state, move)
        self._past = (self._past, state, move)
        self.ply += 1

    def _push_checked(self, move: Move) -> None:
        """:meth:`push` of a move in canonical form."""
        reason = self.rules.refuse(self.state, move)
        if reason is not None:
            raise IllegalMove(reason)
        self.push_unchecked(move)

    def push_unchecked(self, move: Move) -> None:
        """:meth:`push` without its checks, for moves that come from :attr:`legal_moves`, as those of a search do.

        What any other move does is not defined.
        """
        state = self.state
        self.state = self.rules.apply(state, move)
        self._past = (self._past, state, move)
        self.ply += 1

    def pop(self) -> Move:
        """Take the last move back and return it. Raise ``IndexError`` when there is none."""
        if self._past is None:
            raise IndexError("no move to take back")
        self._past, self.state, move = self._past
        self.ply -= 1
        return move  # type: ignore[no-any-return]

    def lately(self) -> tuple[Move | None, tuple[Move, ...]]:
        """Return the last move that a seat has made, and those of the table since; without what not everybody may know.

        Of a secret move of a seat, and before the first one, the first of both is ``None``.
        """
        past = self._past
        since: list[Move] = []
        while past is not None:
            past, before, move = past
            told = not self.rules.secret(before, move, self.state)
            if move.actor:
                return move if told else None, tuple(since)
            if told:
                since.insert(0, move)
        return None, tuple(since)

    def parse_push(self, text: str) -> Move:
        """Read a move and play it. Raise :class:`MalformedMove` or :class:`IllegalMove`."""
        move = self.rules.parse(text)
        self._push_checked(move)
        return move

    def copy(self) -> Position[S]:
        """Return an equal, independent position."""
        twin = Position.__new__(Position)
        twin.rules = self.rules
        twin.state = self.state
        twin.ply = self.ply
        twin._past = self._past
        return twin

    @property
    def legal_moves(self) -> Sequence[Move]:
        return self.rules.legal(self.state)

    @property
    def to_move(self) -> tuple[int, ...]:
        return self.rules.to_move(self.state)

    @property
    def is_over(self) -> bool:
        return not self.rules.to_move(self.state)

    @property
    def moves(self) -> list[Move]:
        """Return the moves pushed so far, first to last."""
        return [move for _, move in self.history()]

    @property
    def recorded(self) -> list[Move]:
        """Return the moves that a record has: all but the idle ones (:meth:`Rules.idle`)."""
        return [move for before, move in self.history() if move != self.rules.idle(before)]

    def history(self) -> list[tuple[S, Move]]:
        """Return each move that was pushed with the state before it, first to last."""
        history = []
        past = self._past
        while past is not None:
            past, before, move = past
            history.append((before, move))
        history.reverse()
        return history

    def backwards(self) -> Iterator[Move]:
        """Yield the moves pushed so far, last to first."""
        past = self._past
        while past is not None:
            past, _, move = past
            yield move

    def conducted(self) -> Position[S]:
        """Return the position by the rules as a session conducts them, idle moves made where they are due."""
        rules = self.rules.conducted()
        if rules is self.rules:
            return self
        first, moves = self.copy(), self.moves
        while first.ply:
            first.pop()
        twin = Position(rules, first.state)
        for move in moves:
            idle = rules.idle(twin.state)
            if idle is not None and move != idle:
                twin.push(idle)
            twin.push(move)
        return twin

    def last_events(self) -> list[Event]:
        """Return what people are told of the last move; empty before the first."""
        if self._past is None:
            return []
        _, before, move = self._past
        return self.rules.events(before, move, self.state)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return (
            self.state == other.state
            and self.rules.name == other.rules.name
            and self.rules.seats == other.rules.seats
            and self.rules.options == other.rules.options
        )

    __hash__ = None  # type: ignore[assignment]  # a position changes

    def __repr__(self) -> str:
        return f"<Position {self.rules.name} ply {self.ply}: {self.state!r}>"


__all__ = [
    "GAME_OVER",
    "JUDGE",
    "MISSING",
    "NOTHING_MORE",
    "NOT_NOW",
    "ON_TURN",
    "SAYS_NO",
    "SAYS_YES",
    "SETTLED",
    "TABLE",
    "THE_FORM",
    "Draw",
    "Event",
    "IllegalMove",
    "MalformedMove",
    "Move",
    "Option",
    "OptionError",
    "Position",
    "Prelude",
    "Rules",
    "RulesError",
    "dice_text",
    "games_text",
    "highest",
    "left_of",
    "moves_text",
    "parse_number",
    "parse_seat",
    "points_text",
    "seat_name",
    "seat_option",
    "shown",
    "whole_number",
]

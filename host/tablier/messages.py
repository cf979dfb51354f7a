"""The messages to screens, typed: what the keeper sends is built of these, what a screen takes is decoded into them.

The tables of the keeper's ``PROTOCOL.md`` and the types of the pages' scripts are made from the declarations here. A
field that has its default is left out of JSON.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import msgspec
from msgspec import Meta, Struct, field

from tablier.texts import Text

_LEARNING = threading.Lock()
_LEARNT: set[object] = set()


def learn(kind: Any) -> None:
    """Have msgspec look up what a type is made of, which it does at its first use: it crashes where another thread
    needs what is half looked up."""
    if kind not in _LEARNT:
        with _LEARNING:
            msgspec.json.Decoder(kind)
            _LEARNT.add(kind)


def encode(value: object) -> bytes:
    """Return a value as JSON."""
    try:
        return msgspec.json.encode(value)
    except (UnicodeEncodeError, OverflowError):  # a file's name that is no UTF-8, a number of more than 64 bits
        text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")


class Sent(Struct, frozen=True, omit_defaults=True):
    """A value that is sent."""


# -- a game -----------------------------------------------------------------------------------------------------------


class Seat(Sent, kw_only=True, frozen=True):
    """A seat of a game."""

    name: str
    place: Annotated[int, Meta(description="0: none")]
    source: Annotated[str, Meta(description="`table`, `screen`, or a bot")]
    simulated: Annotated[bool, Meta(description="a simulated person sits there")] = False


class News(Sent, kw_only=True, frozen=True):
    """Something that has happened."""

    n: Annotated[
        int | None, Meta(description="from 1, counting what this viewer may see; `null` for news of the moment")
    ]
    kind: str
    text: Text
    turn: Annotated[
        str | None,
        Meta(description="the turn that it belongs to, as the game's view has it, such as `p1`; `null`: none"),
    ]
    at: Annotated[int, Meta(description="the number of the move that it tells of; 0: of none")] = 0
    own: Annotated[bool, Meta(description="true: a spectator is not told it")] = False


class Result(Sent, kw_only=True, frozen=True):
    """How a game has ended."""

    scores: Annotated[list[int | float], Meta(description="of each seat, in turn")]
    winners: Annotated[list[int], Meta(description="seats")]

    @staticmethod
    def read(body: Mapping[str, Any]) -> Result:
        """Return how a game has ended as its log has it, which names seats as records do."""
        scores, winners = body["scores"], body["winners"]
        names = [f"p{seat}" for seat in range(1, len(scores) + 1)]
        won = [seat for seat, name in enumerate(names, 1) if name in winners]
        return Result(scores=[scores[name] for name in names], winners=won)


class Over(Result, kw_only=True, frozen=True):
    """How the game of an update has ended."""

    head: Annotated[str, Meta(description="the hash of the log's last entry")]
    remarks: Annotated[list[Text], Meta(description="where a bot decided for somebody")]
    unrevealed: Annotated[int, Meta(description="how many rolls the table has not revealed")] = 0


# -- a question -------------------------------------------------------------------------------------------------------


Card = Annotated[tuple[int, int], Meta(description="[seat, rank]")]
Claimed = Annotated[tuple[int, int, str], Meta(description="[seat or 0, rank, how it lies]")]


class Mine(Sent, kw_only=True, frozen=True):
    """What only a seat that is asked may see of a question."""

    waits: Annotated[bool, Meta(description="true: it has not replied")]


class MyTurn(Mine, kw_only=True, frozen=True):
    moves: Annotated[list[str], Meta(description="texts to be sent as they stand")]
    may_pass: bool = False


class Bind(Sent, kw_only=True, frozen=True):
    """What a commitment is made of besides nonce and choice."""

    board: Annotated[str, Meta(description="8 bytes in hexadecimal")]
    boot: Annotated[str, Meta(description="8 bytes in hexadecimal")]
    place: int


class MyChoice(Mine, kw_only=True, frozen=True):
    moves: Annotated[list[str], Meta(description="those of the options that the seat may choose")]
    bind: Bind
    outcomes: Annotated[list[Text], Meta(description="what each of `moves` leads to, where the game says so")] = []


class MyMenu(Mine, kw_only=True, frozen=True):
    shut: Annotated[list[int], Meta(description="the options of a secret menu that are not open to the seat")] = []


class MyWindow(Mine, kw_only=True, frozen=True):
    cards: Annotated[list[int], Meta(description="those that the seat can still throw")]


Kind = Literal["turn", "choice", "poll", "menu", "window", "roll", "tally"]


class ViewedQuestion(Sent, tag_field="kind", kw_only=True, frozen=True):
    """The open question, as one viewer may see it."""

    id: int
    what: Annotated[str, Meta(description="its subject")]
    seats: Annotated[list[int], Meta(description="those that are asked")]
    text: Text
    waiting: Annotated[list[int], Meta(description="seats that have not replied")]
    deadline: Annotated[float | None, Meta(description="where it closes by itself, in seconds of `now`")] = None
    secret: bool = False

    @property
    def kind(self) -> Kind:
        """Return its tag."""
        kind: Kind = self.__struct_config__.tag  # type: ignore[assignment]
        return kind


class Turn(ViewedQuestion, tag="turn", kw_only=True, frozen=True):
    """A seat decides on a move."""

    mine: MyTurn | None = None


class Choice(ViewedQuestion, tag="choice", kw_only=True, frozen=True):
    """Seats choose in secret."""

    options: Annotated[list[str], Meta(description="each a move; the same for all seats")]
    open: Annotated[bool, Meta(description="true: all are bound")] = False
    to_open: Annotated[list[int], Meta(description="seats that have locked and not opened yet")] = []
    mine: MyChoice | None = None


class Poll(ViewedQuestion, tag="poll", kw_only=True, frozen=True):
    """Seats say yes or no."""

    first: Annotated[bool, Meta(description="the first yes ends it")] = False
    leads: Annotated[list[list[str]], Meta(description="in a turn: the moves that no and yes stand for")] = []
    subject: Annotated[int | None, Meta(description="the landing that it is about, from 0")] = None
    listed: Annotated[list[Claimed], Meta(description="the cards as they are claimed, from the bottom")] = []
    mine: Mine | None = None


class Menu(ViewedQuestion, tag="menu", kw_only=True, frozen=True):
    """A seat picks an option."""

    options: list[Text]
    labels: Annotated[list[int], Meta(description="what a hood shows for each option")]
    start: Annotated[int, Meta(description="the option that is proposed")]
    leads: Annotated[list[list[str]], Meta(description="in a turn: the moves that each option leads to")] = []
    subject: Annotated[int | None, Meta(description="the landing that it is about, from 0")] = None
    listed: Annotated[list[Claimed], Meta(description="the cards as they are claimed, from the bottom")] = []
    mine: MyMenu | None = None


class Window(ViewedQuestion, tag="window", kw_only=True, frozen=True):
    """Seats throw cards until all have finished."""

    thrown: Annotated[list[Card], Meta(description="cards of seats away from the arena")]
    to_lay: Annotated[list[Card], Meta(description="those that somebody at the table is to lay")]
    mine: MyWindow | None = None


class Roll(ViewedQuestion, tag="roll", kw_only=True, frozen=True):
    """The table and the host roll."""

    mine: Mine | None = None


class Tally(ViewedQuestion, tag="tally", kw_only=True, frozen=True):
    """A seat at the table enters what dice show."""

    dice: int
    faces: Annotated[int, Meta(description="how many each die has")]
    given: Annotated[list[int], Meta(description="the faces of the first dice, which are not entered")] = []
    leads: Annotated[list[list[str]], Meta(description="in a turn that begins so: the moves that are open")] = []
    mine: Mine | None = None


Question = Turn | Choice | Poll | Menu | Window | Roll | Tally


class Update(Sent, kw_only=True, frozen=True):
    """What one viewer may see of a game now, and its news."""

    game: Annotated[int, Meta(description="its number")]
    rules: Annotated[str, Meta(description="its name")]
    options: dict[str, Any]
    seats: list[Seat]
    viewer: Annotated[int | None, Meta(description="the seat whose update this is; `null` for a spectator")]
    ply: Annotated[
        int,
        Meta(
            description="how many moves stand, idle ones included: without them it would tell who has nothing to decide"
        ),
    ]
    to_move: Annotated[list[int], Meta(description="the seats that can move, 0 for the table")]
    last: Annotated[
        str | None,
        Meta(description="the last move that a seat has made, with its actor; `null` where that is still secret"),
    ]
    fell: Annotated[
        list[str],
        Meta(description="the moves of the table since then, such as a throw, without what is still secret"),
    ]
    view: Annotated[
        dict[str, Any],
        Meta(description='the position as this viewer may see it, which differs from game to game; seats are `"p1"`'),
    ]
    question: Question | None
    practice: Annotated[bool, Meta(description="whether anything may be taken back")]
    over: Over | None
    now: Annotated[float, Meta(description="the time of the clock that `deadline` goes by, in seconds")]
    news: list[News]


# -- an evening -------------------------------------------------------------------------------------------------------


class Person(Sent, kw_only=True, frozen=True):
    """Somebody who is there."""

    person: Annotated[str, Meta(description="the id by which the log knows the person")]
    name: str
    place: Annotated[int, Meta(description="0: none")]
    by: Annotated[
        str,
        Meta(
            description="how this person plays now: `place`, at the table; `phone` or `terminal`, by which the person"
            " has come in; empty where no connection that is there has"
        ),
    ]
    organiser: bool


class GamePlayed(Sent, kw_only=True, frozen=True):
    """A game of an evening."""

    game: Annotated[int, Meta(description="its number")]
    rules: Annotated[str, Meta(description="its name")]
    seats: Annotated[list[str], Meta(description="the names of its players")]
    result: Annotated[Result | None, Meta(description="`null` while it is not over")]
    remarks: Annotated[list[Text], Meta(description="where a bot decided for somebody")]


class Standing(Sent, kw_only=True, frozen=True):
    """A player of a series, or of an evening."""

    name: str
    wins: Annotated[int, Meta(description="the games won")]
    bot: bool


class Series(Sent, kw_only=True, frozen=True):
    """A series of an evening."""

    series: Annotated[int, Meta(description="its number")]
    games: Annotated[list[str], Meta(description="names, in turn")]
    wins: Annotated[int, Meta(description="how many win it; 0: it has `count` games")]
    count: Annotated[int, Meta(description="how many games it has; 0: it has as many as it takes")]
    played: Annotated[list[int], Meta(description="the numbers of its games")]
    standings: list[Standing]
    over: bool
    complete: Annotated[
        bool,
        Meta(
            description="it was won, or had all its games: no later series and no end of the evening has ended it",
        ),
    ]


class Wish(Sent, kw_only=True, frozen=True):
    """Somebody who waits to be let in."""

    wish: Annotated[int, Meta(description="its number, for `decide`")]
    kind: Annotated[
        Literal["device", "screen"],
        Meta(description="another device of somebody who is there by one already, or a screen that all look at"),
    ]
    name: Annotated[str, Meta(description="the person, or what the screen calls itself")]


class Inside(Sent, kw_only=True, frozen=True):
    """What only those may know of an evening who are in."""

    code: Annotated[str | None, Meta(description="by which people come in; `null` while the door is closed")]
    wishes: Annotated[list[Wish], Meta(description="for organisers and the operator; else empty")]


class Evening(Sent, kw_only=True, frozen=True):
    """How an open evening stands."""

    METHOD: ClassVar[str] = "evening"

    evening: Annotated[int, Meta(description="its number")]
    alone: Annotated[bool, Meta(description="a game by itself began it, and it is over with that")]
    begun: Annotated[int, Meta(description="when, in seconds since 1970")]
    table: Annotated[str | None, Meta(description="the port of its table; `null`: none")]
    here: list[Person]
    games: Annotated[list[GamePlayed], Meta(description="what was played")]
    series: list[Series]
    standings: Annotated[list[Standing], Meta(description="of all its games, the most won first")]
    next: Annotated[str | None, Meta(description="the game that would be next")]
    game: Annotated[int | None, Meta(description="the number of the one that is open")]
    seats: Annotated[
        list[str], Meta(description="of that game, seat by seat: the person whose key opens it; empty for none")
    ]
    door: Annotated[bool, Meta(description="people can come in by the code")]
    inside: Annotated[Inside | None, Meta(description="`null` for who only watches, and in `list`")]
    ended: bool
    why: Annotated[Text | None, Meta(description="why the game that was wanted at the table could not begin")]


# -- what is open -----------------------------------------------------------------------------------------------------


class Times(Sent, kw_only=True, frozen=True):
    """How fast a game is played: as its table was asked for, for `resume` after the keeper was killed."""

    virtual: bool
    quiet_s: float | None
    pace_s: float | None


class GameOpen(Sent, kw_only=True, frozen=True):
    """A game that is open."""

    game: Annotated[int, Meta(description="its number")]
    rules: Annotated[str, Meta(description="its name")]
    seats: list[Seat]
    simulated: Annotated[bool, Meta(description="its table takes a tester's verbs")]
    table: Annotated[str | None, Meta(description="as in `settings`; `null` without one")]
    times: Times
    held: Annotated[list[int], Meta(description="the seats that connections hold, as it is when asked")]
    evening: Annotated[int, Meta(description="the number of its evening")]


class Listing(Sent, kw_only=True, frozen=True):
    """What is open."""

    METHOD: ClassVar[str] = "list"

    games: list[GameOpen]
    unfinished: Annotated[list[int], Meta(description="numbers of games that can be resumed")]
    evenings: list[Evening]


class Opened(Sent, kw_only=True, frozen=True):
    """A game that was begun or resumed."""

    game: Annotated[int, Meta(description="its number")]
    already: Annotated[bool, Meta(description="it was open before")]
    times: Times
    evening: Annotated[int, Meta(description="the number of its evening")]
    people: Annotated[
        dict[str, str],
        Meta(description="by seat: the person whose key opens it, at a screen, also while a bot plays for it"),
    ]
    enter: Annotated[
        dict[str, str], Meta(description="for the operator: by person, the key with which to `enter`; else empty")
    ]


class NewEvening(Sent, kw_only=True, frozen=True):
    """An evening that has begun."""

    evening: Annotated[int, Meta(description="its number")]
    people: Annotated[list[Entry], Meta(description="as they were named")]


class Entry(Sent, kw_only=True, frozen=True):
    """Somebody of an evening, and the key."""

    evening: Annotated[int, Meta(description="its number")]
    person: Annotated[str, Meta(description="the id by which the log knows the person")]
    key: Annotated[
        str | None, Meta(description="with which to `enter`; `null` where somebody has to decide on that first")
    ]
    wish: Annotated[int | None, Meta(description="the number of what is to be decided")] = None
    language: Annotated[
        str, Meta(description="the tag of the language in which the person reads, where it is known")
    ] = ""


class Asking(Sent, kw_only=True, frozen=True):
    """A wish to be let in, on which somebody has to decide."""

    evening: Annotated[int, Meta(description="its number")]
    wish: Annotated[int, Meta(description="its number")]


class KnownPerson(Sent, kw_only=True, frozen=True):
    """Somebody whom the log knows."""

    name: str
    here: Annotated[bool, Meta(description="at this evening")]


class Known(Sent, kw_only=True, frozen=True):
    """Whom a log knows."""

    people: list[KnownPerson]


class NewSeries(Sent, kw_only=True, frozen=True):
    """A series that has begun."""

    series: Annotated[int, Meta(description="its number")]
    ended: Annotated[int | None, Meta(description="the number of an earlier one that was running, and ends with that")]


class Pixels(Sent, kw_only=True, frozen=True):
    """The pixels that all can see."""

    ring: Annotated[list[str], Meta(description="their colours, in hexadecimal")]
    public: list[str]


class TableState(Sent, kw_only=True, frozen=True):
    """How a table is."""

    connected: bool
    board: str | None
    status: dict[str, Any]
    tested: Annotated[list[Text], Meta(description="what its self-test has found; empty where there was none")]
    pixels: Annotated[Pixels | None, Meta(description="of a simulated table")] = None


class TableSettings(Sent, kw_only=True, frozen=True):
    """How loud and how bright a table is now."""

    table: str
    volume: int
    mute: bool
    light: int
    why: Annotated[Text | None, Meta(description="why the table of a running game cannot be set, or `null`")]


class Hint(Sent, kw_only=True, frozen=True):
    """What a bot would do."""

    move: Annotated[str | None, Meta(description="as it is typed; `null`: a pass")] = None
    because: Annotated[Text | None, Meta(description="where the bot or the game can say that")] = None
    why: Annotated[Text | None, Meta(description="why there is none")] = None


class Option(Sent, kw_only=True, frozen=True):
    """What a bot could have done."""

    move: Annotated[str | None, Meta(description="`null`: a pass")]
    worth: Annotated[float | None, Meta(description="what the bot expects of it; `null` where it estimates nothing")]


class AnalysedMove(Sent, kw_only=True, frozen=True):
    """A move of a finished game, and what a bot would have done."""

    game: Annotated[int, Meta(description="its number")]
    at: Annotated[int, Meta(description="the number of the move, from 1")]
    moves: Annotated[int, Meta(description="how many the game has")]
    seat: Annotated[int, Meta(description="who decided")]
    played: Annotated[str, Meta(description="what was played")]
    view: Annotated[dict[str, Any], Meta(description="the position as that seat saw it")]
    told: Annotated[list[Text], Meta(description="the news that it was told last")]
    bot: Annotated[str, Meta(description="its name")]
    options: Annotated[list[Option], Meta(description="what the bot would do, and its best alternatives")]
    estimates: Annotated[Text | None, Meta(description="what `worth` counts, or `null`")]


class Welcome(Sent, kw_only=True, frozen=True):
    """The keeper of a log."""

    version: Annotated[str, Meta(description="of tablier")]
    protocol: int
    log: Annotated[str, Meta(description="its path")]
    pid: Annotated[int, Meta(description="the number of the keeper's process")]


class Entered(Sent, kw_only=True, frozen=True):
    """A connection is somebody, or a screen that was let in."""

    language: Annotated[
        str, Meta(description="the tag of the language in which the person reads, where it is known")
    ] = ""


class Done(Sent, frozen=True):
    """A request was carried out; there is no more to say. It has no fields."""


DONE = Done()


# -- what the keeper says by itself -----------------------------------------------------------------------------------


class Updates(Sent, kw_only=True, frozen=True):
    """One update for each viewer, in the order of `watch`."""

    METHOD: ClassVar[str] = "updates"

    game: int
    updates: list[Update]


class Ended(Sent, kw_only=True, frozen=True):
    """A game is not open any more."""

    METHOD: ClassVar[str] = "ended"

    game: int
    why: Annotated[Text | None, Meta(description="`null`: it is over, or was stopped")]
    part: Annotated[bool, Meta(description="true: a part of the game or a bot has failed")]


class Program(Sent, kw_only=True, frozen=True):
    """A program that decides for a seat has failed."""

    METHOD: ClassVar[str] = "program"

    game: int
    seat: int
    name: str
    why: Text
    lines: Annotated[list[str], Meta(description="what it wrote last to standard error")]


class Taken(Sent, kw_only=True, frozen=True):
    """A connection has a seat no longer, or is somebody no longer."""

    METHOD: ClassVar[str] = "taken"

    why: Text
    game: Annotated[int, Meta(description="of the seat that was taken")] = 0
    seat: Annotated[int, Meta(description="0: the person was, and all seats with it")] = 0
    evening: Annotated[int, Meta(description="of the person whose key holds no longer")] = 0
    person: Annotated[str, Meta(description="the person whose key holds no longer")] = ""


class LetIn(Sent, kw_only=True, frozen=True):
    """A wish was granted."""

    METHOD: ClassVar[str] = "let_in"

    evening: int
    wish: int
    person: Annotated[str, Meta(description="who it was decided on; empty for a screen")] = ""
    key: Annotated[str, Meta(description="the person's")] = ""
    screen: Annotated[str, Meta(description="the key of a screen")] = ""
    language: Annotated[
        str, Meta(description="the tag of the language in which the person reads, where it is known")
    ] = ""


class TurnedAway(Sent, kw_only=True, frozen=True):
    """A wish was not granted."""

    METHOD: ClassVar[str] = "turned_away"

    evening: int
    wish: int


class Told(Sent, kw_only=True, frozen=True):
    """What is said at an evening: who came, who went."""

    METHOD: ClassVar[str] = "told"

    evening: int
    text: Text


class Leaning(Sent, kw_only=True, frozen=True):
    """Somebody leans over a hood, or back."""

    METHOD: ClassVar[str] = "leaning"

    game: int
    place: Annotated[int, Meta(description="0: nobody does")]


class Lights(Sent, kw_only=True, frozen=True):
    """What a table shows."""

    METHOD: ClassVar[str] = "lights"

    game: int
    ring: Annotated[list[str], Meta(description="the colours of its pixels, in hexadecimal")]
    public: Annotated[list[str], Meta(description="those of the places")]
    simulated: bool
    leaning: Annotated[int, Meta(description="the place over whose hood somebody leans, or 0")]
    connected: bool
    asked: Annotated[list[int], Meta(description="the places that are awaited")]
    hood: Annotated[
        list[str] | None, Meta(description="the pixels of the hood over which this client leans, else `null`")
    ]


class Frame(Sent, kw_only=True, frozen=True):
    """Something that has passed on a table's line."""

    way: Annotated[str, Meta(description="`table` or `host`")] = field(name="from")
    name: str


class Line(Sent, kw_only=True, frozen=True):
    """What has passed on a table's line; of what it held nothing."""

    METHOD: ClassVar[str] = "line"

    game: int
    frames: list[Frame]


OfEvening = Evening | LetIn | TurnedAway | Told
"""Of an evening, not of a game."""
Notice = Updates | OfEvening | Listing | Ended | Program | Taken | Leaning | Lights | Line
_KINDS: tuple[type[Notice], ...] = (
    *(Updates, Evening, Told, LetIn, TurnedAway, Taken),
    *(Listing, Ended, Program, Leaning, Lights, Line),
)
NOTICES: Mapping[str, type[Notice]] = {kind.METHOD: kind for kind in _KINDS}
"""By method: what the keeper says by itself."""

"""The messages to pages, typed: ``pages/messages.d.ts`` is made from the declarations here, and the pages' scripts are
checked against it. Texts are sentences here, and a view is a drawing.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from tablier.games.core.words import Parts
from tablier.messages import Bind, Frame, Kind, Person, Sent
from tablier.screens.turn import Whose


class State(Struct, frozen=True):
    """A value that pages get: a field is sent, whatever it holds."""


class Player(State, frozen=True, kw_only=True):
    """A line of a scoreboard."""

    name: str
    score: Annotated[str, Meta(description="empty while the game is not over")]
    won: bool
    rank: Annotated[int, Meta(description="1: a winner, or the best; those that share a rank are equal; 0: not over")]


# -- a game -----------------------------------------------------------------------------------------------------------


Source = Literal["table", "screen", "bot"]


class ListedSeat(State, frozen=True, kw_only=True):
    """A seat of a game that is listed."""

    name: str
    place: Annotated[int, Meta(description="0: none")]
    source: Source


class SeatState(ListedSeat, frozen=True, kw_only=True):
    """A seat of a game that is shown."""

    moves: Annotated[bool, Meta(description="it can move")]
    asked: bool
    waits: Annotated[bool, Meta(description="it has not replied")]
    simulated: Annotated[bool, Meta(description="a bot decides for it, also as a simulated person")]
    cards: Annotated[list[int], Meta(description="the cards that it holds, where all may know them")]


class Can(State, frozen=True, kw_only=True):
    """A move that can be made, or another answer."""

    move: str
    parts: Annotated[Parts, Meta(description="the parts of the drawing that it names, in groups; else one of its own")]
    reply: Annotated[Any, Meta(description="what is sent for it")]
    deed: Annotated[str, Meta(description="the move as a command, where the game says it so")]
    outcome: Annotated[str, Meta(description="what it leads to, where the game says so")]
    warns: Annotated[bool, Meta(description="the outcome warns of the move")]
    way: Annotated[int, Meta(description="which of `ways` tells of its groups; -1: none")]


class MineState(Sent, frozen=True, kw_only=True):
    """What only a seat that is asked may see of a question."""

    waits: bool
    can: list[Can]
    ways: Annotated[list[list[str]], Meta(description="of the groups of moves: what is touched, as a noun")]
    seem: Annotated[
        list[list[str]],
        Meta(description="parts to be marked, too, in order: `can` alone would tell a secret"),
    ] = []
    bind: Bind | None = None


class QuestionState(Sent, frozen=True, kw_only=True):
    """The open question."""

    id: int
    kind: Kind
    what: str
    seats: list[int]
    waiting: list[int]
    said: str
    secret: bool
    open: Annotated[bool, Meta(description="of a choice: all are bound, and this seat is to open its own")]
    left: Annotated[float | None, Meta(description="the seconds until it closes by itself")]
    options: Annotated[list[str], Meta(description="of a choice: each a move")] = []
    mine: MineState | None = None


class TurnState(State, frozen=True, kw_only=True):
    """Whose turn it is."""

    whose: Annotated[Whose, Meta(description="`yours`: of the seat that sees it")]
    said: Annotated[str, Meta(description="empty where the question says it")]


class OverState(State, frozen=True, kw_only=True):
    """How a game has ended."""

    headline: Annotated[str, Meta(description="who has won, in a sentence without its full stop")]
    scores: list[Player]
    head: str
    remarks: list[str]


class GameState(Sent, frozen=True, kw_only=True):
    """A game, as a spectator or a seat may see it."""

    game: int
    rules: str
    title: str
    viewer: int | None
    ply: int
    practice: bool
    seats: list[SeatState]
    reading: Annotated[str, Meta(description="the board in words")]
    turn: TurnState
    question: QuestionState | None
    over: OverState | None
    hand: Annotated[
        str | None, Meta(description="for a seat: what lies before it, as SVG; empty where it has nothing")
    ] = None
    ended: Annotated[str | None, Meta(description="it is closed: why")] = None


class BesideState(State, frozen=True, kw_only=True):
    """A line beside a board."""

    said: str
    seat: Annotated[int, Meta(description="whose line it is; 0: nobody's")]
    part: Annotated[str, Meta(description="the part of the game that it is; empty: none")]
    sign: Annotated[str, Meta(description="who moves, or has won: a sign of that; empty: nobody")]


class BoardState(State, frozen=True, kw_only=True):
    """The board of a game, as everybody may see it, drawn for a surface."""

    board: Annotated[str, Meta(description="as SVG")]
    beside: list[BesideState]


class TakenState(State, frozen=True, kw_only=True):
    """This browser is nobody any longer in an evening."""

    taken: Annotated[str, Meta(description="why")]


class NewsState(State, frozen=True, kw_only=True):
    """Something that has happened."""

    n: int | None
    kind: str
    turn: str | None
    at: int
    said: str
    own: Annotated[bool, Meta(description="true: not everybody is told it")]
    drops: Annotated[list[str], Meta(description="the kinds of news of the same turn that it makes superfluous")]


class Event(State, frozen=True, kw_only=True):
    """A state of a channel, in pieces, and its news."""

    topic: Annotated[str, Meta(description="`public`, `mine` or `table`")]
    name: Annotated[str, Meta(description="which channel of the topic, as `game-3`")]
    made: Annotated[
        list[int] | None,
        Meta(
            description="the pieces that together are the state as JSON: the first of a run and how many, in turns;"
            " `null`: it is gone, and stays so"
        ),
    ]
    pieces: Annotated[dict[int, str], Meta(description="by number: those that this stream has not had")]
    anew: Annotated[bool, Meta(description="those that were sent before are to be forgotten")]
    all: Annotated[bool, Meta(description="the news are all that there have been")]
    news: list[NewsState]


# -- what everybody sees ----------------------------------------------------------------------------------------------


class KeeperState(Sent, frozen=True, kw_only=True):
    """Whether the keeper is there."""

    here: bool
    silent: Annotated[str | None, Meta(description="that it has not answered for a while")] = None


class ListedGame(State, frozen=True, kw_only=True):
    """A game that is open."""

    game: int
    rules: str
    title: str
    seats: list[ListedSeat]
    simulated: bool
    evening: Annotated[int, Meta(description="the number of its evening")]
    table: Annotated[str | None, Meta(description="what it is called in settings of light and sound; `null`: none")]


class ListState(State, frozen=True, kw_only=True):
    """What is open."""

    games: list[ListedGame]
    unfinished: list[int]


class LeaningState(State, frozen=True, kw_only=True):
    """Somebody leans over a hood."""

    place: int


class PlayedState(State, frozen=True, kw_only=True):
    """A game of an evening."""

    game: int
    title: str
    over: bool
    headline: Annotated[str, Meta(description="who has won, in a sentence without its full stop; empty while not over")]
    players: list[Player]
    remarks: list[str]


class StandingState(State, frozen=True, kw_only=True):
    """Somebody, and how many games this one has won."""

    name: str
    wins: int
    rank: Annotated[int, Meta(description="1: the most wins; those with as many share a rank")]
    bot: bool


class SeriesState(State, frozen=True, kw_only=True):
    """A series of an evening."""

    said: Annotated[str, Meta(description="which games, and how many of them or of wins")]
    wins: int
    count: int
    played: int
    over: bool
    standings: Annotated[list[StandingState], Meta(description="the most wins first")]


class WishState(State, frozen=True, kw_only=True):
    """Somebody, or a screen, that asks to be let in."""

    wish: int
    kind: Annotated[Literal["device", "screen"], Meta(description="`device`: for somebody who is held elsewhere")]
    name: str


class InsideState(State, frozen=True, kw_only=True):
    """What only those see who were let in."""

    code: Annotated[str | None, Meta(description="by which people come in; `null`: the door is closed")]
    address: Annotated[str, Meta(description="where they do, without the code")]
    local: Annotated[bool, Meta(description="only this computer reaches that address")]
    qr: Annotated[str | None, Meta(description="a picture of the address with the code, where others reach it")]
    wishes: Annotated[list[WishState], Meta(description="for organisers")]


class EveningState(Sent, frozen=True, kw_only=True):
    """How an evening stands."""

    evening: int
    begun: Annotated[int, Meta(description="when, in seconds since 1970")]
    here: list[Person]
    door: Annotated[bool, Meta(description="people can come in by the code")]
    table: Annotated[str | None, Meta(description="the port of its table, as it was named; `null`: none")]
    games: list[PlayedState]
    standings: Annotated[list[StandingState], Meta(description="of all its games, the most wins first")]
    series: list[SeriesState]
    next: Annotated[str | None, Meta(description="the title of the game that would be next")]
    again: Annotated[bool, Meta(description="it can be begun with those of the last game, as `another` does")]
    game: int | None
    seats: Annotated[list[str], Meta(description="of that game: the person whose key opens each; empty: nobody's")]
    ended: bool
    why: str | None
    you: Annotated[list[str], Meta(description="which of those who are here this browser is, by their ids")] = []
    inside: InsideState | None = None


class CourseState(State, frozen=True, kw_only=True):
    """How a game that is over went."""

    game: int
    title: str
    how: Annotated[str, Meta(description="by what it has ended, and how far the winner was ahead; empty: unknown")]
    board: Annotated[str, Meta(description="the last board as SVG; empty where none can be drawn")]
    reading: Annotated[str, Meta(description="the last board in words")]
    curve: Annotated[str | None, Meta(description="the course of each player's points as SVG")]
    counts: Annotated[str, Meta(description="what the curve counts; empty: points")]
    turns: Annotated[list[str], Meta(description="the turning points, a sentence each")]


# -- what the operator sees -------------------------------------------------------------------------------------------


class LightsState(State, frozen=True, kw_only=True):
    """What a table shows."""

    ring: list[str]
    public: list[str]
    simulated: bool
    leaning: Annotated[int, Meta(description="the place over whose hood somebody leans, or 0")]
    connected: bool
    asked: Annotated[list[int], Meta(description="the places that are awaited")]
    hood: Annotated[list[str] | None, Meta(description="the pixels of the hood over which this browser leans")]


class LyingCard(State, frozen=True, kw_only=True):
    """A card that lies in a simulated arena, or beside it."""

    how: str
    tag: str
    time: int


class PileState(State, frozen=True, kw_only=True):
    """The cards that lie there."""

    cards: list[LyingCard]


class LineState(State, frozen=True, kw_only=True):
    """What has passed on a table's line."""

    frames: list[Frame]


PAGES: tuple[type[Struct], ...] = (
    Event,
    GameState,
    BoardState,
    TakenState,
    NewsState,
    KeeperState,
    ListState,
    LeaningState,
    EveningState,
    CourseState,
    LightsState,
    PileState,
    LineState,
)
"""What channels say."""

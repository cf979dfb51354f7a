"""The words by which people are told of what happens: pure, from what was made, said and logged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from tablier.course.asides import MISTAKE
from tablier.course.chance import HOST
from tablier.course.entries import CORRECTED, INPUTS, Body, events_text, rolls_text
from tablier.course.open_question import OpenQuestion
from tablier.course.session import Made, Note, Session, actor_of, taken_back
from tablier.games import words_of
from tablier.games.core import Event, Position, Prelude
from tablier.games.core.questions import Choice, doubt
from tablier.log.chain import Entry
from tablier.play.sentences import DISPUTES, DONE
from tablier.texts import Text, Who, all_of, counted

AWAY_MOST = 24
"""The most that a person who comes back is told of."""
ROLLED_AGAIN = Text("The table did not reveal a roll as it had committed to it; it is rolled again.")
CLOSED = Text("The window is closed.")
UNPLUGGED = Text("The table does not answer. Is its cable plugged in? The game waits.")


class Piece(NamedTuple):
    """A piece of news that follows from the log."""

    kind: str
    text: Text
    audience: tuple[int | None, ...] | None = None
    turn: str | None = None
    at: int = 0


# -- moves -----------------------------------------------------------------------------------------------------------


def pieces_of(made: Made) -> Iterator[Piece]:
    """Return what is told of a move, or of moves that were taken back."""
    move, position, undone = made.move, made.position, made.undone
    if move is None:
        assert undone is not None
        yield Piece("takeback", undone)
        return
    turn = _turn_of(position)
    at = 0 if isinstance(position.rules, Prelude) else position.ply
    for event in made.events:
        yield Piece(event.kind, event.text, event.audience, turn, at)


def _turn_of(position: Position[Any]) -> str | None:
    """Return whose turn the last move belongs to, as the game's view says it: the one that it may end."""
    earlier = position.copy()
    earlier.pop()
    turn = earlier.rules.view(earlier.state, None).get("turn")
    return None if turn is None else str(turn)  # a game may count its turns


def made_again(entries: Iterable[Entry], position: Position[Any]) -> Iterator[Made]:
    """Return what the entries of a resumed game tell of, from its first ``position`` on: the same as when it was
    played, in the same order."""
    asked, input, quiet = "", "", False
    for entry in entries:
        kind, body = entry.kind, entry.body
        quiet = quiet and kind == "move" and body["by"] == CORRECTED
        if kind in INPUTS:
            input = kind
        if kind == "ask":
            asked = body["what"]
        elif kind == "begins":
            before = position.rules
            assert isinstance(before, Prelude)
            position = Position(before.begun(position.state)).conducted()
        elif kind in ("move", "prelude"):
            move = position.parse_push(body["text"])
            if not quiet:
                yield Made(move, position.copy(), completed=body.get("chance") == HOST)
        elif kind == "takeback":
            undone = taken_back(body["by"], body["to"], position.ply)
            while position.ply > body["to"]:
                position.pop()
            quiet = asked == MISTAKE and input in ("reply", "table")
            if not quiet:
                yield Made(None, position.copy(), undone=undone)


def laid_by_hand(made: Made, game: str, session: Session) -> Text | None:
    """Return who carries a move out on the table for a seat that is not there, ``None`` where nobody has to."""
    move = made.move
    if move is None or not move.actor or session.seats[move.actor - 1].at_table:
        return None
    helper = session.conditions.helper(move.actor)
    if not helper or all(event.kind not in words_of(game).by_hand for event in made.events):
        return None
    return Text("{helper}, please do that on the table for {who}.", {"helper": Who(helper), "who": Who(move.actor)})


def resumed(ply: int) -> Text:
    """Return that a game is resumed after some moves."""
    return counted(ply, "The game resumes after {count} move.", "The game resumes after {count} moves.")


# -- the table -------------------------------------------------------------------------------------------------------

MISSED = Text("{who} has finished throwing; a card of theirs missed the arena.")


def of_window(said: Body, who: int) -> Note | None:
    """Return what is told of what the table has said of its open window, ``None`` for nothing; ``who``: the seat that
    has finished throwing."""
    if said["event"] == "landed":
        unsure = doubt(said["confidence"], said["doubts"])
        lands = Text("A card lands in the arena.")
        return Note("landed", Text("A card lands in the arena ({doubt}).", {"doubt": unsure}) if unsure else lands)
    if said["event"] == "done":
        missed = bool(said["missed"])
        return Note("missed" if missed else "done", (MISSED if missed else DONE).of(who=Who(who)))
    return None


def restarted(open: OpenQuestion, lost: int | None) -> Text:
    """Return that the table has restarted: what it had not sent is lost, and what it was asked is void."""
    what = Text("it is unknown whether events are lost")
    if lost is not None:
        what = counted(lost, "{count} event is lost", "{count} events are lost", "no event is lost")
    locked = [seat for seat in open.locked if open.seats[seat - 1].at_table]
    if not isinstance(open.question, Choice) or not locked:
        return Text("The table has restarted: {what}; asking again.", {"what": what})
    args = {"what": what, "who": all_of([Who(seat) for seat in locked])}
    args["all"] = all_of([Who(seat) for seat in open.question.seats])
    text = "The table has restarted: {what}, but it has forgotten what {who} had locked. {all} choose again."
    return Text(text, args)


def older(missing: Body, last: int) -> Text:
    """Return that the table was told more than the log holds, which ends at its event ``last``."""
    args = {
        "last": last,
        "lost": events_text(missing["lost"]),
        "rolls": rolls_text(missing["rolls"]),
    }
    return Text("This log is older than the table: it ends at event {last} and lacks {lost}, {rolls} among them.", args)


def unrevealed(count: int) -> Text:
    """Return that the table has not revealed a roll. ``count``: of this game so far."""
    more = "The table has not revealed a roll; {count} in this game so far."
    return counted(count, "The table has not revealed a roll.", more)


# -- people ----------------------------------------------------------------------------------------------------------


def disputed(seat: int, at: int, said: str, session: Session) -> Text:
    """Return that a seat disputes a move, which is named where all know it."""
    args: dict[str, Any] = {"who": actor_of(seat), "at": at, "text": said}
    if session.past.is_secret(at):
        return DISPUTES.of(**args)
    args["move"] = session.position.moves[at - 1].typed
    return Text("{who} disputes move {at}, {move}: {text}", args)


def meanwhile(seat: int, position: Position[Any], left: int, *, at_table: bool) -> Iterator[Note]:
    """Return what a person who comes back to a seat is told of what was decided since it was left, after ``left``
    moves. ``at_table``: what all were told can be read there."""
    moves = position.moves[left:]
    if at_table:
        yield Note("away", _back_at_table(seat, len(moves)))
        return
    one, more = "While you were away {count} move was made.", "While you were away {count} moves were made."
    yield Note("away", counted(len(moves), one, more, "While you were away no move was made."), (seat,))
    if own := [move.typed for move in moves if move.actor == seat]:
        yield Note("away", Text("The bot decided for you: {moves}.", {"moves": own[-AWAY_MOST:]}), (seat,))
    told: list[Event] = []
    while position.ply > left and len(told) < AWAY_MOST:
        told += [event for event in reversed(position.last_events()) if seat in (event.audience or (seat,))]
        position.pop()
    for event in reversed(told):
        yield Note(event.kind, event.text, (seat,))


def _back_at_table(seat: int, count: int) -> Text:
    one = "{who} is back; {count} move was made meanwhile."
    more = "{who} is back; {count} moves were made meanwhile."
    return counted(count, one, more, "{who} is back; no move was made meanwhile.", who=Who(seat))


def late(seats: Sequence[int]) -> Text:
    """Return that these seats did not open their choices."""
    return Text("{who} did not open a choice; everyone chooses again.", {"who": [Who(seat) for seat in seats]})

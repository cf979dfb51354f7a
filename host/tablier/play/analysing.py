"""A finished game analysed: what a bot would have done in the place of the player who moved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tablier import messages
from tablier.bots.bots import Decision, Option, adviser, weigh
from tablier.course.chance import is_completed, told_of
from tablier.course.declined import Declined
from tablier.course.past import no_move, position_before
from tablier.games import bots_of
from tablier.games.core import TABLE, Event, Move, Position
from tablier.games.core.questions import bare
from tablier.games.core.scripts import attempts_of
from tablier.log.fold import GameInfo
from tablier.play.logged import position_after, seats_of
from tablier.texts import Text, Who

MOST = 4
"""The options that are named: what the bot would do, and its best alternatives."""
_TOLD = 3
"""The pieces of news from before the move that are told again."""


class Moment(NamedTuple):
    """A move of a finished game: what was decided, and what its seat could know then."""

    info: GameInfo
    at: int
    """The number of the move, from 1."""
    moves: int
    """The moves of the whole game."""
    played: Move
    decision: Decision
    told: tuple[Event, ...]
    """The news that its seat was told last."""


class Analysis(NamedTuple):
    """What a bot makes of a moment."""

    moment: Moment
    bot: str
    options: tuple[Option, ...]
    """What it would do, and its best alternatives."""
    estimates: Text | None
    """What its estimates say; ``None`` if it makes none."""

    def message(self) -> messages.AnalysedMove:
        """Return it as the keeper tells it."""
        moment, decision = self.moment, self.moment.decision
        return messages.AnalysedMove(
            game=moment.info.id,
            at=moment.at,
            moves=moment.moves,
            seat=decision.seat,
            played=bare(moment.played),
            view=decision.view,
            told=[event.text for event in moment.told],
            bot=self.bot,
            options=[
                messages.Option(move=None if option.move is None else bare(option.move), worth=option.worth)
                for option in self.options
            ],
            estimates=self.estimates,
        )


def moment_of(info: GameInfo, moves: Sequence[str], at: int) -> Moment:
    """Return a move of a logged game, whose moves stand. Raise :class:`Declined` for one that cannot be analysed, and
    ``RecordError`` for moves that are not those of a game."""
    if info.ended is None:
        raise Declined("game {game} is still running; it can be analysed when it is over", game=info.id)
    position = position_after(info, moves)
    if not 1 <= at <= position.ply:
        raise no_move(at, position.ply)
    played, before = position.moves[at - 1], position_before(position, at)
    rules, state, seat = before.rules, before.state, played.actor
    if seat == TABLE:
        raise Declined("move {at}, {move}, is the table's: nobody decided it", at=at, move=played.typed)
    if rules.idle(state) == played:
        raise Declined("at move {at} there was nothing that {who} could decide", at=at, who=Who(seat))
    open_ = attempts_of(rules, (move for move in before.legal_moves if move.actor == seat))
    decision = Decision(rules, seat, rules.view(state, seat), open_, TABLE in before.to_move)
    arena = any(each.at_table for each in seats_of(info))
    return Moment(info, at, position.ply, rules.attempt(played), decision, _told(before, seat, arena=arena))


def _told(position: Position[Any], seat: int, *, arena: bool) -> tuple[Event, ...]:
    """Return the news that a seat was told last, the oldest first."""
    twin, told = position.copy(), list[Event]()
    while twin.ply and len(told) < _TOLD:
        events, move = twin.last_events(), twin.pop()
        events = told_of(events, completed=is_completed(twin.rules, move, arena=arena))
        told[:0] = [event for event in events if event.audience is None or seat in event.audience]
    return tuple(told[-_TOLD:])


def look(moment: Moment, bot: str | None = None) -> Analysis:
    """Return what a built-in bot would have done; ``None``: the best there is. This takes seconds. Raise
    :class:`Declined` for a bot that the game does not have, and ``PartError`` for one that fails."""
    game = moment.info.game
    known = bots_of(game)
    name = adviser(game) if bot is None else bot
    if name not in known:
        raise Declined("{game} has no bot {bot}; there are: {known}", game=game, bot=repr(name), known=list(known))
    options = weigh(moment.decision, known[name], MOST)
    estimates = known[name].WORTH if any(option.worth is not None for option in options) else None
    return Analysis(moment, name, tuple(options), estimates)

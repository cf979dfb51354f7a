"""Taking back and correcting: which of a game's moves may be replaced, and what of those after them stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from tablier.course.chance import TALLY, Sources, is_completed, kind_of
from tablier.course.declined import Declined
from tablier.games.core import TABLE, IllegalMove, Move, Position, RulesError, seat_name
from tablier.games.core.questions import notation
from tablier.texts import counted

_TOO_FAR = "what was secret or left to chance since then cannot be taken back"
_NO_MOVE = "no move has been made yet"
_LOOKED_AT = 24
"""How many of the latest moves are looked at for some that can be corrected."""


def no_move(at: object, ply: int) -> Declined:
    """Return the error of a move that is not among the first ``ply``."""
    made = counted(ply, "{count} was made", "{count} were made")
    return Declined("there is no move {at}; {made}", at=str(at), made=made)


class Correction(NamedTuple):
    """A move as it was really played."""

    move: Move
    later: list[Move] | None
    """The moves after it that still stand; ``None`` where the correction is only noted."""


class Past:
    """The moves of a game so far. Changes nothing; every answer is for the position at which it was made.

    ``ply``: the moves of the game, which a prelude has none of. ``practice``: everything may be taken back.
    ``arena``: how cards land is decided there, not by chance.
    """

    def __init__(
        self, position: Position[Any], ply: int, sources: Sources, *, practice: bool, arena: bool = False
    ) -> None:
        self._position = position
        self._ply = ply
        self._sources = sources
        self._practice = practice
        self._arena = arena

    def check(self, at: object) -> None:
        """Raise :class:`Declined` unless move number ``at`` has been made."""
        self.check_begun()
        if type(at) is not int or not 1 <= at <= self._ply:
            raise no_move(at, self._ply)

    def check_begun(self) -> None:
        """Raise :class:`Declined` unless a move has been made."""
        if not self._ply:
            raise Declined(_NO_MOVE)

    # -- taking back -------------------------------------------------------------------------------------------

    def limit(self) -> int:
        """Return how many moves must remain: in practice none, else those up to the last secret, roll or draw."""
        if self._practice:
            return 0
        twin, now = self._position.copy(), self._position.state
        while twin.ply:
            ply = twin.ply
            after = twin.state
            rules, move = twin.rules, twin.pop()
            by_chance = self._by_chance(twin, move)
            told = any(event.audience is not None for event in rules.events(twin.state, move, after))
            if by_chance or told or rules.secret(twin.state, move, now) or (twin.ply and _half_chosen(twin)):
                return ply
        return 0

    def before_last_of(self, seat: int, count: int = 1) -> int:
        """Return how many moves stood before a seat's last ``count`` moves, taken back or not
        (:meth:`check_takeback`). Raise :class:`Declined`."""
        plies = [ply for ply, move in enumerate(self._position.moves) if move.actor == seat]
        if not plies:
            raise Declined("you have made no move that could be taken back")
        if not 1 <= count <= len(plies):
            one = "you have {count} move to take back, not {asked}"
            many = "you have {count} moves to take back, not {asked}"
            raise Declined(counted(len(plies), one, many, asked=count))
        return self._whole(plies[-count])

    def check_takeback(self, to: object) -> None:
        """Raise :class:`Declined` unless all moves after the first ``to`` may be taken back."""
        if type(to) is not int:
            raise Declined("{to} is not a number of moves", to=str(to))
        self.check_begun()
        if not 0 <= to < self._ply:
            one = "{count} move was made; keep 0 of it"
            many = "{count} moves were made; keep 0 to {last} of them"
            raise Declined(counted(self._ply, one, many, last=self._ply - 1))
        if to < self.limit() or to != self._whole(to):
            raise Declined(_TOO_FAR)

    def _whole(self, to: int) -> int:
        """Return ``to``, or less: of choices that were made at once none remains alone."""
        twin = position_before(self._position, to + 1)
        while twin.ply and _half_chosen(twin):
            twin.pop()
        return twin.ply

    # -- correcting --------------------------------------------------------------------------------------------

    def is_secret(self, at: int) -> bool:
        """Return whether not everybody may know a move yet. Raise :class:`Declined`."""
        self.check(at)
        earlier = position_before(self._position, at)
        return earlier.rules.secret(earlier.state, self._position.moves[at - 1], self._position.state)

    def correction(self, seat: int, at: int, text: str) -> Correction:
        """Return what a seat says was really played as move number ``at``; the actor may be left out.

        It is noted only where secrets or chance came after it that would not stand, or are it, or where this seat may
        not know what the actor could have done instead. Raise :class:`Declined`.
        """
        self.check(at)
        before = position_before(self._position, at)
        old, *later = self._position.moves[at - 1 :]
        rules, state = before.rules, before.state
        named = text.split(" ", 1)[0] in map(seat_name, range(rules.seats + 1))
        try:
            move = rules.parse(text if named else notation(old.actor, text))
        except RulesError as error:
            raise Declined(error.text) from None
        recent = at > self.limit()
        if (not recent and not self._all_stand(at, move, later)) or self._is_fixed(before, at, old, seat):
            return Correction(move, None)
        if not rules.OPEN_MOVES and move.actor != old.actor:
            raise Declined("move {at} was another seat's", at=at)  # why it may not move is not for all to know
        if self._by_chance(before, move) and not self._entered(before):
            raise Declined("what chance decides cannot be entered")
        if move == old:
            raise Declined("move {at} is already that move", at=at)
        if why := rules.refuse(state, move):
            raise Declined(why)
        return Correction(move, self._following(before, move, later) if recent else later)

    def move(self, at: int) -> Move:
        """Return move number ``at``."""
        return self._position.moves[at - 1]

    def correctable(self, most: int) -> list[int]:
        """Return the numbers of the latest moves that something else can replace which all may know of, the last one
        first."""
        found: list[int] = []
        limit = self.limit()
        for at in range(self._ply, max(0, self._ply - _LOOKED_AT), -1):
            if len(found) < most and any(True for _ in self._instead(at, limit)):
                found.append(at)
        return found

    def instead(self, at: int) -> list[Move]:
        """Return what can replace move number ``at``, as far as all may know of it."""
        return list(self._instead(at, self.limit()))

    def _instead(self, at: int, limit: int) -> Iterator[Move]:
        before = position_before(self._position, at)
        rules, state = before.rules, before.state
        old, *later = self._position.moves[at - 1 :]
        if not rules.OPEN_MOVES or self.is_secret(at) or self._is_fixed(before, at, old, old.actor):
            return
        for move in before.legal_moves:
            if move == old or (self._by_chance(before, move) and not self._entered(before)):
                continue
            if rules.secret(state, move, rules.apply(state, move)):
                continue
            if at > limit or self._all_stand(at, move, later):
                yield move

    def _is_fixed(self, before: Position[Any], at: int, old: Move, seat: int) -> bool:
        """Return whether nothing replaces a move, whatever this seat says."""
        rules, state = before.rules, before.state
        return (
            self._whole(at - 1) != at - 1
            or (self._by_chance(before, old) and not self._entered(before))
            or rules.secret(state, old, rules.apply(state, old))
            or not (rules.OPEN_MOVES or seat == old.actor)
        )

    def _entered(self, before: Position[Any]) -> bool:
        """Return whether the table's move from here is what people have entered of dice of their own."""
        if before.to_move != (TABLE,):
            return False
        draw = before.rules.draw(before.state)
        return draw.dice and not draw.secret and self._sources.of(draw) == TALLY

    def _all_stand(self, at: int, move: Move, later: Iterable[Move]) -> bool:
        """Return whether everything after another move stands: every secret, every outcome, and all moves are legal.
        Where a secret is still one, none may say what would follow from it."""
        twin = position_before(self._position, at)
        if not twin.rules.OPEN_MOVES or not _play(twin, move):
            return False
        return not any(self.is_secret(number) or not _play(twin, each) for number, each in enumerate(later, at + 1))

    def _following(self, twin: Position[Any], move: Move, later: Iterable[Move]) -> list[Move]:
        """Return which moves can still follow another move, up to the next secret, roll or draw."""
        twin.push(move)
        kept = []
        for each in later:
            state = twin.state
            if self._by_chance(twin, each) or not _play(twin, each) or twin.rules.secret(state, each, twin.state):
                break
            kept.append(each)
        return kept

    def _by_chance(self, position: Position[Any], move: Move) -> bool:
        """Return whether chance has decided a move of the table, or a part of a seat's."""
        rules = position.rules
        if move.actor == TABLE:
            return len(rules.chance(position.state)) > 1
        return is_completed(rules, move, arena=self._arena)

    # -- what was drawn in secret ------------------------------------------------------------------------------

    def drawn_in_secret(self, seat: int) -> list[int]:
        """Return how many moves stood before each draw that a seat has entered in secret, the latest first."""
        twin, found = self._position.copy(), []
        while twin.ply:
            move = twin.pop()
            if move.actor == TABLE and twin.rules.chance(twin.state):
                draw = twin.rules.draw(twin.state)
                if draw.seat == seat and draw.secret and self._sources.of(draw) == TALLY:
                    found.append(twin.ply)
        return found

    def redrawn(self, draws: list[int], old: tuple[Any, ...], new: tuple[Any, ...]) -> list[Move] | None:
        """Return the moves since the first of ``draws`` if the latest of them that was ``old`` and can be ``new`` was;
        ``None`` where something would not stand. The list starts at the first draw, whichever is replaced, so that the
        log does not tell which."""
        moves = self._position.moves
        for ply in draws:
            twin = position_before(self._position, ply + 1)
            if kind_of(moves[ply]) != old:
                continue
            drawn = (move for move, _ in twin.rules.chance(twin.state) if kind_of(move) == new)
            instead = next(drawn, None)
            if instead is not None and all(_play(twin, move) for move in (instead, *moves[ply + 1 :])):
                return twin.moves[draws[-1] :]
        return None


def position_before(position: Position[Any], at: int) -> Position[Any]:
    """Return the position before move number ``at``."""
    twin = position.copy()
    while twin.ply >= at:
        twin.pop()
    return twin


def _play(position: Position[Any], move: Move) -> bool:
    """Play a move; return False where it is not legal."""
    try:
        position.push(move)
    except IllegalMove:
        return False
    return True


def _half_chosen(position: Position[Any]) -> bool:
    """Return whether the last move was one of several secret choices of which others are still to be made."""
    before = position.copy()
    move = before.pop()
    others = set(before.to_move) & set(position.to_move) - {move.actor, TABLE}
    return bool(others) and before.rules.secret(before.state, move, position.state)

"""Taking back and correcting: which of a game's moves may be replaced, and what of those after them stands."""

from __future__ import annotations

from typing import Any

from tablier.games.core import TABLE, Move, Position, RulesError, seat_name
from tablier.games.core.questions import notation
from tablier.play.chance import TALLY, Sources, kind_of
from tablier.play.declined import Declined
from tablier.texts import counted

_TOO_FAR = "what was secret or left to chance since then cannot be taken back"
_NO_MOVE = "no move has been made yet"


class Past:
    """The moves of a game so far. Changes nothing; every answer is for the position at which it was made.

    ``ply``: the moves of the game, which a prelude has none of. ``practice``: everything may be taken back.
    """

    def __init__(self, position: Position[Any], ply: int, sources: Sources, *, practice: bool) -> None:
        self._position = position
        self._ply = ply
        self._sources = sources
        self._practice = practice

    def check(self, at: object) -> None:
        """Raise :class:`Declined` unless move number ``at`` has been made."""
        self.check_begun()
        if type(at) is not int or not 1 <= at <= self._ply:
            made = counted(self._ply, "{count} was made", "{count} were made")
            raise Declined("there is no move {at}; {made}", at=str(at), made=made)

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
            by_chance = _by_chance(twin, move)
            told = any(event.audience is not None for event in rules.events(twin.state, move, after))
            if by_chance or told or rules.secret(twin.state, move, now) or (twin.ply and _half_chosen(twin)):
                return ply
        return 0

    def before_last_of(self, seat: int, count: int = 1) -> int:
        """Return how many moves stood before a seat's last ``count`` moves. Raise :class:`Declined`."""
        plies = [ply for ply, move in enumerate(self._position.moves) if move.actor == seat]
        if not plies:
            raise Declined("you have made no move that could be taken back")
        if not 1 <= count <= len(plies):
            stand = counted(len(plies), "{count} of your moves stands", "{count} of your moves stand")
            raise Declined("{stand}; {count} cannot be taken back", stand=stand, count=count)
        to = plies[-count]
        if to < self.limit():
            raise Declined(_TOO_FAR)
        return self._whole(to)

    def check_takeback(self, to: object) -> None:
        """Raise :class:`Declined` unless all moves after the first ``to`` may be taken back."""
        if type(to) is not int:
            raise Declined("{to} is not a number of moves", to=str(to))
        self.check_begun()
        if not 0 <= to < self._ply:
            made = counted(self._ply, "{count} move was made", "{count} moves were made")
            raise Declined("{made}; keep 0 to {last} of them", made=made, last=self._ply - 1)
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

    def parse_correction(self, seat: int, at: int, text: str) -> tuple[Move, bool]:
        """Return the move that a correction says, whose actor may be left out, and whether it can only be noted:
        secrets or chance came after it that would not stand, or are it, or what its actor could have done instead is
        not for this seat to know. Raise :class:`Declined`."""
        self.check(at)
        before, old = position_before(self._position, at), self._position.moves[at - 1]
        rules = before.rules
        named = text.split(" ", 1)[0] in map(seat_name, range(rules.seats + 1))
        try:
            move = rules.parse(text if named else notation(old.actor, text))
        except RulesError as error:
            raise Declined(error.text) from None
        noted = (
            (at <= self.limit() and not self._all_stand(at, move))
            or self._whole(at - 1) != at - 1
            or (_by_chance(before, old) and not self._entered(before))
            or rules.secret(before.state, old, rules.apply(before.state, old))
            or not (rules.OPEN_MOVES or seat == old.actor)
        )
        return move, noted

    def following(self, at: int, move: Move) -> list[str]:
        """Return which of the moves after one still stand when it was another: those that can follow, up to the next
        secret, roll or draw; all of them where they stand all the same. Raise :class:`Declined`."""
        old = self._position.moves[at - 1]
        if not self._position.rules.OPEN_MOVES and move.actor != old.actor:
            raise Declined("move {at} was another seat's", at=at)  # why it may not move is not for all to know
        twin, later = position_before(self._position, at), self._position.moves[at:]
        if _by_chance(twin, move) and not self._entered(twin):
            raise Declined("a roll or a draw cannot be corrected")
        if move == old:
            raise Declined("move {at} is that already", at=at)
        if why := twin.rules.refuse(twin.state, move):
            raise Declined(why)
        if at <= self.limit():
            return list(map(str, later))
        twin.push(move)
        kept = []
        for each in later:
            state = twin.state
            if _by_chance(twin, each) or twin.rules.refuse(state, each):
                break
            twin.push(each)
            if twin.rules.secret(state, each, twin.state):
                break
            kept.append(str(each))
        return kept

    def _entered(self, before: Position[Any]) -> bool:
        """Return whether the table's move from here is what people have entered of dice of their own."""
        draw = before.rules.draw(before.state)
        return draw.dice and not draw.secret and self._sources.of(draw) == TALLY

    def _all_stand(self, at: int, move: Move) -> bool:
        """Return whether everything after a move stands if it was another: every secret, every outcome, and all moves
        are legal. Where a secret is still one, none may say what would follow from it."""
        twin, now = position_before(self._position, at), self._position.state
        if not twin.rules.OPEN_MOVES or twin.rules.refuse(twin.state, move):
            return False
        twin.push(move)
        for old in self._position.moves[at:]:
            state = twin.state
            if twin.rules.refuse(state, old):
                return False
            twin.push(old)
            if twin.rules.secret(state, old, now):
                return False
        return True

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

    def redrawn(self, draws: list[int], old: tuple[Any, ...], new: tuple[Any, ...]) -> list[str] | None:
        """Return the moves since the first of ``draws`` if the latest of them that was ``old`` and can be ``new`` was;
        ``None`` where something would not stand. The list starts at the first draw, whichever is replaced, so that the
        log does not tell which."""
        moves = self._position.moves
        for ply in draws:
            twin = position_before(self._position, ply + 1)
            if kind_of(moves[ply]) != old:
                continue
            drawn = (move for move, _ in twin.rules.chance(twin.state) if kind_of(move) == new)
            if (instead := next(drawn, None)) is not None and _push_all(twin, (instead, *moves[ply + 1 :])):
                return list(map(str, twin.moves[draws[-1] :]))
        return None


def position_before(position: Position[Any], at: int) -> Position[Any]:
    """Return the position before move number ``at``."""
    twin = position.copy()
    while twin.ply >= at:
        twin.pop()
    return twin


def _push_all(position: Position[Any], moves: tuple[Move, ...]) -> bool:
    """Play moves; return False at the first that is refused."""
    for move in moves:
        if position.rules.refuse(position.state, move):
            return False
        position.push(move)
    return True


def _by_chance(position: Position[Any], move: Move) -> bool:
    return move.actor == TABLE and len(position.rules.chance(position.state)) > 1


def _half_chosen(position: Position[Any]) -> bool:
    """Return whether the last move was one of several secret choices of which others are still to be made."""
    before = position.copy()
    move = before.pop()
    others = set(before.to_move) & set(position.to_move) - {move.actor, TABLE}
    return bool(others) and before.rules.secret(before.state, move, position.state)

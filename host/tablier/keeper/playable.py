"""What a game needs before it begins: seats that can be played so, and the table where it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablier.bots.sources import COMMAND
from tablier.course.chance import TALLY, Sources, kinds
from tablier.course.seats import AT_SCREEN, AT_TABLE, Seat
from tablier.games import bots_of, check_choices, game_of, plays_at_places
from tablier.games.core import Rules, shown
from tablier.texts import Failure, Text
from tablier.usual import log_option
from tablier_fw import wire

if TYPE_CHECKING:
    from tablier.log.fold import GameInfo
    from tablier.log.store import Log

# A screen checks the seats of its game before it shows anything: what other checks need is imported with them.

SIMULATED = "simulated"
"""The word that stands for a port: a simulated table of the game's own."""


ONLY_SIMULATED = Text("{port}: simulated people sit at a simulated table only")
TWO_CALLED = Text("two seats are called {name}; give each a name of its own")
NO_SCREEN = Text("no seat can be at a screen in virtual time; give it another source")


class Unplayable(Failure):
    """A game cannot be played like this."""


def check_one_seat_each(log: Path, info: GameInfo) -> None:
    """Refuse to resume a game in which somebody has two seats, since people were merged."""
    for seat in info.seats:
        if seat.get("person") in info.doubled:
            raise Unplayable(
                "game {game} cannot be resumed: two of its seats are {name}'s since people were merged; 'tablier log"
                " abandon {game}{log}' has it count nowhere",
                game=info.id,
                name=seat["name"],
                log=log_option(log),
            )


def check(rules: Rules[Any], seats: Sequence[Seat], log: Path, port: str | None, *, virtual: bool) -> None:
    """Refuse what cannot be before anything begins.

    ``log``: the file that no program may read. ``port``: ``None`` for a simulated table of the game's own. ``virtual``:
    the table's time passes as fast as it can. Raise :class:`Unplayable`, and ``OptionError`` as the game's parts do.
    """
    game_of(rules.name).check()
    names = [seat.name for seat in seats]
    for seat in seats:
        if names.count(seat.name) > 1:
            raise Unplayable(TWO_CALLED.of(name=seat.name))
        check_source(rules.name, seat, log)
    places = [seat.place for seat in seats if seat.place]
    at_table = any(seat.at_table for seat in seats)
    if places != sorted(set(places)) or (at_table and len(places) < len(seats)):
        raise Unplayable(
            "places are 1 to {most}, and seats are named clockwise by rising places; at a table each seat has one",
            most=wire.PLACES,
        )
    if virtual and any(seat.at_screen for seat in seats):
        raise Unplayable(NO_SCREEN)
    if not at_table:
        return
    if not plays_at_places(rules):
        raise Unplayable(
            "at a place, {title} would show everybody what a player holds; give its seats the source screen",
            title=rules.title,
        )
    check_choices(rules)
    from tablier.table.ports import control_of

    if port is None or control_of(port) is not None:
        return
    if any(seat.simulated for seat in seats):
        raise Unplayable(ONLY_SIMULATED.of(port=port))
    if virtual:
        raise Unplayable("{port}: only a simulated table has virtual time", port=port)


def check_source(game: str, seat: Seat, log: Path) -> None:
    """Refuse a seat's source that a game does not have. Raise :class:`Unplayable`, and ``OptionError``."""
    known = (AT_TABLE, AT_SCREEN, *bots_of(game))
    if seat.source.startswith(COMMAND):
        from tablier.bots.programs import BotError, program_of

        try:
            program_of(seat.source.removeprefix(COMMAND), log)
        except BotError as error:
            raise Unplayable("{name}'s program {why}", name=seat.name, why=error) from None
    elif seat.source not in known:
        raise Unplayable(
            "{name}'s source is {seen}; allowed: {known} or {command}…",
            name=seat.name,
            seen=shown(seat.source),
            known=list(known),
            command=COMMAND,
        )
    if seat.simulated and not (seat.at_table and seat.simulated in bots_of(game)):
        raise Unplayable(
            "{name}'s simulated person decides like {seen}; allowed, at a table: {known}",
            name=seat.name,
            seen=shown(seat.simulated),
            known=list(bots_of(game)),
        )


def check_bag(rules: Rules[Any], sources: Sources) -> None:
    """Refuse draws by hand that a hood cannot tell apart. Raise :class:`Unplayable`.

    Not a part of :meth:`Sources.check`: there are logs of such games.
    """
    from tablier.course.on_wire import faces_of

    colours = faces_of(rules.name, len(kinds(rules))) if sources.bag == TALLY else b""
    if len(set(colours)) < len(colours):
        raise Unplayable(
            "--bag tally: {title} has {count} different draws, and a hood {most} colours; use roll or host",
            title=rules.title,
            count=len(colours),
            most=len(set(colours)),
        )


def port_now(log: Log, games: Sequence[int], port: str) -> str:
    """Return the present port of the table at which these games were played, one after the other. It was named
    ``port`` at first, and may have come back under another name. Raise :class:`Unplayable` while it is away."""
    from tablier.play.logged import last_table

    for game in reversed(games):
        if last_table(log, game) is not None:
            return port_of(log, game) or port
    return port


def port_of(log: Log, game: int) -> str | None:
    """Return the present port of a game's table; ``None`` if the table ended with its program.

    Raise :class:`Unplayable` while it is away: at another table its pending events would be lost.
    """
    from tablier.play.logged import last_table

    return _port_now(game, last_table(log, game))


def port_at(game: int, hello: Mapping[str, Any] | None) -> str | None:
    """Return what :func:`port_of` does, from the latest hello of the game's table."""
    from tablier.play.logged import table_in

    return _port_now(game, table_in(hello))


def _port_now(game: int, table: tuple[str, str] | None) -> str | None:
    if table is None:
        return None
    board, last = table
    from tablier.table.ports import board_of, find_board

    port = find_board(board, last)
    if port is None and Path(last).exists() and not board_of(last):
        port = last  # a board without a serial number of its own
    if port is None:
        raise Unplayable(
            "game {game} was played at table {board}, last at {port}, which is not there; plug it in, or name another: "
            "--port PORT, or --port simulated for a new simulated table",
            game=game,
            board=board,
            port=last,
        )
    return port

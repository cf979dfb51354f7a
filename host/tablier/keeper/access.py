"""Who may do what at a keeper: the operator's token, the keys of seats, and the rights to methods.

Being the same user is not enough for anything but watching: bots, screens and the web server are all that.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tablier.keeper.protocol import FORBIDDEN, OfGame, Params, Refusal
from tablier.log.chain import LogError
from tablier.log.files import Distrusted, beside, open_own

TOKEN_BYTES, KEY_BYTES = 32, 16

NOBODY, SPECTATOR, PLAYER, SEAT, OPERATOR = "nobody", "spectator", "player", "seat", "operator"
"""A connection that has not said hello; every other; one with a seat in that game; one with that very seat; one that
has shown the operator's token."""


class Right(NamedTuple):
    """Who may use a method."""

    roles: frozenset[str]
    nameless: bool = False
    """Without holding the seat it can be used in nobody's name only."""
    of_viewers: bool = False
    """It is used for viewers, of which the connection has to hold the seats."""
    at_table: bool = False
    """Without holding the seat it can be used for one at the table only, which has no screen; the game judges that."""


def _for(*roles: str, **more: bool) -> Right:
    return Right(frozenset(roles), **more)


ANYBODY, WATCHING = _for(NOBODY, SPECTATOR), _for(SPECTATOR)
VIEWING = _for(SPECTATOR, of_viewers=True)
"""For everybody, also before a hello; for everybody; the same, in the name of viewers whose seats are held."""
HOLDING, PLAYING, OPERATING = _for(SEAT), _for(PLAYER, OPERATOR), _for(OPERATOR)
"""For the seat that is named; for every seat of the game, and the operator; for the operator."""
SEATED, AT_TABLE, NAMELESS = (
    _for(SEAT, OPERATOR),
    _for(SEAT, OPERATOR, at_table=True),
    _for(SEAT, OPERATOR, nameless=True),
)


def read_token(log: Path, *, make: bool = False) -> str | None:
    """Return the operator's token of a log, in a file of mode 0600 beside it; ``None`` if it cannot be read.

    ``make``: make it where there is none. Raise :class:`LogError` for one that another user made
    or can read, or none at all.
    """
    file = beside(Path(os.path.realpath(log)), "-token")
    try:
        if make and not file.exists():
            _write(file, secrets.token_hex(TOKEN_BYTES))
        found = open_own(file, secret=True)
    except OSError as error:
        if make:
            raise LogError("{path}: no token of the operator: {strerror}", path=file, strerror=error.strerror) from None
        return None
    except Distrusted as error:
        raise LogError(
            "{path}: not your token: {why}; play as the user whose log it is, or delete it, and a new one is made",
            path=file,
            why=error.why,
        ) from None
    with os.fdopen(found, "rb") as stream:
        text = stream.read(2 * TOKEN_BYTES + 2).decode("ascii", "replace").strip()
    if len(text) != 2 * TOKEN_BYTES or text.strip("0123456789abcdef"):
        raise LogError("{path}: no token of the operator; delete it, and a new one is made", path=file)
    return text


def _write(file: Path, token: str) -> None:
    new = file.with_name(f"{file.name}-{os.getpid()}")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w") as stream:
        stream.write(token + "\n")
    try:
        os.link(new, file)  # never over one that somebody else has made meanwhile
    except FileExistsError:
        pass
    finally:
        new.unlink()


def seat_key(token: str, game: int, seat: int, taken: int) -> str:
    """Return the key of a seat: 128 bits that follow from the operator's token, so that a keeper which starts anew
    knows it. ``taken``: how often the operator has given the seat to a screen, as the log says."""
    said = f"{game} {seat} {taken}".encode()
    return hmac.new(bytes.fromhex(token), said, hashlib.sha256).digest()[:KEY_BYTES].hex()


@dataclass
class Rights:
    """What a connection has shown."""

    greeted: bool = False
    operator: bool = False
    seats: set[tuple[int, int]] = field(default_factory=set)
    """The seats it holds, as (game, seat)."""

    def check(self, name: str, right: Right, params: Params) -> None:
        """Raise :class:`Refusal` unless this connection has the right to a method with these parameters."""
        game = params.game if isinstance(params, OfGame) else 0
        allowed, roles = right.roles, self._roles(game, params.by)
        ends = name == "quit" and self.operator  # one of another version, too
        if NOBODY in roles and NOBODY not in allowed and not ends:
            raise Refusal(FORBIDDEN, "say hello first")
        if not roles & allowed:
            if allowed == {OPERATOR}:
                raise Refusal(FORBIDDEN, "{method} is for the operator, who shows the token of this log", method=name)
            if PLAYER in allowed:
                raise Refusal(FORBIDDEN, "{method} is for those who play", method=name)
            raise Refusal(FORBIDDEN, "seat is {seat}, which this connection does not hold", seat=params.by)
        if SEAT not in roles and right.nameless and params.by:
            raise Refusal(FORBIDDEN, "seat is {seat}, which this connection does not hold", seat=params.by)
        if right.of_viewers:
            for viewer in getattr(params, "viewers", ()):
                if viewer is not None and not self.holds(game, viewer):
                    raise Refusal(FORBIDDEN, "this connection does not hold seat {seat}", seat=viewer)

    def holds(self, game: int, seat: int) -> bool:
        return (game, seat) in self.seats

    def _roles(self, game: int, seat: int) -> set[str]:
        roles = {SPECTATOR} if self.greeted else {NOBODY}
        if self.operator:
            roles.add(OPERATOR)
        if (game, seat) in self.seats:
            roles.add(SEAT)
        if any(held == game for held, _ in self.seats):
            roles.add(PLAYER)
        return roles

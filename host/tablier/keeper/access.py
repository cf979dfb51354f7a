"""Who may do what at a keeper: the operator's token, the keys of people and screens, the codes of doors, and the rights
to methods.

Being the same user is not enough for anything but watching: bots, screens and the web server are all that.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tablier.keeper.protocol import FORBIDDEN, OfGame, Params, Refusal
from tablier.log.chain import LogError
from tablier.log.files import Distrusted, beside, open_own
from tablier.texts import Text

TOKEN_BYTES, KEY_BYTES = 32, 16
LETTERS, CODE_LETTERS = "BCDFGHJKLMNPRSTVWXZ", 4
"""Of codes: no vowels, so that no code is a word, and none of two letters that look alike."""

NOBODY, SPECTATOR, PERSON, PLAYER, SEAT = "nobody", "spectator", "person", "player", "seat"
"""A connection that has not said hello; every other; one that has come in as the person who is named; one with a seat
in that game; one with that very seat."""
GUEST, ORGANISER, OPERATOR = "guest", "organiser", "operator"
"""One that has come in to that evening as anybody; as an organiser of it; one that has shown the operator's token."""


NAMES_PROGRAMS = Text("a program is for the operator to name, who shows the token of this log")


def _not_held(seat: int) -> Refusal:
    return Refusal(FORBIDDEN, "seat is {seat}, which this connection does not hold", seat=seat)


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
HOLDING, ENTERED, OPERATING = _for(SEAT), _for(PERSON), _for(OPERATOR)
"""For the seat that is named, by ``game`` and ``seat``, while the game is open; for the person who is named, by
``evening`` and ``person``; for the operator."""
PLAYING, ORGANISING = _for(PLAYER, ORGANISER, OPERATOR), _for(ORGANISER, OPERATOR)
"""For every seat of the game, and those who conduct the evening; for those alone."""
AGAIN = _for(GUEST, ORGANISER, OPERATOR)
"""For everybody who is in, as at the table each place may begin another game."""
SEATED, AT_TABLE, NAMELESS, PAUSING = (
    _for(SEAT, ORGANISER, OPERATOR),
    _for(SEAT, OPERATOR, at_table=True),
    _for(SEAT, OPERATOR, nameless=True),
    _for(SEAT, ORGANISER, OPERATOR, nameless=True),
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


def _derive(token: str, *said: object) -> bytes:
    """Return 32 bytes that follow from the operator's token, so that a keeper which starts anew knows them."""
    return hmac.new(bytes.fromhex(token), " ".join(map(str, said)).encode(), hashlib.sha256).digest()


def person_key(token: str, hash: str, person: str, given: int) -> str:
    """Return the key of a person in an evening. ``hash``: of the entry that began the evening, so that it opens no
    other one, of no other log; ``given``: how often it was given anew or ended, as the log says."""
    return _derive(token, "person", hash, person, given)[:KEY_BYTES].hex()


def screen_key(token: str, hash: str) -> str:
    """Return the key of the screens that were let into an evening."""
    return _derive(token, "screen", hash)[:KEY_BYTES].hex()


def door_code(token: str, hash: str, opened: int) -> str:
    """Return the code by which people come into an evening. ``opened``: how often its door was opened again."""
    number, letters = int.from_bytes(_derive(token, "door", hash, opened), "big"), ""
    for _ in range(CODE_LETTERS):
        number, letter = divmod(number, len(LETTERS))
        letters += LETTERS[letter]
    return letters


@dataclass
class Rights:
    """What a connection has shown."""

    greeted: bool = False
    operator: bool = False
    people: dict[tuple[int, str], str] = field(default_factory=dict)
    """Who has come in by it, as (evening, person), and by what: a phone or a terminal."""
    screens: set[int] = field(default_factory=set)
    """The evenings to which it was let in as a screen."""
    seats: set[tuple[int, int]] = field(default_factory=set)
    """The seats it holds, as (game, seat)."""

    def check(self, name: str, right: Right, params: Params, organises: Callable[[], bool]) -> None:
        """Raise :class:`Refusal` unless this connection has the right to a method with these parameters.

        ``organises`` returns whether it has come in as an organiser of the evening that they name.
        """
        game = params.game if isinstance(params, OfGame) else 0
        allowed, roles = right.roles, self._roles(game, params.speaker)
        if ORGANISER in allowed and not roles & allowed and organises():
            roles.add(ORGANISER)
        if GUEST in allowed and any(number == getattr(params, "evening", 0) for number, _ in self.people):
            roles.add(GUEST)
        if PERSON in allowed and (getattr(params, "evening", 0), getattr(params, "person", "")) in self.people:
            roles.add(PERSON)
        ends = name == "quit" and self.operator  # one of another version, too
        if NOBODY in roles and NOBODY not in allowed and not ends:
            raise Refusal(FORBIDDEN, "say hello first")
        if not roles & allowed:
            if allowed == {OPERATOR}:
                raise Refusal(FORBIDDEN, "{method} is for the operator, who shows the token of this log", method=name)
            if allowed == {ORGANISER, OPERATOR}:
                text = "{method} is for organisers of the evening, and for the operator"
                raise Refusal(FORBIDDEN, text, method=name)
            if GUEST in allowed:
                raise Refusal(FORBIDDEN, "{method} is for those who have come in to the evening", method=name)
            if allowed == {PERSON}:
                raise Refusal(FORBIDDEN, "this connection has not come in as that person")
            if PLAYER in allowed:
                raise Refusal(FORBIDDEN, "{method} is for those who play", method=name)
            raise _not_held(params.speaker)
        if SEAT not in roles and right.nameless and params.speaker:
            raise _not_held(params.speaker)
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

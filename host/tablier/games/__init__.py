"""The registry of games, and a folder for each game that comes with the package.

A game is an entry point of the group ``tablier.games``: its name in a record, and the class of its rules. Its other
parts are modules beside that of the rules, each of them optional and imported when it is first needed: ``drawing``,
``encoding``, ``bots``. ``README.md`` beside this file tells how to write a game.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from importlib import import_module
from inspect import isabstract
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from tablier.games.core import OptionError, Rules, shown
from tablier.texts import Json, Text

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from tablier.games.core.bots import Bot
    from tablier.games.core.drawing import Drawing
    from tablier.games.core.encoding import Encoding
    from tablier.games.core.people import Mind
    from tablier.games.core.questions import ScriptOf

GROUP = "tablier.games"
"""The group of entry points under which packages register their games."""


class BrokenGame(OptionError):
    """An installed game that cannot be loaded; the text names its package."""


class Game:
    """A game of the registry. Nothing of it is imported before it is needed."""

    def __init__(self, name: str, claims: Sequence[EntryPoint]) -> None:
        self.name = name
        self._claims = claims
        """Every entry point with this name: there should be one."""

    @cached_property
    def rules(self) -> type[Rules[Any]]:
        """Return the class of the rules. Raise :class:`BrokenGame`."""
        entry = self._entry
        cls: Any = self._imported(entry.module)
        for attribute in filter(None, entry.attr.split(".")):
            cls = getattr(cls, attribute, None)
        if not isinstance(cls, type) or not issubclass(cls, Rules) or isabstract(cls):
            raise self._broken(f"{entry.value!r} does not name a complete subclass of tablier.games.core.Rules")
        if getattr(cls, "name", None) != self.name:
            raise self._broken(f"its rules call themselves {shown(getattr(cls, 'name', None))}")
        rules: type[Rules[Any]] = cls
        return rules

    def part(self, name: str) -> ModuleType | None:
        """Return the module of that name beside the rules, or ``None``. Raise :class:`BrokenGame`."""
        from importlib.util import find_spec

        package = self._entry.module.rpartition(".")[0]
        if not package:  # the rules are a single module, with nothing beside it
            return None
        self._imported(package)
        return self._imported(f"{package}.{name}") if find_spec(f"{package}.{name}") else None

    @property
    def _entry(self) -> EntryPoint:
        if len(self._claims) > 1:
            raise BrokenGame(
                "several packages claim the game {name}: {packages}; uninstall all but one",
                name=repr(self.name),
                packages=sorted(map(_package, self._claims)),
            )
        return self._claims[0]

    def _imported(self, module: str) -> ModuleType:
        try:
            return import_module(module)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # sys.exit, too: a game does not end the program
            raise self._broken(f"{type(error).__name__}: {error}") from error

    def _broken(self, why: str) -> BrokenGame:
        return BrokenGame(
            "the game {name} of {package} cannot be loaded: {why}",
            name=repr(self.name),
            package=_package(self._claims[0]),
            why=" ".join(why.split()),
        )


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown package"


class _Games(Mapping[str, Game]):
    """The installed games by their names, read when they are first asked for."""

    @cached_property
    def _games(self) -> dict[str, Game]:
        from importlib.metadata import entry_points

        claims: dict[str, dict[str, EntryPoint]] = {}
        for entry in entry_points(group=GROUP):
            claims.setdefault(entry.name, {})[f"{_package(entry)} {entry.value}"] = entry
        return {name: Game(name, list(claims[name].values())) for name in sorted(claims)}

    def __getitem__(self, name: str) -> Game:
        return self._games[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._games)

    def __len__(self) -> int:
        return len(self._games)


GAMES: Mapping[str, Game] = _Games()
"""Every installed game by its name in a record."""


def game_of(name: str) -> Game:
    """Return the game of that name. Raise :class:`OptionError` if there is none."""
    try:
        return GAMES[name]
    except (KeyError, TypeError):
        if not GAMES:
            raise OptionError(
                "no game is installed: the metadata of the package tablier is missing or older than its code;"
                " install it again: {python} -m pip install -e .",
                python=sys.executable,
            ) from None
        raise OptionError("there is no game {name}; the games: {games}", name=shown(name), games=list(GAMES)) from None


def part_of(game: str, name: str) -> ModuleType | None:
    """Return the module of that name beside a game's rules, or ``None``. A session can play an unregistered game, which
    has no parts.
    """
    try:
        return game_of(game).part(name)
    except OptionError:
        return None


def game_class(name: str) -> type[Rules[Any]]:
    """Return the class of a game's rules. Raise :class:`OptionError`."""
    return game_of(name).rules


def rules_of(name: str, seats: int, options: Mapping[str, Any] | None = None) -> Rules[Any]:
    """Return the rules of a game for a number of seats. Raise :class:`OptionError`."""
    return game_class(name)(seats, options)


def drawing_of(name: str) -> Drawing:
    """Return the module that draws a game: its own, or one that writes any view as text. Raise :class:`OptionError`."""
    from tablier.games.core import drawing

    return cast("Drawing", game_of(name).part("drawing") or drawing)


def bots_of(name: str) -> dict[str, type[Bot]]:
    """Return a game's built-in bots by the names that a seat's source may have. Raise :class:`OptionError`."""
    from tablier.games.core.bots import RandomBot

    module = game_of(name).part("bots")
    return {"random": RandomBot, **(module.BOTS if module else {})}


def script_of(name: str) -> tuple[ScriptOf, int]:
    """Return a game's script and its version. Raise :class:`OptionError`."""
    from tablier.games.core.scripts import GENERIC_VERSION, generic

    module = game_of(name).part("script")
    return (module.script, module.VERSION) if module else (generic, GENERIC_VERSION)


def released_scripts(name: str) -> tuple[int, ...]:
    """Return the versions of a game's script that logs may name: this one, and those in its ``RELEASED``."""
    from tablier.games.core.scripts import GENERIC_RELEASED

    module = game_of(name).part("script")
    return script_of(name)[1], *(getattr(module, "RELEASED", ()) if module else GENERIC_RELEASED)


def abilities_of(name: str) -> int:
    """Return what a table must be able to do for a game, as bits: what every game needs, and its script's
    ``ABILITIES``.
    """
    from tablier.games.core.scripts import EVERY_GAME

    return EVERY_GAME | int(getattr(game_of(name).part("script"), "ABILITIES", 0))


def plays_at_places(rules: Rules[Any]) -> bool:
    """Return whether seats of this game can be asked at places of a table without showing what they hold."""
    return rules.OPEN_MOVES or game_of(rules.name).part("script") is not None


def mind_of(name: str) -> type[Mind]:
    """Return what decides for simulated people: a game's ``MIND``, or every game's. Raise :class:`OptionError`."""
    from tablier.games.core.people import Mind

    module = game_of(name).part("people")
    return module.MIND if module else Mind


def encoding_of(
    name: str,
    seats: int,
    options: Mapping[str, Any] | None = None,
    start: Json | None = None,
    **more: Any,
) -> Encoding[Any]:
    """Return the encoding of a game for a number of seats; equal arguments give the same object.

    ``start`` is the description of a position (:meth:`tablier.games.core.Rules.describe`) from which to play instead
    of the beginning. ``more`` are arguments of the encoding itself: Dilemma takes ``landing``. Raise ``RulesError``.
    """
    return encoding_again(json.dumps([name, seats, dict(options or {}), start, more]))


@lru_cache(maxsize=64)
def encoding_again(key: str) -> Encoding[Any]:
    """Return the encoding with this :attr:`Encoding.key`; for copies and pickles."""
    name, seats, options, start, more = json.loads(key)
    from tablier.games.core.encoding import GenericEncoding

    module = game_of(name).part("encoding")
    cls: type[Encoding[Any]] = module.ENCODING if module else GenericEncoding
    if unknown := set(more) - set(cls.EXTRAS):
        raise OptionError(
            "the encoding of {game} takes no {unknown}; its own arguments: {known}",
            game=name,
            unknown=shown(min(unknown)),
            known=list(cls.EXTRAS) or Text("none"),
        )
    encoding = cls(rules_of(name, seats, options), start, **more)
    encoding.key = key
    return encoding


__all__ = [
    "GAMES",
    "GROUP",
    "BrokenGame",
    "Game",
    "abilities_of",
    "bots_of",
    "drawing_of",
    "encoding_again",
    "encoding_of",
    "game_class",
    "game_of",
    "mind_of",
    "plays_at_places",
    "released_scripts",
    "rules_of",
    "script_of",
]

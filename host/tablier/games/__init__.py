"""The registry of games, and a folder for each game that comes with the package.

A game is an entry point of the group ``tablier.games``: its name in a record, and the class of its rules. Its other
parts are modules beside that of the rules (:data:`PARTS`), each of them optional and imported when it is first needed.
``README.md`` beside this file tells how to write a game.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import normalize

from tablier.extras import command_to_install_again
from tablier.games.core import Move, OptionError, Rules, shown
from tablier.languages import add_folder
from tablier.texts import Failure, Json, Text, any_of, suggest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from tablier.games.core.bots import Bot
    from tablier.games.core.drawing import Drawing
    from tablier.games.core.encoding import Encoding
    from tablier.games.core.facts import Facts
    from tablier.games.core.lights import Lights
    from tablier.games.core.people import Mind
    from tablier.games.core.questions import ScriptOf
    from tablier.games.core.scripts import GameScript
    from tablier.games.core.words import Words

GROUP = "tablier.games"
"""The group of entry points under which packages register their games."""
ALL_GAMES = Text("All games")
_DECLARED = ("title", "seat_counts", "OPTIONS")
"""The attributes that a class of rules declares besides its name and methods."""


class Part(NamedTuple):
    """A part of a game: what the module of that name beside the rules defines."""

    name: str
    core: str
    """The module of :mod:`tablier.games.core` that defines the same for games without the part …"""
    kind: str
    """… and the class of it that the part is an instance of, or a subclass, or a ``dict`` with subclasses by name."""
    form: str = "{kind}"


_SUBCLASS, _BY_NAME = "a subclass of {kind}", "a dict of subclasses of {kind} by name"
PARTS: Mapping[str, Part] = {
    "script": Part("SCRIPT", "scripts", "GameScript"),
    "drawing": Part("DRAWING", "drawing", "Drawing"),
    "lights": Part("LIGHTS", "lights", "Lights"),
    "words": Part("WORDS", "words", "Words"),
    "bots": Part("BOTS", "bots", "Bot", _BY_NAME),
    "people": Part("MIND", "people", "Mind", _SUBCLASS),
    "encoding": Part("ENCODING", "encoding", "Encoding", _SUBCLASS),
    "facts": Part("FACTS", "facts", "Facts"),
}
"""The parts of a game besides its rules, by the names of their modules. Each is optional."""


class BrokenGame(OptionError):
    """An installed game that cannot be loaded; the text names its package."""


class Game:
    """A game of the registry. Nothing of it is imported before it is needed."""

    def __init__(self, name: str, claims: Sequence[EntryPoint]) -> None:
        self.name = name
        self._claims = claims
        """Every entry point with this name: there should be one."""
        self._parts: dict[str, Any] = {}

    @property
    def modules(self) -> list[str]:
        """Return the modules that claim to have its rules, of which none is imported for that."""
        return [entry.module for entry in self._claims]

    @cached_property
    def rules(self) -> type[Rules[Any]]:
        """Return the class of the rules. Raise :class:`BrokenGame`."""
        entry = self._entry
        cls: Any = self._imported(entry.module)
        for attribute in filter(None, entry.attr.split(".")):
            cls = getattr(cls, attribute, None)
        if not isinstance(cls, type) or not issubclass(cls, Rules) or cls is Rules:
            raise self._broken(f"{entry.value!r} does not name a subclass of tablier.games.core.Rules")
        if missing := sorted([*cls.__abstractmethods__, *(each for each in _DECLARED if not hasattr(cls, each))]):
            are = "are" if len(missing) > 1 else "is"
            raise self._broken(f"{self.name}: {', '.join(missing)} {are} missing in {entry.value!r}")
        if getattr(cls, "name", None) != self.name:
            raise self._broken(f"its rules call themselves {shown(getattr(cls, 'name', None))}")
        rules: type[Rules[Any]] = cls
        return rules

    def part(self, module: str) -> Any:
        """Return one of :data:`PARTS`: the game's own, else that of every game. Raise :class:`BrokenGame`."""
        if module not in self._parts:
            self._parts[module] = self._own(module) or default_part(module)
        return self._parts[module]

    def check(self) -> None:
        """Import all parts. Raise :class:`BrokenGame` for one that is misspelt or unfit."""
        for module in PARTS:
            self.part(module)

    def _own(self, module: str) -> Any:
        part, package = PARTS[module], self._entry.module.rpartition(".")[0]
        beside = [each.name for each in iter_modules(self._imported(package).__path__)] if package else []
        if module not in beside:
            for near in get_close_matches(module, beside, cutoff=0.85):
                raise self._broken(f"{near}.py is no part; did you mean {module}.py? The parts: {', '.join(PARTS)}")
            return None
        kind = getattr(import_module(f"tablier.games.core.{part.core}"), part.kind)
        form = part.form.format(kind=f"tablier.games.core.{part.core}.{part.kind}")
        if is_dataclass(kind):
            form += f"({', '.join(field.name for field in fields(kind))})"
        demanded = f"it defines {part.name}, {form}"
        found = getattr(self._imported(f"{package}.{module}", f"{module}.py: ", f"; {demanded}"), part.name, None)
        kinds = found.values() if part.form is _BY_NAME and isinstance(found, dict) else [found]
        if part.form in (_SUBCLASS, _BY_NAME):
            fits = all(isinstance(each, type) and issubclass(each, kind) for each in kinds)
        else:
            fits = isinstance(found, kind)
        if not fits:
            raise self._broken(
                f"{module}.py: {part.name} is {'missing' if found is None else shown(found)}; {demanded}"
            )
        return found

    @property
    def _entry(self) -> EntryPoint:
        if len(self._claims) > 1:
            raise BrokenGame(
                "several packages claim the game {name}: {packages}; uninstall all but one",
                name=repr(self.name),
                packages=sorted(map(_package, self._claims)),
            )
        return self._claims[0]

    def _imported(self, module: str, where: str = "", demanded: str = "") -> ModuleType:
        try:
            found = import_module(module)
            if found.__file__ is not None:
                add_folder(Path(found.__file__).parent)
            return found
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # sys.exit, too: a game does not end the program
            raise self._broken(f"{where}{type(error).__name__}: {error}{demanded}") from error

    def _broken(self, why: str) -> BrokenGame:
        return BrokenGame(
            "the game {name} of {package} cannot be loaded: {why}",
            name=repr(self.name),
            package=_package(self._claims[0]),
            why=" ".join(why.split()),
        )


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown package"


def _distinct(claims: list[EntryPoint]) -> list[EntryPoint]:
    """Return the claims without those of a package that was found twice.

    Packages are compared for two claims or more only: a package's name is read from its whole metadata, at every start.
    """
    return list({f"{_package(each)} {each.value}": each for each in claims}.values()) if len(claims) > 1 else claims


class _Games(Mapping[str, Game]):
    """The installed games by their names, read when they are first asked for."""

    @cached_property
    def _games(self) -> dict[str, Game]:
        from importlib.metadata import entry_points

        claims: dict[str, list[EntryPoint]] = {}
        for entry in entry_points(group=GROUP):
            claims.setdefault(entry.name, []).append(entry)
        return {name: Game(name, _distinct(claims[name])) for name in sorted(claims)}

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
                " install it again: {command}",
                command=command_to_install_again(),
            ) from None
        about = {"name": shown(name), "games": list(GAMES)}
        if not name:
            raise OptionError(Text("name a game: {games}", about)) from None
        raise OptionError(
            suggest(Text("there is no game {name}; the games: {games}", about), str(name), GAMES)
        ) from None


def game_called(text: str) -> str:
    """Return the name of the game that people mean: by its name or its title, or by the beginning of either or of a
    word in it, whatever capitals, accents and marks: ``daemonen``, ``D.21``, ``dil``. Raise :class:`OptionError` where
    that is none or several."""
    if text in GAMES:
        return text
    typed = _letters(text)
    names = {name: [name] for name in GAMES}
    for spelt in (names, names | {name: [name, *_titles(game)] for name, game in GAMES.items()}):
        keys = {name: {key for each in found for key in _endings(each)} for name, found in spelt.items()}
        for fits in (typed.__eq__, lambda key: key.startswith(typed)):
            found = [name for name, each in keys.items() if typed and any(map(fits, each))]
            if len(found) > 1:
                raise OptionError("{text} can be {games}; type more of its name", text=shown(text), games=any_of(found))
            if found:
                return found[0]
    return game_of(text).name


def _titles(game: Game) -> list[str]:
    """Return the title of a game that can be loaded, with its umlauts as one letter and as two."""
    try:
        title = game.rules.title.casefold()
    except BrokenGame:
        return []
    return [title, title.translate(_UMLAUTS)]


_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})


def _letters(text: str) -> str:
    """Return a text's letters and digits alone, without accents."""
    return "".join(each for each in normalize("NFKD", text.casefold()) if each.isalnum())


def _endings(name: str) -> list[str]:
    """Return a name from each of its words on."""
    words = name.replace("-", " ").split()
    return [_letters("".join(words[at:])) for at in range(len(words))]


def game_class(name: str) -> type[Rules[Any]]:
    """Return the class of a game's rules. Raise :class:`OptionError`."""
    return game_of(name).rules


def title_of(name: str) -> str:
    """Return the title of a game; of one that is not installed or cannot be loaded, its name."""
    try:
        return game_class(name).shown_title()
    except OptionError:
        return name


def load() -> Iterator[None]:
    """Import the rules and parts of every installed game, one at each step. What is broken fails where it is used.

    A process that lasts does this at its start: files that replace its own later may not fit what it has loaded.
    """
    for game in GAMES.values():
        with suppress(Failure):
            _ = game.rules
            yield
            for part in PARTS:
                game.part(part)
                yield


def rules_of(name: str, seats: int, options: Mapping[str, Any] | None = None) -> Rules[Any]:
    """Return the rules of a game for a number of seats. Raise :class:`OptionError`."""
    return game_class(name)(seats, options)


def default_part(module: str) -> Any:
    """Return one of :data:`PARTS` as a game has it that has none of its own."""
    return getattr(import_module(f"tablier.games.core.{PARTS[module].core}"), PARTS[module].name)


def drawing_of(name: str) -> Drawing:
    """Return how a game is drawn. Raise :class:`OptionError`."""
    drawing: Drawing = game_of(name).part("drawing")
    return drawing


def bots_of(name: str) -> dict[str, type[Bot]]:
    """Return a game's built-in bots by the names that a seat's source may have. Raise :class:`OptionError`."""
    return {**default_part("bots"), **game_of(name).part("bots")}


def mind_of(name: str) -> type[Mind]:
    """Return what decides for simulated people. Raise :class:`OptionError`."""
    mind: type[Mind] = game_of(name).part("people")
    return mind


def lights_of(name: str) -> Lights:
    """Return what the table shows of a game; a session can play one that is not installed."""
    lights: Lights = GAMES[name].part("lights") if name in GAMES else default_part("lights")
    return lights


def words_of(name: str) -> Words:
    """Return what is said of a game besides its rules, as :func:`lights_of` returns what is shown."""
    words: Words = GAMES[name].part("words") if name in GAMES else default_part("words")
    return words


def leads_to(rules: Rules[Any], view: Json, move: Move) -> Text | None:
    """Return what a move leads to, where its game says so. Raise ``PartError`` where the game fails."""
    said: Text | None = _asked(rules, "outcome", view, move)
    return said


def warns_of(rules: Rules[Any], view: Json, move: Move) -> bool:
    """Return whether what a move leads to warns of it. Raise ``PartError`` where the game fails."""
    return bool(_asked(rules, "warns", view, move))


def deed_of(rules: Rules[Any], view: Json, move: Move) -> Text | None:
    """Return a move as a command, where its game says it so. Raise ``PartError`` where the game fails."""
    said: Text | None = _asked(rules, "deed", view, move)
    return said


def steps_of(rules: Rules[Any], move: Move) -> tuple[Text, ...]:
    """Return what is touched for each group of a move's parts. Raise ``PartError`` where the game fails."""
    return tuple(_asked(rules, "steps", move) or ())


def seem_of(rules: Rules[Any], view: Json, seat: int) -> tuple[Move, ...]:
    """Return the moves among which a seat chooses as far as others know. Raise ``PartError`` where the game fails."""
    return tuple(_asked(rules, "seem", view, seat) or ())


def _asked(rules: Rules[Any], name: str, *args: Any) -> Any:
    """Return what a function of a game's words returns; ``None`` where the game has none."""
    from tablier.games.core.parts import called

    function = getattr(words_of(rules.name), name)
    return None if function is None else called(rules.name, "words", name, lambda: function(rules, *args))


def facts_of(name: str) -> Facts:
    """Return what is told of an ended game for tables over many. Raise :class:`OptionError`."""
    facts: Facts = game_of(name).part("facts")
    return facts


def _script_of(name: str) -> GameScript:
    script: GameScript = game_of(name).part("script")
    return script


def script_of(name: str) -> tuple[ScriptOf, int]:
    """Return a game's script and its version. Raise :class:`OptionError`."""
    script = _script_of(name)
    return script.script, script.version


def versions_of(name: str) -> dict[str, int]:
    """Return the versions of a game's rules and of its script."""
    return {"rules": game_class(name).VERSION, "script": script_of(name)[1]}


def abilities_of(name: str) -> int:
    """Return what a table must be able to do for a game, as bits: what every game needs, and its script does."""
    from tablier.games.core.scripts import EVERY_GAME

    return EVERY_GAME | _script_of(name).abilities


def plays_at_places(rules: Rules[Any]) -> bool:
    """Return whether seats of this game can be asked at places of a table without showing what they hold."""
    return rules.OPEN_MOVES or has_own_script(rules.name)


def has_own_script(name: str) -> bool:
    """Return whether a game has a script of its own; one that is not installed has none."""
    return name in GAMES and _script_of(name) is not default_part("script")


def check_choices(rules: Rules[Any]) -> None:
    """Raise :class:`OptionError` if a game begins with a choice of more options than a table shows."""
    from tablier.games.core.lights import CHOICE_COLOURS
    from tablier.games.core.scripts import options_at_once

    if has_own_script(rules.name) or rules.prelude() is not None:
        return
    conducted = rules.conducted()
    options = options_at_once(conducted, conducted.initial())
    if len(options) > len(CHOICE_COLOURS):
        raise OptionError(
            "{game} lets players choose among {count} options at once; a table shows {most}",
            game=rules.shown_title(),
            count=len(options),
            most=len(CHOICE_COLOURS),
        )


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
    """Return the encoding of a key that :func:`encoding_of` has made; for copies and pickles."""
    name, seats, options, start, more = json.loads(key)
    cls: type[Encoding[Any]] = game_of(name).part("encoding")
    if unknown := set(more) - set(cls.EXTRAS):
        raise OptionError(
            "the encoding of {game} takes no {unknown}; its own arguments: {known}",
            game=name,
            unknown=shown(min(unknown)),
            known=list(cls.EXTRAS) or Text("none"),
        )
    encoding = cls(rules_of(name, seats, options), start, **more)
    encoding.made_from = encoding_again, key
    return encoding


__all__ = [
    "GAMES",
    "GROUP",
    "PARTS",
    "BrokenGame",
    "Game",
    "Part",
    "abilities_of",
    "bots_of",
    "check_choices",
    "deed_of",
    "drawing_of",
    "encoding_again",
    "encoding_of",
    "facts_of",
    "game_called",
    "game_class",
    "game_of",
    "has_own_script",
    "leads_to",
    "lights_of",
    "mind_of",
    "plays_at_places",
    "rules_of",
    "script_of",
    "steps_of",
    "versions_of",
    "warns_of",
    "words_of",
]

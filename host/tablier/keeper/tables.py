"""The tables of open games: how they are, how loud and bright, their lights, and a simulated one's tester."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from msgspec import Meta, structs

from tablier import messages
from tablier.keeper.access import OPERATING, ORGANISING, WATCHING
from tablier.keeper.games import Games, OpenGame, settings_of
from tablier.keeper.lights import Lights
from tablier.keeper.methods import Answer, Asker, method
from tablier.keeper.protocol import REFUSED, EveningNumber, OfGame, Params, Place, Refusal
from tablier.keeper.verbs import Take
from tablier.log.replies import Words, check_printable
from tablier.log.store import Log
from tablier.play.game import Conductor
from tablier.simulation.tester import TesterError
from tablier.table.settings import LIGHTS, VOLUMES
from tablier.texts import Json, Text

Volume = Annotated[Annotated[int, Meta(ge=VOLUMES[0], le=VOLUMES[1])] | None, Meta(description="1 to 3")]
Light = Annotated[Annotated[int, Meta(ge=LIGHTS[0], le=LIGHTS[1])] | None, Meta(description="25 to 100 percent")]


class Set(Params, frozen=True, kw_only=True):
    """How loud and how bright a table is to be; what is left out stays."""

    table: Annotated[
        str, Meta(pattern="^([0-9a-f]{16}|simulated)$", description="a board's 16 digits 0-9 and a-f, or simulated")
    ]
    evening: EveningNumber | None = None
    volume: Volume = None
    mute: bool | None = None
    light: Light = None


class FollowLights(OfGame, frozen=True, kw_only=True):
    """Follow the lights of a game's table, or do no longer; ``line``: also the frames on its line."""

    on: bool = True
    line: bool = False


class Lean(OfGame, frozen=True, kw_only=True):
    """The place over whose hood somebody leans; 0: lean back."""

    place: Place


class TesterVerb(OfGame, frozen=True, kw_only=True):
    """A tester's verb, for a simulated table."""

    verb: Words

    def __post_init__(self) -> None:
        check_printable(self, "verb")


class Tables:
    """Answers what clients ask of the tables of open games."""

    def __init__(self, log: Log, games: Games) -> None:
        self._log = log
        self._games = games

    @method(
        "table",
        OfGame,
        WATCHING,
        takes="`game`",
        gives="`TableState`, see below",
    )
    def _table(self, asker: Asker, params: OfGame) -> messages.TableState | None:
        desk = self._games.open(params.game).desk
        client = desk.game.client
        if client is None:
            raise _without_table(params.game)

        status = {key: value.hex() if isinstance(value, bytes) else value for key, value in client.status.items()}
        state = messages.TableState(
            connected=client.connected, board=client.board, status=status, tested=list(desk.tested)
        )
        if not desk.simulated:
            return state

        def with_pixels(seen: Json) -> messages.TableState:
            return structs.replace(state, pixels=messages.Pixels(ring=seen["ring"], public=seen["public"]))

        desk.look(_answered(asker, with_pixels))
        return None

    @method(
        "settings",
        Set,
        ORGANISING,
        takes="`table`: a board's id in hexadecimal, or `simulated` for those that keepers start; `volume`? (1 to"
        " 3), `mute`?, `light`? (25 to 100 percent); `evening`?: organisers name theirs, at whose table a game is"
        " open",
        gives="`TableSettings`, see below. What is left out stays. It is in force at once, and in each later game at"
        " this table",
    )
    def _set(self, asker: Asker, params: Set) -> messages.TableSettings:
        wanted = {name: getattr(params, name) for name in ("volume", "mute", "light")}
        wanted = {name: value for name, value in wanted.items() if value is not None}
        tables = [each.desk.table for each in self._games.all() if each.evening == params.evening]
        if not asker.peer.rights.operator and params.table not in tables:
            raise Refusal(REFUSED, "table is {table}, at which the evening plays no game", table=params.table)
        if wanted:
            self._log.keep_settings(params.table, wanted)
        settings = settings_of(self._log, params.table)
        why: Text | None = None
        for open in self._games.all():
            if open.desk.table == params.table:
                open.desk.set_table(settings)
                why = why or open.desk.deaf
        return messages.TableSettings(table=params.table, **settings.to_json(), why=why)

    def _lights(self, game: int) -> tuple[Conductor, Lights]:
        open: OpenGame = self._games.open(game)
        if open.lights is None:
            raise _without_table(game)
        return open.desk.game, open.lights

    @method(
        "lights",
        FollowLights,
        OPERATING,
        takes="`game`, `on`? (true), `line`? (false)",
        gives="`lights` messages follow, and with `line` `line` messages",
    )
    def _follow_lights(self, asker: Asker, params: FollowLights) -> messages.Done:
        conductor, lights = self._lights(params.game)
        if params.on:
            lights.follow(asker.peer, conductor, line=params.line)
        else:
            lights.leave(asker.peer, conductor)
        return messages.DONE

    @method(
        "lean",
        Lean,
        OPERATING,
        takes="`game`, `place`: lean over its hood; 0: lean back",
        gives="of a simulated table, for who follows its lights. One hood at a time is seen, and it is said to all"
        " who watch; for 10 s, unless it is said again",
    )
    def _lean(self, asker: Asker, params: Lean) -> messages.Done:
        conductor, lights = self._lights(params.game)
        lights.lean(asker.peer, params.place, conductor)
        return messages.DONE

    @method(
        "tester",
        TesterVerb,
        OPERATING,
        takes="`game`, `verb`: any but `join`, `opened`, `wait`, `wake`",
        gives="what the simulated table answers",
    )
    def _say(self, asker: Asker, params: TesterVerb) -> None:
        desk = self._games.open(params.game).desk
        if not desk.simulated:
            raise Refusal(REFUSED, "game {game} is not played at a simulated table", game=params.game)
        desk.say(params.verb, _answered(asker, lambda answer: answer))


def _without_table(game: int) -> Refusal:
    return Refusal(REFUSED, "game {game} is played without a table", game=game)


def _answered(asker: Asker, tell: Callable[[Json], Answer]) -> Take:
    """Return what answers a request when a simulated table has answered."""

    def take(answer: Json | TesterError) -> None:
        if isinstance(answer, TesterError):
            asker.refuse(answer.text)
        else:
            asker.answer(tell(answer))

    return take

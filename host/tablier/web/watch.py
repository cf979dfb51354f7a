"""What everybody may see: the open games as a spectator has them, and the evenings. One connection for all browsers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from urllib.parse import urlsplit

from msgspec import structs

from tablier import messages
from tablier.games import plays_at_places, rules_of, title_of
from tablier.keeper.client import KeeperError
from tablier.keeper.protocol import STALE
from tablier.messages import Evening, GameOpen, GamePlayed, Listing, Series, Standing
from tablier.printable import printable
from tablier.screens.names import fit_names
from tablier.screens.phrases import STOPPED
from tablier.texts import Failure, Text, all_of, counted, render
from tablier.web.hosts import is_loopback
from tablier.web.hub import Hub
from tablier.web.link import KeeperLink
from tablier.web.links import KeeperLinks
from tablier.web.qr import picture
from tablier.web.saying import SURFACES, boards_of, headline_of, players_of, ranks, say, seat_of
from tablier.web.states import (
    EveningState,
    InsideState,
    KeeperState,
    LeaningState,
    ListedGame,
    ListState,
    NewsState,
    PlayedState,
    SeriesState,
    StandingState,
    WishState,
)

_AGAIN_S = 0.1
"""How often a keeper that is gone is looked for."""
_RETRY_S = 1.0
"""How soon a game that could not be watched is asked for again."""
_SHOWN = 3
"""The most games that are shown on after their end."""


class Watch:
    """Follows the keeper for all pages."""

    def __init__(self, hub: Hub, links: KeeperLinks) -> None:
        self._hub = hub
        self._links = links
        self._link: KeeperLink | None = None
        self.games: dict[int, GameOpen] = {}
        """The open games, as the keeper lists them."""
        self.evenings: dict[int, Evening] = {}
        """The open evenings."""
        self._lists = 0
        """How many lists the keeper has sent by itself."""
        self._ended: list[int] = []
        self._past: list[int] = []
        self._leaning: set[int] = set()
        """The games at whose table somebody leans over a hood."""
        self._dirty = asyncio.Event()
        self.ready = asyncio.Event()
        """Set once the keeper has said what is open."""
        self.refused: KeeperError | None = None
        """Why a keeper of other code does not speak to this server, which ends then."""

    async def run(self, back: Callable[[], Awaitable[bool]], catch_up: Callable[[], Awaitable[None]]) -> None:
        """Follow the keeper until it is gone for good.

        :param back: called when it is gone; returns whether to look for it again.
        :param catch_up: called when games have begun or ended.
        """
        while True:
            try:
                link = await self._links.open()
            except (OSError, KeeperError) as error:
                if isinstance(error, KeeperError) and self.is_refused(error):
                    return
                await asyncio.sleep(_AGAIN_S)
            else:
                self._link = link
                with suppress(Failure):
                    await self._follow(link, catch_up)
                await link.close()
                for game in set(self._leaning):
                    self._lean(game, 0)
                self._hub.channel("public", "keeper").put(partial(KeeperState, here=False))
            if not await back():
                return

    def is_refused(self, error: KeeperError) -> bool:
        """Return whether an error is a keeper's that never speaks to this server; note it."""
        if error.code == STALE:
            self.refused = error
        return error.code == STALE

    def names_of(self, game: object) -> list[str]:
        """Return the players' names of an open game, as pages show them."""
        listed = self.games.get(game) if isinstance(game, int) else None
        return fit_names([seat.name for seat in listed.seats]) if listed else []

    async def close(self) -> None:
        if self._link is not None:
            await self._link.close()

    async def _follow(self, link: KeeperLink, catch_up: Callable[[], Awaitable[None]]) -> None:
        link.on_notice = self._hear
        link.on_silence = self._tell_silence
        self._watched: set[int] = set()
        self._followed: set[int] = set()
        told = self._lists
        listed = await link.ask(Listing, "list", {"follow": True})
        if self._lists == told:  # else the keeper has said a later one since it answered, which was heard first
            self._take_list(listed)
        self._hub.channel("public", "keeper").put(partial(KeeperState, here=True))
        self.ready.set()
        lost = asyncio.create_task(link.lost.wait())
        try:
            while not link.lost.is_set():
                self._dirty.clear()
                await self._catch_up(link)
                await catch_up()
                dirty = asyncio.create_task(self._dirty.wait())
                await asyncio.wait((lost, dirty), return_when=asyncio.FIRST_COMPLETED)
                dirty.cancel()
        finally:
            lost.cancel()

    async def _catch_up(self, link: KeeperLink) -> None:
        """Watch what is open and not watched yet."""
        for game in [game for game in self.games if game not in self._watched]:
            self._watched.add(game)
            self._hub.channel("public", f"game-{game}").restart()
            try:
                await link.call("watch", {"game": game, "viewers": [None]})
            except KeeperError:  # it has just ended; if it is still listed, it is asked for again
                self._watched.discard(game)
                asyncio.get_running_loop().call_later(_RETRY_S, self._dirty.set)
        for evening in [each for each in self.evenings if each not in self._followed]:
            self._followed.add(evening)
            try:
                await link.call("follow", {"evening": evening, "games": False})
            except KeeperError as error:
                if not error.is_refusal:  # else it is over
                    self._followed.discard(evening)
                    asyncio.get_running_loop().call_later(_RETRY_S, self._dirty.set)

    def _hear(self, notice: messages.Notice) -> None:
        match notice:
            case messages.Listing():
                self._lists += 1
                self._take_list(notice)
            case messages.Updates(game=game, updates=[update]):
                for surface, board in boards_of(update).items():
                    self._hub.channel(surface, f"board-{game}").put(board)
                said = say(update)
                self._hub.channel("public", f"game-{game}").put(said.state, said.news)
            case messages.Ended(game=game, why=why):
                self._end(game, why)
            case messages.Leaning(game=game, place=place):
                self._lean(game, place)
            case messages.Evening(evening=evening):
                self.evenings[evening] = notice
                self._hub.channel("public", f"evening-{evening}").put(partial(said_evening, notice))
            case messages.Told(evening=evening, text=text) if evening in self.evenings:
                state = partial(said_evening, self.evenings[evening])
                self._hub.channel("public", f"evening-{evening}").put(state, [partial(_told, text)])

    def _tell_silence(self, why: Text | None) -> None:
        """Say on every page that the keeper has fallen silent; ``None``: that it answers again."""
        self._hub.channel("public", "keeper").put(
            lambda: KeeperState(here=True, silent=None if why is None else render(why))
        )

    def _take_list(self, listed: Listing) -> None:
        self.games = {each.game: each for each in listed.games}
        evenings = {each.evening: each for each in listed.evenings}
        self._past += [each for each in self.evenings if each not in evenings]
        if self._past:  # the last one is shown on, until another begins
            for gone in self._past if evenings else self._past[:-1]:
                self._hub.channel("public", f"evening-{gone}").put(None)
            self._past = [] if evenings else self._past[-1:]
        self.evenings = evenings
        self._hub.channel("public", "list").put(partial(_listed, listed))
        self._dirty.set()

    def _lean(self, game: int, place: int) -> None:
        """Say over whose hood of a game somebody leans; 0: nobody does."""
        self._leaning = self._leaning - {game} | ({game} if place else set())
        self._hub.channel("public", f"leaning-{game}").put(partial(LeaningState, place=place) if place else None)

    def _end(self, game: int, why: Text | None) -> None:
        """Show a game that was closed a while longer, as it stood."""
        self._lean(game, 0)
        self._hub.channel("public", f"game-{game}").end(STOPPED if why is None else why)
        self._watched.discard(game)
        self.games.pop(game, None)
        self._ended.append(game)
        for old in self._ended[:-_SHOWN]:
            self._hub.channel("public", f"game-{old}").put(None)
            for surface in SURFACES:
                self._hub.channel(surface, f"board-{old}").put(None)
        del self._ended[:-_SHOWN]


def _listed(listed: Listing) -> ListState:
    games = [
        ListedGame(
            game=each.game,
            rules=each.rules,
            title=printable(title_of(each.rules)),
            seats=[seat_of(seat, printable(seat.name)) for seat in each.seats],
            simulated=each.simulated,
            evening=each.evening,
            table=each.table,
        )
        for each in listed.games
    ]
    return ListState(games=games, unfinished=listed.unfinished)


def _told(text: Text) -> NewsState:
    return NewsState(n=None, kind="told", turn=None, at=0, said=printable(render(text)), own=False, drops=[])


def said_evening(told: Evening, address: str = "") -> EveningState:
    """Return how an evening stands, as pages get it: games with their titles, names safe to show.

    ``address``: where people come in, as others reach it; empty where no other is known than that of the page.
    """
    return EveningState(
        evening=told.evening,
        begun=told.begun,
        door=told.door,
        here=[structs.replace(each, name=printable(each.name)) for each in told.here],
        table=told.table,
        games=[_played(each) for each in told.games],
        standings=_standings(told.standings),
        series=[_series(each) for each in told.series],
        next=None if told.next is None else printable(title_of(told.next)),
        again=_can_be_again(told),
        game=told.game,
        seats=told.seats,
        ended=told.ended and not told.alone,
        why=None if told.why is None else render(told.why),
        inside=None if told.inside is None else _inside(told.inside, address),
    )


def _inside(told: messages.Inside, address: str) -> InsideState:
    """Return what only those get who were let in."""
    local = bool(address) and is_loopback(urlsplit(address).hostname or "")
    return InsideState(
        code=told.code,
        address=address,
        local=local,
        qr=picture(f"{address}#{told.code}") if told.code and address and not local else None,
        wishes=[WishState(wish=each.wish, kind=each.kind, name=printable(each.name)) for each in told.wishes],
    )


def _can_be_again(told: Evening) -> bool:
    """Return whether those of the last game who are still there, and its bots, are as many as the next game needs."""
    if not told.games or told.next is None or told.games[-1].result is None:
        return False
    last = set(told.games[-1].seats)
    people = [each for each in told.here if each.name in last]
    count = len(people) + sum(each.bot and each.name in last for each in told.standings)
    try:
        at_table = told.table is not None and any(each.place for each in people)
        rules = rules_of(told.next, count, {})
        return bool(people) and (not at_table or plays_at_places(rules))
    except Exception:  # this number of people cannot play it, or the game is not installed
        return False


def _played(game: GamePlayed) -> PlayedState:
    """Return a game of an evening, with who has how many points."""
    title, names = printable(title_of(game.rules)), list(map(printable, game.seats))
    return PlayedState(
        game=game.game,
        title=title,
        over=game.result is not None,
        headline="" if game.result is None else headline_of(title, names, game.result),
        players=players_of(names, game.result),
        remarks=[printable(render(text)) for text in game.remarks],
    )


def _standings(standings: Sequence[Standing]) -> list[StandingState]:
    """Return standings, the best first."""
    ranked = zip(standings, ranks([each.wins for each in standings]), strict=True)
    states = [
        StandingState(name=printable(each.name), wins=each.wins, rank=rank, bot=each.bot) for each, rank in ranked
    ]
    return sorted(states, key=lambda each: each.rank)


def _series(series: Series) -> SeriesState:
    """Return how a series stands."""
    games = all_of([*map(title_of, dict.fromkeys(series.games))])
    one, many = "{games}: the first to win {wins} game", "{games}: the first to win {wins} games"
    first = counted(series.wins, one, many, games=games, wins=series.wins)
    of = counted(series.count, "{games}: {count} game", "{games}: {count} games", games=games)
    return SeriesState(
        said=printable(render(first if series.wins else of)),
        wins=series.wins,
        count=series.count,
        played=len(series.played),
        over=series.over,
        standings=_standings(series.standings),
    )


__all__ = ["Watch", "said_evening"]

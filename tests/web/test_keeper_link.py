"""A server's connection to the keeper."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tablier.keeper.client import KeeperError, KeeperGone
from tablier.keeper.protocol import REFUSED
from tablier.messages import Leaning, Listing
from tablier.web.hub import Hub
from tablier.web.link import KeeperLink
from tablier.web.links import Following, KeeperLinks
from tablier.web.watch import Watch


def test_who_is_cancelled_as_the_answer_comes_is_cancelled() -> None:
    """A server that was ended just as its keeper answered waited for ever."""

    async def ask() -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            link = KeeperLink(*await asyncio.open_connection(sock=ours))
            asking = asyncio.create_task(link.call("ping"))
            await asyncio.sleep(0)
            link._take({"jsonrpc": "2.0", "id": 0, "result": {}})
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            ending = asyncio.create_task(link.close())
            await asyncio.sleep(0)
            ending.cancel()
            with pytest.raises(asyncio.CancelledError):
                await ending
            await link.close()

    asyncio.run(ask())


def test_a_list_that_was_sent_after_the_answer_is_not_overwritten_by_it(tmp_path: Path) -> None:
    """Both come in one piece, and who has asked takes the answer only after that was heard."""

    class Late(KeeperLink):
        async def ask(self, kind: Any, method: str, params: Any = None) -> Any:
            self.on_notice(Listing(games=[], unfinished=[7], evenings=[]))
            return Listing(games=[], unfinished=[], evenings=[])

    async def follow() -> list[int]:
        ours, theirs = socket.socketpair()
        hub = Hub()
        watch = Watch(hub, KeeperLinks(tmp_path / "log.db"))
        with theirs:
            link = Late(*await asyncio.open_connection(sock=ours))

            async def over() -> None:
                link._end()

            await watch._follow(link, over)
            await link.close()
        state: Any = hub.channel("public", "list").state()
        return list(state.unfinished)

    assert asyncio.run(follow()) == [7]


def test_nobody_leans_over_a_hood_when_the_keeper_is_gone(tmp_path: Path) -> None:
    class Listed(KeeperLink):
        async def ask(self, kind: Any, method: str, params: Any = None) -> Any:
            return Listing(games=[], unfinished=[], evenings=[])

    async def follow() -> list[bool]:
        ours, theirs = socket.socketpair()
        hub, links, leant = Hub(), KeeperLinks(tmp_path / "log.db"), []
        watch = Watch(hub, links)

        async def open_link() -> KeeperLink:
            return Listed(*await asyncio.open_connection(sock=ours))

        async def lean() -> None:
            assert watch._link is not None
            watch._link.on_notice(Leaning(game=1, place=2))
            leant.append(("public", "leaning-1", None) in hub.channels)
            watch._link._end()

        async def back() -> bool:
            leant.append(("public", "leaning-1", None) in hub.channels)
            return False

        links.open = open_link  # type: ignore[method-assign]
        with theirs:
            await watch.run(back, lean)
        return leant

    assert asyncio.run(follow()) == [True, False]


def test_what_ends_while_the_keeper_is_gone_is_forgotten_at_the_next_one(tmp_path: Path) -> None:
    """The rest is followed again there."""

    async def follow() -> tuple[list[int], list[int]]:
        followed: list[int] = []
        forgotten: list[int] = []
        ours, theirs = socket.socketpair()
        links = KeeperLinks(tmp_path / "log.db")

        async def open_link(*, stays: bool) -> KeeperLink:
            return KeeperLink(*await asyncio.open_connection(sock=ours.dup()))

        async def ask(link: KeeperLink, number: int) -> None:
            followed.append(number)

        links.open_as_operator = open_link  # type: ignore[method-assign]
        with ours, theirs:
            following = Following(links, lambda notice: None, ask, forgotten.append)
            await following.catch_up({1, 2})
            assert following.link is not None
            following.link._end()
            await following.catch_up({2, 3})
            await following.close()
        return followed, forgotten

    assert asyncio.run(follow()) == ([1, 2, 2, 3], [1])


def test_what_the_next_keeper_refuses_to_follow_is_forgotten_when_it_is_not_listed_any_more(tmp_path: Path) -> None:
    """A browser may ask that keeper for a table before the server has got its list of games."""

    async def follow() -> list[int]:
        forgotten: list[int] = []
        ours, theirs = socket.socketpair()
        links = KeeperLinks(tmp_path / "log.db")
        is_open = True

        async def open_link(*, stays: bool) -> KeeperLink:
            return KeeperLink(*await asyncio.open_connection(sock=ours.dup()))

        async def ask(link: KeeperLink, number: int) -> None:
            if not is_open:
                raise KeeperError("game {game} is not open", code=REFUSED, game=number)

        links.open_as_operator = open_link  # type: ignore[method-assign]
        with ours, theirs:
            following = Following(links, lambda notice: None, ask, forgotten.append)
            await following.catch_up({1})
            assert following.link is not None
            following.link._end()
            is_open = False
            await following.catch_up({1})
            await following.catch_up(set())
            await following.close()
        return forgotten

    assert asyncio.run(follow()) == [1]


def test_requests_of_many_as_a_keeper_dies_are_refused_without_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    async def ask() -> Sequence[object]:
        ours, theirs = socket.socketpair()
        link = KeeperLink(*await asyncio.open_connection(sock=ours))
        theirs.close()
        answers = await asyncio.gather(*(link.call("ping") for _ in range(20)), return_exceptions=True)
        await link.close()
        return answers

    assert {type(answer) for answer in asyncio.run(ask())} == {KeeperGone}
    assert not caplog.records

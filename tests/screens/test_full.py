"""The full screen is left."""

from __future__ import annotations

import asyncio
from threading import Timer
from typing import Any

from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from tablier.screens.full import Full
from tablier.screens.summary import LogName


class Port:
    """Nobody is behind it."""

    def watch(self, viewers: Any, deliver: Any) -> Any:
        return lambda: None


def test_a_screen_that_is_left_before_it_is_shown_ends() -> None:
    """The game may have ended, for whatever reason, before the screen's loop begins."""
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        screen = Full([1], LogName("the log"))
        screen.leave()
        ended = Timer(20, lambda: keys.send_text("\x03"))
        ended.start()
        stopped: list[Any] = []
        screen._model.stop = lambda: stopped.append(screen.leave()) or []  # type: ignore[func-returns-value]
        assert screen.run(Port()) is None
        ended.cancel()
    assert not stopped, "it ended by itself, not by a key"


def test_a_screen_that_both_the_person_and_the_game_leave_ends_once() -> None:
    wrong: list[dict[str, Any]] = []
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        screen = Full([1], LogName("the log"))

        def leave() -> None:
            asyncio.get_running_loop().set_exception_handler(lambda loop, context: wrong.append(context))
            screen.leave()
            screen.leave()

        screen._frame.app.after_render += lambda app: leave()
        assert screen.run(Port()) is None
    assert not wrong

"""A browser is opened where somebody would see it, at the table page of a game at a simulated table."""

from __future__ import annotations

import re
import stat
import sys
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from cli.term import Term
from tablier.cli.browser import can_open

DISPLAY: dict[str, Any] = {
    "DISPLAY": ":9",
    "WAYLAND_DISPLAY": "",
    "SSH_CONNECTION": "",
    "SSH_CLIENT": "",
    "SSH_TTY": "",
}


@pytest.fixture
def opened(tmp_path: Path) -> Path:
    """What a browser is given: it keeps the page, and who may read it."""
    program = tmp_path / "browser"
    program.write_text(
        f'#!/bin/sh\nfile="${{1#file://}}"\nstat -c %a "$file" > {tmp_path}/mode\ncp "$file" {tmp_path}/opened\n'
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return tmp_path / "opened"


def test_play_says_its_address_first_and_opens_the_table_in_a_browser(tmp_path: Path, opened: Path) -> None:
    env = {**DISPLAY, "BROWSER": f"{tmp_path}/browser %s", "TABLIER_LOG": str(tmp_path / "log.db")}
    with Term("play", "--plain", web=True, browser=True, **env) as term:
        term.shows("http://127.0.0.1:")
        term.until(lambda: opened.exists() and "refresh" in opened.read_text(), "that a browser is opened")
        assert re.search(r"url=http://127\.0\.0\.1:\d+/table#operator=\w+", opened.read_text())
        assert (tmp_path / "mode").read_text().strip() == "600"
        told = term.text
        assert "operator=" not in told and told.index("http://127") < told.index("provokes")


def test_an_evening_opens_the_page_by_which_it_is_run_and_does_not_show_the_key(tmp_path: Path, opened: Path) -> None:
    env = {**DISPLAY, "BROWSER": f"{tmp_path}/browser %s", "TABLIER_LOG": str(tmp_path / "log.db")}
    with Term("evening", "--plain", "--with", "Anne", web=True, browser=True, **env) as term:
        term.shows("http://127.0.0.1:")
        term.type(":host")
        until = monotonic() + 30
        while not (opened.exists() and "refresh" in opened.read_text()):
            assert monotonic() < until, term.text
            sleep(0.05)
        term.catch_up()
        assert re.search(r"url=http://127\.0\.0\.1:\d+/host#operator=\w+", opened.read_text())
        assert "operator=" not in term.text


@pytest.mark.parametrize(
    ("env", "opens"),
    [
        ({}, True),
        ({"DISPLAY": "", "WAYLAND_DISPLAY": "wayland-0"}, True),
        ({"DISPLAY": ""}, sys.platform == "darwin"),
        ({"SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}, False),
        ({"SSH_TTY": "/dev/pts/1"}, False),
    ],
)
def test_a_browser_is_opened_only_where_somebody_would_see_it(
    env: dict[str, str], opens: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**DISPLAY, **env}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("tablier.cli.browser.is_terminal", lambda: True)
    assert can_open() is opens
    monkeypatch.setattr("tablier.cli.browser.is_terminal", lambda: False)
    assert not can_open()

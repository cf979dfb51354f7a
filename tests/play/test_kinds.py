"""Each kind of question, and each reply, is known wherever it is handled: nobody takes a new one for another kind."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

import replies
from tablier import messages
from tablier.cli.entry_texts import entry_text
from tablier.course.on_wire import KINDS
from tablier.games.core import questions
from tablier.log.chain import Entry
from tablier.log.replies import REPLIES
from tablier.screens.replies import replies_to
from tablier.texts import Json

ASKED = {found.kind: found for found in vars(questions).values() if isinstance(getattr(found, "kind", None), str)}
SENT = {each.__struct_config__.tag: each for each in get_args(messages.Question)}
HEAD: Json = {"id": 1, "what": "turn", "seats": [1], "waiting": [1], "text": {"text": "?", "args": {}}}
SAMPLES: dict[str, tuple[Json, Json]] = {
    "turn": ({}, {"moves": ["c2-b2"]}),
    "choice": (
        {"options": ["duel peace", "duel conflict"]},
        {"moves": ["duel peace"], "bind": {"board": "00" * 8, "boot": "00" * 8, "place": 0}},
    ),
    "poll": ({}, {}),
    "menu": ({"options": [{"text": "one", "args": {}}, {"text": "two", "args": {}}], "labels": [1, 2], "start": 0}, {}),
    "window": ({"thrown": [], "to_lay": []}, {"cards": [3]}),
    "roll": ({}, {}),
    "tally": ({"dice": 1, "faces": 6}, {}),
}
LOGGED = [replies.play("c2-b2"), replies.answer(True), replies.pick(0), replies.throw(3), replies.finish()]
ELSEWHERE = {replies.LOCKED, replies.OPENED}  # a commitment and its opening, which are entries of their own


def test_each_kind_that_is_asked_is_sent_and_reaches_a_table() -> None:
    assert set(ASKED) == set(SENT) == set(KINDS) == set(SAMPLES)


@pytest.mark.parametrize("kind", SENT)
def test_each_line_of_a_kind_is_a_reply_that_the_keeper_knows(kind: str) -> None:
    asked, own = SAMPLES[kind]
    question = msgspec.convert({**HEAD, **asked, "kind": kind, "mine": {"waits": True, **own}}, SENT[kind])
    mine = question.mine
    assert mine is not None
    lines = replies_to(question, mine, ["Anne"])
    assert bool(lines) == (kind not in ("roll", "tally")), "these two are entered at the table"
    assert {reply["event"] for reply in lines.values()} <= set(REPLIES)


def test_each_reply_that_is_logged_is_told_in_words_of_its_own() -> None:
    assert {reply["event"] for reply in LOGGED} == set(REPLIES) - ELSEWHERE
    entries = [Entry(1, 1, "2026-01-01T00:00:00.000000Z", "reply", {**it, "id": 1, "seat": 1}, "") for it in LOGGED]
    said = [str(entry_text(entry)) for entry in entries]
    assert len(set(said)) == len(LOGGED) and all(said)

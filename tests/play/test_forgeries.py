"""The audit against forgers: every single edit of four logs, forged logs of several edits, and a judge that sleeps.

``make thorough`` tries all of them; ``make test`` one edit of each field of each kind of entry. See :mod:`forgery`.
"""

from __future__ import annotations

import fcntl
import json
import os
import random
from collections.abc import Callable
from functools import cache
from zlib import crc32

import pytest
from forgery import Edit, edits, judged, try_edits, try_forgeries, without
from honest import LOGS
from msgspec.structs import astuple

from sample import sample
from tablier.log.chain import Entry

Made = Callable[[str], tuple[list[Entry], list[Edit]]]
FORGED = sample(16, 20_000 // len(LOGS) + 1)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Return what returns an honest log and every edit of it. All workers share the logs: the first makes each."""
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared

    @cache
    def one(name: str) -> tuple[list[Entry], list[Edit]]:
        kept = shared / f"honest {name}.json"
        with kept.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                kept.write_text(
                    json.dumps([astuple(each) for each in LOGS[name](tmp_path_factory.mktemp("honest"))]),
                    encoding="utf-8",
                )
        entries = [Entry(*each) for each in json.loads(kept.read_text(encoding="utf-8"))]
        return entries, list(edits(entries))

    return one


def one_of_each(entries: list[Entry], every: list[Edit]) -> list[Edit]:
    """Return an edit of each field of each kind of entry, and one of each other way to edit such an entry."""
    dice = random.Random(1)
    mixed = dice.sample(every, len(every))
    return list({(entries[edit.at].kind, edit.what, edit.path[:1]): edit for edit in mixed}.values())


def shared_out(name: str, edits: list[Edit], entries: list[Entry]) -> list[Edit]:
    """Return a third of these edits: a field that all logs have is edited in one of them at least."""
    number = list(LOGS).index(name)
    return [edit for edit in edits if crc32(f"{entries[edit.at].kind} {edit.what}".encode()) % 3 == number % 3]


@pytest.mark.parametrize("name", LOGS)
def test_every_edit_is_refused_or_named(name: str, made: Made) -> None:
    entries, every = made(name)
    found = try_edits(entries, sample(shared_out(name, one_of_each(entries, every), entries), every))
    print(f"{name}: {len(entries)} entries, {found.tried} edits, {found.refused} refused")
    for why, count in found.named.most_common():
        print(f"{count:>7} {why}")
    assert not found.wrong, "\n".join(map(str, found.wrong))
    assert found.refused > sample(0.8, 0.9) * found.tried


@pytest.mark.parametrize("name", LOGS)
def test_no_forged_log_is_taken_and_no_honest_one_refused(name: str, made: Made) -> None:
    entries, every = made(name)
    found = try_forgeries(entries, 7, FORGED, every)
    print(f"{name}: {found.tried} forged logs, {found.refused} refused, {dict(found.named)}")
    assert not found.wrong, "\n".join(map(str, found.wrong))
    assert found.refused > 0 and judged(entries) is not None


SESSION, AUDIT, BODIES, CHAIN = (
    "tablier.course.session",
    "tablier.judge.audit",
    "tablier.log.bodies",
    "tablier.log.chain",
)
ON_WIRE, EVENINGS = "tablier.course.on_wire", "tablier.log.evenings"
SLEEPING = {
    "another seed may be given later": (SESSION, "if self.chance is not None:", "if False:", "seed"),
    "an opening need not be what was bound": (
        ON_WIRE,
        "if commitment(asked.bind(seat), asked.id, seat, nonce, option).hex() != asked.locked[seat]:",
        "if False:",
        "opened",
    ),
    "a roll need not be what was bound": (
        ON_WIRE,
        "if rolls.commitment(*started, nonce).hex() != asked.bound:",
        "if False:",
        "committed",
    ),
    "who has not opened need not be so": (
        SESSION,
        'if "seats" in body and body["seats"] != list(self.open.to_open):',
        "if False:",
        "opened",
    ),
    "a fault may have any reason": (
        SESSION,
        'if why is None or why.to_json() != body["why"]:',
        "if why is None:",
        "fault",
    ),
    "what follows need not be what stands there": (
        AUDIT,
        "if entry.kind != kind or not same:",
        "if entry.kind != kind:",
        "end",
    ),
    "the heading may change": (
        AUDIT,
        'if seed.body["heading"] != digest_of(head.body, seed.body["seed"]):',
        "if False:",
        "game",
    ),
    "every schema may be claimed": (AUDIT, 'if head["schema"] != SCHEMA:', "if False:", "game"),
    "everybody may practise": (AUDIT, 'if body["practice"] and not may_practise(seats):', "if False:", "game"),
    "a gap may be after any event": (
        AUDIT,
        'if entry.kind == "gap" and body["after"] != self._numbers.get(body["boot"], 0):',
        "if False:",
        "gap",
    ),
    "bodies may hold anything": (BODIES, "    if wrong:\n", "    if False:\n", "picked"),
    "a place may be taken twice": (
        EVENINGS,
        "if place and any(taken == place for other, taken in evening.present.items() if other != person):",
        "if False:",
        "came",
    ),
    "who goes need not have been there": (
        EVENINGS,
        "if person not in evening.present:\n        raise",
        'if person == "":\n        raise',
        "went",
    ),
    "who plays need not be there": (
        EVENINGS,
        "elif absent := set(people.values()) - evening.present.keys():",
        "elif absent := set():",
        "came",
    ),
    "games of a series may come in any order": (EVENINGS, "if game != due(series):", "if False:", "series"),
    "an evening goes on after its end": (
        EVENINGS,
        "if evening.ended is not None and not evening.alone:",
        "if False:",
        "closed",
    ),
    "events need no order": (
        CHAIN,
        "if number <= last or (number > last + 1 and kind != SINCE):",
        "if False:",
        "answered",
    ),
}
"""A judge with one check removed, each: where, which, what stands there instead, and which entries are edited."""
TRIED = sample(tuple(SLEEPING)[::6], tuple(SLEEPING))


@pytest.mark.parametrize("check", TRIED)
def test_a_judge_without_one_of_its_checks_takes_a_forged_log(check: str, made: Made) -> None:
    """So the runs above would fail without it."""
    *where, edited = SLEEPING[check]
    judge = without(*where)
    for name in LOGS:
        entries, every = made(name)
        telling = [edit for edit in every if edited in (entries[edit.at].kind, entries[edit.at].body.get("event"))]
        if judged(entries, judge) is None or try_edits(entries, telling, judge, stop=True).wrong:
            return
    pytest.fail(f"nothing was noticed though {check}")

"""Screens that send anything: near to what they may, bent in some fields, for seats of others, at the wrong time."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from room import SHORT

import replies
from ports import ORDERS, connect
from tablier import messages
from tablier.course.binding import Binder
from tablier.course.seats import AT_SCREEN, Seat
from tablier.games.core.questions import Choice, Turn, bare
from tablier.judge.audit import examine
from tablier.keeper.server import METHODS
from tablier.log.replies import REPLIES
from tablier.log.store import Log
from tablier.play.beginning import begin
from tablier.play.connections import Message, Refused
from tablier.play.game import Conductor
from tablier.table.clock import LifeClock
from tablier.texts import Json, render

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, 2, -1, 10**30, 1.5, float("inf"), float("nan"), "", "1", "zz", "ab" * 32, "ab" * 16),
    *([], {}, [1], {"id": 1}, "x" * 3000, "\x1b[31m", "\ud800", "keep none", "take 1", "\u00b2", "throw \u00b2 flat"),
)
COUNTS = {"dilemma": 3, "roudalon": 4}
REFUSAL_MAX = 400


def anything(dice: random.Random, running: Conductor, binders: dict[int, Binder]) -> tuple[bool, Any]:
    """Return a reply (or a command) that is near to one: right in most fields, bent in some."""
    session, is_reply = running.session, dice.random() < 0.8
    kinds: Any = REPLIES if is_reply else ORDERS
    name = dice.choice([each for each in kinds if each not in ("stop", "reply")])
    seat = dice.choice([*session.open.waiting, *session.open.to_open, 1, 2, 3])
    question = session.question
    if isinstance(question, Choice) and seat in question.seats and dice.random() < 0.4:
        if seat in session.open.to_open and seat in binders:
            opening = binders[seat].open(session.id, seat)
            if opening is not None:
                return True, opening
        elif seat not in session.open.locked:
            binders[seat] = Binder()
            choice = dice.choice(question.allowed[seat])
            return True, binders[seat].lock(session.open.bind(seat), session.id, seat, choice)
    if isinstance(question, Turn) and dice.random() < 0.5:
        is_reply, kinds, name, seat = True, REPLIES, replies.PLAYED, question.seats[0]
    body: Json = {"event" if is_reply else "command": name}
    right: Json = {"id": session.id, "seat": seat, "yes": dice.random() < 0.5, "option": dice.randrange(12)}
    right |= {"commitment": dice.randbytes(32).hex(), "nonce": dice.randbytes(16).hex(), "choice": dice.randrange(3)}
    right |= {"count": dice.randint(1, 3), "at": dice.randint(1, 30), "text": "no", "rank": dice.randint(0, 11)}
    right["move"] = bare(dice.choice(question.moves)) if isinstance(question, Turn) else "keep none"
    fields = (REPLIES[name] if is_reply else METHODS[name].params).__struct_fields__
    body |= {key: right[key] for key in fields if key in right and (is_reply or key != "id")}
    while dice.random() < 0.25:
        body[dice.choice([*body, "more"])] = dice.choice(VALUES)
    if dice.random() < 0.05:
        body.pop(dice.choice(list(body)))
    return is_reply, body if dice.random() < 0.98 else dice.choice(VALUES)


def at_port(seed: int, count: int) -> Counter[str]:
    """Return what became of ``count`` requests at games of all kinds. Raise ``AssertionError`` when a game ends by one,
    a refusal is not one line, or the audit refuses a log."""
    dice, told = random.Random(seed), Counter[str]()
    while count > 0:
        told += _at_game(dice, min(count, 500))
        count -= 500
    return told


def _at_game(dice: random.Random, count: int) -> Counter[str]:
    told = Counter[str]()
    game = dice.choice(sorted(SHORT))
    number = COUNTS.get(game, 2)
    bots = dice.choice((0, 1))
    seats = [Seat("ABCD"[n], 0, AT_SCREEN if n < number - bots else "random") for n in range(number)]

    def deliver(message: Message) -> None:
        texts = []
        if isinstance(message, messages.Updates):
            texts += [news.text for update in message.updates for news in update.news]
        if isinstance(message, Refused):
            told["refused"] += 1
            texts.append(message.why)
        for text in texts:
            line = render(text, "ABCD")
            assert "\n" not in line and len(line) < REFUSAL_MAX, line

    with tempfile.TemporaryDirectory() as folder, Log.open(Path(folder) / "log.sqlite") as log:
        opened = begin(log, game, SHORT[game], seats, practice=bots == number - 1 and dice.random() < 0.5)
        running = Conductor(log, opened, LifeClock(), dice=random.Random(1))
        running.start()
        senders = [connect(running, held) for held in ((), *((seat,) for seat in range(1, number + 1)))]
        senders[0].watch((None,), deliver)
        for seat, sender in enumerate(senders[1:], 1):
            sender.watch((seat,), deliver)
        binders: dict[int, Binder] = {}
        for _ in range(count):
            is_reply, body = anything(dice, running, binders)
            named = body.get("seat") if isinstance(body, dict) else None
            own = type(named) is int and 0 <= named < len(senders) and dice.random() < 0.8
            sender = senders[named] if own and isinstance(named, int) else dice.choice(senders)
            (sender.reply if is_reply else sender.command)(body)
            running.work()
            told["requests"] += 1
        running.close()
        assert log.verify() > 0
        wrong = examine(log.entries()).wrong
        assert not wrong, f"the audit refuses the log of an honest host ({game}): {wrong[0]}"
        told["moves"] = len(log.moves(opened))
    return told

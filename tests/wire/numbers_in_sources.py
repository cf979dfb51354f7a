"""Times and limits of both sides, read out of the sources, because most of the firmware runs on MicroPython only."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

TIMES = (
    ("firmware/tablier_fw/status.py", "HELLO_MS", "table: one hello to the next, while nobody has greeted it"),
    ("host/tablier/table/greeting.py", "HELLO_S", "host: one hello to the next, until one is answered"),
    ("host/tablier/table/client.py", "GREETING_S", "host: a table that has not answered by then is given up"),
    ("host/tablier/table/client.py", "SILENT_S", "host: without a frame for so long it says hello again"),
    (
        "host/tablier/table/client.py",
        "REOPEN_S",
        "host: without a frame for so long, though asked, it opens the port anew",
    ),
    ("firmware/tablier_fw/session.py", "SILENT_MS", "table: without a frame for so long it says so on the ring"),
    ("firmware/tablier_fw/journal.py", "RESEND_MS", "table: events that are not acknowledged are sent again"),
    ("host/tablier/table/wanted.py", "RESEND_S", "host: state that the table does not hold is sent again"),
    ("firmware/tablier_fw/buttons.py", "STILL_MS", "table: without a sample of the buttons for so long it says so"),
    ("firmware/tablier_fw/status.py", "STATUS_MS", "table: one status to the next"),
    ("host/tablier/table/client.py", "PING_S", "host: one ping to the next"),
    ("host/tablier/table/client.py", "STATUS_S", "host: from the hello that adopts it to the first status, at most"),
    (
        "host/tablier/table/refusals.py",
        "AHEAD_S",
        "host: an event whose time lies further ahead is a fault",
    ),
    ("host/tablier/table/client.py", "SEARCH_S", "host: one look for a board that is gone to the next"),
    ("firmware/tablier_fw/scene.py", "FRAME_MS", "table: one picture of an animation to the next"),
    ("firmware/tablier_fw/scene.py", "_PERIOD_MS", "table: the period of blink, pulse and chase"),
    ("firmware/tablier_fw/scene.py", "CHANGE_MS", "table: one scene of a group that is shown to the next, at least"),
    ("firmware/tablier_fw/peeks.py", "PEEK_MS", "table: a peek, from the last press that began it"),
    ("firmware/tablier_fw/questions/tally.py", "HOLD_MS", "table: `a` is held, while dice are marked, until it peeks"),
    ("firmware/tablier_fw/questions/check.py", "TELL_MS", "table: one `sensed` to the next"),
    ("firmware/tablier_fw/session.py", "LEAVING_MS", "table: it shows that it leaves for the service mode"),
    ("firmware/tablier_fw/landing.py", "SETTLE_MS", "table: from an impact to the landing's class, at least"),
    ("firmware/tablier_fw/landing.py", "LIMIT_MS", "table: from an impact to the landing's class, at most"),
    ("firmware/tablier_fw/landing.py", "FLIGHT_MS", "table: from a card's first beam to its impact, at most"),
    ("firmware/tablier_fw/landing.py", "FREE_MS", "table: a landing whose beams are clear for so long has moved"),
    ("firmware/tablier_fw/rolls.py", "TUMBLE_MS", "table: a roll tumbles before the table commits, at least"),
    (
        "firmware/tablier_fw/rolls.py",
        "STAND_MS",
        "table: an outcome or the sign of an abandoned roll stands, at least",
    ),
    ("firmware/tablier_fw/ledger.py", "SEAL_MS", "table: the seal is shown"),
)
LIMITS = (
    ("firmware/tablier_fw/journal.py", "CAPACITY", "events that the journal holds"),
    ("firmware/tablier_fw/link.py", "OUT_MAX", "bytes that wait for a host that does not read"),
    ("firmware/tablier_fw/pico/plain.py", "PRESSED", "equal samples, four a millisecond, that make a press at a Pico"),
    ("firmware/tablier_fw/pico/plain.py", "RELEASED", "equal samples, four a millisecond, that end it at a Pico"),
    ("firmware/tablier_fw/buttons.py", "PRESSED", "equal samples, one a millisecond, that make a press elsewhere"),
    ("firmware/tablier_fw/buttons.py", "RELEASED", "equal samples, one a millisecond, that end it elsewhere"),
    ("firmware/tablier_fw/wire.py", "MAX_PAYLOAD", "bytes of a payload"),
)


def constant(path: str, name: str) -> float:
    """The number that a source gives a name at its top level."""
    for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign):
            targets = node.targets[0]
            names = targets.elts if isinstance(targets, ast.Tuple) else [targets]
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            for target, value in zip(names, values, strict=False):
                if isinstance(target, ast.Name) and target.id == name:
                    number = ast.literal_eval(value)
                    assert isinstance(number, int | float)
                    return number
    raise LookupError(f"{path} has no {name}")


def milliseconds(path: str, name: str) -> float:
    """The same of a time, in milliseconds; a name that does not end in ``_MS`` is in seconds."""
    value = constant(path, name)
    return value if name.endswith("_MS") else value * 1000

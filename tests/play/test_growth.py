"""A host and a table of which one is a minor version ahead: one more field in every message, more messages, turns of
every kind."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from broken_off import LAST_TURNS, ending_with
from playing import a_table, begin, bodies, exported, play

import tablier_fw
from sample import thorough
from tablier.log.store import Log
from tablier_fw import wire

GROWN = '''

class _Grown(Message):
    """A message with one more field, of which the code around it knows nothing."""

    def __init__(self, old):
        fields = old.fields + (field("extra", "H", 1, 500, default=7),)
        super().__init__(old.code, old.name, old.way, fields, old.rules, old.ability)
        self.names = old.names

    def pack(self, *values):
        values += tuple([it[6] for it in self.fields[len(values) : -1]])  # later fields may be left out
        return Message.pack(self, *values, 500)

    def unpack(self, payload):
        *values, extra = Message.unpack(self, payload)
        assert extra in (7, 500), extra
        return tuple(values)

    def encode(self, *values):
        payload = self.pack(*values)
        self.decode(payload)
        return payload


for _name in list(globals()):
    _old = globals()[_name]
    if isinstance(_old, Message) and _old.group is not HELLO:
        globals()[_name] = BY_CODE[_old.code] = _Grown(_old)
MESSAGES = tuple([BY_CODE[message.code] for message in MESSAGES])
NEWS = Message(0x3D, "news", TO_HOST, (field("what", "B", 1, 3),))
ASIDE = Message(0x3E, "aside", TO_TABLE, (field("what", "B", 1, 3),))
WINKED = Message(0x1F, "winked", TO_HOST, _OF)
for _message in (NEWS, ASIDE, WINKED):
    BY_CODE[_message.code] = _message
'''
AHEAD = """
import sys
from playing import *
from broken_off import LAST_TURNS, ending_with
from pathlib import Path
from tablier.log.store import Log
from tablier.table import client
from tablier_fw import wire
assert wire.MINOR == int(sys.argv[3])
take_status = client.Client._take_status
statuses = []

def chat(self, status):
    statuses.append(status)
    self.send(wire.ASIDE, 2)
    take_status(self, status)

client.Client._take_status = chat

class Port:
    port = sys.argv[1]

with Log.open(sys.argv[2]) as log:
    meant, made = ending_with(LAST_TURNS)
    game = begin(log, meant, made)
    play(log, game, Port, meant.moves)
    assert exported(log, game) == meant
print(max(status["unknown"] for status in statuses), max(status["bad_frames"] for status in statuses))
"""


@pytest.fixture
def ahead(tmp_path: Path) -> Path:
    """A folder with the firmware's package as it may be one minor version later."""
    folder = tmp_path / "ahead"
    package = folder / "tablier_fw"
    shutil.copytree(Path(tablier_fw.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))

    def change(name: str, *changes: tuple[str, str]) -> None:
        text = (package / name).read_text(encoding="utf-8")
        for old, new in changes:
            assert text.count(old) == 1, (name, old)
            text = text.replace(old, new)
        (package / name).write_text(text, encoding="utf-8")

    code = "\n# -- frames ---"
    change("wire.py", (f"\nMINOR = {wire.MINOR}\n", f"\nMINOR = {wire.MINOR + 1}\n"), (code, GROWN + code))
    change(
        "status.py",
        (
            "    def _send(self) -> None:\n",
            "    def _send(self) -> None:\n        self._parts.link.send(wire.NEWS, wire.NEWS.pack(1))\n",
        ),
    )
    change(
        "questions/choice.py",
        (
            "            self._locked[place] = (nonce, choice)\n",
            "            self._locked[place] = (nonce, choice)\n"
            "            parts.journal.add(wire.WINKED, self.id, place)\n",
        ),
    )
    return folder


@thorough
def test_this_host_plays_at_a_table_that_is_ahead(ahead: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meant, made = ending_with(LAST_TURNS)
    duels = sum(" duel " in move for move in meant.moves[made:])
    assert duels > 2
    monkeypatch.setenv("PYTHONPATH", str(ahead))
    with Log.open(tmp_path / "log.sqlite") as log, a_table(seed=17) as table:
        game = begin(log, meant, made)
        play(log, game, table, meant.moves)
        assert exported(log, game) == meant
        faults = bodies(list(log.entries(game)), "fault")
        assert [body["what"] for body in faults] == ["event 0x1f"] * duels
        log.verify()


def test_a_host_that_is_ahead_plays_at_this_table(ahead: Path, tmp_path: Path) -> None:
    here = Path(__file__).parent
    path = os.pathsep.join(map(str, (ahead, here, here.parent)))
    with a_table(seed=17) as table:
        ran = subprocess.run(
            [sys.executable, "-c", AHEAD, str(table.port), str(tmp_path / "log.sqlite"), str(wire.MINOR + 1)],
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
    assert ran.returncode == 0, ran.stderr
    unknown, bad = map(int, ran.stdout.split())
    assert unknown > 5 and bad == 0

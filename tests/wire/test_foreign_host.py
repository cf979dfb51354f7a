"""A host in another language, on the codec that is generated for it, plays at a table over its pseudo-terminal."""

from __future__ import annotations

import json
import queue
import re
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any

from installed import needs
from tablier_fw import colours

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "firmware" / "PROTOCOL.md"


class Lines:
    """The output of a program, line by line, as it comes."""

    def __init__(self, program: subprocess.Popen[str]) -> None:
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, args=(program,), daemon=True).start()

    def _read(self, program: subprocess.Popen[str]) -> None:
        for line in program.stdout or ():
            self._lines.put(line.strip())

    def next(self) -> str:
        return self._lines.get(timeout=30)

    def step(self) -> dict[str, Any]:
        step: dict[str, Any] = json.loads(self.next())
        return step


@needs("node")
def test_a_host_in_javascript_plays_a_duel_and_a_roll(tmp_path: Path) -> None:
    """Everything as the document says it: its commands are run in a shell."""
    (commands,) = re.findall(
        r"```sh\n(python -m tests\.wire\.clients .*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL
    )
    generate, simulate, play = [line.split("#")[0].split() for line in commands.splitlines()]
    assert simulate == ["tablier", "table", "sim"]
    generate[generate.index("python")] = sys.executable
    folder = str(tmp_path / "clients")
    subprocess.run([word.replace("FOLDER", folder) for word in generate], cwd=ROOT, check=True, timeout=60)
    run = partial(
        subprocess.Popen[str], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    command = [sys.executable, "-m", "tablier.cli.main", "table", "sim"]
    with run(command) as table:
        printed = Lines(table)
        port = printed.next()

        def say(verb: str) -> dict[str, Any]:
            assert table.stdin is not None
            table.stdin.write(verb + "\n")
            table.stdin.flush()
            answer = printed.step()
            assert answer["ok"], (verb, answer)
            return answer

        log = tmp_path / "log.txt"
        words = {"FOLDER": folder, "PORT": port, "LOG": str(log)}
        said = [re.sub("FOLDER|PORT|LOG", lambda word: words[word[0]], word) for word in play]
        with run(said, cwd=tmp_path) as host:
            steps = Lines(host)
            boot = steps.step()["adopted"]
            assert steps.step() == {"asked": "choice", "id": 101}
            chosen = {}
            for place in (2, 5):
                hood = say("pixels")[f"hood{place}"]
                assert hood[2] == bytes(colours.GENUINE).hex()
                looks = [bytes(colours.option_look(colour)).hex() for colour in (9, 4)]
                chosen[place] = looks.index(hood[1])  # what a means
                say(f"press {place} a")
                say(f"press {place} plus")
                assert steps.step() == {"locked": place}
            assert [steps.step() for _ in range(2)] == [{"opened": it, "choice": chosen[it]} for it in (2, 5)]
            assert steps.step() == {"asked": "roll", "id": 102}
            say("press 2 b")
            rolled = steps.step()["rolled"]
            mark = bytes(colours.ROLLING).hex()
            say(f"until ring 3 {bytes(colours.TAKEN).hex()} 10")
            faces = [bytes(colours.FACE_LOOKS[face]).hex() for face in rolled]
            assert say("pixels")["ring"][4:9] == [mark, *faces, mark]
            assert steps.step() == {"done": True}
            assert host.wait(30) == 0, host.stderr and host.stderr.read()
        logged = [line.split()[:3] for line in log.read_text(encoding="utf-8").splitlines()]
        names = ["locked", "locked", "opened", "opened", "committed", "revealed"]
        assert logged == [[boot, str(number), name] for number, name in enumerate(names, 1)]
        say("quit")
        assert table.wait(30) == 0

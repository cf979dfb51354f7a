"""The program in a terminal, and ways to end it in its first seconds; what it leaves behind."""

from __future__ import annotations

import fcntl
import os
import pty
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator, Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

FULL, LINE, START = "full screen", "line console", "start screen"
EVENING, BETWEEN = "evening", "evening, between games"
CONSOLES = (FULL, LINE, START, EVENING, BETWEEN)
LEAVE, INTERRUPT, TERMINATE, HANG_UP, CLOSE, NO_LOG = "left", "Ctrl-C", "SIGTERM", "SIGHUP", "window closed", "no log"
DEEDS = (LEAVE, INTERRUPT, TERMINATE, HANG_UP, CLOSE, NO_LOG)
GAMES = ("d21", "daemonen", "dilemma", "roudalon", "struggle")
FIRST_S, END_S = 3.0, 2.0
"""The seconds within which it is ended, and those that it may take for that."""
GONE_S = 20.0
"""The seconds after which nothing that it has started may run any more: a keeper waits ten for its first client."""
START_S = 60.0
_SIGNALS = {TERMINATE: signal.SIGTERM, HANG_UP: signal.SIGHUP}
_SHOWS = {START: b"Struggle", EVENING: b"The aim"}
"""By console: what stands on it once it has started; on the others somebody is asked. Behind the card of an evening's
first game bots play, and it may be over before anybody else is asked."""
_ASK_S = 0.3
_WRONG = re.compile(rb"Traceback|Exception ignored|Fatal Python|Error:")
_MODES = (b"1049", b"1000", b"1002", b"1003", b"1004", b"1006", b"1015", b"2004", b"2026", b"2031", b"2048")
_KEYBOARD = re.compile(rb"\x1b\[>[0-9]+u")
"""A program asks for keys in more detail; ``CSI < u`` puts that back."""
_OURS = re.compile(rb'File ".*/host/tablier/')
"""In a traceback: of the program itself, not of Python or the script that pip has made for it."""
_CAN_SYNC = b"\x1b[?2026$p"
_ATTRIBUTES = b"\x1b[c"
_SHOWS_PICTURES = b"\x1b_Gi=1;OK\x1b\\\x1b[?62;22c"
"""By kitty's protocol, as this terminal says when it is asked for its attributes."""
_PLACED, _DELETED = re.compile(rb"\x1b_Ga=p,i=([0-9]+)"), re.compile(rb"\x1b_Ga=d,d=I,i=([0-9]+)")


class Case(NamedTuple):
    """One start of the program."""

    console: str
    deed: str
    game: str
    after_s: float
    """When it is done, in seconds after the start."""
    cause: str = ""
    """Why there is no log: see :func:`spoil`."""
    drawn: bool = False
    """True if the first drawing is awaited before."""


CAUSES = ("no folder", "a folder", "no database", "unreadable folder")


def cases(seed: int, times: int) -> Iterator[Case]:
    """Yield each deed a number of times, at random moments, the consoles in turn."""
    draw = random.Random(seed)
    for deed in DEEDS:
        consoles = (FULL, LINE, EVENING) if deed == NO_LOG else CONSOLES
        for number in range(times):
            game, cause = draw.choice(GAMES), draw.choice(CAUSES)
            yield Case(consoles[number % len(consoles)], deed, game, draw.uniform(0, FIRST_S), cause)


def spoil(folder: Path, cause: str) -> Path:
    """Return the path of a log that cannot be opened."""
    log = folder / "log.db"
    if cause == "no folder":
        return folder / "nowhere" / "log.db"
    if cause == "a folder":
        log.mkdir()
    elif cause == "no database":
        log.write_bytes(b"what is written here is no log\n" * 100)
    else:
        return Path("/proc/log.db")
    return log


class Terminal:
    """A terminal that controls the session of one program."""

    def __init__(self, words: Sequence[str], env: dict[str, str]) -> None:
        self._fd, sub = pty.openpty()
        fcntl.ioctl(sub, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.before = termios.tcgetattr(self._fd)
        self.output = b""
        self.began = monotonic()
        self.process = subprocess.Popen(
            [Path(sys.executable).with_name("tablier"), *words],
            stdin=sub,
            stdout=sub,
            stderr=sub,
            env=env,
            start_new_session=True,
            preexec_fn=lambda: _own(sub),
        )
        self._open: tuple[int, ...] = (self._fd, sub)  # both: the modes can be read after the program's end

    def modes(self) -> list[object]:
        """Return the modes of the terminal, as stty shows them."""
        return termios.tcgetattr(self._open[-1])

    def read(self, seconds: float, until: bytes | None = None) -> bool:
        """Take what comes for some seconds; return True at once when a text has come or the program has ended."""
        deadline = monotonic() + seconds
        while True:
            if (until is not None and until in self.output) or self.process.poll() is not None:
                self._take(0)
                return True
            left = deadline - monotonic()
            if left <= 0:
                return False
            self._take(min(left, 0.02))

    def _take(self, seconds: float) -> None:
        while select.select([self._fd], [], [], seconds)[0]:
            try:
                data = os.read(self._fd, 65536)
            except OSError:
                return
            if _CAN_SYNC in data:
                self.type(b"\x1b[?2026;2$y")
            if _ATTRIBUTES in data:
                self.type(_SHOWS_PICTURES)
            self.output += data
            seconds = 0

    def type(self, keys: bytes) -> None:
        os.write(self._fd, keys)

    def close_window(self) -> None:
        for fd in self._open:
            os.close(fd)
        self._open = ()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.close_window()


def _own(terminal: int) -> None:
    """Give a process a terminal, and the signals as a shell gives them: below a script or nohup some are ignored."""
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def run(case: Case) -> list[str]:
    """Start the program, end it, and return what is not as it should be."""
    folder = Path(tempfile.mkdtemp(prefix="tablier-terminal-"))
    (folder / "state").mkdir()
    log = spoil(folder, case.cause) if case.deed == NO_LOG else folder / "log.db"
    env = {**os.environ, "TERM": "xterm-256color", "COLORTERM": "truecolor", "USER": "zoe"}
    env |= {"TABLIER_LOG": str(log), "TABLIER_PORTS": f"{folder}/ports", "XDG_STATE_HOME": f"{folder}/state"}
    terminal = Terminal(_words(case), env)
    try:
        wrong = [*_end(terminal, case), *_left_behind(folder)]
        seen = terminal.output.decode(errors="replace")
    finally:
        terminal.close()
        for process in _running(folder):
            os.kill(process, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)
    return [f"{case}: {each}\n{seen[-600:]!r}" for each in wrong]


def _words(case: Case) -> list[str]:
    """Return the words of the command."""
    if case.console == START:
        return []
    if case.console in (FULL, LINE):
        return ["play", case.game, "--plain" if case.console == LINE else "--no-card"]
    bots = [f"--bot={name}=greedy" for name in ("Bernard", "Christine", "Daniel")][: 1 if case.game == "d21" else 3]
    return ["evening", "--with=Zoe", *bots, *(["--play", case.game] if case.console == EVENING else [])]


def _end(terminal: Terminal, case: Case) -> Iterator[str]:
    """Do the deed, and yield what is wrong at the end."""
    closed = False
    asked = _SHOWS.get(case.console, b"Zoe")
    if case.deed in (LEAVE, NO_LOG):
        if not terminal.read(START_S, None if case.deed == NO_LOG else asked):
            yield "did not start"
    else:
        if case.drawn:
            terminal.read(START_S, asked)
        terminal.read(case.after_s)
    began, interrupts = monotonic(), 0
    if terminal.process.poll() is not None:
        pass
    elif case.deed == LEAVE:
        if case.console == LINE:
            terminal.type(b":quit\r")
        for _ in range(5):
            if not terminal.read(_ASK_S):
                terminal.type(b"\x11" if case.console in (FULL, START) else b"\x04")
    elif case.deed == INTERRUPT:
        while interrupts < 5 and terminal.process.poll() is None:
            terminal.type(b"\x03")
            interrupts += 1
            terminal.read(_ASK_S)
    elif case.deed in _SIGNALS:
        terminal.process.send_signal(_SIGNALS[case.deed])
    elif case.deed == CLOSE:
        terminal.close_window()
        closed = True
    try:
        if closed:
            terminal.process.wait(END_S)
        elif not terminal.read(END_S - min(END_S, monotonic() - began)):
            raise subprocess.TimeoutExpired("tablier", END_S)
    except subprocess.TimeoutExpired:
        yield f"has not ended {END_S:g} seconds after"
        return
    status = terminal.process.returncode
    if status not in _statuses(case, interrupts):
        yield f"status {status}"
    python = case.deed == INTERRUPT and not _OURS.search(terminal.output)  # it was itself still starting
    if (found := _WRONG.search(terminal.output)) and not python:
        yield f"says {found[0].decode()}"
    said = [line for line in terminal.output.strip().splitlines() if not line.startswith(b"Opening ")]  # a slow start
    if case.deed == NO_LOG and len(said) != 1:
        yield "does not say in one line that there is no log"
    if not closed:
        yield from _terminal_left(terminal)


def _statuses(case: Case, interrupts: int) -> tuple[int, ...]:
    """Return the exit statuses that say what has ended the program; a negative one is that of a signal."""
    if case.deed == LEAVE:
        return (0,)
    if case.deed == NO_LOG:
        return (2,)
    number = {INTERRUPT: signal.SIGINT, CLOSE: signal.SIGHUP, **_SIGNALS}[case.deed]
    ended = (-number, 128 + number)
    # A screen that is there takes Ctrl-C for a wish to leave, and a game for one that it asks about.
    return (*ended, 0) if case.deed == INTERRUPT else ended


def _terminal_left(terminal: Terminal) -> Iterator[str]:
    if terminal.modes() != terminal.before:
        yield "the terminal's modes are others than before"
    for mode in _MODES:
        if terminal.output.rfind(b"\x1b[?%sh" % mode) > terminal.output.rfind(b"\x1b[?%sl" % mode):
            yield f"mode {mode.decode()} is still on"
    if terminal.output.rfind(b"\x1b[?25l") > terminal.output.rfind(b"\x1b[?25h"):
        yield "the cursor is hidden"
    if len(_KEYBOARD.findall(terminal.output)) > terminal.output.count(b"\x1b[<u"):
        yield "the keyboard's protocol is not put back"
    if left := set(_PLACED.findall(terminal.output)) - set(_DELETED.findall(terminal.output)):
        yield f"{len(left)} pictures are left in the terminal"


def _left_behind(folder: Path) -> Iterator[str]:
    """Yield what still runs after a while, and complaints in files beside the keeper's socket."""
    deadline = monotonic() + GONE_S
    while (left := _running(folder)) and monotonic() < deadline:
        sleep(0.05)
    for process in left:
        yield f"still runs: {_command(process)}"
    for complaints in folder.glob("ports/*err"):
        if text := complaints.read_text(errors="replace").strip():
            yield f"{complaints.name} holds {text[-600:]}"


def _running(folder: Path) -> list[int]:
    """Return the processes that were started with a folder in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if bytes(folder) in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:  # it has ended, or is somebody else's
            continue
    return found


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return "a process that has ended meanwhile"


__all__ = ["CONSOLES", "DEEDS", "Case", "cases", "run"]

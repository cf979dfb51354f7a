"""Programs that play: what a command line names, what it may read, and starting it in its sandbox."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import tablier
import tablier_fw
from tablier import waiting
from tablier.bots import sandbox, usage
from tablier.printable import printable
from tablier.texts import Text, TextError

STDERR_MAX = 1 << 20
"""The most characters of a program's standard error that are passed on."""
LAST_LINES = 20
"""The lines of it that are kept for the operator: the last one alone may say nothing but a version."""
_LAST_MAX = 200
"""The most characters of each."""
_ENDS_S = 10.0
_LAST_LINES_S = 1.0
_INSTALLED = ("bin", "sbin")
_ROOT = str(Path(tablier.__path__[0]).parent)
_SANDBOX = """import json, sys
sys.path.insert(0, sys.argv[1])
from tablier.bots.sandbox import main
sys.exit(main(**json.loads(sys.argv[2])))"""


class BotError(TextError):
    """A bot is missing, died, hangs or cheats; the text says which."""

    last_lines: Sequence[str] = ()
    """What a program wrote last to standard error. The text has none of it: it is for everybody, and a program may
    write what its seat alone knows."""

    def __reduce__(self) -> tuple[object, ...]:
        # From one process to another the lines go along.
        return type(self), (self.text,), {"last_lines": tuple(self.last_lines)}


class Program(NamedTuple):
    """A command that can be started: its words, and the files and folders that it may read."""

    words: tuple[str, ...]
    reads: tuple[str, ...]


def program_of(command: str, log: Path | None = None) -> Program:
    """Return the program that a command names. Raise :class:`BotError` when it cannot be started.

    It may read the system, its interpreter, the folder in which it lies, and files and folders that its command names.
    None of them may hold the log or be somebody's home.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BotError("cannot be started: {why}", why=str(error).lower()) from None
    if not words:
        raise BotError("cannot be started: no command is named")
    found = _executable(words[0])
    own, systems = _own(words, found), list(_tablier())
    for installed in (found, *_interpreters(found)):
        systems += _installation(installed)
    for path in own:
        _check_readable(path, log)
    for path in map(Path, sandbox.SYSTEM):
        if log is not None and _holds(path, log):
            raise BotError("cannot be started: the log is in {folder}, which every program may read", folder=path)
    reads = [*own, *(path for path in systems if _why_not(path, log) is None)]
    return Program((str(found), *words[1:]), (*sandbox.SYSTEM, *dict.fromkeys(map(str, reads))))


def _executable(word: str) -> Path:
    """Return the file that a shell would start, its links not followed: an environment of Python is found by them."""
    found = shutil.which(word)
    if found is not None:
        return Path(os.path.abspath(found))  # noqa: PTH100  # keeps links
    if "/" not in word:
        raise BotError("cannot be started: there is no command {word}", word=repr(word))
    if not Path(word).exists():
        raise BotError("cannot be started: there is no file {word}", word=repr(word))
    if Path(word).is_dir():
        raise BotError("cannot be started: {word} is a folder", word=repr(word))
    raise BotError("cannot be started: {word} is not executable (chmod +x)", word=repr(word))


def _interpreters(file: Path) -> Iterator[Path]:
    """Yield the programs that the first line of a script names."""
    with file.open("rb") as script:
        first = script.readline(256)
    if not first.startswith(b"#!"):
        return
    words = first[2:].decode(errors="replace").split()
    for word in words if words and Path(words[0]).name == "env" else words[:1]:
        if word.startswith("-") or "=" in word:
            continue
        found = shutil.which(word)
        if found is None:
            raise BotError("cannot be started: {file} is for {word}, which is missing", file=repr(str(file)), word=word)
        yield Path(found)


def _own(words: list[str], found: Path) -> list[Path]:
    """Return the folder of the program, and what its command names."""
    named = [Path(word) for word in words[1:] if _exists(word)]
    installed = "/" not in words[0] or found.parent.name in _INSTALLED
    scripts = [path for path in named if path.is_file()][:1] if installed else [found]  # an interpreter's, or itself
    return [*(Path(os.path.realpath(script)).parent for script in scripts), *map(Path, map(os.path.realpath, named))]


def _exists(word: str) -> bool:
    try:
        return Path(word).exists()
    except (OSError, ValueError):
        return False


def _installation(file: Path) -> Iterator[Path]:
    """Yield the folders in which a program was installed: ``X`` for ``X/bin/NAME``, with links and without."""
    for folder in (file.parent, Path(os.path.realpath(file)).parent):
        if folder.name in _INSTALLED:
            yield folder
            if folder.parent != Path.home() / ".local":  # where logs are
                yield folder.parent


def _tablier() -> Iterator[Path]:
    """Yield where Python and this package are, so that a bot may use its rules."""
    yield from map(Path, (sys.prefix, sys.base_prefix))
    for module in (tablier, tablier_fw):
        assert module.__file__ is not None
        yield Path(module.__file__).parents[1]  # which is searched for it


def _check_readable(path: Path, log: Path | None) -> None:
    why = _why_not(path, log)
    if why:
        raise BotError(
            "cannot be started: it may read {folder}, which holds {what}; put the program in a folder of its own",
            folder=path,
            what=why,
        )


def _why_not(path: Path, log: Path | None) -> Text | None:
    """Return what a path holds that no program may read; ``None`` for nothing."""
    if log is not None and _holds(path, log):
        return Text("the log")
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return Text("your home") if _holds(path, home) else None


def _holds(path: Path, other: Path) -> bool:
    return Path(os.path.realpath(other)).is_relative_to(os.path.realpath(path))


class Running:
    """A program in its sandbox. What it writes to standard error is passed on where that is no terminal, escaped, and
    its last lines are kept."""

    def __init__(self, program: Program) -> None:
        """Raise ``OSError``."""
        lifeline, self._lifeline = os.pipe()
        try:
            orders = {
                "lifeline": lifeline,
                "words": program.words,
                "reads": program.reads,
                "parent": tempfile.gettempdir(),
                "limits": usage.LIMITS,
            }
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _SANDBOX, _ROOT, json.dumps(orders)],
                bufsize=0,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={key: os.environ[key] for key in ("PATH", "LANG") if key in os.environ},
                pass_fds=[lifeline],
                start_new_session=True,
            )
        except BaseException:
            os.close(self._lifeline)
            raise
        finally:
            os.close(lifeline)
        self.last_lines: deque[str] = deque(maxlen=LAST_LINES)
        """The last lines that it wrote to standard error."""
        self._listener = waiting.beside(self._listen, "standard error of a program")

    @property
    def input(self) -> int:
        """Return the descriptor of its standard input."""
        assert self._process.stdin is not None
        return self._process.stdin.fileno()

    @property
    def output(self) -> int:
        """Return the descriptor of its standard output."""
        assert self._process.stdout is not None
        return self._process.stdout.fileno()

    @property
    def ended(self) -> bool:
        """Return whether the program and all that it has started are gone."""
        return self._process.poll() is not None

    def _listen(self) -> None:
        assert self._process.stderr is not None
        left = STDERR_MAX
        while line := self._process.stderr.readline(4096):
            text = printable(line.decode(errors="replace").rstrip("\r\n"))
            self.last_lines.append(text[:_LAST_MAX])
            left -= len(text)
            if left > 0 and sys.stderr is not None and not sys.stderr.isatty():
                try:
                    sys.stderr.write(text + "\n")
                    sys.stderr.flush()
                except (OSError, ValueError):
                    left = 0

    def await_end(self) -> int | None:
        """Return the exit status of a program that is about to end by itself, as shells say it; ``None`` if it does
        not."""
        try:
            return self._process.wait(_LAST_LINES_S)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> None:
        """End the program and all that it has started. Ending twice does nothing."""
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1
        try:
            self._process.wait(_ENDS_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        # A killed sandbox leaves orphans, which may keep standard error open for ever.
        self._listener.join(_LAST_LINES_S)

    def close(self) -> None:
        """Close the ends of its pipes."""
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass  # what it had not read is lost with it


__all__ = ["BotError", "Program", "Running", "program_of"]

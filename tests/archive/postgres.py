"""A server of PostgreSQL of one's own, from the packages of the system, in a folder of the test.

It listens at a socket in that folder alone. It can be killed and started again.
"""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

USER = "club"


def programs() -> Path | None:
    """Return the folder with the newest server's programs; ``None`` where there is none."""
    if found := shutil.which("initdb"):
        return Path(found).parent
    folders = Path("/usr/lib/postgresql").glob("*/bin/initdb")
    return max((path.parent for path in folders), key=lambda path: float(path.parent.name), default=None)


MISSING = "PostgreSQL's server is not installed (Debian: apt install postgresql)"


class Postgres:
    """A server that runs."""

    def __init__(self, folder: Path, bin: Path) -> None:
        self.folder = folder
        self._bin = bin
        self._user = _other_user() if os.geteuid() == 0 else None
        if self._user:
            shutil.chown(folder, self._user)
        self._run("initdb", "--pgdata", str(folder / "data"), "--username", USER, "--auth", "trust", "--no-sync")
        with (folder / "data" / "postgresql.conf").open("a", encoding="ascii") as settings:
            settings.write(f"listen_addresses = ''\nunix_socket_directories = '{folder}'\nmax_connections = 100\n")
            settings.write("fsync = off\n")  # what was written outlives the server, if not the machine
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._run("pg_ctl", "start", "--wait", "--pgdata", str(self.folder / "data"), "--log", str(self.folder / "log"))

    def stop(self, how: str = "immediate") -> None:
        """Stop it: ``immediate`` as if it were killed, ``fast`` in order."""
        self._run("pg_ctl", "stop", "--wait", "--pgdata", str(self.folder / "data"), "--mode", how)

    def address(self, database: str = "postgres") -> str:
        """Return the address of a database."""
        return f"postgresql://{USER}@/{database}?host={quote(str(self.folder), safe='')}"

    def make(self, database: str) -> str:
        """Make a database and return its address."""
        self.sql(f'CREATE DATABASE "{database}"')
        return self.address(database)

    def sql(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Run a statement as the server's owner."""
        import psycopg

        with psycopg.connect(self.address(database), autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def busy(self) -> float:
        """Return the seconds of processor that it has taken since it was started."""
        first = int((self.folder / "data" / "postmaster.pid").read_text(encoding="ascii").split()[0])
        ticks = sum(_times_of(first))  # those of connections that were closed among them
        for other in Path(f"/proc/{first}/task/{first}/children").read_text(encoding="ascii").split():
            with suppress(FileNotFoundError, ProcessLookupError):
                ticks += sum(_times_of(int(other))[:2])
        return ticks / os.sysconf("SC_CLK_TCK")

    def _run(self, program: str, *words: str) -> None:
        # Not into a pipe: the server, which outlives its starter, would keep it open.
        with tempfile.TemporaryFile("w+") as said:
            done = subprocess.run(
                [self._bin / program, *words],
                user=self._user,
                cwd=self.folder,
                env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
            )
            said.seek(0)
            assert done.returncode == 0, said.read()


def _times_of(process: int) -> list[int]:
    """Return the ticks of a process, in its own code and in the system's, and the same of its children that ended."""
    said = Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    return [int(field) for field in said.rpartition(")")[2].split()[11:15]]


def _other_user() -> str:
    """Return a user whom the server may run as; it refuses to run as root."""
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    raise AssertionError("there is neither a user postgres nor nobody")


@contextmanager
def server() -> Iterator[Postgres]:
    """A server until the end of the block. Its folder has a short name: a socket's path may have some hundred bytes."""
    bin = programs()
    assert bin, MISSING
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    try:
        running = Postgres(folder, bin)
        try:
            yield running
        finally:
            running.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)

"""Clients of a keeper, written from PROTOCOL.md alone, with nothing of the product's own."""

from __future__ import annotations

import hashlib
import json
import random
import select
import socket
import struct
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import replies

Take = Callable[[Any], None]
_HERE_S = 10.0
"""The seconds of life's time without a request after which a client says that it is there."""


class Gone(Exception):
    """The other side has ended the connection."""


class Client:
    """A connection. Answers and what the keeper says by itself are handed out by :meth:`read`; nothing here waits."""

    def __init__(self, address: Path, version: str, token: str | None, hear: Callable[[str, Any], None]) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(address))
        self._hear = hear
        self._in = b""
        self._number = 0
        self._asked: dict[int, tuple[str, Take]] = {}
        self.refused: list[tuple[str, str]] = []
        """The requests that were refused, and why."""
        self._asked_at = time.monotonic()
        shown = {} if token is None else {"token": token}
        self.ask("hello", {"protocol": 1, "version": version, **shown})

    def fileno(self) -> int:
        return self._socket.fileno()

    def ask(self, method: str, params: Any, take: Take = lambda result: None) -> None:
        self._number += 1
        self._asked_at = time.monotonic()
        self._asked[self._number] = method, take
        body = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}
        try:
            self._socket.sendall(json.dumps(body).encode() + b"\n")
        except OSError:
            pass  # :meth:`read` says so

    def read(self) -> None:
        """Hand out what has come, and say now and then that somebody is there. Raise :class:`Gone`."""
        if time.monotonic() >= self._asked_at + _HERE_S:
            self.ask("ping", {})
        while select.select([self._socket], [], [], 0)[0]:
            try:
                data = self._socket.recv(1 << 16)
            except OSError:
                data = b""
            if not data:
                raise Gone
            *lines, self._in = (self._in + data).split(b"\n")
            for line in lines:
                self._take(json.loads(line))

    def _take(self, message: Any) -> None:
        if "method" in message:
            self._hear(message["method"], message["params"])
            return
        method, take = self._asked.pop(message["id"])
        if "error" in message:
            self.refused.append((method, message["error"]["message"]))
            return
        take(message["result"])

    def drop(self, *, half: bool = False) -> None:
        """End the connection without a word; ``half``: in the middle of a line."""
        if half:
            try:
                self._socket.sendall(b'{"jsonrpc":"2.0","id":1,"meth')
            except OSError:
                pass
        self._socket.close()


class Screen:
    """Somebody at a screen, who replies to each update as soon as it comes, and remembers what was taken."""

    def __init__(self, seat: int, key: dict[str, Any], dice: random.Random) -> None:
        self.seat = seat
        self.key = key
        self.client: Client | None = None
        self.taken: list[Any] = []
        """The replies that the keeper has taken."""
        self.sent: list[Any] = []
        self.left = self.away = False
        """True if a bot has played for it; and while one does."""
        self._dice = dice
        self._replied: tuple[int, bool] | None = None
        self._held: tuple[int, bytes, int] | None = None

    @property
    def state(self) -> str:
        """Return how it stands, for the search for a fault."""
        home = "away" if self.away else "connected" if self.client else "killed"
        return f"{self.seat} {home}, replied to {self._replied}, sent last {self.sent[-1:]}, {len(self.taken)} taken"

    def connect(self, client: Client, game: int) -> None:
        """Come in again, with the key."""
        self.client = client
        self._replied = None
        client.ask("enter", self.key)
        client.ask("watch", {"game": game, "viewers": [self.seat]})

    def look_again(self, game: int) -> None:
        """Reply anew: what was said while a bot had the seat was not taken."""
        self._replied = None
        if self.client is not None:
            self.client.ask("watch", {"game": game, "viewers": [self.seat]})

    def leave(self, *, half: bool) -> None:
        """Be killed: what it was bound to is lost."""
        if self.client is not None:
            self.client.drop(half=half)
        self.client = self._held = None

    def look(self, update: Any) -> None:
        question = update["question"]
        if question is None or "mine" not in question or self.client is None:
            return
        opens = bool(question.get("open"))
        if self._replied == (question["id"], opens):
            return
        reply = self._open(question) if opens else self._reply(question)
        if reply is None:
            return
        reply |= {"id": question["id"], "seat": self.seat}
        self._replied = None if reply["event"] == replies.THROWN else (question["id"], opens)
        self.sent.append(reply)
        self.client.ask("reply", {"game": update["game"], "reply": reply}, lambda result: self.taken.append(reply))

    def _open(self, question: Any) -> Any:
        if self._held is None or self._held[0] != question["id"]:
            return None
        _, nonce, choice = self._held
        return replies.open_choice(nonce.hex(), choice)

    def _reply(self, question: Any) -> Any:
        mine, dice = question["mine"], self._dice
        if not mine["waits"]:
            return None
        kind = question["kind"]
        if kind == "choice":
            choice = question["options"].index(dice.choice(mine["moves"]))
            nonce = dice.randbytes(16)
            self._held = question["id"], nonce, choice
            bound = commitment(mine["bind"], question["id"], self.seat, nonce, choice)
            return replies.lock(bound.hex())
        if kind == "window":
            rank = dice.choice([*mine["cards"], None, None])
            return replies.finish() if rank is None else replies.throw(rank)
        if kind == "poll":
            return replies.answer(not question.get("first") or question["what"] == "paused")
        if kind == "menu":
            return replies.pick(question["start"])
        return replies.play(self._pick(mine["moves"], mine.get("may_pass", False)))

    def _pick(self, moves: Sequence[str], may_pass: bool) -> str | None:
        return None if may_pass and (not moves or self._dice.random() < 0.6) else self._dice.choice(moves)


def commitment(bind: Any, question: int, seat: int, nonce: bytes, choice: int) -> bytes:
    """Return the SHA-256 that binds a seat, of the bytes that PROTOCOL.md names."""
    head = b"tablier choice\0\0" + struct.pack("<H", 2) + bytes.fromhex(bind["board"]) + bytes.fromhex(bind["boot"])
    return hashlib.sha256(head + struct.pack("<IBB", question, bind["place"], seat) + nonce + bytes([choice])).digest()

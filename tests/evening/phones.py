"""Phones at a keeper's evenings, by HTTP alone, written from the pages' README: they know nothing of the product."""

from __future__ import annotations

import json
import os
import queue
import random
import threading
from contextlib import suppress
from typing import Any

import httpx
from tests.pieces import Assembly

import replies

from .clients import Screen, Take, commitment

_AGAIN_S = 0.05
"""The seconds after which a phone looks again for pages that are not there."""
_HERE_S = 5.0
_PATIENCE_S = 20.0


class Device:
    """A phone: its cookie, and its page while that is open. What a page hears comes by :meth:`read`."""

    def __init__(self, address: str) -> None:
        headers = {"origin": address}
        self._http = httpx.Client(base_url=address, headers=headers, timeout=_PATIENCE_S, verify=False)
        self._readable, self._writable = os.pipe()
        os.set_blocking(self._readable, False)
        self._heard: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._page: threading.Event | None = None
        self._pages: list[threading.Thread] = []
        self.person = ""
        """As whom it has come in."""
        self.refused: list[tuple[str, str]] = []
        """The requests that were refused, and why."""

    def fileno(self) -> int:
        return self._readable

    def close(self) -> None:
        self.put_away()
        for each in self._pages:
            each.join(_PATIENCE_S)  # a page hears something each second, or that the pages are gone
        self._http.close()
        os.close(self._readable)
        os.close(self._writable)

    def join(self, code: str, name: str) -> str:
        """Come in by the code, and open the page; return the id of the person. Raise ``ValueError`` where that is not
        granted."""
        answer = self._http.post("/join", json={"code": code, "name": name})
        told = answer.json()
        if answer.status_code != 200 or "person" not in told:
            raise ValueError(f"{name} cannot come in: {answer.status_code} {told}")
        self.person = told["person"]
        self.put_away()  # a stream has the rights that the cookie proved when it began
        self.open_page()
        return str(self.person)

    # -- the page ----------------------------------------------------------------------------------------------------

    def open_page(self) -> None:
        """Open the page of seats, which comes back by itself as long as it is open."""
        if self._page is None:
            self._page = threading.Event()
            self._pages.append(threading.Thread(target=self._listen, args=(self._page,), daemon=True))
            self._pages[-1].start()

    def put_away(self) -> None:
        """Be without a battery."""
        if self._page is not None:
            self._page.set()
            self._page = None

    def _listen(self, ended: threading.Event) -> None:
        while not ended.wait(_AGAIN_S):
            with suppress(httpx.HTTPError), self._http.stream("GET", "/events", params={"topics": "mine"}) as stream:
                key, beats = "", 0
                kept: dict[str, Assembly] = {}
                for line in stream.iter_lines():
                    if ended.is_set():
                        return
                    if not line.startswith("data: "):
                        continue
                    event = json.loads(line.removeprefix("data: "))
                    if "names" in event:
                        key = event["stream"]
                    elif "beat" not in event:
                        state = kept.setdefault(event["name"], Assembly()).take(event)
                        self._heard.put({"name": event["name"], "state": state})
                        os.write(self._writable, b".")
                    elif (beats := beats + 1) % int(_HERE_S) == 0:  # one a second
                        self._http.post("/here", json={"stream": key})

    def read(self) -> list[Any]:
        """Return the events that have come."""
        with suppress(BlockingIOError):
            os.read(self._readable, 1 << 16)
        found = []
        while not self._heard.empty():
            found.append(self._heard.get())
        return found

    def ask(self, method: str, params: Any, take: Take = lambda result: None) -> bool:
        """Have the keeper do something; return whether it was done, as far as the phone knows. What is not answered
        since the keeper died was not taken."""
        try:
            answer = self._http.post("/do", json={"method": method, "params": params})
        except httpx.HTTPError as error:
            self.refused.append((method, repr(error)))
            return False
        if answer.status_code == 200:
            take(answer.json()["result"])
        elif answer.status_code != 503:
            self.refused.append((method, answer.text.strip()))
        return answer.status_code == 200


class Phone(Screen):
    """Somebody with a phone, in one game: replies as pages have them, and remembers what was taken."""

    def __init__(self, seat: int, key: dict[str, Any], dice: random.Random, device: Device, game: int) -> None:
        super().__init__(seat, key, dice)
        self.device, self._game = device, game
        self._question: Any = None

    def hear(self, event: Any) -> None:
        """Take an event of the page."""
        if event["name"] == f"{self._game}-{self.seat}":
            state = event["state"] or {}
            here = "seats" in state and state["seats"][self.seat - 1]["source"] == "screen"
            self._question = state.get("question") if here else None
            self.reply()

    def due(self) -> bool:
        """Return whether it is asked, as far as it knows, and has not replied."""
        question = self._question
        mine = question and question.get("mine")
        if not mine or self.away:
            return False
        opens = bool(question["open"])
        if self._replied == (question["id"], opens):
            return False
        return opens if opens else bool(mine["waits"])

    def come_back(self) -> None:
        """Open the page, which finds the seat."""
        self.client = self.device  # type: ignore[assignment]
        self.forget()
        self.device.open_page()

    def forget(self) -> None:
        """Reply again: the keeper has died, and what was said to it last may be lost."""
        self._replied = None

    def reply(self) -> None:
        if not self.due():
            return
        question = self._question
        opens = bool(question["open"])
        reply = self._open(question) if opens else self._said(question)
        self._replied = question["id"], opens
        if reply is None:
            return
        reply = {**reply, "id": question["id"], "seat": self.seat}
        self.sent.append(reply)
        done = self.device.ask("reply", {"game": self._game, "reply": reply}, lambda result: self.taken.append(reply))
        if not done:
            self.forget()  # the page still shows what is asked
        elif reply["event"] == replies.THROWN:
            self._replied, self._question = None, None  # until the page has the cards that are left

    def _said(self, question: Any) -> Any:
        mine, dice = question["mine"], self._dice
        if question["kind"] == "choice":
            if self._held is None or self._held[0] != question["id"]:  # else it is bound already
                choice = dice.choice([each["reply"]["option"] for each in mine["can"]])
                self._held = question["id"], dice.randbytes(16), choice
            _, nonce, choice = self._held
            bound = commitment(mine["bind"], question["id"], self.seat, nonce, choice)
            return replies.lock(bound.hex())
        can = [each["reply"] for each in mine["can"]]
        if question["kind"] == "poll":  # as other screens: no, where one yes ends it
            yes = question["what"] not in ("lay", "judge", "returned", "beside", "claim")
            can = [each for each in can if each["yes"] is yes]
        return dice.choice(can) if can else None

    def owes(self, question: Any) -> bool:
        """Return whether a question waits for it, as a spectator is told, to which it has not replied."""
        waits = self.seat in (*question["waiting"], *question.get("to_open", ()))
        at_home = self.client is not None and not self.away
        return at_home and waits and self._replied != (question["id"], bool(question.get("open")))

    def look_again(self, game: int) -> None:
        """Reply anew: a bot had the seat."""
        self.forget()
        self.reply()

    def leave(self, *, half: bool) -> None:
        """Be without a battery, or put away; what it was bound to stays in its page."""
        self.client = None
        self.device.put_away()

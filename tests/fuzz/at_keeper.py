"""Clients that send anything to a real keeper, over its socket, while games of all kinds run there."""

from __future__ import annotations

import json
import os
import random
import select
import socket
import tempfile
import time
from collections import Counter
from contextlib import suppress
from copy import deepcopy
from itertools import chain
from pathlib import Path
from typing import Any
from unittest.mock import patch

from msgspec import convert
from room import SHORT

from kept import entries
from replying import by_chance, reply_to
from tablier.course.binding import Binder
from tablier.course.seats import AT_SCREEN
from tablier.judge.audit import examine
from tablier.keeper import protocol
from tablier.keeper.access import read_token
from tablier.keeper.address import address_of, complaints_of
from tablier.keeper.client import KeeperError, Link, refusal_of
from tablier.keeper.protocol import line_of
from tablier.keeper.server import METHODS
from tablier.keeper.starting import join
from tablier.log.evenings import GAME_ABANDONED, GAME_IS_OVER
from tablier.log.replies import REPLIES
from tablier.log.store import Log
from tablier.messages import Update
from tablier.texts import Json
from tablier_fw.version import __version__

from .at_port import VALUES

SEATS = {"dilemma": 3, "roudalon": 4}
BATCH = 25
DEAF, VANISHING = 10, 100
DEAF_S = 8.0
"""The seconds after which those that read nothing must have been closed."""
GROWTH_KB = 4 * 1024
"""The most memory by which a keeper at rest may grow from a tenth of the requests to all of them, besides what it
remembers of games that can be resumed. Measured in a million, 3,000 games: 4.4 MB, 1.2 of it of 587 games that were
left, most of the rest tables of D.21 (:data:`WARM`)."""
UNFINISHED_KB = 2.5
"""The most memory for a game that can be resumed: its seats, its options, its evening. Measured: 2.0. Clients leave
hundreds here."""
OPERATING = (
    *("play", "stop", "resume", "quit", "tester", "lights", "lean", "evening", "organiser", "come", "go", "rename"),
    *("close", "next", "series", "door", "decide", "anew", "settings", "abandon"),
)
"""What nobody here does but the operator: there are no organisers' keys."""
READ_S = 1.0
"""The seconds after which all clients read, however slow the machine is: after five a keeper may close them."""
HERE_S = 10.0
"""The seconds without a request after which a client says that it is there: after thirty a keeper closes those that
are in as people."""
ANSWER_S = 10.0
"""The seconds within which an answer must come that no bot thinks about."""
REST_S = 60.0
"""The seconds within which a keeper whose games were all stopped must have let go of them, and bots have thought."""
AGED = 20_000
"""The requests after which a game is left for another one: no people make thousands of entries in one, and what an open
game needs grows with them."""
WARM = {"struggle": 80, "d21": 200}
"""By kind: the games that bots play first where memory is measured, twelve unless it is said here: what all games share
fills then. Struggle keeps the plays of all hands that five dice can show; D.21 the moves of a die by what stands on its
lines: 2.2 MB after 200 games, 4.4 MB after 1,000."""
LONG = 200_000
"""The requests from which on that is checked: before, caches still fill."""
REFUSAL_MAX = 1000
WEIGHTS = {"reply": 40, "enter": 8, "watch": 4, "correct": 3, "back": 3, "table": 3, "hello": 3, "dispute": 0.4}
WEIGHTS |= {"hint": 0.1, "list": 0.5, "source": 0.3, "stop": 0.02, "leave": 0.5}
"""How often a method is tried; others once."""
GUESTS = ("Eve", "Olga")
"""Those who come and go while others play."""
THOUGHT = ("hint", "analyse")
"""The methods whose answers come once a bot has thought, after others."""
LINES: tuple[bytes, ...] = (
    *(b"", b"{", b"null", b"[]", b"\xff\xfe", b"\0", b"[" * 30_000, b'{"a":' * 9_000, b"1" * 5_000, b'"\\ud800"'),
    b'{"jsonrpc":"2.0","id":1,"id":2,"method":"list"}',
    b'{"jsonrpc":"2.0","id":1.0,"method":"list"}',
    b'{"jsonrpc":"2.0","id":true,"method":"list"}',
    b'{"jsonrpc":"2.0","id":1e999,"method":"list"}',
    b'{"jsonrpc":"2.0","id":2000000000,"method":"list","params":[]}',
    b'{"jsonrpc":"2.0","id":2000000000,"method":"list","params":{"\\u0000":NaN}}',
    b'{"jsonrpc":"2.0","id":2000000000,"method":"play","params":{"game":"d21","seats":[],"options":'
    + b"[" * 800
    + b"]" * 800
    + b"}}",
)


class Campaign:
    """The games, and what all clients know of them."""

    def __init__(self, dice: random.Random, log: Path, operator: Link) -> None:
        self.dice = dice
        self.log = log
        self.operator = operator
        self.told = Counter[str]()
        self.games: dict[int, str] = {}
        self.keys: dict[tuple[int, int], Json] = {}
        """By game and seat: as whom it is played, with the key."""
        self.people: dict[tuple[int, int], tuple[int, str]] = {}
        """By game and seat, also of games that are over: evening and person."""
        self.codes: dict[int, str] = {}
        """By evening: the code of its door."""
        self.updates: dict[tuple[int, int], Json] = {}
        self.binders: dict[tuple[int, int], Binder] = {}
        self.began: dict[int, int] = {}
        """By game: how many requests there were before."""
        self.over: set[int] = set()
        self.closed: set[int] = set()
        self.taken = Counter[tuple[int, int]]()
        """The replies that were taken, by game and seat."""
        self.threads = _threads(operator.keeper["pid"])
        """The threads of a keeper without a game."""
        self.clients: list[Client] = []
        """All that read what the keeper says."""
        self._read_at = time.monotonic()
        self.house = Client(self, read_token(log))
        self.clients.append(self.house)
        for kind in sorted(SHORT):
            self.begin(kind)

    def begin(self, kind: str) -> None:
        """Begin a game with a bot in its last seat, or, of two, sometimes none."""
        count = SEATS.get(kind, 2)
        bots = self.dice.choice((0, 1))
        seats = [
            {"name": "ABCD"[n], "source": "screen" if n < count - bots else self.dice.choice(("random", "greedy"))}
            for n in range(count)
        ]
        more = {"options": SHORT[kind], "practice": bots == count - 1 and self.dice.random() < 0.5}
        opened = self.operator.call("play", {"game": kind, "seats": seats, **more, "table": {"pace_s": 0}})
        self._sit(kind, opened)

    def _sit(self, kind: str, opened: Json) -> None:
        game = opened["game"]
        self.games[game] = kind
        self.began.setdefault(game, self.told["requests"])
        for seat, entry in entries(opened).items():
            self.keys[game, seat] = entry
            self.people[game, seat] = entry["evening"], entry["person"]
            self.house.send("enter", entry)
        self.house.send("follow", {"evening": opened["evening"], "games": False})
        seats = [int(seat) for seat in opened["people"]]
        self.house.send("watch", {"game": game, "viewers": [*seats, None]})
        self.house.settle()

    def tend(self) -> None:
        """Begin another game for each that is over, and go on with those that were stopped."""
        aged = {game for game in self.games if self.told["requests"] - self.began[game] > AGED}
        for game in (self.over | aged) & set(self.games):
            evening = self.evening_of(game)
            with suppress(KeeperError):
                self.operator.call("stop", {"game": game})
            with suppress(KeeperError):  # it is over, or was closed
                self.operator.call("close", {"evening": evening})
            self.told["games"] += 1
            self.begin(self.forget(game))
        self.over.clear()
        for game in self.closed & set(self.games):
            try:
                opened = self.operator.call("resume", {"game": game, "table": {"pace_s": 0}})
            except KeeperError as error:
                assert str(error) in [str(each.of(game=game)) for each in (GAME_IS_OVER, GAME_ABANDONED)], error
                self.over.add(game)  # it was stopped as it ended: its end comes in an update
            else:
                self._sit(self.games[game], opened)
                self.told["resumed"] += 1
        self.closed.clear()

    def read(self) -> None:
        """Have all clients read, and say that they are there, where they have not for a while."""
        if time.monotonic() - self._read_at > READ_S:
            for each in self.clients:
                each.catch_up()
            self._read_at = time.monotonic()

    def rest(self) -> int:
        """Stop all games, and return the kilobytes that the keeper has then; :meth:`tend` resumes them.

        Open games are no measure: those of such clients have thousands of entries after a while.
        """
        for client in self.clients:
            client.settle()
        until = time.monotonic() + REST_S
        while (games := self._open()) or self._is_letting_go():
            self.read()
            assert time.monotonic() < until, f"after {REST_S:g} s the keeper still has {games or 'games to let go of'}"
            for game in games:
                with suppress(KeeperError):  # it has come to its end
                    self.operator.call("stop", {"game": game})
        self.house.send("list", {})
        for client in self.clients:
            client.settle_all()  # what was said of the games comes before the house's answer
        self.closed = set(self.games) & set(self.unfinished())
        self.over = set(self.games) - self.closed
        return _resident_kb(self.operator.keeper["pid"])

    def unfinished(self) -> list[int]:
        """Return the games that can be resumed."""
        return list(self.operator.call("list")["unfinished"])

    def _open(self) -> list[int]:
        return [each["game"] for each in self.operator.call("list")["games"]]

    def _is_letting_go(self) -> bool:
        """Return whether the keeper has a thread yet that closes a game, and whose last act is to free it."""
        return _threads(self.operator.keeper["pid"]) > self.threads

    def go_on(self) -> None:
        """Raise ``AssertionError`` unless each game that was stopped resumes."""
        self.tend()
        assert set(self._open()) >= set(self.games), f"of {[*self.games]} only {self._open()} go on"

    def forget(self, game: int) -> str:
        """Forget a game; return its kind."""
        for known in (self.keys, self.updates, self.binders):
            for place in [place for place in known if place[0] == game]:
                known.pop(place)
        return self.games.pop(game)

    def evening_of(self, game: int) -> int:
        """Return the evening of a game of people."""
        return next(int(entry["evening"]) for (of, _), entry in self.keys.items() if of == game)

    def complaint(self) -> str:
        """Return what the keeper has said on standard error."""
        return complaints_of(self.log, ".err").read_text(encoding="utf-8")[-4000:]

    def hear(self, message: Json) -> None:
        """Take what the keeper says by itself."""
        if message["method"] in ("told", "taken", "let_in", "turned_away"):
            return
        if message["method"] == "evening":
            inside = message["params"]["inside"]
            self.codes[message["params"]["evening"]] = (inside and inside["code"]) or "AEIO"
            return
        game = message["params"]["game"]
        if message["method"] == "ended":
            params = message["params"]
            if params["why"] == GAME_ABANDONED.of(game=game).to_json():
                self.over.add(game)
                return
            assert not params["part"] and params["why"] is None, f"{message}; {self.complaint()}"
            self.closed.add(game)
            return
        for update in message["params"]["updates"]:
            if update["viewer"] is not None:
                self.updates[game, update["viewer"]] = update
            if update["over"]:
                self.over.add(game)


class Client:
    """A connection that sends anything, and holds each answer against what may be answered."""

    def __init__(self, campaign: Campaign, token: str | None, *, mute: bool = False) -> None:
        """``mute``: it never says hello."""
        self._campaign = campaign
        self._token = token
        self.is_operator = token is not None
        self.mute = mute
        self._open()

    def _open(self) -> None:
        self._asked_at = time.monotonic()
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(ANSWER_S)
        self._socket.connect(str(address_of(self._campaign.log)))
        self._buffer = b""
        self._number = 0
        self._asked: dict[int, tuple[str, Json, tuple[str, ...]]] = {}
        self._out: list[bytes] = []
        self._garbage = 0
        self.people: set[tuple[int, str]] = set()
        """Whom it has come in as."""
        if not self.mute:
            self.send("hello", protocol.hello(self._token))

    def send(self, method: str, params: Any, bent: tuple[str, ...] = ()) -> None:
        self._number += 1
        self._asked_at = time.monotonic()
        line = line_of(protocol.request(self._number, method, params))
        if b"NaN" in line or b"Infinity" in line:  # no JSON: its number is not read
            self.send_line(line.rstrip(b"\n"))
            return
        self._asked[self._number] = method, params, bent
        self._out.append(line)

    def send_line(self, line: bytes) -> None:
        self._garbage += 1
        self._out.append(line + b"\n")

    def post(self) -> None:
        """Send what was gathered."""
        out, self._out = b"".join(self._out), []
        try:
            if out:
                self._socket.sendall(out)
        except (BrokenPipeError, ConnectionResetError):
            raise AssertionError(self._closed()) from None

    def settle(self) -> None:
        """Take answers until only those are to come that a bot thinks about."""
        while self._garbage or any(method not in THOUGHT for method, _, _ in self._asked.values()):
            self.post()  # an answer may have led to more
            self._read()

    def settle_all(self) -> None:
        """Take answers until none is to come."""
        self.settle()
        self._socket.settimeout(REST_S)
        while self._asked:
            self._read()
            self.settle()
        self._socket.settimeout(ANSWER_S)

    def catch_up(self) -> None:
        """Take answers like :meth:`settle`, and all else that has come."""
        if time.monotonic() - self._asked_at > HERE_S:
            self.send("ping", {})
        self.settle()
        while select.select([self._socket], [], [], 0)[0]:
            self._read()

    def _read(self) -> None:
        try:
            data = self._socket.recv(1 << 16)
        except TimeoutError:
            raise AssertionError(f"no answer to {[*self._asked.values()][:3]} or {self._garbage} lines") from None
        except ConnectionResetError:
            data = b""
        assert data, self._closed()
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            self._take(json.loads(line))

    def _closed(self) -> str:
        """Return what is to be said of a connection that the keeper has closed."""
        who = (
            "house" if self is self._campaign.house else "mute" if self.mute else "operator" if self._token else "seats"
        )
        after = f"after {self._campaign.told['requests']:,} requests"
        return f"the keeper has closed a connection ({who}) {after}; {self._campaign.complaint()}"

    def end_by_length(self) -> None:
        """Send a line without an end, be told why that cannot be, and come again."""
        with suppress(OSError):
            self._socket.sendall(b"x" * (1 << 17))
        said = b""
        with suppress(ConnectionResetError):
            while data := self._socket.recv(1 << 16):
                said += data
        self._campaign.told["too long"] += 1
        self._socket.close()
        self._open()

    def close(self) -> None:
        self._socket.close()

    def _take(self, message: Json) -> None:
        campaign = self._campaign
        if "method" in message:
            if self is campaign.house:
                campaign.hear(message)
            return
        campaign.told["answers"] += 1
        error = message.get("error")
        if error is not None:
            text = error["message"]
            assert text == str(refusal_of(message)) and "\n" not in text and len(text) < REFUSAL_MAX, text
        asked = self._asked.pop(message["id"], None) if message["id"] is not None else None
        if asked is None:
            assert error is not None, message
            self._garbage -= 1
            return
        method, params, bent = asked
        if error is None:
            campaign.told["taken"] += 1
            self._follow(method, params, message["result"])
        else:
            campaign.told[f"refused {error['code']}"] += 1
            assert "the keeper failed" not in error["message"], (method, params, error["message"])
            if error["code"] == protocol.WRONG and bent:
                assert any(field in error["message"] for field in bent), (method, params, bent, error["message"])

    def _follow(self, method: str, params: Json, result: Json) -> None:
        """Take note of a request that was carried out."""
        campaign = self._campaign
        if method == "enter" and params.get("person"):
            self.people.add((params["evening"], params["person"]))
        elif method == "leave":
            self.people.discard((params["evening"], params["person"]))
        elif method == "source":
            seats = [seat for game, seat in campaign.keys if game == params["game"]]
            campaign.house.send("watch", {"game": params["game"], "viewers": [*seats, None]})
        elif method == "reply":
            place = params["game"], params["reply"]["seat"]
            held = campaign.people[place] in self.people
            assert held, f"a reply for {place} was taken from somebody who does not hold it"
            campaign.taken[place] += 1
        elif method == "another":
            is_in = any(evening == params["evening"] for evening, _ in self.people)
            assert self._token or is_in, "another was taken from somebody who has not come in"
        elif method in OPERATING:
            assert self._token, f"{method} was taken from somebody without the token"
        if method == "abandon":  # also one that was stopped before
            campaign.over.add(params["game"])
            campaign.closed.discard(params["game"])
        if method in ("play", "next", "another"):
            with suppress(KeeperError):
                campaign.operator.call("stop", {"game": result["game"]})


def request(campaign: Campaign, client: Client) -> tuple[str, Any, tuple[str, ...]]:
    """Return a method, parameters that are near to right ones, and the fields in which they are not."""
    dice = campaign.dice
    (method,) = dice.choices(list(METHODS), [WEIGHTS.get(each, 1) for each in METHODS])
    game = dice.choice(list(campaign.games))
    seats = [seat for each, seat in campaign.keys if each == game]
    seat = dice.choice([*seats, *seats, dice.randint(1, 6)])
    update = campaign.updates.get((game, seat))
    question: Json = (update or {}).get("question") or {}
    unknown = {"evening": campaign.evening_of(game), "person": "ab" * 8, "key": "ab" * 16}
    right: Json = {"game": game, "seat": seat, **campaign.keys.get((game, seat), unknown)}
    if dice.random() < 0.1:
        right["key"] = dice.choice(list(campaign.keys.values()))["key"]
    right |= {"name": dice.choice(GUESTS), "to": dice.choice((*GUESTS, "Ada")), "wish": dice.randint(1, 4)}
    right |= {each: dice.random() < 0.5 for each in ("on", "open", "yes")}
    right["code"] = campaign.codes.get(right["evening"], "AEIO") if dice.random() < 0.9 else "AEIO"
    if method == "hello":
        del right["code"]  # of a program of Tablier's own
    elif method == "source":
        right["person"] = dice.choice(GUESTS) if dice.random() < 0.05 else None
    right |= {"viewers": dice.choice(([None], [seat], [seat, None])), "verb": "time", "count": dice.randint(1, 3)}
    right |= {"since": dice.choice((None, [dice.choice((0, 1, 30, 1 << 31)) for _ in right["viewers"]]))}
    right |= {"text": "no", "at": dice.randint(1, 30), "protocol": 1, "version": __version__}
    right |= {"source": dice.choice(("screen", "screen", "table", "nobody"))}  # no bot: it would end the game
    moves = question.get("mine", {}).get("moves") or ["keep none"]
    right |= {"move": dice.choice(moves), "reply": _reply(campaign, game, seat, update)}
    seated = [{"name": name, "source": dice.choice(("random", "screen"))} for name in "AB"]
    right |= {"seats": seated, "options": {}, "table": {"pace_s": 0}}
    fields = list(METHODS[method].params.__struct_fields__)
    params: Json = {name: right[name] for name in fields if name in right}
    if method in ("play", "next"):
        params["game"] = "d21"
    bent: tuple[str, ...] = ()
    if dice.random() < 0.4 or (method in ("play", "resume", "quit") and client.is_operator):
        params, bent = _bend(dice, params)
        if not right.keys() >= set(fields):
            bent = (*bent, *fields)  # a field that it lacks, or that is something else there, is named as well
    return method, params, bent


def _reply(campaign: Campaign, game: int, seat: int, update: Json | None) -> Json:
    """Return a reply of a seat, mostly one to the question that it was asked."""
    dice = campaign.dice
    if update is not None and dice.random() < 0.6:
        binder = campaign.binders.setdefault((game, seat), Binder())
        reply = reply_to(convert(update, Update), binder, by_chance(dice, 0.5))
        if reply is not None:
            return reply
    name = dice.choice(list(REPLIES))
    asked = ((update or {}).get("question") or {}).get("id", 1)
    right: Json = {"event": name, "id": asked, "seat": seat, "yes": dice.random() < 0.5, "option": dice.randrange(12)}
    right |= {"commitment": dice.randbytes(32).hex(), "nonce": dice.randbytes(16).hex(), "choice": dice.randrange(3)}
    right |= {"rank": dice.randint(0, 11), "move": "keep none"}
    return {key: right[key] for key in ("event", *REPLIES[name].__struct_fields__)}


def _bend(dice: random.Random, params: Json) -> tuple[Json, tuple[str, ...]]:
    """Return parameters of which some are wrong, mostly, and which."""
    params, bent = json.loads(json.dumps(params)), list[str]()
    while not bent or dice.random() < 0.2:
        inner = params
        if isinstance(params.get("reply"), dict) and dice.random() < 0.7:
            inner = params["reply"]
        elif isinstance(params.get("seats"), list) and params["seats"] and dice.random() < 0.5:
            inner = params["seats"][0]
        if not isinstance(inner, dict):
            break
        name = dice.choice([*inner, "more"])
        if name in inner and name != "more" and dice.random() < 0.2:
            del inner[name]
        else:
            inner[name] = deepcopy(dice.choice(VALUES))
        bent.append(name)
    return params, tuple(bent)


def at_keeper(seed: int, count: int) -> Counter[str]:
    """Return what a keeper has made of ``count`` requests. Raise ``AssertionError`` when it says anything on standard
    error, harms a game, takes what it must not, refuses without naming the field, does not close those that read
    nothing, or keeps memory, and unless its log verifies then."""
    dice = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, patch.dict(os.environ, TABLIER_PORTS=f"{folder}/ports"):
        log = Path(folder) / "log.db"
        operator = join(log)
        campaign = Campaign(dice, log, operator)
        try:
            _run(campaign, count)
        finally:
            with suppress(KeeperError):
                operator.call("quit")
            operator.close()
        assert not campaign.complaint(), f"the keeper says: {campaign.complaint()}"
        _check_log(campaign)
        return campaign.told


def _check_log(campaign: Campaign) -> None:
    """Raise ``AssertionError`` unless the log is whole, and has the very replies that were taken."""
    with Log.read(campaign.log) as log:
        campaign.told["entries"] = log.verify()
        report = examine(log.entries())
        assert not report.wrong, f"the audit refuses the log: {report.wrong[0]}"
        assert not report.unchecked, f"the audit cannot check the log: {report.unchecked[0]}"
        games = log.games()
        assert [each.game for each in report.by_game] == [game.id for game in games], "the audit has left games out"
        sources = {(game.id, seat): each["source"] for game in games for seat, each in enumerate(game.seats, 1)}
        logged = Counter[tuple[int, int]]()
        for entry in log.entries():
            if entry.game is None:
                continue
            if entry.kind == "sits":
                sources[entry.game, entry.body["seat"]] = entry.body["source"]
            elif entry.kind in ("reply", "commitment", "opening"):
                place = entry.game, entry.body["seat"]
                logged[place] += sources[place] == AT_SCREEN
        wrong = {place: (logged[place], campaign.taken[place]) for place in sources | campaign.taken}
        wrong = {place: each for place, each in wrong.items() if each[0] != each[1]}
        assert not wrong, f"by game and seat, the replies in the log and those that were taken: {wrong}"
        campaign.told["moves"] = sum(len(log.moves(game.id)) for game in games)


def _run(campaign: Campaign, count: int) -> None:
    dice, told, pid = campaign.dice, campaign.told, campaign.operator.keeper["pid"]
    token = read_token(campaign.log)
    vanishing = sorted(dice.randrange(count) for _ in range(VANISHING))
    ends = sorted(dice.randrange(count) for _ in range(max(1, count // 20_000)))
    _think_once(campaign)
    if count >= LONG:
        _warm(campaign)
    strangers = [Client(campaign, None) for _ in range(5)]
    campaign.clients += [Client(campaign, token), Client(campaign, None, mute=True), *strangers]
    clients = campaign.clients
    deaf, began = [_deaf(campaign.log) for _ in range(DEAF)], time.monotonic()
    tenth = 0
    for sent in range(0, count, BATCH):
        client = campaign.house if dice.random() < 0.4 else dice.choice(clients)
        client.settle()
        campaign.read()
        if client is not campaign.house and ends and ends[0] <= sent:
            ends.pop(0)
            client.end_by_length()
        for _ in range(BATCH):
            if dice.random() < 0.03:
                client.send_line(dice.choice(LINES))
            else:
                client.send(*request(campaign, client))
        client.post()
        told["requests"] += BATCH
        while vanishing and vanishing[0] <= sent:
            vanishing.pop(0)
            _vanish(dice, campaign.log)
        if sent % (8 * BATCH) == 0:
            campaign.house.settle()
            begun = time.monotonic()
            campaign.operator.call("list")
            told["slowest ms"] = max(told["slowest ms"], round((time.monotonic() - begun) * 1000))
            campaign.tend()
        if not tenth and sent >= count // 10:
            told["kB after a tenth with open games"] = _resident_kb(pid)
            tenth = told["kB after a tenth"] = campaign.rest()
            told["unfinished after a tenth"] = len(campaign.unfinished())
            campaign.go_on()
    told["kB at the end with open games"] = _resident_kb(pid)
    told["kB at the end"] = campaign.rest()
    told["unfinished at the end"] = len(campaign.unfinished())
    campaign.go_on()
    for client in clients:
        client.close()
    if time.monotonic() - began > DEAF_S:
        told["closed"] = sum(map(_is_closed, deaf))
        assert told["closed"] == DEAF, f"{told['closed']} of {DEAF} that read nothing were closed"
    for connection in deaf:
        connection.close()
    if count >= LONG and tenth:
        grown = told["kB at the end"] - tenth
        left = told["unfinished at the end"] - told["unfinished after a tenth"]
        assert grown <= GROWTH_KB + UNFINISHED_KB * left, f"the keeper has grown by {grown} kB, with {left} games left"


def _think_once(campaign: Campaign) -> None:
    """Have a bot of each game think: what it remembers from then on is no growth, whenever it is asked first."""
    for game, seat in campaign.keys:
        campaign.house.send("hint", {"game": game, "seat": seat})
        campaign.house.settle()
        campaign.operator.call("list")


def _warm(campaign: Campaign) -> None:
    """Have bots play games to their ends."""
    operator, house = campaign.operator, campaign.house
    for kind in chain.from_iterable([each] * WARM.get(each, 12) for each in sorted(SHORT)):
        seats = [{"name": name, "source": "random"} for name in "ABCD"[: SEATS.get(kind, 2)]]
        game = operator.call("play", {"game": kind, "seats": seats, "options": SHORT[kind], "table": {"pace_s": 0}})
        house.send("watch", {"game": game["game"], "viewers": [None]})
        while game["game"] not in campaign.over:
            house.send("list", {})
            house.settle()
        with suppress(KeeperError):  # its end stands for seconds only
            operator.call("stop", {"game": game["game"]})


def _deaf(log: Path) -> socket.socket:
    """Return a connection that asks for much and reads nothing."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(address_of(log)))
    connection.setblocking(False)
    asked = [line_of(protocol.request(1, "hello", protocol.hello(None)))]
    asked += [line_of(protocol.request(n, "nothing", {})) for n in range(2, 1500)]
    with suppress(BlockingIOError):
        connection.send(b"".join(asked))
    return connection


def _is_closed(connection: socket.socket) -> bool:
    connection.settimeout(1.0)
    try:
        while connection.recv(1 << 16):
            pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


def _vanish(dice: random.Random, log: Path) -> None:
    """Connect, send a part of a line, and go."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(address_of(log)))
        whole = line_of(protocol.request(1, "hello", protocol.hello(None)))
        connection.send(whole[: dice.randrange(len(whole))])


def _threads(pid: int) -> int:
    """Return how many threads a process has; 0 where the system does not say."""
    try:
        return sum(1 for _ in Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return 0


def _resident_kb(pid: int) -> int:
    """Return how much memory a process has; 0 where the system does not say."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024

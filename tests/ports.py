"""Games without a keeper, for tests of something else: connections to a conductor, and how it is run.

What is sent by such a connection is decoded, and its right to it judged, as by a keeper.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tablier import messages, waiting
from tablier.course.declined import Declined
from tablier.keeper.access import Rights
from tablier.keeper.analysis import Analysis
from tablier.keeper.desk import Desk
from tablier.keeper.methods import Answer, Asker, declared, handlers
from tablier.keeper.orders import Orders
from tablier.keeper.protocol import Refusal
from tablier.keeper.server import METHODS
from tablier.log.chain import LogError
from tablier.log.store import Log
from tablier.play.audience import Watcher
from tablier.play.connections import Deliver, Hinted, Message, Refused
from tablier.play.game import IDLE_S, Conductor
from tablier.play.inbox import Act
from tablier.play.requests import RequestError, typed
from tablier.play.sitting import Sitting
from tablier.texts import Failure, Json, text_of

ORDERS = tuple(declared(Orders, Analysis))
"""What a connection can send, but for replies."""


class Stopped(Exception):
    """Somebody has asked to stop."""


class _OneGame:
    """The one game that there is, as orders need it."""

    def __init__(self, at: Conductor | Desk) -> None:
        self._at = at
        self._early: list[Act] = []
        self.handlers: dict[str, Any] = {}

    @property
    def conductor(self) -> Conductor:
        return self._at if isinstance(self._at, Conductor) else self._at.game

    def post(self, act: Act) -> None:
        """Have something done when the game has begun, and its conductor works."""
        if isinstance(self._at, Desk) and self._at._conductor is None:
            self._early.append(act)
        else:
            self.conductor.inbox.post(act)

    def begin(self) -> None:
        """Hand in what was sent before the game had begun."""
        early, self._early = self._early, []
        for act in early:
            self.post(act)

    def carry_out(self, asker: Asker, method: str, params: Any) -> Answer | None:
        if not self.handlers:
            analysis = Analysis(self.conductor.log, self, self.conductor.chairs._room)
            self.handlers = handlers(Orders(self), analysis)
        return self.handlers[method](asker, params)

    @contextmanager
    def playing(self, number: int) -> Iterator[Conductor]:
        yield self.conductor

    def check_source(self, number: int, seat: int, source: str, person: str | None) -> None:
        pass

    def seat_was_given(self, number: int) -> None:
        pass

    def person_of(self, number: int, name: str) -> str:
        raise AssertionError

    def organises(self, peer: Any, params: Any) -> bool:
        return False

    def set_pace(self, number: int, seconds: float) -> None:
        pass

    def stop(self, number: int) -> None:
        raise Stopped


class Sender:
    """A :class:`tablier.play.connections.Connection`: what it is handed is done when the conductor works."""

    def __init__(self, game: _OneGame, seats: Collection[int], *, operator: bool) -> None:
        self.rights = Rights(greeted=True, operator=operator, seats={(1, seat) for seat in seats})
        self._game = game
        self._deliver: list[Deliver] = []

    def watch(self, viewers: Sequence[int | None], deliver: Deliver) -> Callable[[], None]:
        method = METHODS["watch"]
        self.rights.check("watch", method.right, typed({"game": 1, "viewers": list(viewers)}, method.params), bool)
        watcher = Watcher(tuple(viewers), deliver, self.rights.operator)
        self._deliver.append(deliver)
        self._game.post(lambda: self._game.conductor.welcome(watcher))

        def leave() -> None:
            if deliver in self._deliver:
                self._deliver.remove(deliver)
            self._game.post(lambda: self._game.conductor.leave(watcher))

        return leave

    def reply(self, body: Any) -> None:
        self._game.post(lambda: self._take("reply", {"reply": body}, body))

    def command(self, body: Any) -> None:
        params = {key: value for key, value in body.items() if key not in ("command", "n")} if _is_order(body) else body
        n = body.get("n", 0) if isinstance(body, dict) else 0
        self._game.post(lambda: self._take(body["command"] if _is_order(body) else "", params, body, n))

    def obey(self, body: Json) -> None:
        """Carry out a command, or a reply, at once. Raise :class:`Failure`, and ``Declined`` for what is declined."""
        if "event" in body:
            self._carry_out("reply", {"reply": body}, 0)
        else:
            self._carry_out(body["command"], {key: value for key, value in body.items() if key != "command"}, 0)

    def answer(self, message: Json) -> None:
        """Take the answer to a hint."""
        hint = message["result"] if "result" in message else messages.Hint(why=message["error"]["data"])
        self._send(Hinted(message["id"], hint))

    def _take(self, method: str, params: Any, body: Any, n: int = 0) -> None:
        try:
            self._carry_out(method, params, n)
        except LogError:
            raise  # a keeper closes the game then
        except (Declined, Failure) as error:
            named = body.get("seat") if isinstance(body, dict) else None
            seat = named if type(named) is int and self.rights.holds(1, named) else None
            self._send(Refused(text_of(error), seat))

    def _carry_out(self, method: str, params: Any, n: int) -> None:
        if not isinstance(params, dict) or method not in ("reply", *ORDERS):
            raise RequestError("command is not one of {orders}", orders=list(ORDERS))
        declaration = METHODS[method]
        found = typed({"game": 1, **params}, declaration.params, method)
        self.rights.check(method, declaration.right, found, bool)
        answer = self._game.carry_out(Asker(self, n), method, found)  # type: ignore[arg-type]
        if isinstance(answer, messages.Hint):
            self._send(Hinted(n, answer))

    def _send(self, message: Message) -> None:
        for deliver in tuple(self._deliver):
            deliver(message)


def _is_order(body: Any) -> bool:
    return isinstance(body, dict) and isinstance(body.get("command"), str)


def connect(at: Conductor | Desk, seats: Collection[int] = (), *, operator: bool = False) -> Sender:
    """Return a connection that holds these seats, or the operator's."""
    return Sender(_game_of(at), seats, operator=operator)


def console(at: Conductor | Desk) -> Sender:
    """Return the connection that holds every seat: the same one for the same game."""
    kept: Sender = vars(at).setdefault("console_of_tests", connect(at, range(1, 7), operator=True))
    return kept


def _game_of(at: Conductor | Desk) -> _OneGame:
    # Kept there: a table of them here would keep every game of a campaign.
    kept: _OneGame = vars(at).setdefault("game_of_tests", _OneGame(at))
    return kept


def each(take: Callable[[messages.Update], object]) -> Callable[[Message], None]:
    """Return what hands on each update of a message; refusals it leaves out."""

    def deliver(message: Message) -> None:
        for update in message.updates if isinstance(message, messages.Updates) else ():
            take(update)

    return deliver


# -- running a game --------------------------------------------------------------------------------------------------


def run(
    conductor: Conductor,
    *,
    stay: bool = False,
    linger_s: float = 0.0,
    hook: Callable[[], float] = lambda: IDLE_S,
) -> None:
    """Conduct a game to its end, which a ``Sitting`` tells; with ``stay``, on after it.

    ``hook`` is called in each round; it returns after how many seconds it wants to be called again.
    """
    conductor.start()
    sitting = Sitting(conductor, linger_s)
    while True:
        soonest = conductor.clock.now() + hook()
        while sitting.step(stay=stay):
            pass
        if sitting.ended:
            return
        _wait(conductor, min(soonest, sitting.due))


def _wait(conductor: Conductor, until: float) -> None:
    """Wait at most until then, and take what has come from the table."""
    seconds = until - conductor.clock.now()
    if conductor.hold_time:
        conductor.clock.hold()
    elif conductor.client is None:
        conductor.clock.wait(seconds, None)
    else:
        for incoming in conductor.client.poll(seconds):
            conductor.take(incoming)


def work(conductor: Conductor) -> float:
    """Have a conductor do what is due; return after how many seconds something is again."""
    conductor.work()
    return conductor.due - conductor.clock.now()


@contextmanager
def open_desk(*args: Any, **options: Any) -> Iterator[Desk]:
    """Set up a desk, one that is there or is made of these arguments, and close it after the block."""
    desk = args[0] if isinstance(args[0], Desk) else Desk(*args, **options)
    desk.set_up()
    try:
        yield desk
    finally:
        desk.close()


def turn(desk: Desk, *, stay: bool = False, soonest: float = 1.0) -> bool:
    """Do all that is due at a desk, and what comes of it; wait where only a table's clock does. Return True if there is
    more to do at once."""
    while (more := desk.step(stay=stay, soonest=soonest)) or desk.midway:
        if desk.ended or not desk.midway:
            break
        if not more:
            rest(desk)
    return more


def rest(desk: Desk) -> None:
    """Wait until there is something to do at a desk."""
    waiting.wait(desk.files, (), max(0.0, desk.due - waiting.now()))


Hook = Callable[[Conductor], float]
"""Does something in each round of a conductor; returns after how many seconds it is to be called again."""


def until(moves: int, deed: Hook = lambda conductor: 1.0) -> Hook:
    """Return what stops a game that has this many moves, and does something else before."""

    def work(conductor: Conductor) -> float:
        if conductor.session.ply >= moves:
            raise Stopped
        return deed(conductor)

    return work


def play_at(
    desk: Desk,
    log: Log,
    game: int,
    *,
    stay: bool = False,
    linger_s: float = 0.0,
    hook: Hook = lambda conductor: 1.0,
) -> Conductor:
    """Conduct a logged game to its end at a desk; with ``stay``, until somebody stops."""
    conductor = desk.begin(log, game, linger_s=linger_s)
    _game_of(desk).begin()
    try:
        soonest = 1.0
        while True:
            more = turn(desk, stay=stay, soonest=soonest)
            if desk.ended:
                break
            if not more:
                rest(desk)
            soonest = hook(conductor) if desk.started else 1.0
    finally:
        conductor.let_go()
        conductor.close()
        if conductor.client is not None:
            conductor.client.close()
        desk.started = False
    return conductor


__all__ = [
    "ORDERS",
    "Hook",
    "Refusal",
    "Sender",
    "Stopped",
    "connect",
    "console",
    "each",
    "open_desk",
    "play_at",
    "rest",
    "run",
    "turn",
    "until",
    "work",
]

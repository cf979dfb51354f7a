"""What clients may ask of the keeper. A method is declared once, where it is carried out: its name, its parameters, who
may use it, its lines in the document, and its handler stand together.

    @method("mistake", OfSeat, AT_TABLE, takes="`game`, `seat`")
    def _mistake(self, asker: Asker, params: OfSeat) -> messages.Done: ...

A handler returns the answer, or ``None`` where that comes later, by its :class:`Asker`. :func:`declared` finds the
methods of the parts of the keeper, :func:`handlers` those of the parts that run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from msgspec import Meta, Struct

from tablier.games.core import shown
from tablier.keeper.access import Right
from tablier.keeper.peer import Peer
from tablier.keeper.protocol import INVALID, REFUSED, UNKNOWN, UNREADABLE, WRONG, Params, Refusal, refusal, result
from tablier.messages import Sent
from tablier.play.requests import RequestError, parsed, typed
from tablier.texts import Json, Text

Answer = Sent | Json
"""What answers a request; JSON as it is only where a simulated table has said it to a tester."""
Id = Annotated[int, Meta(ge=0, le=1 << 31, description="a whole number from 0")]


class Asker(NamedTuple):
    """A request that is being carried out: the connection that has made it, and its number."""

    peer: Peer
    id: int

    def answer(self, value: Answer) -> None:
        """Answer the request, which was carried out."""
        self.peer.answer(result(self.id, value))

    def refuse(self, why: Text) -> None:
        """Answer the request, which was not carried out."""
        self.peer.answer(refusal(Refusal(REFUSED, why, id=self.id)))


class Method(NamedTuple):
    """A method, as it is declared."""

    name: str
    params: type[Params]
    right: Right
    takes: str
    """A description of its parameters for the document, which names each of them; optional ones with ``?``."""
    gives: str
    """A description of its result."""
    handler: str = ""
    """The name of what carries it out, in its part of the keeper."""


Part = TypeVar("Part")
Taken = TypeVar("Taken", bound=Params)
Answered = TypeVar("Answered", bound="Answer | None")
Handler = Callable[[Part, Asker, Taken], Answered]
Handle = Callable[[Asker, Any], "Answer | None"]
_MARK = "declared_method"


def method(
    name: str, params: type[Taken], right: Right, *, takes: str = "", gives: str = ""
) -> Callable[[Handler[Part, Taken, Answered]], Handler[Part, Taken, Answered]]:
    """Declare that a handler carries out a method."""

    def declare(handler: Handler[Part, Taken, Answered]) -> Handler[Part, Taken, Answered]:
        setattr(handler, _MARK, Method(name, params, right, takes, gives))
        return handler

    return declare


def declared(*parts: type) -> dict[str, Method]:
    """Return the methods of some parts of the keeper by their names, in the order of their declarations."""
    found = [
        getattr(value, _MARK)._replace(handler=attribute)
        for part in parts
        for attribute, value in vars(part).items()
        if hasattr(value, _MARK)
    ]
    methods = {each.name: each for each in found}
    assert len(methods) == len(found), "a name is declared twice"
    return methods


def handlers(*parts: object) -> dict[str, Handle]:
    """Return what carries out each method of some parts that run."""
    return {name: getattr(part, each.handler) for part in parts for name, each in declared(type(part)).items()}


# -- a request -------------------------------------------------------------------------------------------------------


class Request(NamedTuple):
    """A request, decoded into typed values before anything else sees it."""

    id: int
    method: Method
    params: Params


class _Envelope(Struct, frozen=True, forbid_unknown_fields=True):
    jsonrpc: Literal["2.0"]
    method: str
    id: Id
    params: dict[str, Any] = {}


def decode(line: bytes, methods: Mapping[str, Method]) -> Request:
    """Return a request. Raise :class:`Refusal`, with the request's number where that can be read."""
    try:
        value = parsed(line)
    except RequestError as error:
        raise Refusal(UNREADABLE, error.text) from None
    named = value.get("id") if isinstance(value, dict) else None
    id = named if type(named) is int and 0 <= named <= 1 << 31 else None
    try:
        envelope: _Envelope = typed(value, _Envelope, "a request")
    except RequestError as error:
        raise Refusal(INVALID, error.text, id=id) from None
    found = methods.get(envelope.method)
    if found is None:
        text = "there is no method {seen}; methods: {methods}"
        raise Refusal(UNKNOWN, text, id=id, seen=shown(envelope.method), methods=list(methods))
    try:
        return Request(envelope.id, found, typed(envelope.params, found.params, found.name))
    except RequestError as error:
        raise Refusal(WRONG, error.text, id=id) from None

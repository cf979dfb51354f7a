"""The doors: which requests come in at all, how large, how many, and what pages may load.

Everything is refused with a status and one line that says why. A page of another origin can make a browser send
requests here; so each names one of this server's own hosts, and one that changes something comes from its own pages.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request, cookie_parser
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tablier.languages import find_language, of_browser
from tablier.play.requests import RequestError, parsed
from tablier.texts import Failure, Json, Language, Text, read_as, render
from tablier.web import waking
from tablier.web.hosts import Hosts, Proxy, is_loopback, plain_address
from tablier.web.shares import CURRENT, Client

BODY_MAX = 16384
"""The most bytes of a request's body."""
TARGET_MAX = 2048
"""The most bytes of an address with its query."""
_BODY_S = 10.0
"""The seconds in which a body has to be there."""
RATE, BURST = 60.0, 400.0
"""The requests a second that each client may make on average, and at once."""
_CLIENTS = 1000
"""The most clients whose requests are counted."""
_REPORTED = 20
"""The most places in the code whose failures are reported, each once."""

POLICY = "; ".join(
    (
        "default-src 'none'",
        f"script-src 'self' {waking.SOURCE}",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


SWITCH = "tablier-language"
"""The cookie that holds the language which was chosen on a page. It is no secret, and of no log."""
NEEDS_OPERATOR = Text("This needs the operator's key.")
_TOO_LARGE = Text("A request has at most {most} bytes.", {"most": BODY_MAX})


class Refused(Failure):
    """A request that does not come in."""

    def __init__(self, status: int, text: Text | str, /, **args: object) -> None:
        super().__init__(text, **args)
        self.status = status


class Rate:
    """Counts the requests of each client."""

    def __init__(self) -> None:
        self._left: OrderedDict[Client, tuple[float, float]] = OrderedDict()

    def take(self, client: Client, now: float) -> bool:
        """Return whether a client may make a request now."""
        left, at = self._left.pop(client, (BURST, now))
        left = min(BURST, left + RATE * (now - at))
        fits = left >= 1
        self._left[client] = (left - fits, now)
        if len(self._left) > _CLIENTS:
            self._left.popitem(last=False)
        return fits


class Doors:
    """Wraps the application."""

    def __init__(self, app: ASGIApp, hosts: Hosts, known: Callable[[str], Client | None]) -> None:
        """``hosts``: those besides the very address at which a request arrived; ``known``: return the client that a
        cookie proves, ``None`` for one that proves nothing."""
        self._app = app
        self._hosts = hosts
        self._known = known
        self._rate = Rate()
        self._reported: set[tuple[type[BaseException], str, int]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("cache-control", "no-store")
            await send(message)

        try:
            self._check(scope)
            await self._app(scope, receive, send_with_headers)
        except Refused as refused:
            response = PlainTextResponse(f"{render(refused.text)}\n", refused.status, {"connection": "close"})
            await response(scope, receive, send_with_headers)
        except Exception as error:
            self._report(error)
            if not begun:
                said = render(Text("The server failed; its standard error says why."))
                response = PlainTextResponse(f"{said}\n", 500, {"connection": "close"})
                await response(scope, receive, send_with_headers)

    def _report(self, error: Exception) -> None:
        """Print how a request has failed, once for each place in the code: asking again and again fills no disk."""
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = (type(error), where.filename, where.lineno or 0)
        if place not in self._reported and len(self._reported) < _REPORTED:
            self._reported.add(place)
            traceback.print_exception(error, file=sys.stderr)

    def _check(self, scope: Scope) -> None:
        """Note whose request this is as ``request.state.client``. Raise :class:`Refused`."""
        headers = Headers(scope=scope)
        host, proxied = headers.get("host", ""), self._take_proxied(scope, headers)
        client = self._known(headers.get("cookie", "")) or Client(scope["client"][0])
        scope.setdefault("state", {})["client"] = client
        CURRENT.set(client)
        read_as(preferred(headers))
        if len(scope["raw_path"]) + len(scope["query_string"]) > TARGET_MAX:
            raise Refused(414, "The address has more than {most} bytes.", most=TARGET_MAX)
        if not (self._hosts.has(host, scope["scheme"], scope["server"]) if proxied is None else host == proxied.host):
            raise Refused(421, "This server is not {host}.", host=repr(host[:100]))
        self._check_origin(scope, headers, host)
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or int(length[:20]) > BODY_MAX:
            raise Refused(413, _TOO_LARGE)
        if not self._rate.take(client, time.monotonic()):
            raise Refused(429, "Too many requests; at most {rate} a second.", rate=f"{RATE:g}")

    def _take_proxied(self, scope: Scope, headers: Headers) -> Proxy | None:
        """Have a request that a reverse proxy on this machine has passed on count as its client's; return the proxy.

        Whose request it was, is the last thing that the proxy itself has added.
        """
        client = plain_address(scope["client"][0]) if scope["client"] else ""
        scope["client"] = (client, scope["client"][1] if scope["client"] else 0)
        scope["server"] = scope["server"] or ("", None)
        forwarded = headers.getlist("x-forwarded-for")
        if self._hosts.proxy is None or not forwarded or not is_loopback(client):
            return None
        scope["client"] = (plain_address(forwarded[-1].rpartition(",")[2].strip())[:100], 0)
        scope["scheme"] = self._hosts.proxy.scheme
        return self._hosts.proxy

    @staticmethod
    def _check_origin(scope: Scope, headers: Headers, host: str) -> None:
        """Refuse what a page of another origin has sent, or opened but as a page."""
        own, origin, site = f"{scope['scheme']}://{host}", headers.get("origin"), headers.get("sec-fetch-site")
        if origin is not None and origin != own:
            raise Refused(403, "A page of {origin} may not ask this server.", origin=repr(origin[:100]))
        if scope["method"] not in ("GET", "HEAD"):
            if origin is None:
                raise Refused(403, "The request has no Origin header; one that changes something needs it.")
        elif site in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate":
            raise Refused(403, "A page of another site may not load anything of this server.")


def preferred(headers: Headers) -> Language:
    """Return the language of who reads a browser: of the page's switch, else the one that the browser prefers."""
    switched = cookie_parser(headers.get("cookie", "")[:8192]).get(SWITCH, "")
    return (find_language(switched) if switched else None) or of_browser(headers.get("accept-language", ""))


async def read_json(request: Request) -> Json:
    """Return the object that a request brings. Raise :class:`Refused`."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Refused(415, "A request brings application/json.")
    try:
        value = parsed(await read_body(request))
    except RequestError as error:
        raise Refused(400, error.text) from None
    if not isinstance(value, dict):
        raise Refused(400, "A request is an object.")
    return value


async def read_body(request: Request) -> bytes:
    """Return the bytes that a request brings. Raise :class:`Refused`."""
    body = bytearray()

    async def read() -> None:
        async for chunk in request.stream():
            body.extend(chunk)
            if len(body) > BODY_MAX:
                raise Refused(413, _TOO_LARGE)

    try:
        async with asyncio.timeout(_BODY_S):
            await read()
    except TimeoutError:
        raise Refused(408, "The request did not come within {seconds} s.", seconds=f"{_BODY_S:g}") from None
    except ClientDisconnect:
        raise Refused(400, "The request broke off.") from None
    return bytes(body)


def dumps(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def fields(value: Json, needed: Iterable[str], allowed: Iterable[str] = ()) -> None:
    """Refuse an object with other fields than these. Raise :class:`Refused`."""
    missing, other = set(needed) - set(value), set(value) - set(needed) - set(allowed)
    if missing:
        raise Refused(400, "The request has no field {fields}.", fields=sorted(missing))
    if other:
        raise Refused(400, "The request has unknown fields: {fields}.", fields=sorted(map(repr, other)))


NOT_TAKEN = Text("This address does not take {what}.")


def queries(request: Request, *allowed: str) -> dict[str, str]:
    """Return the query of an address. Raise :class:`Refused` for a name that is not allowed or comes twice: the answer
    to another question would be taken for one to this."""
    asked = request.query_params.multi_items()
    names = [name for name, _ in asked]
    other = sorted({repr(name[:20]) for name in names if name not in allowed})
    if other:
        raise Refused(400, NOT_TAKEN.of(what=other[:10]))
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise Refused(400, "The address has {fields} more than once.", fields=twice)
    return dict(asked)


__all__ = ["BODY_MAX", "HEADERS", "SWITCH", "Doors", "Refused", "dumps", "fields", "queries", "read_body", "read_json"]

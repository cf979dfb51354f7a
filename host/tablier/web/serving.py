"""Serving: the port, who may reach it, connections that take too much, the file that says where a log is served."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import ssl
import weakref
from collections.abc import Callable, Container
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from tablier.web.app import build
from tablier.web.hosts import Hosts, Proxy, is_loopback, literal, names_of, own_addresses
from tablier.web.noted import WebError
from tablier.web.shares import Client, find_surplus
from tablier.web.site import Site

PORT, PORTS = 8731, 20
"""The first port that is tried, and how many are."""
CONNECTIONS = 256
"""The most connections at a time. Beyond them one goes of the client that has most, first one that has not asked."""
SILENT = 256
"""The most connections at a time that have not said what https has to be told first."""
_FIRST_S = 10.0
"""The seconds in which a connection has to bring its first request."""
_UNREAD = 1 << 17
"""The bytes that the system keeps for one that does not read."""
_LAST_S = 0.1
"""The seconds that a stream has at the end of the server to end by itself."""
_SLOW_S = 10.0
"""The seconds after which one that does not read is closed."""


class Listener(socket.socket):
    """A socket that takes connections, few of each client that do not say what https has to be told first: only then
    are they connections of the server, which counts them itself."""

    def __init__(self, family: socket.AddressFamily = socket.AF_INET) -> None:
        # asyncio turns Nagle's algorithm off only where the protocol is named: else each later request of a connection
        # waits 40 ms for an acknowledgement.
        super().__init__(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self.known: Callable[[], Container[tuple[str, int] | None]] = frozenset
        """Called for the clients, each as address and port, whose connections the server counts."""
        self._silent: dict[tuple[str, int], weakref.ref[socket.socket]] = {}

    def accept(self) -> tuple[socket.socket, tuple[str, int]]:
        came, (host, port, *_) = super().accept()
        client = (host, port)
        known = self.known()
        kept = {each: found for each, found in self._silent.items() if found() and each not in known}
        if len(kept) >= SILENT:
            surplus = find_surplus(kept, Client(client[0]), lambda each: Client(each[0]), list(kept).index)
            found = surplus and kept.pop(surplus)()
            if found:
                with suppress(OSError):  # it has gone by itself
                    found.shutdown(socket.SHUT_RDWR)
        self._silent = {**kept, client: weakref.ref(came)}
        return came, client


@dataclass(frozen=True)
class Door:
    """Where pages are served."""

    port: int | None = None
    """``None``: the one where the log was served before, else the first free one from :data:`PORT`."""
    lan: bool = False
    """For other machines, too."""
    certificate: Path | None = None
    key: Path | None = None
    names: tuple[str, ...] = ()
    """Names by which this machine is asked for, as its operator says."""
    proxy: Proxy | None = None
    """The reverse proxy that passes requests on."""

    @property
    def secure(self) -> bool:
        """Return whether browsers get the pages by https."""
        return self.certificate is not None or (self.proxy is not None and self.proxy.scheme == "https")

    def check(self) -> None:
        """Raise :class:`WebError` for a certificate that cannot be used."""
        if self.certificate is None:
            return
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(self.certificate, self.key, password=lambda: b"")
        except (OSError, ValueError) as error:
            why = getattr(error, "reason", None) or getattr(error, "strerror", None) or str(error)
            seen = self.certificate if self.key is None else f"{self.certificate}, {self.key}"
            raise WebError("{seen}: not a certificate with its key in PEM: {why}", seen=seen, why=why) from None
        key = self.key or self.certificate
        if key.stat().st_mode & 0o006:
            raise WebError(
                "{key}: everybody on this computer can read or change the certificate's key; 'chmod o= {key}', and make"
                " another key if they are not to be trusted",
                key=key,
            )

    def listen(self, kept: int | None = None) -> Listener:
        """Return a socket that is bound. ``kept``: the port where it was before, which comes first where none is named.
        Raise :class:`WebError`."""
        usual = range(PORT, PORT + PORTS)
        ports = [self.port] if self.port is not None else [*dict.fromkeys([kept or PORT, *usual])]
        for port in ports:
            host, listener = self._new_listener()
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _UNREAD)
            try:
                listener.bind((host, port))
            except OSError as error:
                listener.close()
                if self.port is None and error.errno in (errno.EADDRINUSE, errno.EACCES):
                    continue
                raise WebError("port {port}: {why}", port=port, why=error.strerror) from None
            return listener
        raise WebError("ports {first} to {last} are in use; name another with --port", first=usual[0], last=usual[-1])

    def _new_listener(self) -> tuple[str, Listener]:
        """Return the address to bind, and a socket for it: for other machines one for IPv6 and IPv4, where there is
        such."""
        if not self.lan:
            return "127.0.0.1", Listener()
        with suppress(OSError):
            listener = Listener(socket.AF_INET6)
            try:
                listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
                with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
                    probe.bind(("::", 0))  # where IPv6 is switched off, no such address can be had
            except OSError:
                listener.close()
                raise
            return "::", listener
        return "0.0.0.0", Listener()

    def addresses(self, listener: socket.socket) -> list[str]:
        """Return the addresses of the pages, that on this machine first, then the one that others are told."""
        scheme = "http" if self.certificate is None else "https"
        port = listener.getsockname()[1]
        others = [*self.names, *self._certified(), *own_addresses()] if self.lan else [*self.names]
        at = [f"{scheme}://{literal(host)}:{port}/" for host in dict.fromkeys(others) if not is_loopback(host)]
        proxied = [f"{self.proxy.origin}/"] if self.proxy is not None else []
        return [f"{scheme}://127.0.0.1:{port}/", *proxied, *at]

    def hosts(self) -> Hosts:
        """Return the names by which the pages may be asked for."""
        here = socket.gethostname().lower()
        own = (here, f"{here.partition('.')[0]}.local") if self.lan else ()
        certified = () if self.certificate is None else names_of(self.certificate)
        return Hosts(("localhost", *own, *self.names, *certified), self.proxy)

    def _certified(self) -> list[str]:
        """Return the names of the certificate by which others can reach this machine."""
        names = [] if self.certificate is None else names_of(self.certificate)
        return [name for name in names if not name.startswith("*.")]


# -- connections -------------------------------------------------------------------------------------------------------


_SILENT = logging.getLogger("tablier.web.serving")
_SILENT.setLevel(logging.CRITICAL + 1)
"""Takes what uvicorn says of single requests: it would fill standard error as fast as somebody sends nonsense."""


class _Connection(H11Protocol):
    """A connection that has to ask, has to read, and makes room for others while it waits for nothing."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.logger = _SILENT
        self.since = self.loop.time()
        """Since when it has waited for nothing, or been there."""
        everyone: Any = self.connections
        if len(everyone) > CONNECTIONS:
            others = [each for each in everyone if each is not self]
            surplus = find_surplus(others, self.owner, lambda each: each.owner, lambda each: (each.asks, each.since))
            if surplus is None:
                body = b"Too many connections are open here.\n"
                head = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: %d\r\n\r\n"
                transport.write(head % len(body) + body)
                transport.close()
                return
            everyone.discard(surplus)  # it no longer counts, though its end is reported later
            surplus.transport.abort()
        self._timer = self.loop.call_later(_FIRST_S, self._check_first)

    @property
    def owner(self) -> Client:
        """Return whose connection it is, by its latest request."""
        asked: Any = self.scope["state"].get("client") if self.scope else None
        return asked or Client(self.client[0] if self.client else "")

    @property
    def asks(self) -> bool:
        """Return whether a whole request has come and is being answered. A body on its way is none yet: who sends it
        slowly waits for nothing."""
        return self.cycle is not None and not self.cycle.response_complete and not self.cycle.more_body

    @property
    def idle(self) -> bool:
        """Return whether no request is being answered, whole or not."""
        return self.cycle is None or self.cycle.response_complete

    def on_response_complete(self) -> None:
        self.since = self.loop.time()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stop_timer()
        self._timer = self.loop.call_later(_SLOW_S, self.transport.abort)

    def resume_writing(self) -> None:
        self._stop_timer()
        super().resume_writing()

    def _check_first(self) -> None:
        if self.cycle is None:
            self.transport.abort()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Server(uvicorn.Server):
    """Serves a log's pages until it is ended."""

    def __init__(self, site: Site, door: Door, on_end: Callable[[], None] = lambda: None) -> None:
        """``on_end``: called when it begins to end."""
        config = uvicorn.Config(
            build(site),
            http=_Connection,
            ws="none",
            loop="asyncio",
            lifespan="on",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=15,
            timeout_graceful_shutdown=2,
            backlog=512,
            ssl_certfile=door.certificate,
            ssl_keyfile=door.key,
        )
        super().__init__(config)
        self._site = site
        self._on_end = on_end
        site.on_end = self.end

    def end(self) -> None:
        self._on_end()
        self.should_exit = True

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        everyone: Any = self.server_state.connections
        for listener in sockets or ():
            if isinstance(listener, Listener):
                listener.known = lambda: {each.client for each in everyone}
        await super().startup(sockets)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._site.hub.close()  # streams would last for ever
        await asyncio.sleep(_LAST_S)
        everyone: Any = self.server_state.connections
        for connection in list(everyone):
            if not connection.idle or connection.transport.get_write_buffer_size():  # it does not read
                connection.transport.abort()
        await super().shutdown(sockets)


__all__ = ["CONNECTIONS", "PORT", "Door", "Server"]

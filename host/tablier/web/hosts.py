"""The hosts of a server: by which names it may be asked for, and where others reach it.

A page of anybody's can make a browser ask this server under a name that it has pointed here. So no name counts that
this machine, its certificate or its operator does not give.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443}
_SUBJECT_NAMES = bytes.fromhex("0603551d11")
"""The object identifier of the extension ``subjectAltName`` in a certificate."""
_OCTETS, _SEQUENCE, _DNS = 0x04, 0x30, 0x82


class Unsuitable(ValueError):
    """A text that is not the address of a reverse proxy."""


@dataclass(frozen=True)
class Proxy:
    """A reverse proxy on this machine, as browsers reach it."""

    scheme: str
    host: str
    """With its port, unless that is the scheme's own."""

    @classmethod
    def parse(cls, text: str) -> Proxy:
        """Return what an address such as ``https://games.example.org`` names. Raise :class:`Unsuitable`."""
        try:
            parts = urlsplit(text)
            port = parts.port
        except ValueError:
            raise Unsuitable from None
        rest = (parts.query, parts.fragment, parts.username, parts.path.strip("/"))
        if parts.scheme not in _PORTS or not parts.hostname or any(rest) or not is_host(parts.hostname):
            raise Unsuitable
        own = port is None or port == _PORTS[parts.scheme]
        return cls(parts.scheme, literal(parts.hostname) if own else f"{literal(parts.hostname)}:{port}")

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.host}"


@dataclass(frozen=True)
class Hosts:
    """The hosts that count as this server."""

    names: tuple[str, ...] = ("localhost",)
    """In small letters; one that begins with ``*.`` stands for all of one label more."""
    proxy: Proxy | None = None

    def has(self, host: str, scheme: str, own: tuple[str, int]) -> bool:
        """Return whether a ``Host`` header names this server: ``own`` is the address at which the request arrived."""
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname or "", parts.port or _PORTS[scheme]
        except ValueError:
            return False
        if port != own[1] or "@" in host or "/" in host:
            return False
        return any(_fits(name, each) for each in self.names) or _is_address(name, own[0])


LOCAL = Hosts()
"""For this machine alone."""


def is_host(text: str) -> bool:
    """Return whether a text can be the name or the address of a host."""
    with suppress(ValueError):
        return bool(ipaddress.ip_address(text))
    labels = text.split(".")
    return len(text) <= 253 and all(
        label.isascii() and label.replace("-", "").isalnum() and len(label) <= 63 and label.strip("-") == label
        for label in labels
    )


def literal(host: str) -> str:
    """Return a host as it stands in an address."""
    return f"[{host}]" if ":" in host else host


def plain_address(text: str) -> str:
    """Return the address of a client or a server, that of IPv4 also where a socket for both has it as one of IPv6."""
    with suppress(ValueError):
        address = ipaddress.ip_address(text.partition("%")[0])
        mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
        return str(mapped or address)
    return text


def is_loopback(text: str) -> bool:
    """Return whether an address or a name is this machine's own, which no other reaches."""
    with suppress(ValueError):
        return ipaddress.ip_address(plain_address(text)).is_loopback
    return text == "localhost"


def own_addresses() -> list[str]:
    """Return the addresses of this machine that others may reach it by, the likeliest first."""
    found: list[str] = []
    for family, elsewhere in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((elsewhere, 9))  # sends nothing: it only says which way out there is
            found.append(probe.getsockname()[0])
        with suppress(OSError):
            found += [str(each[4][0]) for each in socket.getaddrinfo(socket.gethostname(), None, family)]
    return [each for each in dict.fromkeys(map(plain_address, found)) if _is_reached(each)]


def names_of(certificate: Path) -> list[str]:
    """Return the names of hosts that a certificate in PEM is for, the first of a chain; none where it has none."""
    text = certificate.read_text(encoding="ascii", errors="replace")
    begin = text.find(ssl.PEM_HEADER)
    end = text.find(ssl.PEM_FOOTER, begin)
    with suppress(ValueError, IndexError):
        der = ssl.PEM_cert_to_DER_cert(text[begin : end + len(ssl.PEM_FOOTER)])
        _, _, rest = der.partition(_SUBJECT_NAMES)
        octets = next((value for tag, value in _values(rest) if tag == _OCTETS), b"")
        inside = next((value for tag, value in _values(octets) if tag == _SEQUENCE), b"")
        names = [value.decode("ascii", "replace").lower() for tag, value in _values(inside) if tag == _DNS]
        return [name for name in dict.fromkeys(names) if is_host(name.removeprefix("*."))]
    return []


def _values(der: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the tags and the values of what is coded one after another by the rules of DER."""
    at = 0
    while at + 1 < len(der):
        tag, size, at = der[at], der[at + 1], at + 2
        if size & 0x80:
            more = size & 0x7F
            size, at = int.from_bytes(der[at : at + more]), at + more
        yield tag, der[at : at + size]
        at += size


def _fits(name: str, allowed: str) -> bool:
    return name == allowed or (allowed.startswith("*.") and name.partition(".")[2] == allowed[2:])


def _is_address(name: str, own: str) -> bool:
    """Return whether a host is the very address at which a request has arrived: no name of somebody else's."""
    try:
        return ipaddress.ip_address(name) == ipaddress.ip_address(plain_address(own))
    except ValueError:
        return False


def _is_reached(address: str) -> bool:
    found = ipaddress.ip_address(address)
    return not (found.is_loopback or found.is_link_local or found.is_unspecified)


__all__ = [
    "LOCAL",
    "Hosts",
    "Proxy",
    "Unsuitable",
    "is_host",
    "is_loopback",
    "literal",
    "names_of",
    "own_addresses",
    "plain_address",
]

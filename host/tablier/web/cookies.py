"""The cookie of a browser: what it has shown of its rights, and what these make of it.

A cookie holds a number, which tells browsers of equal rights apart, the operator's key, and the keys of people and of
screens in evenings. Browsers send it to every port of a host, others may have planted it, and its number is no secret.
So a browser is known by all that its cookie holds, never by the number alone, and each new right comes with a new
number. Only an answer that gives a right sets it: of several answers to a browser's first requests, the one that
arrives last would win.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a terminal that shows the operator's address needs no server
    from starlette.responses import Response

KEPT = 12
"""The most keys of people, and of screens, that a browser keeps: those of the latest evenings."""
_PARTS = re.compile(
    r"([0-9a-f]{32})(?:\.op-([0-9a-f]{32}))?"
    r"((?:\.[0-9]{1,10}-[0-9a-f]{16}-[0-9a-f]{32})*)((?:\.sc-[0-9]{1,10}-[0-9a-f]{32})*)"
)
_AGE_S = 30 * 86400

InEvening = tuple[int, str]
"""The number of an evening, and the id of a person in it."""


def _key_of(token: str | None, what: bytes, digits: int) -> str:
    """Return a key that follows from the operator's token, which no browser gets; an arbitrary one without a token."""
    secret = bytes.fromhex(token) if token else secrets.token_bytes(32)
    return hmac.new(secret, b"tablier web " + what, hashlib.sha256).hexdigest()[:digits]


def operator_key(token: str) -> str:
    """Return the key that makes a browser the operator's."""
    return _key_of(token, b"operator", 32)


@dataclass(frozen=True)
class Browser:
    """What a browser has shown with a request."""

    id: str
    """Unlike that of any other cookie."""
    people: Mapping[InEvening, str] = field(default_factory=dict)
    """The keys of those whom it is, one person or several in an evening."""
    screens: Mapping[int, str] = field(default_factory=dict)
    """By evening: the key of a screen that was let in."""
    operator: str = ""
    """The operator's key, empty for all others."""

    @property
    def is_in(self) -> bool:
        """Return whether it has shown a key of an evening."""
        return bool(self.people or self.screens)


class Cookies:
    """Reads and writes the cookies of one log's pages."""

    def __init__(self, token: str | None, *, secure: bool = False) -> None:
        """``token``: the operator's; ``secure``: pages are served by https."""
        self.operator = operator_key(token) if token else ""
        """The key that makes a browser the operator's."""
        self._secure = secure
        name = f"tablier-{_key_of(token, b'cookie', 12)}"
        self.name = f"__Host-{name}" if secure else name
        """The log is in it: two servers on one computer get each other's cookies."""

    def read(self, header: str) -> Browser:
        """Return the browser of a request with this header; one that shows nothing is like no other."""
        pairs = [each.strip().partition("=") for each in header[:8192].split(";")]
        found = [value for name, _, value in pairs if name == self.name]
        parts = _PARTS.fullmatch(found[0]) if len(found) == 1 else None  # of two, somebody has planted one
        if parts is None:
            return Browser(secrets.token_hex(16))
        operator = parts[2] if parts[2] and hmac.compare_digest(parts[2], self.operator) else ""
        people: dict[InEvening, str] = {}
        for part in parts[3].split(".")[1 : 1 + KEPT]:
            evening, person, key = part.split("-")
            people[int(evening), person] = key
        screens: dict[int, str] = {}
        for part in parts[4].split(".")[1 : 1 + KEPT]:
            _, evening, key = part.split("-")
            screens[int(evening)] = key
        return Browser(hashlib.sha256(found[0].encode()).hexdigest()[:32], people, screens, operator)

    def give(self, response: Response, browser: Browser) -> Browser:
        """Have a browser keep what it has shown now, under a new number; return what it is from now on."""
        people, screens = sorted(browser.people.items()), sorted(browser.screens.items())
        value = self.write(replace(browser, people=dict(people[-KEPT:]), screens=dict(screens[-KEPT:])))
        response.set_cookie(
            self.name, value, max_age=_AGE_S, httponly=True, samesite="strict", secure=self._secure, path="/"
        )
        return self.read(f"{self.name}={value}")

    @staticmethod
    def write(browser: Browser) -> str:
        """Return the value of a new cookie."""
        people = [f".{evening}-{person}-{key}" for (evening, person), key in browser.people.items()]
        screens = [f".sc-{evening}-{key}" for evening, key in browser.screens.items()]
        operator = f".op-{browser.operator}" if browser.operator else ""
        return f"{secrets.token_hex(16)}{operator}{''.join(people)}{''.join(screens)}"


__all__ = ["KEPT", "Browser", "Cookies", "InEvening", "operator_key"]

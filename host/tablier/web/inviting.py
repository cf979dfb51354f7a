"""Asking a server of pages for a code, from another process of the operator."""

from __future__ import annotations

import http.client
import json
import ssl
from urllib.parse import urlsplit

from tablier.texts import Failure, Json, Text
from tablier.web.cookies import Browser, Cookies

_ANSWER_S = 20.0


class InviteError(Failure):
    """There is no code."""


def invite(address: str, token: str, game: int, seat: int) -> Json:
    """Return a code for a seat, which displays show, too. ``address``: of the pages, on this machine; ``token``: the
    operator's. Raise :class:`InviteError` for a seat that is not free, and for a server that is gone."""
    parts = urlsplit(address)
    cookies = Cookies(token, secure=parts.scheme == "https")
    body = json.dumps({"game": game, "seat": seat}).encode()
    headers = {
        "content-type": "application/json",
        "cookie": f"{cookies.name}={cookies.write(Browser('', operator=cookies.operator))}",
        "origin": address.rstrip("/"),
    }
    connection = _connect(parts.scheme, parts.netloc)
    try:
        connection.request("POST", "/code", body, headers)
        answer = connection.getresponse()
        told: Json = json.loads(answer.read())
    except (OSError, http.client.HTTPException, ValueError):
        raise InviteError("{address}: the pages do not answer", address=address) from None
    finally:
        connection.close()
    if answer.status != 200:
        raise InviteError(Text("{why}", {"why": told["error"]}))
    return told


def _connect(scheme: str, host: str) -> http.client.HTTPConnection:
    if scheme == "http":
        return http.client.HTTPConnection(host, timeout=_ANSWER_S)
    # The certificate is for the name by which others know this machine, and the port is the server's.
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return http.client.HTTPSConnection(host, timeout=_ANSWER_S, context=context)


__all__ = ["InviteError", "invite"]

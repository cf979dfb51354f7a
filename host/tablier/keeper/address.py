"""Where a log's keeper is found: a socket in a folder of this user alone."""

from __future__ import annotations

import os
import socket
import struct
import sys
from hashlib import sha256
from pathlib import Path

from tablier.table.ports import check_dir, make_simulated_dir, simulated_dir

_DIGITS = 16
READY, LOCKED, FAILED = "ready", "locked", "failed"
"""The words with which a keeper tells whoever starts it that it listens, or, with the reason, that somebody else has
the log, or that it cannot be kept."""


def address_of(log: str | os.PathLike[str], *, make: bool = False) -> Path:
    """Return the path of the socket of a log's keeper, short enough for one: named by a hash of the log's real path.

    ``make``: make its folder. Raise :class:`tablier.table.ports.UnsafeDirectory` where others could put a socket there.
    """
    folder = make_simulated_dir() if make else simulated_dir()
    check_dir(folder)
    return folder / f"keeper-{sha256(os.fsencode(os.path.realpath(log))).hexdigest()[:_DIGITS]}"


def user_of(peer: socket.socket) -> int | None:
    """Return the user at the other end of a Unix socket; ``None`` where the system does not say."""
    if sys.platform == "linux":
        _, user, _ = struct.unpack("3i", peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        return int(user)
    if sys.platform == "darwin":  # LOCAL_PEERCRED: a version, the user, groups
        _, user = struct.unpack("2I", peer.getsockopt(0, 1, 8))
        return int(user)
    return None

"""The generated sections of the keeper's ``PROTOCOL.md``: its methods as they are declared, who may use them, and
what is sent.

``python -m tests.protocol_tables`` rewrites them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.declared import fields, reached

from tablier import messages
from tablier.keeper import protocol
from tablier.keeper.access import GUEST, NOBODY, OPERATOR, ORGANISER, PERSON, PLAYER, SEAT, SPECTATOR, Right
from tablier.keeper.server import METHODS

ROLES: dict[str, tuple[str, ...]] = {
    "who watches": (),
    "who has come in": (GUEST,),
    "the person": (GUEST, PERSON),
    "who holds the seat": (GUEST, PLAYER, SEAT),
    "who holds another seat": (GUEST, PLAYER),
    "an organiser": (GUEST, ORGANISER),
    "the operator": (OPERATOR,),
}

_NAMED = re.compile(r"`([A-Z]\w+)`")


def answers() -> Iterator[type]:
    """Yield what the methods say they give. Raise :class:`AttributeError` for what is nowhere sent."""
    for method in METHODS.values():
        for name in _NAMED.findall(method.gives):
            yield getattr(messages, name)


def allows(right: Right, *roles: str) -> bool:
    """Return True for a connection that has said hello and has these roles, where it names a seat."""
    return bool(right.roles & {SPECTATOR, *roles}) and not (right.of_viewers and SEAT not in roles)


def may_use(right: Right, role: str) -> str:
    """Return what the document says of a right of one of :data:`ROLES`."""
    roles = ROLES[role]
    if right.of_viewers and SEAT not in roles:
        return "as a spectator"
    if OPERATOR in roles and right.at_table:
        return "for seats at the table"
    if right.nameless and right.roles & {*roles} & {ORGANISER, OPERATOR}:
        return "in nobody's name (seat 0)"
    return "yes" if allows(right, *roles) else "–"


def rights() -> Iterator[str]:
    yield "| method | " + " | ".join(ROLES) + " |"
    yield "|" + "---|" * (len(ROLES) + 1)
    for name, method in METHODS.items():
        assert method.right.roles & {SPECTATOR, PERSON, PLAYER, SEAT, OPERATOR} or method.right.roles == {NOBODY}
        yield f"| `{name}` | " + " | ".join(may_use(method.right, role) for role in ROLES) + " |"


def methods() -> Iterator[str]:
    yield "| method | parameters | result |"
    yield "|---|---|---|"
    for name, method in METHODS.items():
        yield f"| `{name}` | {method.takes} | {method.gives} |".replace("|  |", "| |")


def sent() -> Iterator[str]:
    """What is sent, each message before what is in it."""
    for struct in reached(*messages.NOTICES.values(), *answers()):
        yield ""
        yield f"**`{struct.__name__}`**: {(struct.__doc__ or '').strip()}"
        yield ""
        yield "| field | type | what it holds |"
        yield "|---|---|---|"
        for name, optional, kind, what in fields(struct):
            bars = kind.replace("|", "\\|")
            yield f"| `{name}`{'?' if optional else ''} | `{bars}` | {what} |"


SECTIONS: dict[str, Callable[[], Iterator[str]]] = {"rights": rights, "methods": methods, "sent": sent}

DOCUMENT = Path(protocol.__file__).with_name("PROTOCOL.md")

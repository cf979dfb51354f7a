"""The values that the client of a table hands out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tablier.texts import Text
from tablier_fw import wire


@dataclass(frozen=True)
class TableEvent:
    """An event of the table, in order, not acknowledged yet. ``values`` holds its fields by name."""

    boot: str
    number: int
    message: wire.Message
    values: dict[str, Any]
    time: float
    """The time of the event, in the clock's seconds."""


@dataclass(frozen=True)
class Walked:
    """A place's position in its menu; may be lost."""

    question: int
    place: int
    option: int


@dataclass(frozen=True)
class Told:
    """Something that the self-test asks for; may be lost."""

    message: wire.Message
    values: dict[str, Any]


@dataclass(frozen=True)
class Unfit:
    """Something that the table says and that cannot be: a fault of the table, or of a kind that only a newer host
    knows. An event (``number`` is not 0) is made durable and acknowledged like any other, or those after it never
    come; what it says is not used."""

    boot: str
    number: int
    what: str
    """The name of the message."""
    why: Text
    """The reason why it cannot be true."""
    code: int = 0
    payload: bytes = b""
    """The bytes of an event that no message has."""
    event: TableEvent | None = None
    """An event whose bytes are sound."""


@dataclass(frozen=True)
class Refused:
    """The table does not take what it was told. It is said once, and what was refused is not sent again."""

    message: wire.Message
    why: Text
    """Which field, what it holds, what is allowed."""


@dataclass(frozen=True)
class Rebooted:
    """The table has another boot id than before: what it had not sent is lost, and every open question is void.

    Commitments are bound to a boot, so the client sends no question, no word for a place and no tune to another boot
    than the one it was wanted for. The asker has to ask again.
    """

    boot: str
    before: str | None
    lost: int | None = None
    """The number of events of earlier boots that no host has called durable; ``None`` where nobody knows."""


@dataclass(frozen=True)
class Unplugged:
    """The port is gone."""


@dataclass(frozen=True)
class Plugged:
    """The table answers again."""


@dataclass(frozen=True)
class Ailing:
    """The table has other faults than before; none when all is well again."""

    before: int
    faults: int
    """``wire.NO_CHAIN``, ``wire.NO_SAMPLES`` and ``wire.NO_POWER``, as bits."""


Incoming = TableEvent | Unfit | Refused | Walked | Told | Rebooted | Unplugged | Plugged | Ailing

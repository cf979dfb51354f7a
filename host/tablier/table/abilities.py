"""Abilities of tables: which a message needs, and their names."""

from __future__ import annotations

from tablier.texts import Text
from tablier_fw import wire, words


def needed(message: wire.Message, payload: bytes) -> int:
    """Return the abilities, as bits, that a table must have to take a message with these contents."""
    bits: int = message.ability
    if wire.slot_of(message, payload) == wire.QUESTION_SLOT:
        values = dict(zip(message.names, message.unpack(payload), strict=True))
        flags = values["flags"]
        bits |= wire.CAN_CALL * bool(flags & wire.CALL)
        if message is wire.MENU:
            bits |= wire.CAN_HIDE * bool(flags & (wire.SECRET | wire.QUIET))
        elif message is wire.TALLY:
            bits |= wire.CAN_GIVE * bool(flags & wire.VEIL or values["given"])
    return bits


def names_of(abilities: int) -> list[str] | list[Text]:
    """Return the names of abilities that are given as bits."""
    known = [name for bit, (name, _) in enumerate(words.ABILITIES) if abilities >> bit & 1]
    return known or [Text("what this host does not know either")]

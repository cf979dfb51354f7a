"""The types of the pages' scripts, ``pages/messages.d.ts``: ``python -m tests.protocol_tables`` writes them anew."""

from __future__ import annotations

from pathlib import Path

from tests.declared import interfaces

from tablier.web import states

TYPES = Path(states.__file__).with_name("pages") / "messages.d.ts"
_HEAD = "// What pages get, made from states.py by: python -m tests.protocol_tables"


def text() -> str:
    """Return what the file has to hold."""
    return "\n".join([_HEAD, *interfaces(*states.PAGES)]) + "\n"

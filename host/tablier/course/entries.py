"""What a session is fed and what follows from it: entries, as a log has them.

Kinds of entries that go in, with their bodies (``id`` is that of the question):

========== =========================================================================================================
seed       ``{"seed", …}``: what the host draws chance from; the first entry, and secret until the game is over
run        ``{"run"}``: a run of the host in a game without a table; stands in for the boot in commitments
table      an event of the wire as it came: ``{"event", "id", "place", …}``; ``hello`` names board and boot
fault      ``{"what", "why", …}``: what the table said and cannot be, as it came; it is judged again and not used
sits       ``{"seat", "source", "by"}``: what decides for a seat from now on; ``by``: the seat itself, or 0 for the
           log's keeper. With ``why``: a built-in bot takes over from one that failed
reply      what a screen or a bot says: ``{"event", "id", "seat", …}``, with ``salt`` where it is secret. Events:
           ``played`` move (or ``null``), ``answered`` yes, ``picked`` option, ``thrown`` rank, ``done``
contribution ``{"id", "bytes"}``: what the host adds to a roll that the table has committed to; 16 bytes
commitment ``{"event": "locked", "id", "seat", "commitment"}``: a screen or a bot is bound to its choice
opening    ``{"event": "opened", "id", "seat", "nonce", "choice"}``: what it was bound to
gap        ``{"boot", "after", "lost"}``: a boot of the table ended; what the open question had gathered is void
since      ``{"lost", "rolls"}``: this log is older than the table; ``{}``: another log has these events
void       ``{"id", "why", …}``: what the open choice or roll had gathered is void, and it is asked again
request    ``{"to", "seat"}``: a seat asks to keep that number of moves; other people are asked whether they agree
correction ``{"at", "move", "seat"}``: what was really played as the move of that number, as a seat says (0: the log's
           keeper). It replaces the move when others agree, and those after it as far as they cannot follow any
           more; one from before the last secret, roll or draw only where all that followed stands, else it is noted
dispute    ``{"at", "text", "seat"}``: a seat disputes the move of that number; noted only
pause      ``{"seat"}``: a seat (0: the log's keeper) pauses the game; people are asked whether to resume it; the
           first yes ends the pause, and so does the same with ``"ends": true``. Then the question that was open is
           asked again
call       ``{"seat"}``: a seat stops play, as ``called`` of a place does: it is asked why; what it says is like a
           ``correction`` or a ``pause``. Then the question that was open is asked again
elapsed    ``{"id"}``: the caller has pressed nothing for a minute; play resumes
mistake    ``{"seat"}``: a seat has entered in secret what it did not draw. Where others agree, it says in secret what
           it entered and what it drew; one replaces the other if all that followed stands
shown      ``{}``: the end has stood on the table; those who sit there are asked whether they have seen it, or, with
           ``"another": true``, whether the same people play another game
========== =========================================================================================================

What comes out: ``ask``, ``move``, ``note``, ``takeback``, ``end``, and ``aborted``: a roll that the table had
committed to is void. In a prelude (:class:`tablier.games.core.Prelude`) ``prelude``, like a move, and at its end
``begins``: ``{"options"}``, what it has settled.
"""

from __future__ import annotations

from typing import Any

from tablier.texts import Text, counted

Body = dict[str, Any]
Item = tuple[str, Body]
"""An entry: its kind and its body."""

INPUTS = (
    *("seed", "run", "table", "fault", "sits", "reply", "commitment", "opening", "contribution", "gap", "void"),
    "since",
    *("request", "correction", "dispute", "mistake", "pause", "call", "elapsed", "shown"),
)
"""The kinds of entries that a session is fed."""
CORRECTED = "correction"
"""The source of a move that was corrected, or follows one that was."""
SCHEMA = 4
"""Raised whenever entries of a game change their meaning. The first three were never released."""
OUTPUTS = ("ask", "prelude", "begins", "move", "takeback", "aborted", "source", "note", "end")
"""The kinds of entries that follow from them."""


def events_text(count: int) -> Text:
    """Return a number of events of the table."""
    return counted(count, "{count} event", "{count} events")


def rolls_text(count: int) -> Text:
    """Return a number of rolls of the table."""
    return counted(count, "{count} roll", "{count} rolls", "no roll")

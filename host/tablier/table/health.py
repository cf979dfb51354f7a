"""A table's status in words: how long it has been running and why it started, its memory, its clock, its line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tablier.texts import Text, counted, number_text
from tablier_fw import wire

NO_POWER = Text("The table has no 5 V: is its adapter plugged in, and its rocker on? Its pixels and beams are dark.")
ANSWERS = Text("The table answers.")
BOARD = Text("board     {board}")
FAULT = Text("fault     {fault}")
PUBLIC_PIXEL = Text("the public pixel of place {place}")
_FAULTS = {
    wire.NO_CHAIN: Text(
        "The table's buttons do not answer: look at the cable of the chain of buttons and at U1. Until then nobody can"
        " press."
    ),
    wire.NO_SAMPLES: Text("The table no longer reads its buttons: switch it off and on. Until then nobody can press."),
    wire.NO_POWER: NO_POWER,
}
_BUTTONS = wire.NO_CHAIN | wire.NO_SAMPLES

POWER, RESET, WATCHDOG, ERROR = 1, 2, 3, 4
CAUSES = {POWER: "power", RESET: "reset", WATCHDOG: "watchdog", ERROR: "error"}
"""The causes of a start that a hello names (``cause`` in ``firmware/PROTOCOL.md``), with their keys."""


def cause_text(cause: int) -> Text:
    """Return the cause of a table's last start in words."""
    if cause == POWER:
        return Text("power was switched on")
    if cause == RESET:
        return Text("reset, by its button or by a program")
    if cause == WATCHDOG:
        return Text("the watchdog restarted it, because its firmware hung")
    if cause == ERROR:
        return Text("it restarted after an error in its firmware")
    return Text("unknown to this version of tablier ({cause})", {"cause": cause})


def health_texts(status: Mapping[str, int]) -> Sequence[Text]:
    """Return a status of the table, or the sum of several, in lines that begin with what they are about.

    ``status``: the fields of the message ``status`` (``firmware/PROTOCOL.md``), times in microseconds, and ``cause``.
    """
    about: dict[str, str | int] = {name: status[name] for name in ("number", "acked", "bad_frames", "resent")}
    about |= {"seconds": number_text(status["time"] / 1e6, ".0f")}
    about |= {"used": number_text(status["heap_used"], ","), "free": number_text(status["heap_free"], ",")}
    loop, collect = ({"longest": number_text(status[name] / 1000, ".1f")} for name in ("loop_us", "collect_us"))
    one, many = "loop      {count} turn, the longest {longest} ms", "loop      {count} turns, the longest {longest} ms"
    once = "garbage   {count} collection, {longest} ms"
    often = "garbage   {count} collections, the longest {longest} ms"
    return [
        Text("started   {seconds} s ago", about),
        Text("cause     {why}", {"why": cause_text(status.get("cause", 0))}),
        Text("heap      {used} bytes used, {free} free", about),
        counted(status["loops"], one, many, **loop),
        counted(status["collections"], once, often, **collect),
        Text("events    {number}, of which {acked} are durable", about),
        Text("line      {bad_frames} bad frames, {resent} events sent again", about),
        *(FAULT.of(fault=fault) for fault in fault_texts(faults_of(status))),
    ]


def faults_of(status: Mapping[str, int]) -> int:
    """Return the faults in a status: ``wire.NO_CHAIN``, ``wire.NO_SAMPLES`` and ``wire.NO_POWER``, as bits."""
    return status["flags"] >> wire.FAULTS_SHIFT & sum(_FAULTS)


def fault_texts(faults: int) -> list[Text]:
    """Return in words, with the cure, what is wrong with the table."""
    return [text for fault, text in _FAULTS.items() if faults & fault]


def changed_texts(before: int, now: int) -> list[Text]:
    """Return what is new of a table's faults, and what is well again."""
    texts = fault_texts(now & ~before)
    if before & _BUTTONS and not now & _BUTTONS:
        texts.append(Text("The table's buttons answer again."))
    if before & ~now & wire.NO_POWER:
        texts.append(Text("The table has its 5 V again."))
    return texts


__all__ = ["CAUSES", "NO_POWER", "cause_text", "changed_texts", "fault_texts", "faults_of", "health_texts"]

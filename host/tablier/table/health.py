"""A table's status in words: how long it runs, its memory, its clock, its line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tablier.texts import Text, counted


def health_texts(status: Mapping[str, int]) -> Sequence[Text]:
    """Return a status of the table, or the sum of several, in lines that begin with what they are about.

    ``status``: the fields of the message ``status`` (``firmware/PROTOCOL.md``), times in microseconds.
    """
    about: dict[str, str | int] = {name: status[name] for name in ("number", "acked", "bad_frames", "resent")}
    about |= {"seconds": f"{status['time'] / 1e6:.0f}"}
    about |= {"used": f"{status['heap_used']:,}", "free": f"{status['heap_free']:,}"}
    loop, collect = ({"longest": f"{status[name] / 1000:.1f}"} for name in ("loop_us", "collect_us"))
    one, many = "loop      {count} turn, the longest {longest} ms", "loop      {count} turns, the longest {longest} ms"
    once = "garbage   {count} collection, {longest} ms"
    often = "garbage   {count} collections, the longest {longest} ms"
    return [
        Text("started   {seconds} s ago", about),
        Text("heap      {used} bytes used, {free} free", about),
        counted(status["loops"], one, many, **loop),
        counted(status["collections"], once, often, **collect),
        Text("events    {number}, of which {acked} are durable", about),
        Text("line      {bad_frames} bad frames, {resent} events sent again", about),
    ]


__all__ = ["health_texts"]

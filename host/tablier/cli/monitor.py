"""Work a table by hand, with the codec of the games: watch frames, send frames, measure time."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from tablier.cli.common import CommandError, refusing, say
from tablier.service.trips import Pongs, measure
from tablier.table import refusals
from tablier.table.client import Client
from tablier.table.clock import Clock
from tablier.table.unusable import TableError
from tablier.texts import Text, number_text
from tablier_fw import wire, words

_HELP = (
    Text("NAME FIELD=VALUE …   send a message, for example: watch id=1 flags=0 places=0x3f"),
    Text("                     bytes are hexadecimal: scene group=1 pixels=032000 …"),
    Text("                     (for each pixel: colour, brightness, effect)"),
    Text("messages             what there is to send, with its fields"),
    Text("status               the status of the table"),
    Text("ack                  acknowledge every event that has come"),
    Text("quit                 leave; the table keeps what it shows"),
)


def shown(message: wire.Message, values: tuple[Any, ...]) -> str:
    """Return a frame as text: its name, then its fields; bytes in hexadecimal."""
    fields = zip(message.names, values, strict=True)
    return " ".join([message.name, *(f"{name}={v.hex() if isinstance(v, bytes) else v}" for name, v in fields)])


def parse(text: str) -> tuple[wire.Message, list[Any]]:
    """Return the message and the field values that a line names. Raise :class:`CommandError`."""
    name, *given = text.split()
    messages = {message.name: message for message in wire.MESSAGES if message.way == wire.TO_TABLE}
    message = messages.get(name)
    if message is None or message is wire.HOST_HELLO:
        raise CommandError("there is no message {name} to send; 'messages' lists them", name=repr(name))
    texts = dict(pair.partition("=")[::2] for pair in given)
    unknown = [key for key in texts if key not in message.names]
    missing = [key for key in message.names if key not in texts]
    if unknown or missing:
        raise CommandError(
            "{name} has the fields {names}; seen: {seen}",
            name=name,
            names=message.names,
            seen=list(texts) or Text("none"),
        )
    values = []
    for key, form, *_ in message.fields:
        is_bytes = form[0] == "*" or form[-1] == "s"
        try:
            values.append(bytes.fromhex(texts[key]) if is_bytes else int(texts[key], 0))
        except ValueError:
            wrong = "{key}={seen}: hexadecimal bytes expected" if is_bytes else "{key}={seen}: a number expected"
            raise CommandError(wrong, key=key, seen=repr(texts[key])) from None
    try:
        message.encode(*values)
    except wire.WireError as error:
        raise CommandError(refusals.misfit(message, values, error.fault)) from None
    return message, values


def monitor(client: Client, only: Callable[[wire.Message], bool]) -> None:
    """Print every frame until interrupted. Acknowledge nothing, so that a later game misses nothing."""
    start = client.clock.now()

    def show(came: bool, message: wire.Message, values: tuple[Any, ...]) -> None:
        if only(message):
            say(f"{client.clock.now() - start:9.3f} {'<' if came else '>'} {shown(message, values)}", flush=True)

    client.trace = show
    while True:
        client.poll(1.0)


def work(client: Client, clock: Clock) -> None:
    """Send the messages of standard input's lines; print events and answers to pings."""
    lines: SimpleQueue[str | None] = SimpleQueue()
    newest = 0

    def read() -> None:
        for line in sys.stdin:
            lines.put(line.strip())
            clock.wake()
        lines.put(None)
        clock.wake()

    def show(came: bool, message: wire.Message, values: tuple[Any, ...]) -> None:
        nonlocal newest
        if came and message is not wire.STATUS:
            say(f"< {shown(message, values)}", flush=True)
        if came and message.group == wire.EVENT:
            newest = max(newest, values[0])

    client.trace = show
    from tablier import waiting  # not at each start

    waiting.beside(read, "lines")
    while True:
        while not lines.empty():
            line = lines.get_nowait()
            if line is None or line == "quit":
                client.poll(0.2)
                return
            try:
                _obey(client, line, newest)
            except CommandError as error:
                say(f"! {error}", flush=True)
        client.poll(1.0)


def _obey(client: Client, line: str, newest: int) -> None:
    if not line:
        return
    if line == "help":
        say(*_HELP)
    elif line == "messages":
        for message in wire.MESSAGES:
            if message.way == wire.TO_TABLE and message is not wire.HOST_HELLO:
                say(f"{message.name} {' '.join(message.names)}", f"    {words.MESSAGES[message.name]}")
    elif line == "status":
        for key, value in client.status.items():
            say(f"{key:11} {value.hex() if isinstance(value, bytes) else value}")
    elif line == "ack":
        client.send(wire.ACK, newest)
    else:
        message, values = parse(line)
        if message.group == wire.STATE:
            client.want(message, *values)
        else:
            client.send(message, *values)


def bench(client: Client, clock: Clock) -> None:
    """Time pings one by one, then as many as the line carries."""
    with refusing(TableError):
        trips = measure(client, client.poll)
    args: dict[str, object] = {"median": number_text(trips.median_ms, ".2f"), "p99": number_text(trips.p99_ms, ".2f")}
    args |= {"lost": trips.lost, "count": trips.count}
    say(Text("round trip   median {median} ms, p99 {p99} ms, {lost} of {count} lost", args))
    begun, count, in_flight = clock.now(), trips.count, 8
    with Pongs(client) as pongs:
        for _ in range(in_flight):
            client.send(wire.PING, int(clock.now() * 1e6))
        while pongs.count < count and clock.now() < begun + 10.0:
            before = pongs.count
            client.poll(0.2)
            for _ in range(pongs.count - before):
                client.send(wire.PING, int(clock.now() * 1e6))
    seconds = clock.now() - begun
    bytes_each = len(wire.frame(wire.PONG, bytes(8), bytes(8), wire.PONG.encode(0, 0)))
    rate = pongs.count / seconds if seconds else 0.0  # no time passes at a table of virtual time
    args = {"rate": number_text(rate, ",.0f"), "speed": number_text(rate * bytes_each / 1000, ",.1f")}
    say(Text("throughput   {rate} pings and answers a second, {speed} kB/s from the table", args))


def matching(names: str | None) -> Callable[[wire.Message], bool]:
    """Return the messages that ``--only`` names, separated by commas, or all. Raise :class:`CommandError`."""
    if names is None:
        return lambda message: True
    known = {message.name for message in wire.MESSAGES}
    chosen = set(re.split(r"\s*,\s*", names))
    if not chosen <= known:
        raise CommandError(
            "--only {names}: there is no message {wrong}; {known}",
            names=repr(names),
            wrong=repr(sorted(chosen - known)[0]),
            known=sorted(known),
        )
    return lambda message: message.name in chosen

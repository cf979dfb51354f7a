"""A tester's verbs, and what they do to a simulated table.

Verbs are lines of text, on the control socket or on standard input; each is answered, in order, by one line of
JSON::

    press PLACE BUTTON [MS]      press a button and let go of it after MS (80); buttons: minus plus a b
    hold PLACE BUTTON            press and hold;  release PLACE BUTTON lets go
    land HOW [TAG]               a card lands now: flat, leaning, rim, outside; TAG is what is printed on it
    throw HOW [TAG]              the same as people would, each time otherwise; also glance: from the rim to outside
    slide TAG                    a card that leans, or lies on the rim, slides down and lies flat
    wave N                       somebody moves a card through a beam (0–7), and out again
    bump | hand                  somebody knocks against the table, or holds a hand over the arena for a while
    shine BITS                   light from elsewhere on the receivers of these beams (a number; bit 0 is the first)
    clear                        take all cards out of the arena;  take TAG takes one
    pile                         the cards that lie there, in order of landing
    pixels                       all pixels, by group;  pixel GROUP N one: ring 0–31, public 1–6, hoodP 0–4
    until GROUP N RRGGBB [S]     wait until that pixel has that colour, at most S seconds (10) of table time
    unplug | plug                the cable, while the adapter gives power
    usb suspend | resume | reset the computer sleeps with the port open, and wakes; it finds the table anew
    dtr on | off                 the line that says whether a program has the port open; a pseudo-terminal has none
    reset                        the reset button
    service on | off             press the service button, or let go of it
    power                        power is cut and comes back
    faults drop=P double=P flip=P cut=P seed=N      make the line bad, a probability a frame; faults alone mends it
    defect beam N PERCENT        so much is left of the light of a beam (0–7); less than 50 and it reads broken
    defect button PLACE BUTTON open|closed          a contact that never closes, or always is
    defect wires PLACE BUTTON PLACE BUTTON          two buttons that are wired as each other
    defect pixel GROUP N         a pixel that stays dark;  defect hoods P Q  two hoods that are plugged in as each other
    defect floor N PERCENT       so much is left of what a card reflects to a floor sensor (0 offer, 1 pile)
    defect chain | sampler | impact | power
                                 no cable to the buttons; nothing samples them; no impact is felt; no 5 V
    mend                         nothing is wrong any more
    join                         take part in virtual time: from now on it passes only while you wait, too
    opened                       you have opened the port: bytes are counted from here
    wait UNTIL WRITTEN READ PICTURES
                                 wait until that time in µs, until the table has sent more than READ bytes, or shows
                                 another picture; the table first reads your WRITTEN bytes; - for what is not meant
    wake                         end a wait; has no answer of its own
    pace PERCENT                 let time pass more slowly: 5 to 100 percent of life's pace
    time | quit
    stats                        boots, plugs, tunes and pictures so far, and the volume of the latest tone; on a bad
                                 line, frames and faults each way

In life's time a press lasts at least until the board has seen it, however little of the time the board gets. ``press``
is answered when the board has felt the release, and ``hold``, ``release`` and ``service`` when it has felt these: verbs
sent back to back happen one after the other. In virtual time they are answered at once; let 100 ms pass in between.

**Time** is life's, or virtual. In virtual time it stands still while any participant (a connection that has said
``join``) is at work, and jumps to the next thing that happens when all of them wait. A participant that says ``opened``
and then how many bytes it has written and read makes the order of things the same in every run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from tablier.simulation.board import Board
from tablier.simulation.cards import CardError, Cards
from tablier.simulation.control import Answer, Connection, VerbError
from tablier.simulation.events import Quit
from tablier.simulation.port import Port
from tablier.simulation.timeline import LifeTime, Timeline
from tablier.simulation.waits import Waits
from tablier.simulation.words import (
    beam_of,
    beams_of,
    card_of,
    defect_of,
    faults_of,
    number_of,
    pixel_of,
    pixels_by_group,
    switched_on,
    throw_of,
    wrong_words,
)
from tablier_fw import wire

_SLOWEST = 5
"""The least percentage of life's pace."""

Verb = Callable[[list[str]], Answer | None]


class Machine(Protocol):
    """The machine that runs the firmware."""

    def reset(self) -> None:
        """Do what the reset button does."""

    def cut_power(self) -> None:
        """Cut the power, and bring it back."""

    def stats(self) -> dict[str, Any]:
        """Return the number of boots and other statistics."""


class Verbs:
    """A tester's verbs, over the parts of the table that they drive."""

    def __init__(
        self,
        machine: Machine,
        *,
        timeline: Timeline,
        port: Port,
        board: Board,
        cards: Cards,
        waits: Waits,
    ) -> None:
        self._machine = machine
        self._timeline = timeline
        self._port = port
        self._board = board
        self._cards = cards
        self._waits = waits
        self._docs = [__doc__ or ""]
        self._of_connections = waits.verbs()
        self._verbs: dict[str, Verb] = {
            "land": lambda args: _at_card(cards.land, *throw_of("land", wire.LANDINGS, args)),
            "throw": lambda args: _at_card(cards.throw, *throw_of("throw", (*wire.LANDINGS, "glance"), args)),
            "slide": lambda args: _at_card(cards.slide, card_of(args)),
            "take": lambda args: _at_card(cards.take, card_of(args)),
            "clear": lambda args: cards.clear(),
            "pile": self._pile,
            "bump": lambda args: cards.bump(),
            "hand": lambda args: cards.hold_hand(),
            "wave": lambda args: cards.wave(beam_of(args)),
            "shine": lambda args: cards.shine(beams_of(args)),
            "pixels": self._pixels,
            "pixel": self._pixel,
            "unplug": lambda args: port.unplug(),
            "plug": self._plug,
            "usb": self._usb,
            "dtr": lambda args: port.set_dtr(switched_on("dtr", args)),
            "reset": lambda args: machine.reset(),
            "power": lambda args: machine.cut_power(),
            "faults": lambda args: port.spoil(faults_of(args)),
            "defect": lambda args: board.damage(defect_of(args)),
            "mend": lambda args: board.mend(),
            "pace": self._pace,
            "time": lambda args: self.clock(),
            "stats": self._stats,
            "help": self._help,
            "quit": lambda args: timeline.at(timeline.now(), self._quit),
        }

    def add(self, verbs: dict[str, Verb], doc: str | None) -> None:
        """Add verbs. ``doc``: a text whose lines indented by four spaces are their forms."""
        self._verbs |= verbs
        self._docs.append(doc or "")

    def clock(self) -> Answer:
        return self._waits.clock()

    def obey(self, connection: Connection, words: list[str]) -> Answer | None:
        """Return the answer to a verb, or ``None`` if it comes later. Raise :class:`VerbError`."""
        verb, *args = words
        if verb in self._of_connections:
            return self._of_connections[verb](connection, args)
        if verb not in self._verbs:
            known = sorted([*self._verbs, *self._of_connections])
            raise VerbError("there is no verb {verb}; verbs: {known}", verb=repr(verb), known=" ".join(known))
        return self._verbs[verb](args) or {"ok": True}

    def _pile(self, args: list[str]) -> Answer:
        cards = [{"how": card.how, "tag": card.tag, "time": card.time} for card in self._cards.pile()]
        return {"ok": True, "now": self._timeline.now(), "cards": cards}

    def _pixels(self, args: list[str]) -> Answer:
        return {"ok": True, "pictures": self._board.pictures, **pixels_by_group(self._board.pixels)}

    def _pixel(self, args: list[str]) -> Answer:
        start = pixel_of(args)
        return {"ok": True, "colour": self._board.pixels[start : start + 3].hex()}

    def _plug(self, args: list[str]) -> Answer:
        self._port.plug()
        return {"ok": True, "port": self._port.name}

    def _usb(self, args: list[str]) -> Answer:
        acts = {"suspend": self._port.suspend, "resume": self._port.resume, "reset": self._port.reset_bus}
        if len(args) != 1 or args[0] not in acts:
            raise wrong_words("usb", "suspend, resume, reset")
        acts[args[0]]()
        return {"ok": True, "port": self._port.name}

    def _pace(self, args: list[str]) -> Answer:
        if not isinstance(self._timeline, LifeTime):
            raise VerbError("the time of this table is not life's")
        if len(args) != 1 or not _SLOWEST <= number_of(args[0]) <= 100:
            raise VerbError("pace takes a percentage, {least} to 100", least=_SLOWEST)
        self._timeline.set_pace(number_of(args[0]) / 100)
        return self.clock()

    def _stats(self, args: list[str]) -> Answer:
        done = {"plugs": self._port.plugs, "tunes": self._board.tunes, "volume": self._board.volume}
        done["pictures"] = self._board.pictures
        return {"ok": True, **self._machine.stats(), **done, **self._port.faults()}

    def _help(self, args: list[str]) -> Answer:
        lines = [line for doc in self._docs for line in doc.splitlines() if line[:4] == "    "]
        return {"ok": True, "verbs": [" ".join(line.split()) for line in lines]}

    @staticmethod
    def _quit() -> None:
        raise Quit


def _at_card(action: Callable[..., None], *args: str) -> None:
    """Do something with a card. Raise :class:`VerbError` if it does not lie as that needs."""
    try:
        action(*args)
    except CardError as error:
        raise VerbError(error.text) from None

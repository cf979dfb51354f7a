"""Traces of the arena's sensors, by seed, with what really happened; and what the classifier makes of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from tablier.simulation.arena import BEAMS, FLOOR, IMPACT, RIM, Arena, Edge, Fall, Happening, Model, Senses
from tablier_fw import wire
from tablier_fw.landing import Landing, Landings

BEGIN = 1000.0
TAIL_MS = 1500
FAST_MS, FALL_MS, AT_REST_MS = 38, 145, 120
"""Of a clean card: from the first beam of the rim tier to the last, from the first of all to its touch, and on to
where it is at rest."""
NONE = "none"


@dataclass
class Trace:
    """A course of events, and a referee's judgement of it."""

    seed: int
    kind: str
    happenings: list[Happening] = field(default_factory=list)
    cards: list[Fall] = field(default_factory=list)
    """In the order in which they come in."""

    def edges(self) -> list[Edge]:
        return edges_of(self.happenings)


def edges_of(happenings: Iterable[Happening]) -> list[Edge]:
    """Return all edges of a trace, in order."""
    senses = Senses(Arena.stretch)
    ordered = sorted((round(ms * 1000), line, change) for ms, line, change in happenings)
    return [edge for happening in ordered for edge in senses.feel(*happening)]


@dataclass
class Told:
    landing: Landing
    at: float
    """ms: when it was told."""

    @property
    def how(self) -> str:
        return wire.LANDINGS[self.landing.kind]


def classify(edges: list[Edge], start: int = 0) -> tuple[list[Told], list[int]]:
    """Run the classifier over edges, a tick each ms; return the landings and the numbers of those that moved.
    ``start`` is added to the board's ms, to let them wrap."""
    landings = Landings()
    told: list[Told] = []
    moved: list[int] = []
    now = 0

    def tick() -> None:
        landing = landings.next_landing(now + start & 0x3FFFFFFF)
        if landing is not None:
            told.append(Told(landing, now))
        number = landings.next_moved(now + start & 0x3FFFFFFF)
        if number:
            moved.append(number)

    for us, line, level in edges:
        now = max(now, us // 1000 - 400)  # nothing is due after a longer rest
        while now < us // 1000:
            now += 1
            tick()
        landings.edge((us // 1000 + start) & 0x3FFFFFFF, line, level, us)
    for _ in range(TAIL_MS):
        now += 1
        tick()
    return told, moved


def pile() -> list[Happening]:
    """Return the edges of the offer, which lies on its floor sensor from the start."""
    return [(0.0, FLOOR, 1)]


def single(seed: int, how: str) -> Trace:
    """One card, on a pile of any height."""
    model = Model(Random(seed))
    model.cards = model.random.randint(1, 25)
    card = model.throw(how, BEGIN)
    return Trace(seed, how, pile() + card.happenings, [card])


def clean(seed: int, how: str) -> Trace:
    """One card that shows what its class means: the rim tier sees it come (and the low tier, unless it is to lie on the
    rim), all beams that it breaks are broken before it is felt, it falls fast and is at rest soon, and its beams stay
    broken."""
    for nudge in range(1000):
        trace = single(seed + 1_000_003 * nudge, how)
        (card,) = trace.cards
        broken = {line: ms for ms, line, change in card.happenings if line < BEAMS and change > 0}
        low, rim = ([broken[line] for line in broken if (line >= RIM) is tier] for tier in (False, True))
        struck = [ms for ms, line, _ in card.happenings if line == IMPACT]
        if not struck or not card.shown or not rim or not (low or how == "rim"):
            continue
        fast = max(rim) < min(rim) + FAST_MS and card.time < min(rim + low) + FALL_MS
        if fast and max(rim + low) < card.time and struck[-1] < card.time + AT_REST_MS:
            return trace
    raise AssertionError("no such card")


def burst(seed: int) -> Trace:
    """Two to six cards, as fast as people throw together: 20 ms to 900 ms apart."""
    model = Model(Random(seed))
    model.cards = model.random.randint(1, 15)
    trace = Trace(seed, "burst", pile())
    at = BEGIN
    for _ in range(model.random.randint(2, 6)):
        card = model.throw(model.random.choices(("flat", "leaning", "rim"), (70, 15, 15))[0], at)
        trace.cards.append(card)
        trace.happenings += card.happenings
        at += min(900.0, 20 + model.random.expovariate(1 / 200))
    return trace


def pair(seed: int, apart: float) -> Trace:
    """Two flat cards so many ms apart."""
    model = Model(Random(seed))
    cards = [model.throw("flat", BEGIN), model.throw("flat", BEGIN + apart)]
    return Trace(seed, "pair", pile() + cards[0].happenings + cards[1].happenings, cards)


def bump(seed: int) -> Trace:
    model = Model(Random(seed))
    return Trace(seed, "bump", pile() + model.bump(BEGIN))


def glance(seed: int) -> Trace:
    """A card strikes the rim and goes outside."""
    model = Model(Random(seed))
    return Trace(seed, "glance", pile() + model.throw("glance", BEGIN).happenings)


def hand(seed: int, *, knocking: bool = False) -> Trace:
    model = Model(Random(seed))
    found = model.hand(BEGIN, reaching=model.random.random() < 0.5, knocking=knocking)
    return Trace(seed, "hand that knocks" if knocking else "hand", pile() + found)


def under_a_hand(seed: int) -> Trace:
    """A flat card comes in while a hand is over the arena."""
    model = Model(Random(seed))
    card = model.throw("flat", BEGIN + 400)
    return Trace(seed, "under a hand", pile() + model.hand(BEGIN) + card.happenings, [card])


def in_light(seed: int) -> Trace:
    """A card of any class, while light from elsewhere blinds one receiver or two."""
    model = Model(Random(seed))
    trace = Trace(seed, "in light", pile())
    for beam in model.random.sample(range(8), model.random.randint(1, 2)):
        trace.happenings += model.light(beam, BEGIN - model.random.uniform(0, 900), 3000)
    card = model.throw(model.random.choice(("flat", "leaning", "rim")), BEGIN)
    trace.cards.append(card)
    trace.happenings += card.happenings
    return trace


def slide(seed: int, how: str) -> Trace:
    """A card that leans, or lies on the rim, and slides or falls in later, and a flat one after that."""
    model = Model(Random(seed))
    first = model.throw(how, BEGIN)
    found = first.happenings + model.slide(first, first.time + model.random.uniform(350, 900))
    second = model.throw("flat", BEGIN + 2000)
    return Trace(seed, f"{how}, slides", pile() + found + second.happenings, [first, second])


def take(seed: int) -> Trace:
    """A card that leans is taken out, and a flat one comes after that."""
    model = Model(Random(seed))
    first = model.throw("leaning", BEGIN)
    found = first.happenings + model.take(first.stays, BEGIN + 600)
    second = model.throw("flat", BEGIN + 4500)
    return Trace(seed, "taken out", pile() + found + second.happenings, [first, second])


def paired(trace: Trace, told: list[Told]) -> tuple[list[tuple[Fall, Told | None]], list[Told]]:
    """Match landings to cards, the first one left within 90 ms; return also those without a card."""
    left = list(told)
    found: list[tuple[Fall, Told | None]] = []
    for card in sorted(trace.cards, key=lambda card: card.time):
        near = [it for it in left if abs(it.landing.us / 1000 - card.time) < 90]
        found.append((card, near[0] if near else None))
        if near:
            left.remove(near[0])
    return found, left

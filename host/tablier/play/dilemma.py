"""How a game of Dilemma goes at the table: from a position to its next moves.

The offer is a menu. The window reports landings; then each landing is claimed, in order: whose is it, and which card. A
card that missed the arena is named by its thrower. At the end the list is read out, with how each card lies as the
sensors propose it and whether they are unsure of it: all who could throw agree, or one of them has owner, card or class
corrected. The moves follow from what was agreed. The duel is a choice.

Where landings are not to be trusted, because the table's self-test says so, those that are reported mean nothing: when
all have thrown, the cards are claimed from below, as many as there are, each with how it lies.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

from tablier.games.core import Position, seat_name
from tablier.games.dilemma import CHOICES, LANDINGS, State, choices_allowed, duel_card, ranks_of
from tablier.play.asking import CHOICE, MENU, POLL, WINDOW, Ask, Flow, Input
from tablier_fw import wire

Step = Generator[Ask, Input, None]


@dataclass
class Landing:
    """A landing of the window: what the sensors proposed, and what was claimed."""

    proposed: int
    confidence: int = 100
    """How sure the sensors are of it, in percent; people are when they have said it themselves."""
    doubts: int = 0
    """Why not, as :data:`tablier_fw.words.DOUBTS` says."""
    moved: bool = False
    """Whether it lies otherwise than when it came to rest."""
    seat: int = 0
    rank: int = 0
    how: str = ""

    @property
    def unsure(self) -> str:
        """What speaks against the proposal, in words; empty where it is likely enough."""
        if self.confidence >= SURE:
            return ""
        words = [word for doubt, word in _DOUBTS.items() if self.doubts & doubt]
        return "unsure: " + ", ".join(words) if words else "unsure"

    @property
    def listed(self) -> str:
        if not self.seat:
            return "nobody's"
        marks = ["unsure"] * bool(self.unsure) + ["moved since"] * self.moved
        return f"{self.rank} of {_name(self.seat)} {self.how}" + (f" ({', '.join(marks)})" if marks else "")


SURE = 70
"""From this confidence on a proposal is told without a word of doubt, in percent."""
_DOUBTS = {
    wire.EMPTY: "the floor is empty",
    wire.UNSEEN: "no beam saw it come",
    wire.UNFELT: "it was not felt",
    wire.HALF: "it may have gone outside",
    wire.HAND: "a hand was in the way",
    wire.CROWDED: "another came at the same time",
    wire.RESTLESS: "it was still moving",
    wire.MASKED: "some beams were broken already",
    wire.BOTH: "it may lean, or lie on the rim",
}


ENTERED_QUIET_S = 60.0
"""A window whose landings mean nothing is not closed by one before people say that it is over."""


def flow(position: Position[State], quiet_s: float = 5.0, by_claim: str = "") -> Flow:
    """The flow that this position needs next. ``quiet_s``: a window closes so long after the last landing.
    ``by_claim``: why landings are not to be trusted, if they are not."""
    state = position.state
    if state.phase == "offer":
        return _offer(state)
    if state.phase == "window":
        return Window(state, quiet_s, by_claim).run()
    return _duel(state)


def _name(seat: int) -> str:
    return "{" + seat_name(seat) + "}"


def _offer(state: State) -> Flow:
    seat = state.turn
    ranks = ranks_of(state.hands[seat - 1])
    text = f"{_name(seat)} provokes: which card is on offer?"
    rank = ranks[(yield from _pick("offer", seat, text, ranks))]
    return [f"{seat_name(seat)} offer {rank}"]


def _pick(
    what: str,
    seat: int,
    text: str,
    labels: list[int],
    options: tuple[str, ...] = (),
    start: int = 0,
    subject: int | None = None,
    listed: tuple[tuple[int, int, str], ...] = (),
) -> Generator[Ask, Input, int]:
    """One seat picks an option; asked again when the table has restarted."""
    while True:
        ask = Ask(
            MENU,
            what,
            (seat,),
            text,
            options=options or tuple(map(str, labels)),
            labels=tuple(labels),
            start=start,
            subject=subject,
            listed=listed,
        )
        input = yield ask
        while input.kind not in ("picked", "restarted"):
            input = yield ask
        if input.kind == "picked" and input.seat == seat:
            return int(input.option)


def _poll(
    what: str,
    seats: tuple[int, ...],
    text: str,
    *,
    first: bool,
    subject: int | None = None,
    listed: tuple[tuple[int, int, str], ...] = (),
) -> Generator[Ask, Input, dict[int, bool]]:
    """Seats answer yes or no; with ``first`` until one says yes, without until one says no. After a restart of the
    table those who had not answered are asked again."""
    answers: dict[int, bool] = {}
    ask = Ask(POLL, what, seats, text, first=first, subject=subject, listed=listed)
    while len(answers) < len(seats):
        input = yield ask
        if input.kind == "restarted":
            left = tuple(seat for seat in seats if seat not in answers)
            ask = replace(ask, seats=left)
        elif input.kind == "answered" and input.seat in seats:
            answers.setdefault(input.seat, bool(input.yes))
            if bool(input.yes) is first:
                break
    return answers


class Window:
    """The throwing window and its claims."""

    def __init__(self, state: State, quiet_s: float, by_claim: str = "") -> None:
        self.state = state
        self.by_claim = by_claim
        self.quiet_s = ENTERED_QUIET_S if by_claim else quiet_s
        self.seats = tuple(seat for seat, hand in enumerate(state.hands, 1) if hand and seat != state.turn)
        self.landings: list[Landing] = []
        self.missed: list[Landing] = []
        self.restarted = False
        """Whether the table has restarted meanwhile: landings may be lost, so the list is reviewed even if empty."""

    def run(self) -> Flow:
        if not self.seats:
            return ["table close"]
        missed_by = yield from self._watch()
        if self.by_claim:
            yield from self._enter()
        else:
            for index in range(len(self.landings)):
                yield from self._claim(index)
        for seat in missed_by:
            yield from self._name_missed(seat)
        if self.landings or self.missed or self.restarted:
            yield from self._review()
        throws = [landing for landing in self.landings if landing.seat]
        return [
            *(f"{seat_name(throw.seat)} throw {throw.rank} {throw.how}" for throw in (*throws, *self.missed)),
            "table close",
        ]

    def _watch(self) -> Generator[Ask, Input, list[int]]:
        """Gathers landings until the table closes the window; returns who had a card miss the arena."""
        done: dict[int, bool] = {}
        text = f"{_name(self.state.turn)} offers the {self.state.offer}: throw!"
        if self.by_claim:
            text += f" Say when you throw no more; then the cards are entered, because {self.by_claim}."
        ask = Ask(WINDOW, "window", self.seats, text, quiet_s=self.quiet_s)
        while True:
            input = yield ask
            if self.by_claim and input.kind in ("landed", "moved"):
                continue
            if input.kind == "landed":
                values = input.values
                self.landings.append(
                    Landing(int(input.landing), values.get("confidence", 100), values.get("doubts", 0))
                )
            elif input.kind == "moved":
                if input.index < len(self.landings):
                    self.landings[input.index].moved = True
            elif input.kind == "done":
                done[input.seat] = bool(input.missed)
            elif input.kind == "closed":
                return [seat for seat in self.seats if done.get(seat)]
            elif input.kind == "restarted":
                self.restarted = True
                left = tuple(seat for seat in self.seats if seat not in done)
                ask = replace(ask, seats=left, seen=len(self.landings))

    def _enter(self) -> Step:
        """The cards that lie in the arena are claimed from below, until nobody claims one."""
        while any(self._hand(seat) for seat in self.seats):
            self.landings.append(Landing(0))
            yield from self._claim(len(self.landings) - 1, doubted=True)
            if not self.landings[-1].seat:
                del self.landings[-1]
                return

    def _hand(self, seat: int, but: Landing | None = None) -> list[int]:
        """What a seat can still have thrown, those of its cards left out that are claimed already."""
        claimed = {it.rank for it in (*self.landings, *self.missed) if it.seat == seat and it is not but}
        return [rank for rank in ranks_of(self.state.hands[seat - 1]) if rank not in claimed]

    def _claim(self, index: int, *, doubted: bool = False) -> Step:
        """Whose card is it, and which one? Of a card in doubt, how does it lie?"""
        landing = self.landings[index]
        which = f"{_ordinal(index + 1)} card from below"
        seats = tuple(seat for seat in self.seats if self._hand(seat, landing))
        landing.seat = 0
        doubt = f" ({landing.unsure})" if landing.unsure else ""
        last = " Nobody's: there are no more." if self.by_claim and index == len(self.landings) - 1 else ""
        answers = yield from _poll("claim", seats, f"{which}{doubt}: whose is it?{last}", first=True, subject=index)
        owners = [seat for seat, yes in answers.items() if yes]
        if not owners:
            return  # nobody's: something else has struck the arena
        seat = owners[0]
        hand = self._hand(seat, landing)
        text = f"{which}: which card of {_name(seat)} is it?"
        landing.rank = hand[(yield from _pick("card", seat, text, hand, subject=index))]
        how = landing.proposed
        if doubted:
            text = f"{which}, the {landing.rank} of {_name(seat)}: how does it lie?"
            how = yield from _pick("landing", seat, text, [1, 2, 3, 4], LANDINGS, start=how, subject=index)
            landing.confidence, landing.moved = 100, False
        landing.seat, landing.how = seat, LANDINGS[how]

    def _name_missed(self, seat: int) -> Step:
        hand = self._hand(seat)
        if hand:
            text = f"{_name(seat)}: which card missed the arena?"
            rank = hand[(yield from _pick("missed", seat, text, hand))]
            self.missed.append(Landing(3, seat=seat, rank=rank, how="outside"))

    def _review(self) -> Step:
        """Everybody who could throw agrees, or the first who does not has something put right."""
        while True:
            cards = [*self.landings, *self.missed]
            listed = ", ".join(card.listed for card in cards)
            why = "The table was restarted and may have missed a card. " if self.restarted else ""
            text = f"{why}From below: {listed or 'nothing'}. Does everybody agree?"
            seen = tuple((it.seat, it.rank, it.how) for it in cards)
            answers = yield from _poll("review", self.seats, text, first=False, listed=seen)
            against = [seat for seat, yes in answers.items() if not yes]
            if not against:
                return
            yield from self._correct(against[0])

    def _correct(self, seat: int) -> Step:
        count, entries = len(self.landings), [*self.landings, *self.missed]
        options = (
            *(f"the {_ordinal(number).lower()} card" for number in range(1, count + 1)),
            *(f"the {it.rank} of {seat_name(it.seat)} did not miss" for it in self.missed),
            "a card that is not listed",
            "a card of mine missed the arena",
        )
        labels = list(range(1, len(options) + 1))
        text = f"{_name(seat)}: what is wrong?"
        listed = tuple((it.seat, it.rank, it.how) for it in entries)
        picked = yield from _pick("wrong", seat, text, labels, options, listed=listed)
        if picked < count:
            yield from self._claim(picked, doubted=True)
        elif picked < len(entries):
            del self.missed[picked - count]
        elif picked == len(entries):
            places = tuple(f"as the {_ordinal(number).lower()} from below" for number in range(1, count + 2))
            text = f"{_name(seat)}: where in the pile does it lie?"
            at = yield from _pick("where", seat, text, list(range(1, count + 2)), places, start=count)
            self.landings.insert(at, Landing(0))
            yield from self._claim(at, doubted=True)
        else:
            yield from self._name_missed(seat)


def _duel(state: State) -> Flow:
    card = duel_card(state.offer, state.pile)
    assert card is not None
    text = f"Duel: {_name(state.turn)} with the {state.offer}, {_name(card[0])} with the {card[1]}. Peace or conflict?"
    seats = tuple(seat for seat, made in zip((state.turn, card[0]), state.choices, strict=True) if not made)
    allowed = {
        seat: tuple(CHOICES.index(choice) for choice in choices_allowed(state.lives[seat - 1])) for seat in seats
    }
    while True:
        opened: dict[int, int] = {}
        ask = Ask(CHOICE, "duel", seats, text, options=CHOICES, allowed=allowed)
        while len(opened) < len(seats):
            input = yield ask
            if input.kind == "opened":
                opened[input.seat] = int(input.choice)
            elif input.kind == "restarted":
                break
        else:
            return [f"{seat_name(seat)} duel {CHOICES[opened[seat]]}" for seat in seats]


def _ordinal(number: int) -> str:
    words = ("First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth", "Tenth")
    return words[number - 1] if number <= len(words) else f"Card {number}:"

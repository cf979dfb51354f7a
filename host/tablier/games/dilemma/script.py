"""The script of Dilemma: from a position to its next moves.

Without a table the seats are asked in turn for one card or a pass; all passing in a row closes the window. How a card
lands is then decided by chance, with the same odds for all (:data:`tablier.games.dilemma.rules.ODDS`).

With one, the offer is a turn; that of a seat that is not at the table is laid by the next one clockwise who is. The
window reports landings; then each landing is claimed, in order: who threw it, and which card. A card that missed the
arena is named by its thrower. A card of a seat that is not at the table was laid for it, too: a landing that nobody
claims is that seat's. Who had not said "no more" when the clock closed the window is asked whether a card of theirs
missed. At the end the list is read out, with how each card lies as the sensors propose it and whether they are unsure
of it: all at the table agree, the provocateur too, or one of them has owner, card or class corrected. With two players
left who hold cards the others then judge each miss: one that none of them lets stand goes back to its hand, which its
owner confirms, and without an answer on the offer the window is open again. The moves follow from what was agreed. The
duel is a choice.

A card has a number, and its light, from when it lands until the pile is cleared: in a window that is open again the
first that lands is not the lowest.

Where landings are not to be trusted, because the table's self-test says so, those that are reported mean nothing: when
all have thrown, the cards are claimed from the bottom, one after the other, each with how it lies.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tablier.games.core import Move, Position
from tablier.games.core.menus import MOST, labels_of
from tablier.games.core.questions import (
    Answered,
    Closed,
    Conditions,
    Done,
    Landed,
    Menu,
    Moved,
    Picked,
    Poll,
    Question,
    Reply,
    Restarted,
    Script,
    Thrown,
    Turn,
    Window,
    doubt,
)
from tablier.games.core.scripts import GameScript, ask, choose, in_turn, later, moves_of
from tablier.games.dilemma.rules import CHOICES, CLOSE, LANDINGS, LIES, State, duel_card, in_play, ranks_of
from tablier.texts import Json, Text, Who, all_of, counted, span
from tablier_fw import wire

Step = Generator[Question, Reply, None]
ENTERED_QUIET_S = 60.0
"""A window whose landings mean nothing is not closed by one before people say that it is over."""
UNLISTED = Text("a card that is not listed")
"""The correction that the list lacks a card."""


@dataclass
class Landing:
    """A landing of the window: what the sensors proposed, and what was claimed."""

    proposed: int
    confidence: int = 100
    """The sensors' confidence in it, in percent; people are when they have said it themselves."""
    doubts: int = 0
    """The reasons against it, as bits of ``doubts`` of the wire's ``landed``."""
    moved: bool = False
    """True if it lies otherwise than when it came to rest."""
    seat: int = 0
    rank: int = 0
    how: str = ""
    settled: bool = False
    """True if it was asked whose it is."""
    stands: bool = False
    """Of a miss with two players left: whether it was judged to be bad luck."""

    @property
    def unsure(self) -> Text | None:
        """Return what speaks against the proposal; ``None`` where it is likely enough."""
        return doubt(self.confidence, self.doubts)

    @property
    def looks(self) -> str:
        """Return how the ring shows it: ``flat``, ``out`` of play, in ``doubt``, or ``""`` where it is no card."""
        if self.settled and not self.seat:
            return ""
        if self.unsure or self.moved:
            return "doubt"
        return "flat" if (self.how or LANDINGS[self.proposed]) == "flat" else "out"

    @property
    def listed(self) -> Text:
        """Return it as the review names it."""
        if not self.seat:
            return Text("no card")
        marks = [Text("unsure")] * (self.unsure is not None) + [Text("moved since")] * self.moved
        card = {"rank": self.rank, "who": Who(self.seat), "how": LIES[self.how]}
        if marks:
            return Text("{who}'s {rank} {how} ({marks})", {**card, "marks": marks})
        return Text("{who}'s {rank} {how}", card)


def script(position: Position[Any], conditions: Conditions) -> Script:
    """Return the script that this position needs next."""
    state: State = position.state
    if state.phase == "offer":
        return _offer(position, conditions)
    if state.phase == "duel":
        return _duel(position)
    if conditions.arena:
        return _Window(state, conditions).run()
    return in_turn(position, lambda seat, after: _throws(state, seat, after))


def _throws(state: State, seat: int, after: Sequence[int]) -> Text:
    """Return that a seat may throw; to itself, what a card thrown now does, and who is asked after it."""
    about: dict[str, Any] = {"who": Who(seat), "offer": state.offer, "others": all_of([Who(each) for each in after])}
    you = "You may throw a card at the {offer}, or pass. It duels if it lands flat: chance."
    if after:
        you = "You may throw a card at the {offer}, or pass; then {others} may. It duels if it lands flat: chance."
    if duel := duel_card(state.offer, state.pile):  # the first that is valid duels, whatever lands after it
        about |= {"contractor": Who(duel[0]), "card": duel[1]}
        you = "{contractor}'s {card} duels with the {offer}: a card that you throw now is lost. You may pass."
    return Text("{who} may throw a card at the {offer}, or pass. Chance decides how it lands.", about, you=you)


def _offer(position: Position[Any], conditions: Conditions) -> Script:
    rules, state, seat = position.rules, position.state, position.state.turn
    clears = bool(conditions.arena and position.ply)

    def make() -> Turn:
        you = "Choose a card to offer."
        text = Text("{who} provokes: which card is on offer?", {"who": Who(seat)}, you=you)
        if clears:
            you = "Clear the arena, then choose a card to offer."
            text = Text("{who} provokes. Clear the arena, then: which card is on offer?", {"who": Who(seat)}, you=you)
        return Turn("offer", (seat,), text, moves=tuple(rules.legal(state)))

    return ask(later("offer", position, seat, make))


def _duel(position: Position[Any]) -> Script:
    state: State = position.state
    card = duel_card(state.offer, state.pile)
    assert card is not None
    args = {"one": Who(state.turn), "offer": state.offer, "two": Who(card[0]), "card": card[1]}
    words = "Duel: {one} with the {offer}, {two} with the {card}. Peace or conflict?"
    you = "Duel: {one} with the {offer}, {two} with the {card}. Choose in secret: peace or conflict."
    text = Text(words, {**args, "who": [args["one"], args["two"]]}, you=you)
    seats = [seat for seat, made in zip((state.turn, card[0]), state.choices, strict=True) if not made]
    return choose("duel", text, tuple(f"duel {choice}" for choice in CHOICES), moves_of(position, seats))


def _pick(
    what: str,
    seat: int,
    text: Text,
    options: Sequence[Text],
    *,
    start: int = 0,
    subject: int | None = None,
    listed: tuple[tuple[int, int, str], ...] = (),
    hints: tuple[Json, ...] = (),
    first: int | None = None,
    leave: Text | None = None,
) -> Generator[Question, Reply, int]:
    """Have one seat pick an option; asked again when the table has restarted. Where there are too many for a menu, a
    range of them is picked first. With ``leave``, one more option, the last, is none of them."""
    count = len(options)
    if count + (leave is not None) > MOST:
        size = -(-count // (MOST - 1))
        firsts = range(0, count, size)
        ranges = [_to(options[first : first + size]) for first in firsts]
        which = yield from _pick(
            what, seat, text, ranges, start=start // size, listed=listed, hints=tuple(hints[::size]), leave=leave
        )
        if which == len(ranges):
            return count
        at = firsts[which]
        some, about = options[at : at + size], hints[at : at + size]
        picked = yield from _pick(
            what, seat, text, some, subject=subject, listed=listed, hints=about, first=first and first + at
        )
        return at + picked
    labels = labels_of(options) if first is None else tuple(range(first, first + count))
    if max(labels) > MOST - 1:
        labels = tuple(range(1, count + 1))
    if leave is not None:
        options, labels, hints = (*options, leave), (*labels, MOST), (*hints, hints[-1])
    menu = Menu(what, (seat,), text, tuple(options), labels, start, hints=hints, subject=subject, listed=listed)
    while True:
        reply = yield menu
        if isinstance(reply, Picked):
            return reply.option


def _to(texts: Sequence[Text]) -> Text:
    """Return the option that stands for several."""
    return span(texts[0], texts[-1]) if len(texts) > 1 else texts[0]


def did_not_miss(seat: int, rank: int) -> Text:
    """Return the correction that a card listed as beside the arena lies in it."""
    return Text("{who}'s {rank} did not miss", {"rank": rank, "who": Who(seat)})


def _confirmed(poll: Poll) -> Step:
    """Ask one seat until it says yes."""
    (seat,) = poll.seats
    while not (yield from _poll(poll))[seat]:
        poll = replace(poll)  # another object is asked again


def _poll(poll: Poll) -> Generator[Question, Reply, dict[int, bool]]:
    """Have seats answer yes or no; with ``first`` until one says yes, without until one says no. After a restart of the
    table those who had not answered are asked again."""
    answers: dict[int, bool] = {}
    seats = poll.seats
    while len(answers) < len(seats):
        reply = yield poll
        if isinstance(reply, Restarted):
            poll = replace(poll, seats=tuple(seat for seat in seats if seat not in answers))
        elif isinstance(reply, Answered):
            answers.setdefault(reply.seat, reply.yes)
            if reply.yes is poll.first:
                break
    return answers


class _Window:
    """The throwing window and its claims."""

    def __init__(self, state: State, conditions: Conditions) -> None:
        self.state = state
        self.conditions = conditions
        self.by_claim = conditions.by_claim
        self.quiet_s = ENTERED_QUIET_S if self.by_claim else conditions.quiet_s
        self.throwers = tuple(seat for seat, hand in enumerate(state.hands, 1) if hand and seat != state.turn)
        self.seats = tuple(seat for seat in self.throwers if seat in conditions.arena)
        """Those that throw, claim and review at the arena."""
        self.arena = conditions.arena
        self.below = len(state.pile)
        """The number of cards that lie there from before this window was reopened."""
        self.landings: list[Landing] = []
        self.missed: list[Landing] = []
        self.laid: list[tuple[int, int]] = []
        """Cards, as (seat, rank), of seats away from the arena, in the order in which they were thrown."""
        self.restarted = False
        """True if the table has restarted meanwhile: landings may be lost, so the list is reviewed even if empty."""

    def run(self) -> Script:
        if not self.throwers:
            return [CLOSE]
        yield from self._lay_offer()
        yield from self._round()
        while (yield from self._judge()):
            yield from self._round()
        throws = [landing for landing in self.landings if landing.seat]
        return [
            *(Move(throw.seat, "throw", (throw.rank, throw.how)) for throw in (*throws, *self.missed)),
            CLOSE,
        ]

    def _lay_offer(self) -> Step:
        """Have the next one clockwise lay the offer of a seat that is not at the table, before the window opens: a card
        that is laid lands too."""
        provoker = self.state.turn
        if provoker in self.arena or self.state.pile or self.state.beside:
            return
        helper = self.conditions.helper(provoker)
        about = {"who": Who(helper), "owner": Who(provoker), "offer": self.state.offer}
        text = Text("{who}, please lay down {owner}'s {offer} as the offer. Is it there?", about)
        yield from _confirmed(Poll("lay", (helper,), text, first=True))

    def _round(self) -> Step:
        """Watch the window until it closes; then have its cards claimed and reviewed."""
        missed_by, silent = yield from self._watch()
        if self.by_claim:
            yield from self._enter()
        else:
            for index, landing in enumerate(self.landings):
                if not landing.settled:
                    yield from self._claim(index)
        self.missed += [Landing(3, seat=seat, rank=rank, how="outside") for seat, rank in self.laid]
        self.laid.clear()
        for seat in missed_by:
            yield from self._name_missed(seat)
        yield from self._ask_missed(silent)
        if self.landings or self.missed or self.restarted:
            yield from self._review()

    def _judge(self) -> Generator[Question, Reply, bool]:
        """With two players left who hold cards, let those who did not throw a card that missed say whether that was
        bad luck: one of them is enough. What none of them lets stand was not thrown. Return whether the window is open
        again."""
        if in_play(self.state) != 2:
            return False
        returned = False
        for card in [*self.landings, *self.missed]:
            if not card.seat or card.how == "flat" or card.stands:
                continue
            judges = tuple(sorted(self.arena - {card.seat})) or (card.seat,)
            about = {"rank": card.rank, "owner": Who(card.seat), "how": LIES[card.how]}
            text = Text(
                "Two players are left, and {owner}'s {rank} is {how}. Was that bad luck, so that it counts?", about
            )
            at = next((n for n, it in enumerate(self.landings) if it is card), None)
            answers = yield from _poll(Poll("judge", judges, text, first=True, hint=self._hint(at), subject=at))
            card.stands = any(answers.values())
            if not card.stands:
                (self.missed if at is None else self.landings).remove(card)
                returned = True
                owner = card.seat if card.seat in self.arena else self.conditions.helper(card.seat)
                text = Text("{owner}'s {rank} was not thrown. Is it back in the hand?", about)
                listed = ((card.seat, card.rank, card.how),)
                yield from _confirmed(Poll("returned", (owner,), text, first=True, hint=self._hint(), listed=listed))
        pile = [*self.state.pile, *((it.seat, it.rank) for it in self.landings if it.how == "flat")]
        return returned and duel_card(self.state.offer, pile) is None

    def _hint(self, subject: int | None = None) -> Json:
        """Return what the ring shows of the landings, and which of them is asked about."""
        pile = ["flat"] * self.below + [landing.looks for landing in self.landings]
        return {"pile": pile, "subject": None if subject is None else self.below + subject}

    def _named(self, index: int) -> Text:
        """Return a landing's name: its number in the pile, whose lowest card is the offer."""
        return ordinal(self.below + index + 1)

    @property
    def reviewers(self) -> tuple[int, ...]:
        """Return the seats that speak for the cards: all at the table, the provocateur too, whose duel it will be."""
        return tuple(sorted(self.arena))

    def _watch(self) -> Generator[Question, Reply, tuple[list[int], list[int]]]:
        """Gather landings until the window closes; return who had a card miss the arena, and who has not said."""
        done: dict[int, bool] = {}
        args: dict[str, Any] = {"who": Who(self.state.turn), "offer": self.state.offer}
        text = Text("{who} offers the {offer}: throw!", args)
        if self.by_claim:
            why = "{offer} Say when you throw no more; then the cards are entered, because {why}."
            text = Text(why, {"offer": text, "why": self.by_claim})
        cards = {seat: self._hand(seat) for seat in self.throwers if seat not in self.seats}
        to_lay: list[tuple[int, int]] = []
        window = Window(
            "window",
            self.throwers,
            text,
            quiet_s=self.quiet_s,
            seen=len(self.landings),
            below=self.below,
            cards=cards,
            to_lay=to_lay,
            thrown=self.laid,
        )
        while True:
            reply = yield window
            if isinstance(reply, Landed) and not self.by_claim:
                self.landings.append(Landing(reply.landing, reply.confidence, reply.doubts))
                del to_lay[:1]
            elif isinstance(reply, Moved) and reply.index < len(self.landings):
                self.landings[reply.index].moved = True
            elif isinstance(reply, Thrown) and reply.rank in cards.get(reply.seat, ()):
                self.laid.append((reply.seat, reply.rank))
                to_lay.append((reply.seat, reply.rank))
                cards[reply.seat].remove(reply.rank)
            elif isinstance(reply, Done):
                done[reply.seat] = reply.missed
            elif isinstance(reply, Closed):
                break
            elif isinstance(reply, Restarted):
                self.restarted = True
                left = tuple(seat for seat in self.throwers if seat not in done)
                if not left:
                    break
                window = replace(window, seats=left, seen=len(self.landings))
        return [seat for seat in self.seats if done.get(seat)], [seat for seat in self.seats if seat not in done]

    def _ask_missed(self, seats: Sequence[int]) -> Step:
        """Ask those whom the clock of the window was faster than, until nobody's card has missed the arena."""
        asked = tuple(seat for seat in seats if self._hand(seat))
        while asked:
            text = Text("Did a card miss the arena without being reported?")
            answers = yield from _poll(Poll("beside", asked, text, first=True, hint=self._hint()))
            told = [seat for seat, yes in answers.items() if yes]
            for seat in told:
                yield from self._name_missed(seat)
            asked = tuple(seat for seat in asked if told and answers.get(seat) is not False and self._hand(seat))

    def _enter(self) -> Step:
        """Let the cards that lie in the arena be claimed from the bottom, until nobody claims one."""
        while self.laid or any(self._hand(seat) for seat in self.seats):
            self.landings.append(Landing(0))
            yield from self._claim(len(self.landings) - 1, doubted=True)
            if not self.landings[-1].seat:
                del self.landings[-1]
                return

    def _hand(self, seat: int, but: Landing | None = None) -> list[int]:
        """Return what a seat can still have thrown, without those of its cards that are claimed or laid already."""
        claimed = {it.rank for it in (*self.landings, *self.missed) if it.seat == seat and it is not but}
        claimed |= {rank for owner, rank in self.laid if owner == seat}
        return [rank for rank in ranks_of(self.state.hands[seat - 1]) if rank not in claimed]

    def _claim(self, index: int, *, doubted: bool = False) -> Step:
        """Ask who threw a card, and which one it is; of an unsure one, how it lies."""
        landing = self.landings[index]
        seats = tuple(seat for seat in self.seats if self._hand(seat, landing))
        if landing.seat and landing.seat not in self.arena:
            self.laid.insert(0, (landing.seat, landing.rank))
        landing.seat = 0
        args: dict[str, Any] = {"which": self._named(index)}
        if landing.unsure:
            about = {"which": args["which"], "doubt": landing.unsure}
            text = Text("{which} ({doubt}): who threw it?", about)
        else:
            text = Text("{which}: who threw it?", args)
        if self.by_claim and index == len(self.landings) - 1:
            text = Text("{question} Nobody: there are no more.", {"question": text})
        owner = 0
        while not owner:
            poll = Poll("claim", seats, text, first=True, hint=self._hint(index), subject=index)
            answers = yield from _poll(poll) if seats else _nobody()
            owner = next((seat for seat, yes in answers.items() if yes), 0)
            if not owner:
                break
            hand = self._hand(owner, landing)
            which = Text("{which}: which of {owner}'s cards is it?", {"which": args["which"], "owner": Who(owner)})
            hints, leave = (self._hint(index),) * len(hand), Text("not mine")
            picked = yield from _pick("card", owner, which, _numbers(hand), subject=index, hints=hints, leave=leave)
            if picked == len(hand):
                owner = 0  # a slip: it is asked again whose it is
            else:
                landing.rank = hand[picked]
        landing.settled = True
        if not owner and self.laid:
            owner, landing.rank = self.laid.pop(0)
        if not owner:
            return  # nobody's: something else has struck the arena
        how = landing.proposed
        if doubted:
            about = {"which": args["which"], "rank": landing.rank, "owner": Who(owner)}
            text = Text("{which}, {owner}'s {rank}: how does it lie?", about)
            asked = owner if owner in self.arena else self.reviewers[0]
            ways = [LIES[how] for how in LANDINGS]
            hints = (self._hint(index),) * len(ways)
            how = yield from _pick("landing", asked, text, ways, start=how, subject=index, hints=hints)
            landing.confidence, landing.moved = 100, False
        landing.seat, landing.how = owner, LANDINGS[how]

    def _name_missed(self, seat: int) -> Step:
        hand = self._hand(seat)
        if hand:
            text = Text("{who}: which card missed the arena?", {"who": Who(seat)})
            hints, leave = (self._hint(),) * len(hand), Text("none")
            picked = yield from _pick("missed", seat, text, _numbers(hand), hints=hints, leave=leave)
            if picked < len(hand):
                self.missed.append(Landing(3, seat=seat, rank=hand[picked], how="outside"))

    def _review(self) -> Step:
        """Everybody at the table agrees, or the first who does not has something put right."""
        while True:
            cards = [*self.landings, *self.missed]
            listed = [card.listed for card in cards] or [Text("nothing")]
            text = Text("Above the offer, from the bottom: {cards}. Does everybody agree?", {"cards": listed})
            if self.below and self.landings:
                before = counted(self.below, "the card that lay there", "the {count} cards that lay there")
                about = {"before": before, "cards": listed}
                text = Text("Above {before}, from the bottom: {cards}. Does everybody agree?", about)
            if self.restarted:
                text = Text("The table was restarted and may have missed a card. {question}", {"question": text})
            seen = tuple((it.seat, it.rank, it.how) for it in cards)
            poll = Poll("review", self.reviewers, text, first=False, hint=self._hint(), listed=seen)
            answers = yield from _poll(poll)
            against = [seat for seat, yes in answers.items() if not yes]
            if not against:
                return
            yield from self._correct(against[0])

    def _correct(self, seat: int) -> Step:
        count, entries = len(self.landings), [*self.landings, *self.missed]
        options = [
            *(self._named(number) for number in range(count)),
            *(did_not_miss(it.seat, it.rank) for it in self.missed),
            UNLISTED,
            *([Text("a card of mine missed the arena")] if self._hand(seat) and seat in self.seats else []),
        ]
        text = Text("{who}: what is wrong?", {"who": Who(seat)})
        listed = tuple((it.seat, it.rank, it.how) for it in entries)
        hints = tuple(self._hint(at if at < count else None) for at in range(len(options)))
        picked = yield from _pick(
            "wrong", seat, text, options, listed=listed, hints=hints, first=self.below + 1, leave=Text("nothing")
        )
        if picked < count:
            yield from self._claim(picked, doubted=True)
        elif picked < len(entries):
            del self.missed[picked - count]
        elif picked == len(entries):
            places = [self._named(number) for number in range(count + 1)]
            text = Text("{who}: where in the pile does it lie?", {"who": Who(seat)})
            hints = tuple(self._hint(at) for at in range(len(places)))
            at = yield from _pick(
                "where", seat, text, places, start=count, listed=listed, hints=hints, first=self.below + 1
            )
            self.landings.insert(at, Landing(0))
            yield from self._claim(at, doubted=True)
        elif picked < len(options):
            yield from self._name_missed(seat)


def _nobody() -> Generator[Question, Reply, dict[int, bool]]:
    return {}
    yield


def _numbers(ranks: Sequence[int]) -> list[Text]:
    return [Text("{rank}", {"rank": rank}) for rank in ranks]


def ordinal(number: int) -> Text:
    """Return the name of a card that lies above the offer, counted from 1."""
    words = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
    if number <= len(words):
        return Text("The {which} card above the offer", {"which": Text(words[number - 1])})
    return Text("Card {number} above the offer", {"number": number})


SCRIPT = GameScript(script=script, version=4, abilities=wire.CAN_WINDOW)

"""What a screen knows of its game: what the viewers there were told, what is asked, and what may be looked at now.

With one person at the screen the screen is that person's. Several share it: it shows what a spectator may see, and
what is secret only to the seat that is asked, once it has typed its name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

from tablier import messages
from tablier.course.seats import AT_SCREEN, AT_TABLE
from tablier.games import rules_of, title_of, words_of
from tablier.games.core import Move, Rules, moves_text
from tablier.games.core.drawing import HEIGHT, Canvas
from tablier.games.core.words import Words
from tablier.messages import Mine, News, Over, Question, Seat, Update
from tablier.screens.names import fit_names
from tablier.screens.phrases import way_in
from tablier.screens.replies import replies_to
from tablier.screens.story import Saying, Story, Turn
from tablier.screens.turn import named
from tablier.screens.typed import find
from tablier.texts import Json, Listed, Text, Who, render, spelled


class Seen:
    """The updates of the viewers at one screen."""

    def __init__(self, here: Sequence[int], *, now: Callable[[], float]) -> None:
        self.here = tuple(here)
        self.names: list[str] = []
        self.whole_names: list[str] = []
        """The same, as their players write them."""
        self.words = Words()
        self.way_in: Text | None = None
        """How others come in: by a browser, and with which code."""
        self._address = ""
        self._code: str | None = None
        self._alone = self.here[0] if len(self.here) == 1 else None
        self._looking = self._alone
        self._now = now
        self._rules: Rules[Any] | None = None
        self._updates: dict[int | None, Update] = {}
        self._stories: dict[int | None, Story] = {}
        self._heard: Counter[object] = Counter()  # how often each viewer was told the same
        self._notes = 0
        self._deadline: float | None = None
        self._thrown: list[tuple[int, int]] = []  # in the open window, or until its cards are claimed

    @property
    def viewers(self) -> tuple[int | None, ...]:
        """Return for whom this screen watches: its seats, and a spectator where there are several or none."""
        return (*self.here, None) if self._alone is None else self.here

    # -- updates ---------------------------------------------------------------------------------------------------

    def take_updates(self, updates: Sequence[Update]) -> None:
        """Take the newest updates, one for each viewer with news."""
        if self._rules is None:
            self._begin(updates[0])
        ply = self.latest.ply if self.ready else 0
        for update in updates:
            self._updates[update.viewer] = update
            self._follow(update)
        question = self.asking
        if isinstance(question, messages.Window):
            self._thrown = list(question.thrown)
        elif self.latest.ply != ply:  # the view has them
            self._thrown = []
        left = None if question is None else question.deadline
        self._deadline = None if left is None else self._now() + left - self.latest.now
        if self._alone is None and self._looking not in self.waiting:
            self._looking = None

    def _begin(self, update: Update) -> None:
        self._rules = rules_of(update.rules, len(update.seats), update.options)
        self.words = words_of(update.rules)
        self.whole_names = [seat.name for seat in update.seats]
        self.names = fit_names(self.whole_names)
        self._stories = {viewer: Story(self.words.overtaken, self.words.untold) for viewer in self.viewers}
        if self.way_in is not None:
            self.note(self.way_in)

    def _follow(self, update: Update) -> None:
        story = self._stories[update.viewer]
        story.trim()
        for news in update.news:
            if _is_chatter(news, update.seats):
                continue
            story.say(self._saying(update.viewer, news, render(news.text, self.names)))
            if news.kind == "takeback":
                story.decided()

    def _saying(self, viewer: int | None, news: News, text: str) -> Saying:
        style, same = "note" if news.turn is None else "", (news.kind, text, str(news.turn))
        self._heard[viewer, same] += 1
        key = (*same, self._heard[viewer, same])
        number = news.n or self._stories[viewer].next
        return Saying(number, news.kind, text, news.turn, style, key, at=news.at)

    def let_go(self, seat: int) -> None:
        """Go on without a seat that somebody has taken to another screen. Others may look at this one, also where a
        single one is left."""
        self.here = tuple(each for each in self.here if each != seat)
        self._updates.pop(seat, None)
        self._stories.pop(seat, None)
        if self._looking == seat:
            self._looking = None
        if self.ready:
            gone = {"name": self.name_of(seat), "names": self.names_of(self.here)}
            self.note(Text("{name} has gone to another screen; this one plays on for {names}.", gone))

    def look(self, seat: int) -> None:
        """Show what a seat alone may see: it has said that it looks."""
        self._looking = seat

    def decided(self) -> None:
        """Mark all that was told as read: somebody here has decided."""
        for story in self._stories.values():
            story.decided()

    def note(self, text: Text) -> None:
        """Note something for everybody here."""
        self._notes += 1
        for story in self._stories.values():
            story.note(self.said(text), ("note", self._notes))

    def tell_address(self, address: str) -> None:
        """Note where browsers find the game."""
        self._address = address
        self._note_way_in()

    def tell_evening(self, notice: messages.Told | messages.Evening) -> None:
        """Note who comes and goes, and by which code others come in."""
        if isinstance(notice, messages.Told):
            self.note(notice.text)
            return
        code = None if notice.inside is None else notice.inside.code
        if code != self._code:
            self._code = code
            self._note_way_in()

    def _note_way_in(self) -> None:
        before, self.way_in = self.way_in, way_in(self._address, self._code)
        if self.way_in is not None and self.way_in != before:
            self.note(self.way_in)

    def said(self, text: Text) -> str:
        """Return a text as it is read here."""
        return render(text, self.names)

    # -- what can be seen ------------------------------------------------------------------------------------------

    @property
    def ready(self) -> bool:
        """Return whether there is something to show."""
        return bool(self._updates)

    @property
    def rules(self) -> Rules[Any]:
        assert self._rules is not None
        return self._rules

    @property
    def view(self) -> Json:
        """Return the view that may be on the screen now."""
        return dict(self._updates[self._looking].view)

    @property
    def viewer(self) -> int | None:
        """Return whose view it is, ``None`` for a spectator's."""
        return self._looking

    @property
    def last(self) -> Move | None:
        """Return the last move of a seat, as :attr:`view` shows it."""
        last = self._updates[self._looking].last
        return self.rules.parse(last) if last else None

    def canvas(self, columns: int, lines: int = HEIGHT, typed: str = "") -> Canvas:
        """Return what the board of :attr:`view` is drawn on in a terminal with some room for it.

        ``typed`` is the line that is being typed, or a move that is being chosen: what it may name is lit.
        """
        fell = self._updates[self._looking].fell
        return Canvas.of_terminal(
            columns,
            lines,
            last=self.last,
            fell=[self.rules.parse(move) for move in fell],
            lit=self._lit(typed),
            thrown=self._thrown,
        )

    def _lit(self, typed: str) -> set[str]:
        """Return the parts of the board that the move being typed names, and those that it may name next; none while
        every move still fits.
        """
        if not typed.strip() or self.asked is None or self.must_confirm or self.hidden or self.asking is None:
            return set()
        if not isinstance(self.asking, messages.Turn):
            return set()
        texts = list(self.lines())
        fits = find(texts, typed)
        if len(fits) == len(texts) > 1:
            return set()
        try:
            notation = self.notation()
            moves = [self.words.parts_of(self.rules, self.asked, notation[text]) for text in fits]
        except Exception:  # a game's own part: its faults are reported where a game needs it
            return set()
        lit: set[str] = set()
        for groups in zip_longest(*moves, fillvalue=()):
            lit.update(part for group in groups for part in group)
            if len(set(groups)) > 1:
                break
        return lit

    @property
    def over(self) -> Over | None:
        """Return the result of the game, when it is over."""
        return self.latest.over if self.ready else None

    @property
    def shown_at_table(self) -> bool:
        """Return whether people look at the end at a table, and nobody at this screen."""
        return not self.here and self.beside_table

    @property
    def title(self) -> str:
        if not self.ready:
            return self.said(Text("Starting the game …"))
        title: str | Text = title_of(self.rules.name)
        if self.way_in is not None and self._code is not None:  # first: a narrow screen leaves out what stands last
            title = Text("{title} · code {code}", {"title": title, "code": self._code})
        about = {"title": title, "game": self.latest.game, "moves": moves_text(self.latest.ply)}
        title = Text("{title} · game {game} · {moves}", about)
        if self.latest.practice:
            title = Text("{title} · practice", {"title": title})
        return self.said(title)

    @property
    def paragraphs(self) -> list[tuple[str, str]]:
        """Return the story as style and text of its paragraphs."""
        return self._stories[self._looking].paragraphs() if self.ready else []

    @property
    def turns(self) -> list[Turn]:
        """Return the story as paragraphs, each with its moves apart."""
        return self._stories[self._looking].turns() if self.ready else []

    @property
    def sayings(self) -> list[Saying]:
        """Return what may be told here, the oldest first."""
        return list(self._stories[self._looking].sayings) if self.ready else []

    # -- what is asked ---------------------------------------------------------------------------------------------

    @property
    def latest(self) -> Update:
        """Return the latest update of what may be shown to everybody here."""
        return self._updates[self.viewers[-1]]

    @property
    def asking(self) -> Question | None:
        return self.latest.question if self.ready else None

    @property
    def waiting(self) -> list[int]:
        return list(self.asking.waiting) if self.asking else []

    @property
    def asks_aloud(self) -> Question | None:
        """Return the question if it is for people at the table, or if the table itself is at work."""
        rolls = self.beside_table and isinstance(self.asking, messages.Roll) and not self.waiting
        return self.asking if self.waits_at_table or rolls else None

    @property
    def seconds_left(self) -> float | None:
        """Return in how many seconds the open question closes by itself."""
        return None if self._deadline is None else max(0.0, self._deadline - self._now())

    @property
    def asked(self) -> int | None:
        """Return the seat at this screen that is asked."""
        return next((seat for seat in self.here if seat in self.mine), None) if self.over is None else None

    @property
    def mine(self) -> dict[int, Mine]:
        """Return what each seat here that is waited for may know of the question."""
        current, found = self.asking, {}
        for seat in self.here if current else ():
            question = self._updates[seat].question
            if question and current and question.id == current.id and question.mine and question.mine.waits:
                found[seat] = question.mine
        return found

    @property
    def question_key(self) -> tuple[int, int | None, bool]:
        """Return what is asked here now: the question's number, the seat, and whether it is to say that it looks."""
        question = self.asking
        return (question.id if question else 0, self.asked, self.must_confirm)

    @property
    def occasion(self) -> object:
        """Return what is decided now: a question, and the cards that a seat holds while it is open."""
        mine = self.mine.get(self.asked or 0)
        return self.question_key, mine.cards if isinstance(mine, messages.MyWindow) else None

    def lines(self) -> dict[str, Json]:
        """Return each line that can be typed, as its reader writes it, and the reply that it stands for."""
        plain = self._plain_lines()
        return {line: plain[move] for line, move in self.notation().items()}

    def notation(self) -> dict[str, str]:
        """Return each line that can be typed, as its reader writes it, and how the notation has it."""
        if isinstance(self.asking, messages.Menu):  # texts, which are in the reader's language as they are
            return {line: line for line in self._plain_lines()}
        return {spelled(line): line for line in self._plain_lines()}

    def _plain_lines(self) -> dict[str, Json]:
        if self.asked is None or self.asking is None:
            return {}
        return replies_to(self.asking, self.mine[self.asked], self.names)

    @property
    def must_confirm(self) -> bool:
        """Return whether the seat that is asked has not said yet that it looks at the screen, alone."""
        seat = self.asked
        return seat is not None and self._alone is None and self._looking != seat and self._private(seat)

    @property
    def private(self) -> bool:
        """Return whether a screen that several share shows what is for one of them alone."""
        return self._alone is None and self.asked is not None and not self.must_confirm and self._private(self.asked)

    @property
    def hidden(self) -> bool:
        """Return whether what is typed may not be seen: a secret, at a screen that several share."""
        question = self.asking
        return bool(self.asked and self._alone is None and not self.must_confirm and question and question.secret)

    def _private(self, seat: int) -> bool:
        """Return whether others may not look on: the seat sees what is secret, or what it says will be."""
        question = self.asking
        return bool(question and question.secret) or self._updates[seat].view != self._updates[None].view

    # -- who sits where --------------------------------------------------------------------------------------------

    @property
    def at_table(self) -> int | None:
        """Return the first seat at the table that is waited for."""
        return next(filter(self.sits, self.waiting), None)

    @property
    def waits_at_table(self) -> bool:
        """Return whether somebody at the table is waited for."""
        return self.at_table is not None

    def sits(self, seat: int) -> bool:
        """Return whether a seat is at a table."""
        return self.ready and self.latest.seats[seat - 1].source == AT_TABLE

    @property
    def elsewhere(self) -> Listed | None:
        """Return the names of those who play at other screens; ``None`` for nobody."""
        seats = [seat for seat in self.seats if self.ready and self.latest.seats[seat - 1].source == AT_SCREEN]
        others = [seat for seat in seats if seat not in self.here]
        return self.names_of(others) if others else None

    @property
    def beside_table(self) -> bool:
        """Return whether somebody sits at a table."""
        return any(map(self.sits, self.seats))

    @property
    def bots_decide(self) -> bool:
        return bool(self.bots & set(self.waiting))

    @property
    def bots(self) -> set[int]:
        """Return the seats of bots."""
        sources = (seat.source for seat in self.latest.seats) if self.ready else ()
        return {seat for seat, source in enumerate(sources, 1) if source not in (AT_SCREEN, AT_TABLE)}

    @property
    def seats(self) -> range:
        """Return the seats of the game."""
        return range(1, len(self.names) + 1)

    @property
    def speaker(self) -> int:
        """Return the seat that gives commands here, 0 where nobody plays."""
        return self.asked or self._looking or next(iter(self.here), 0)

    def name_of(self, seat: int | None) -> str:
        return self.names[seat - 1] if seat else ""

    def names_of(self, seats: Sequence[int]) -> Listed:
        return named(seats, self.names)


def _is_chatter(news: News, seats: Sequence[Seat]) -> bool:
    """Return whether news acknowledges to simulated people what they have done; nobody waits for that."""
    if news.kind == "done":
        who = news.text.args.get("who")
        return isinstance(who, Who) and seats[who.seat - 1].simulated
    return news.kind in ("closed", "landed") and "doubt" not in news.text.args and not any(map(_is_at_table, seats))


def _is_at_table(seat: Seat) -> bool:
    """Return whether a person sits at a table."""
    return seat.source == AT_TABLE and not seat.simulated


__all__ = ["Seen"]

"""The full-screen console of a game without a table: moves are typed, player programs move by themselves.

One thread does everything. With one person at the keyboard the screen is that person's. Several pass it on: between
them it shows what a spectator sees, and what is secret only to the seat that decides, once it has said that it looks.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from prompt_toolkit.formatted_text import AnyFormattedText

from tablier.console.common import printable
from tablier.console.frame import Contents, Frame, board_of, named, wrapped
from tablier.console.lines import final_text, scores_text
from tablier.games.core import Event, MalformedMove, Move, Position, seat_name
from tablier.play.course import Seat
from tablier.play.game import Stopped
from tablier.play.screen import Screen
from tablier.play.tableless import Decision, Tableless
from tablier.play.typed import PASS, completed, meant, outline

_UNTYPED = re.compile(r"\bpN |(?<=such as )p[1-6] ")  # the seat of a move that a reason gives as an example
_SEAT = re.compile(r"(?<!')\bp([1-6])\b")
_COLUMN_P = 16  # spaces a side of a board of D.21 on which p1 is a space, too
_KEPT = 120  # paragraphs of the story
_RECALLED = 24  # moves of a game that is taken up again
_HINT_LINES = 2
_SHOWN = 6  # moves that a line may mean, as the error names them

HELP = {
    "dilemma": (
        "offer 8: put your 8 on offer. throw 3 flat: the 3 lies flat in the arena; leaning, rim, outside: out of play.",
        "pass: throw nothing now. The window closes when all have passed in a row. duel peace, duel conflict.",
    ),
    "struggle": (
        "keep K K A: keep these dice and throw the others again; keep none: throw all again. Three throws at most.",
        "play J+3 K+1: move the pawns in this order, aces included. What lands on black, or on taken yellow, stays.",
    ),
    "dicke-daemonen": (
        "place white f5: a ghost into field f5. place red f5:g: a red demon into the corner of f5 at crossing g.",
        "predict red: lay a red creature down for it, once in the game. pass: predict nothing now.",
    ),
    "roudalon": (
        "bet 3: pay 3 into the pot and take a die. roll 2: throw two dice, for exactly the pot.",
        "ally: ask your left neighbour. yes, no: answer. done: ask nobody else.",
    ),
    "d21": (
        "c3-c6: the die on c3 goes to c6, sliding over empty spaces or jumping over one die (c3c6 will do).",
        "pass: only when no die can move.",
    ),
}
_OVERTAKEN = {
    "struggle": {"keep": "roll", "roll": "roll"},
    "roudalon": {"roll": "dice"},
    "dilemma": {"choice": "opened"},
    "dicke-daemonen": {"creature": "creature"},
}
"""By game: what is no longer worth its place on the screen once something of another kind has followed in that turn."""
_UNTOLD = {"dicke-daemonen": ("draw",)}
"""By game: what happens in every turn and shows on the board."""
_KEYS = (
    "quit: stop; 'tablier resume' goes on. Enter while others move: do not wait for them.",
    "back: take your last decision back, and all that came after it (back 3: the last three). PgUp, PgDn: older news.",
    "The beginning of each word is enough, and the verb can be left out, as long as one move is meant. Tab completes.",
)


@dataclass
class _Paragraph:
    """What happened in one turn, or since somebody here last decided in it; or a note."""

    turn: Any
    style: str = ""
    sayings: list[Event] = field(default_factory=list)
    """With names in their texts."""
    last: int = 0
    """The number of its last saying, counted over the whole story."""


class TablelessTerminal(Screen):
    """Plays a game without a table in a terminal, full screen. ``pace``: seconds before each move of a program."""

    def __init__(self, seats: Sequence[Seat], pace: float) -> None:
        self.names = [seat.name for seat in seats]
        here = [number for number, seat in enumerate(seats, 1) if seat.at_keyboard]
        self._alone = here[0] if len(here) == 1 else None
        self._looking = self._alone
        """Whose view is on the screen; ``None`` is what a spectator may see."""
        self._pace = pace
        self._game: Tableless
        self._title = ""
        self._board: AnyFormattedText = ""
        self._paragraphs: list[_Paragraph] = []
        self._said = 0
        self._decided_at = 0  # how much had been said when somebody here last decided
        self._read: dict[int, int] = {}  # the same by seat; 0 is whoever looks on
        self._decision: Decision | None = None
        self._private = False
        self._texts: dict[str, Move | None] = {}
        self._error = ""
        self._hurry = asyncio.Event()
        self._running = False
        self._end: tuple[Position[Any], str] | None = None
        self._failure: Exception | None = None
        contents = Contents(
            title=lambda: self._title,
            board=lambda: self._board,
            story=self._story,
            question=self._question,
            prompt=self._prompt,
            hint=self._hint,
        )
        self._frame = Frame(contents, self._accept, self._stop, changed=self._changed, completed=self._completed)

    def run(self, game: Tableless, log: str) -> None:
        """Plays until the game is over and has been looked at. Raises what the game raised, and ``Stopped``.

        ``log`` is how the path of the log is shown to people.
        """
        self._game, self._log = game, log
        self._frame.app.run(pre_run=self._begin)
        if self._failure is not None:
            raise self._failure

    def summary(self, log: str) -> str:
        """The end once more, which whoever pressed Enter in a hurry has not seen on the screen."""
        assert self._end is not None
        position, head = self._end
        last = " ".join(named(event.text, self.names) for event in position.last_events() if event.audience is None)
        return "\n".join([*wrapped(last, 80), final_text(self.names, position, head, log)])

    # -- the game goes on ------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        self._recall()
        self._game.start()
        self._go_on()

    def _go_on(self) -> None:
        """Lets chance and the player programs do what is theirs, in the background."""
        self._look()
        if not self._running:
            self._running = True
            self._frame.app.create_background_task(self._advance())

    async def _advance(self) -> None:
        try:
            self._hurry.clear()
            while True:
                if self._game.deciding and self._game.asked is None:
                    await self._pause()
                if self._game.advance() is None:
                    break
                self._look()
        except Exception as error:
            self._failure = error
            self._frame.leave()
        finally:
            self._running = False
        self._look()

    async def _pause(self) -> None:
        """A little time to see what happened; none when somebody is in a hurry."""
        self._frame.redraw()
        try:
            await asyncio.wait_for(self._hurry.wait(), self._pace)
        except TimeoutError:
            pass

    def _look(self) -> None:
        """Takes up what is to be decided now, and draws the position for whoever may look."""
        game = self._game
        self._decision = decision = game.asked
        self._texts = {}
        if decision is not None:
            self._texts = {str(move).split(" ", 1)[1]: move for move in decision.moves}
            if decision.may_pass:
                self._texts[PASS] = None
        if self._alone is None:
            self._private = decision is not None and game.is_private(decision)
            # Chance may be between two decisions of the same seat; anybody else's turn ends its look.
            if self._looking is not None and game.deciding not in (0, self._looking):
                self._looking = None
            if game.over:
                self._looking = None
        position = game.position
        moves = f"{position.ply} {'move' if position.ply == 1 else 'moves'}"
        self._title = f"{position.rules.title} · game {game.game} · {moves}"
        self._board = board_of(position.rules, position.rules.view(position.state, self._looking), self.names)
        self._frame.redraw()

    def _recall(self) -> None:
        """Tells what happened last, in a game that is taken up again."""
        twin = self._game.position.copy()
        last: list[tuple[Any, list[Event]]] = []
        while twin.ply and len(last) < _RECALLED:
            events = twin.last_events()
            twin.pop()
            last.append((twin.rules.view(twin.state, None)["turn"], events))
        for turn, events in reversed(last):
            self._tell(turn, events)
        if last:
            self.noted(f"The game goes on after {self._game.position.ply} moves.")
        self._turn = self._turn_now()

    # -- what happens ------------------------------------------------------------------------------------------------

    def _turn_now(self) -> Any:
        position = self._game.position
        return position.rules.view(position.state, None)["turn"]

    def told(self, events: Sequence[Event], position: Position[Any]) -> None:
        turn, self._turn = self._turn, self._turn_now()
        self._tell(turn, events)

    def _tell(self, turn: Any, events: Sequence[Event]) -> None:
        for event in events:
            self._say(turn, "", event._replace(text=named(event.text, self.names)))

    def noted(self, text: str) -> None:
        self._say(None, "note", Event("note", printable(text)))

    def over(self, position: Position[Any], head: str) -> None:
        self._end = position, head
        self.noted(f"Final scores: {scores_text(self.names, position)}.")
        self.noted(f"Logged as game {self._game.game} in {self._log}; the head of the log is {head}")

    def _say(self, turn: Any, style: str, event: Event) -> None:
        game = self._game.position.rules.name
        if event.kind in _UNTOLD.get(game, ()):
            return
        self._said += 1
        last = self._paragraphs[-1] if self._paragraphs else None
        if last is None or turn is None or last.turn != turn or last.last <= self._decided_at:
            last = _Paragraph(turn, style)
            self._paragraphs.append(last)
            del self._paragraphs[:-_KEPT]
        overtaken = _OVERTAKEN.get(game, {})
        last.sayings = [each for each in last.sayings if overtaken.get(each.kind) != event.kind]
        last.sayings.append(event)
        last.last = self._said

    def _story(self, width: int) -> Sequence[tuple[str, str]]:
        read = self._read.get(self._looking or 0, 0)
        lines = []
        for paragraph in self._paragraphs:
            texts = [it.text for it in paragraph.sayings if it.audience is None or self._looking in it.audience]
            style = "old" if paragraph.last <= read else paragraph.style
            if texts:
                lines += [(style, line) for line in wrapped(" ".join(texts), width, "· ", "  ")]
        return lines

    # -- what is typed -----------------------------------------------------------------------------------------------

    @property
    def _must_confirm(self) -> bool:
        """Whether a seat is asked that has not said yet that it looks at the screen, alone."""
        decision = self._decision
        return decision is not None and self._alone is None and self._private and self._looking != decision.seat

    def _name(self, seat: int) -> str:
        return printable(self.names[seat - 1])

    def _question(self) -> str:
        if self._end is not None:
            return "The game is over. Enter leaves."
        if self._decision is None:
            return f"{self._name(self._game.deciding)} is at it …" if self._game.deciding else ""
        name = self._name(self._decision.seat)
        if self._must_confirm:
            return f"Pass the screen to {name}."
        verbs = self._verbs()
        if len(verbs) > 4:  # spaces, in a game whose moves have no verbs
            return f"{name}, your turn: a move such as {verbs[0]}."
        return f"{name}, your turn: {_either(verbs)}."

    def _verbs(self) -> list[str]:
        """The first words of what can be done now."""
        return list(dict.fromkeys(text.split(" ")[0] for text in self._texts))

    def _prompt(self) -> tuple[str, str]:
        if self._decision is None:
            return "hint", "… "
        return "mine", f"{self._name(self._decision.seat)}> "

    def _hint(self, typed: str, width: int) -> Sequence[tuple[str, str]]:
        if self._error:
            return [("error", line) for line in wrapped(self._error, width)[:_HINT_LINES]]
        if self._end is not None:
            return [("hint", "Enter to leave; 'back' takes your last decision back")]
        if self._decision is None:
            return [("hint", "Enter: do not wait")]
        if self._must_confirm:
            name = self._name(self._decision.seat)
            return [("strong", f"{name}: when nobody else looks, type your name (its beginning is enough).")]
        if typed.strip().split(" ")[0] in ("help", "?", "back", "quit"):
            return [("hint", "Enter")]
        lines = outline(list(self._texts), typed, width, _HINT_LINES) or self._readings(typed)
        return [("hint", line) for line in lines]

    def _readings(self, typed: str) -> list[str]:
        """What a line may mean that is not the beginning of a move."""
        found = self._understood(typed)
        if len(found) == 1:
            return [f"↵ {found[0]}"]
        return [f"{len(found)} moves: {_some(found)}"] if found else ["no move begins like this"]

    def _completed(self, text: str) -> str:
        return text if self._decision is None or self._must_confirm else completed(list(self._texts), text)

    def _understood(self, text: str) -> list[str]:
        """The moves that a line may mean."""
        return meant(list(self._texts), text)

    def _parse(self, text: str) -> Move:
        assert self._decision is not None
        return self._game.position.rules.parse(f"{seat_name(self._decision.seat)} {' '.join(text.split())}")

    def _changed(self) -> None:
        self._error = ""

    def _accept(self, text: str) -> None:
        self._error = ""
        word, _, rest = text.partition(" ")
        if word in ("quit", "exit"):
            self._stop()
        elif word in ("help", "?"):
            # The game comes last: a short screen shows the end of all this.
            for line in (*_KEYS, *HELP.get(self._game.position.rules.name, ())):
                self.noted(line)
        elif word == "back":
            self._take_back(rest.strip() or "1")
        elif self._end is not None:
            self._frame.app.exit()
        elif self._decision is None:
            self._hurry.set()
        elif self._must_confirm:
            self._confirm(text)
        else:
            self._decide(text)

    def _confirm(self, text: str) -> None:
        """Lets a seat look that says who it is. Enter alone does not do: the last one may have pressed it once more."""
        assert self._decision is not None
        seat = self._decision.seat
        if text and (self._name(seat).casefold().startswith(text.casefold()) or text == seat_name(seat)):
            self._looking = seat
            self._look()
        elif text:
            self._error = f"This is for {self._name(seat)}, who types that name, or {seat_name(seat)}."

    def _decide(self, text: str) -> None:
        assert self._decision is not None
        seat = self._decision.seat
        found = self._understood(text)
        if len(found) == 1:
            self._read[seat] = self._read[0] = self._decided_at = self._said
            self._try(lambda: self._game.decide(self._texts[found[0]]))
        elif found:
            self._error = f"{text!r} may be {_some(found)}"
        elif text:
            self._error = printable(self._why_not(text))

    def _why_not(self, text: str) -> str:
        """Why what was typed is no move now: names instead of seats, and moves without theirs, as they are typed."""
        rules, state = self._game.position.rules, self._game.position.state
        try:
            reason = rules.refuse(state, self._parse(text)) or ""
        except MalformedMove as error:
            if error.unknown_verb:
                verb = text.split(" ")[0]
                return f"{text!r}: there is no move {verb!r}; now there is {_either(self._verbs())}"
            reason = str(error)
        reason = _UNTYPED.sub("", reason)
        if rules.options.get("size", 0) < _COLUMN_P:
            reason = _SEAT.sub(lambda found: self._name(int(found[1])), reason)
        return reason if reason.startswith(repr(text)) else f"{text!r}: {reason}"

    def _take_back(self, count: str) -> None:
        if not (count.isascii() and count.isdigit() and int(count)):
            self._error = f"back takes a number of decisions, not {count!r}"
            return

        def take_back() -> None:
            moves = self._game.take_back(int(count))
            self._end = None
            self._turn = self._turn_now()
            self._read = dict.fromkeys(range(len(self.names) + 1), self._said)
            self.noted(f"Taken back: {moves} {'move' if moves == 1 else 'moves'}.")

        self._try(take_back)

    def _try(self, deed: Any) -> None:
        """Does something to the game, and lets it go on; what the game refuses becomes an error on the screen."""
        try:
            deed()
        except ValueError as error:
            self._error = str(error)
        except Exception as error:
            self._failure = error
            self._frame.leave()
        else:
            self._go_on()

    def _stop(self) -> None:
        if self._end is None and self._failure is None:
            self._failure = Stopped()
        self._frame.leave()


def _either(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])}{' or ' if len(words) > 1 else ''}{words[-1]}"


def _some(texts: Sequence[str]) -> str:
    more = f" or {len(texts) - _SHOWN} others" if len(texts) > _SHOWN else ""
    return ", ".join(texts[:_SHOWN]) + more

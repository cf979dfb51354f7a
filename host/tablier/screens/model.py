"""The model of a screen: its knowledge, and the meaning of typed lines, whatever it looks like.

A model takes updates and lines and returns what is to be sent; it neither draws nor waits. Every kind of question
becomes a set of lines that can be typed, each with the reply that it stands for, so that completing, abbreviating and
explaining are the same for all of them.

With one person at the screen the screen is that person's. Several share it: it shows what a spectator may see, and
what is secret only to the seat that is asked, once it has typed its name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import zip_longest
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

from tablier.course.binding import Binder
from tablier.course.seats import AT_SCREEN, AT_TABLE
from tablier.games import rules_of, words_of
from tablier.games.core import Move, Rules, RulesError, seat_name
from tablier.games.core.drawing import HEIGHT, Canvas
from tablier.games.core.menus import PASS
from tablier.games.core.words import Words
from tablier.play.connections import Connection
from tablier.printable import number_text
from tablier.screens.commands import (
    CARD,
    FASTER,
    GAME,
    LINE_MAX,
    LOOKED_UP,
    PRINTING,
    SLOWER,
    TOO_LONG,
    Command,
    find_command,
    fitting,
    read_bare,
    unknown,
)
from tablier.screens.names import fit_names, seats_called, seats_meant
from tablier.screens.story import Saying, Story, Turn
from tablier.screens.summary import LogName, final_text
from tablier.screens.typed import choices, complete, find, is_whole, outline, read_line, summary
from tablier.texts import Json, Listed, Text, all_of, any_of, counted, nearest, render, text_from

if TYPE_CHECKING:
    from tablier.screens.lookback import Lookback

REPLY, COMMAND, LEAVE = "reply", "command", "leave"
HINT_LINES = 2
PACE_S = 1.0
"""The seconds that bots take for a move, where nothing else was said."""
THINKING = Text("Hint: thinking …")
_SHOWN = 6  # lines that a typed text may mean, as an error names them …
_ROOM = 90  # … and the characters that they may take
_CHOSEN_FROM = 12  # the most moves that are chosen from at once
_VERBS = 4  # the most verbs that a question lists
_FOLLOWING = 18  # the columns for what can follow a beginning that is chosen


class Action(NamedTuple):
    """Something that a screen is to do: send a ``reply`` or a ``command`` through its port, or ``leave``."""

    what: str
    body: Json


class Option(NamedTuple):
    """Something that can be chosen instead of being typed."""

    line: str
    """What is typed by choosing it."""
    leads: str
    """What it leads to, where that is known."""
    whole: bool
    """True if the line can be entered as it stands; else it is the beginning of others."""


def send(actions: Sequence[Action], connection: Connection) -> bool:
    """Hand in what a model wants sent; return whether the screen is to be left."""
    for action in actions:
        if action.what == REPLY:
            connection.reply(action.body)
        elif action.what == COMMAND:
            connection.command(action.body)
    return any(action.what == LEAVE for action in actions)


_OVER = Text("The game is over. Enter leaves.")
_DOUBTS = (":correct", ":dispute")
AGAIN, LOOK, QUIT = "again", "look", "quit"
_AFTER = {
    AGAIN: Text("another game with the same players"),
    LOOK: Text("look back at the game, move by move"),
    QUIT: Text("leave"),
}
"""The choices when a game is over, and their meaning."""
_AFTER_ALSO = {"yes": AGAIN, "no": QUIT}
"""Answers that mean the same."""
_PACES = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""The seconds for a bot's move between which one changes by faster and slower."""
_PACE_MAX_S = 60
_AIM, _TURN, _ANSWER = Text("The aim"), Text("A turn"), Text("How to answer")
_WITH_KEYS = Text("Or choose with ↑ ↓ and Enter. F1 is the help, F2 the rules, F3 a hint.")
_WITH_WORDS = Text("help, rules and hint say more.")


def _number(text: str) -> int | None:
    """Return a number as people type one, ``None`` for any other text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _seconds(text: str) -> float | None:
    """Return a time in seconds as people type one, ``None`` for any other text."""
    digits = text.removesuffix("s").rstrip()
    if not digits.isascii() or not digits.replace(".", "", 1).isdigit() or float(digits) > _PACE_MAX_S:
        return None
    return float(digits)


class Model:
    """One screen with the seats that sit at it. Not thread-safe."""

    def __init__(
        self,
        here: Sequence[int],
        log: LogName,
        *,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self.here = tuple(here)
        self.log = log
        self.names: list[str] = []
        self._whole: list[str] = []  # the same, as their players write them
        self.error = ""
        self._advice: Text | None = None
        self._because: Text | None = None  # what the bot says of its advice
        self._advised: object = None  # the occasion that the advice is for …
        self._advised_for: object = None  # … and its question
        self._advised_line = ""  # the line that does what it says, if that can be typed here
        self._meant = ""  # the move that a shortened line means, which Enter plays …
        self._meant_for: object = None  # … on this occasion
        self._turns = 0  # how many questions to seats here have gone
        self._hints = 0  # how many were asked for
        self.page = ""
        """The page that is being read instead of the board: :data:`RULES`, :data:`HELP` or none."""
        self._alone = self.here[0] if len(self.here) == 1 else None
        self._now = now
        self.repeats = False
        """True if another game with the same players can follow: when this one is over, somebody is asked."""
        self.pace_s = PACE_S
        """The seconds that bots take for a move, as far as it was told here."""
        self.no_picture: Text | None = Text("This screen draws the board in characters.")
        """Why the board cannot be shown as a picture."""
        self.pictured = True
        """True if it is shown as a picture where it can be."""
        self.prints = False
        """True where the board is printed, and can be asked for."""
        self.explains = False
        """True where nobody has seen this game yet: a card is read before it begins."""
        self.lookback: Lookback | None = None
        """A game that is over, to be looked back at."""
        self.another = False
        """True once somebody here wants another game with the same people."""
        self._address: Text | None = None
        self._updates: dict[int | None, Json] = {}
        self._stories: dict[int | None, Story] = {}
        self._heard: Counter[object] = Counter()  # how often each viewer was told the same
        self._notes = 0
        self._looking = self._alone
        self._binders: dict[int, Binder] = {}
        self._opened: dict[int, int] = {}  # the question whose choice each seat has opened
        self._sent = ""  # the line that was sent last as a move: what is wrong with it the rules say
        self.quitting = False
        """True while the screen asks whether to stop."""
        self.stopped = False
        """True once somebody here has stopped the game."""
        self._deadline: float | None = None
        self._thrown: list[tuple[int, int]] = []  # in the open window, or until its cards are claimed
        self._rules: Rules[Any] | None = None
        self._words = Words()
        self._doers: dict[str, Callable[[str], list[Action]]] = {
            ":hint": lambda _rest: self._ask_for_hint(),
            ":back": lambda rest: self._take_back(rest or "1"),
            ":correct": lambda rest: self._doubt(":correct", rest),
            ":dispute": lambda rest: self._doubt(":dispute", rest),
            ":pause": self._pause,
            ":pace": self._set_pace,
            ":picture": self._turn_picture,
            ":call": self._call,
            ":leave": self._leave_to_bot,
            ":return": self._come_back,
            ":quit": lambda _rest: self.quit(),
        }
        """What follows a command that opens no page, by its name; called with the rest of the line."""

    @property
    def viewers(self) -> tuple[int | None, ...]:
        """Return for whom this screen watches: its seats, and a spectator where there are several or none."""
        return (*self.here, None) if self._alone is None else self.here

    # -- updates ---------------------------------------------------------------------------------------------------

    def take(self, message: Json) -> list[Action]:
        """Take a message of the connection; return what is to be sent because of it."""
        if "refused" in message:
            self._take_refusal(message["refused"])
            return []
        if "hint" in message:
            self._take_hint(message["hint"])
            return []
        if "again" in message:
            self._begin_again()
            return []
        if "told" in message:
            self.note(text_from(message["told"]))
            return []
        if "program" in message:  # is told when the screen has been left
            return []
        if "taken" in message:
            self._let_go(message["taken"])
            return []
        if self._rules is None:
            self._begin(message["updates"][0])
        actions: list[Action] = []
        ply = self.latest["ply"] if self.ready else 0
        before = self.question_key
        for update in message["updates"]:
            self._updates[update["viewer"]] = update
            self._follow(update["viewer"], update["news"])
            actions += self._open(update["viewer"], update["question"])
        if before[1] is not None and self.question_key[:2] != before[:2]:
            self._turns += 1
        if self._advice is THINKING and self._advised != self._occasion and self._advised_for == self.question_key:
            self._advice = None  # a card has left the hand meanwhile, of which the hint must not tell
            actions += self._ask_for_hint()
        question = self._question
        if question is not None and question["kind"] == "window":
            self._thrown = [(seat, card) for seat, card in question["thrown"]]
        elif self.latest["ply"] != ply:  # the view has them
            self._thrown = []
        left = None if question is None else question.get("deadline")
        self._deadline = None if left is None else self._now() + left - self.latest["now"]
        if self._alone is None and self._looking not in self._waiting:
            self._looking = None
        return actions

    def _take_refusal(self, refused: Json) -> None:
        if self.thinking:
            self._advice = None
        why = render(refused, self.names)
        quoted = not self._sent or repr(self._sent) in refused["args"].values()
        self.error = why if quoted else self._said(Text("{line}: {why}", {"line": repr(self._sent), "why": why}))

    def _follow(self, viewer: int | None, all_news: Sequence[Json]) -> None:
        story = self._stories[viewer]
        story.trim()
        for news in all_news:
            story.say(self._saying(viewer, news, render(news["text"], self.names)))
            if news["kind"] == "takeback":
                story.decided()
            elif news["kind"] == "pace":
                self.pace_s = float(news["text"]["args"]["seconds"])

    def _open(self, viewer: int | None, question: Json | None) -> list[Action]:
        """Open what a seat here is bound to, once all are bound."""
        if viewer not in self._binders or question is None or viewer not in question.get("to_open", ()):
            return []
        opening = self._binders[viewer].open(question, viewer)
        if opening is None or self._opened.get(viewer) == question["id"]:
            return []
        self._opened[viewer] = question["id"]
        return [Action(REPLY, opening)]

    def _begin_again(self) -> None:
        """Go on with another connection: what was sent last may be lost."""
        self._opened.clear()

    def _let_go(self, seat: int) -> None:
        """Play on without a seat that somebody has taken to another screen. Others may look at this one, also where a
        single one is left."""
        self.here = tuple(each for each in self.here if each != seat)
        for by_seat in (self._updates, self._stories, self._binders, self._opened):
            by_seat.pop(seat, None)
        if self._looking == seat:
            self._looking = None
        if self.ready:
            gone = {"name": self._name(seat), "names": self._names(self.here)}
            self.note(Text("{name} has gone to another screen; this one plays on for {names}.", gone))

    def _story(self) -> Story:
        return Story(self._words.overtaken, self._words.untold)

    def _saying(self, viewer: int | None, news: Json, text: str) -> Saying:
        style, same = "note" if news["turn"] is None else "", (news["kind"], text, str(news["turn"]))
        self._heard[viewer, same] += 1
        key = (*same, self._heard[viewer, same])
        return Saying(
            news["n"] or self._stories[viewer].next, news["kind"], text, news["turn"], style, key, at=news.get("at", 0)
        )

    def _begin(self, update: Json) -> None:
        self._rules = rules_of(update["rules"], len(update["seats"]), update["options"])
        self._words = words_of(update["rules"])
        self._whole = [seat["name"] for seat in update["seats"]]
        self.names = fit_names(self._whole)
        self._stories = {viewer: self._story() for viewer in self.viewers}
        if self._address is not None:
            self.note(self._address)
        self.explains = self.explains and bool(self.here) and update["over"] is None
        self.page = CARD if self.explains else ""

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
        return dict(self._updates[self._looking]["view"])

    @property
    def viewer(self) -> int | None:
        """Return whose view it is, ``None`` for a spectator's."""
        return self._looking

    @property
    def last(self) -> Move | None:
        """Return the last move of a seat, as :attr:`view` shows it."""
        last = self._updates[self._looking].get("last")  # a keeper of an earlier version tells less
        return self.rules.parse(last) if last else None

    def canvas(self, columns: int, lines: int = HEIGHT, typed: str = "") -> Canvas:
        """Return what the board of :attr:`view` is drawn on in a terminal with some room for it.

        ``typed`` is the line that is being typed, or a move that is being chosen: what it may name is lit.
        """
        fell = self._updates[self._looking].get("fell", ())  # a keeper of an earlier version tells less
        return Canvas.of_terminal(
            columns,
            lines,
            last=self.last,
            fell=[self.rules.parse(move) for move in fell],
            lit=self._lit(typed),
            thrown=self._thrown,
        )

    @property
    def over(self) -> Json | None:
        """Return the result of the game, when it is over."""
        return self.latest["over"] if self.ready else None

    @property
    def shown_at_table(self) -> bool:
        """Return whether people look at the end at a table, and nobody at this screen."""
        return not self.here and any(seat["source"] == AT_TABLE for seat in self.latest["seats"])

    @property
    def summary(self) -> str | None:
        """Return what is left to tell of a game that is over when its screen has been left."""
        if self.over is None:
            return None
        return final_text(self.latest, self.log, self.lookback.played if self.lookback is not None else None)

    @property
    def title(self) -> str:
        if not self.ready:
            return self._said(Text("Starting the game …"))
        moves = counted(self.latest["ply"], "{count} move", "{count} moves")
        args = {"title": self.rules.title, "game": self.latest["game"], "moves": moves}
        if self.latest.get("practice"):
            return self._said(Text("{title} · game {game} · {moves} · practice", args))
        return self._said(Text("{title} · game {game} · {moves}", args))

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

    def note(self, text: Text) -> None:
        """Note something for everybody here."""
        self._notes += 1
        for story in self._stories.values():
            story.note(self._said(text), ("note", self._notes))

    def tell_address(self, address: str) -> None:
        """Note where browsers find the game."""
        self._address = Text("In a browser: {address}", {"address": address})
        self.note(self._address)

    def _said(self, text: Text) -> str:
        """Return a text as it is read here."""
        return render(text, self.names)

    @property
    def seconds_left(self) -> float | None:
        """Return in how many seconds the open question closes by itself."""
        return None if self._deadline is None else max(0.0, self._deadline - self._now())

    @property
    def asked(self) -> int | None:
        """Return the seat at this screen that is asked."""
        return next((seat for seat in self.here if seat in self._mine), None) if self.over is None else None

    @property
    def key(self) -> tuple[int, int | None, bool]:
        """Return what a half-typed line belongs to: when this changes, the line goes.

        What is typed while others decide is kept for the next question, where nobody else sits at this screen.
        """
        return self._turns, self.asked if self._alone is None else self._alone, self.must_confirm

    @property
    def question_key(self) -> tuple[int, int | None, bool]:
        """Return what is asked here now: the question's number, the seat, and whether it is to say that it looks."""
        question = self._question
        return (question["id"] if question else 0, self.asked, self.must_confirm)

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
        question = self._question
        return bool(
            self.asked and self._alone is None and not self.must_confirm and question and question.get("secret")
        )

    @property
    def question(self) -> str:
        """Return the question, in one or two lines."""
        if self.quitting:
            return self._said(Text("Stop? The game is kept, and can be resumed."))
        if self.page == CARD:
            return self._said(Text("Enter: begin."))
        if self.page:
            return self._said(Text("PgDn, PgUp: turn the page. Enter: back to the game."))
        if self.over is not None:
            if self.looks:
                return self._said(Text("Looking back. Enter: next move; back; a number: after that move; quit."))
            return self._said(Text("The game is over. Again?") if self.repeats else _OVER)
        question = self._question
        if question is None:
            return ""
        if self.must_confirm:
            return self._said(Text("Pass the screen to {name}.", {"name": self._name(self.asked)}))
        text = render(question["text"], self.names)
        if self.asked is not None:
            if question["what"] == "turn":  # the rules alone have asked: say what can be typed
                lines = list(self.lines())
                verbs = list(dict.fromkeys(line.split(" ")[0] for line in lines))
                args = {"question": text, "lines": any_of(verbs), "line": lines[0]}
                can = Text("{question} Type {lines}.", args)
                if len(verbs) > _VERBS or len(verbs) == 1 < len(lines):
                    can = Text("{question} Type a move such as {line}.", args)
                text = self._said(can)
        elif self._waiting:
            args = {"question": text, "names": self._names(self._waiting)}
            asks_to_move = question["what"] == "turn"  # which says no more than for whom one waits
            waits = Text("Waiting for {names} …", args)
            text = self._said(waits if asks_to_move else Text("{question} Waiting for {names} …", args))
        elif question.get("to_open"):
            args = {"question": text, "names": self._names(question["to_open"])}
            text = self._said(Text("{question} All have chosen; waiting for {names} …", args))
        left = self.seconds_left
        return text if left is None else f"{text} {_clock(left)}"

    @property
    def read_out(self) -> list[str]:
        """Return what people at the table are read out: what they are asked, and what the numbers under the hood are.

        The colours of a secret menu are on the sheet. Where a place is picked and then, in the same words, what goes
        there, nothing is read out anew: who goes back does so in silence.
        """
        question = self._question
        if question is None or not self.waits_at_table:
            return []
        text = render(question["text"], self.names)
        waiting = self._said(Text("{names}", {"names": self._names(self._waiting)}))
        asked = (
            text if waiting in text else self._said(Text("{names}: {question}", {"names": waiting, "question": text}))
        )
        if question["kind"] != "menu":
            return [asked]
        texts = [render(option, self.names) for option in question["options"]]
        if question.get("secret"):
            return [asked, " · ".join(texts)]
        numbered = zip(map(str, question["labels"]), texts, strict=True)
        return [asked, " · ".join(text if text == label else f"{label}: {text}" for label, text in numbered)]

    @property
    def waits_at_table(self) -> bool:
        """Return whether somebody at the table is waited for."""
        return self._at_table is not None

    @property
    def prompt(self) -> tuple[str, str]:
        """Return style and text of what stands before the line to type in."""
        if self.quitting:
            return "strong", self._said(Text("yes or no> "))
        if self.repeats and self.over is not None:
            return "mine", "> "
        return ("hint", "… ") if self.asked is None else ("mine", f"{self._name(self.asked)}> ")

    @property
    def advice(self) -> str:
        """Return the advice that was asked for, as long as its question is open and its seat can do the same."""
        return self._said(self._advice) if self._advice and self._occasion == self._advised else ""

    @property
    def _occasion(self) -> object:
        """Return what advice is for: a question, and the cards that a seat holds while it is open."""
        return self.question_key, list(self._mine.get(self.asked or 0, {}).get("cards", ()))

    @property
    def advice_lines(self) -> list[str]:
        """Return the advice, and what the bot says of it."""
        if not self.advice:
            return []
        return [self.advice, *([self._said(self._because)] if self._because else [])]

    @property
    def advised_line(self) -> str:
        """Return the line that does what the advice says, which Enter alone does, too; empty where there is none."""
        return self._advised_line if self.advice else ""

    @property
    def confirmation(self) -> str:
        """Return what Enter does once more, where a shortened line would decide much; else nothing."""
        if not self._meant or self._meant_for != self._occasion:
            return ""
        hidden = Text("Enter again takes it.")
        return self._said(hidden if self.hidden else Text("Enter again plays {move}.", {"move": self._meant}))

    @property
    def thinking(self) -> bool:
        """Return whether a hint for the open question is being worked out."""
        return self._advice is THINKING and bool(self.advice)

    def hint(self, typed: str, width: int) -> list[tuple[str, str]]:
        """Return what can be typed next, or what is wrong, as lines of a style and a text."""
        if self.error:
            asks = self.asked and not (typed or self.quitting or self.page or self.must_confirm)
            moves = outline(list(self.lines()), "", width, 1) if asks else []
            return [("error", self.error), *(("hint", line) for line in moves)]
        if self.quitting:
            return [("hint", self._said(Text("yes: stop · no: play on")))]
        if not self.ready or (self.page and not typed) or self.looks:
            return []
        if not typed and self.confirmation:
            return [("strong", self.confirmation)]
        if typed.startswith((":", "?")) or self._is_command(typed):
            return self._hint_at_command(typed)
        if self.over is not None:
            leave = Text("Enter: leave · :back: take back your last decision")
            after = Text("{choices} · :back: take back your last decision", {"choices": any_of(self._after)})
            return [("hint", self._said(after if self.repeats else leave))]
        if self.advice and not typed:
            return [("hint", ". ".join(self.advice_lines))]
        if self.asked is None:
            return [
                (
                    "hint",
                    self._said(Text("Enter: skip the delay · faster, slower · :help"))
                    if self._bots_decide
                    else ":help",
                )
            ]
        if self.must_confirm:
            text = Text(
                "{name}: when nobody else looks, type your name (its beginning is enough).", self._who(self.asked)
            )
            return [("strong", self._said(text))]
        if self.hidden and typed:
            return [("hint", self._said(Text("Enter: take it")))]
        texts = list(self.lines())
        lines = [] if typed else self._outcomes()
        lines = lines or outline(texts, typed, width, HINT_LINES) or self._readings(texts, typed)
        return [("hint", line) for line in lines]

    def _hint_at_command(self, typed: str) -> list[tuple[str, str]]:
        """Return what the command being typed does; of one that takes the number of a move, also the last move's."""
        fits = fitting(typed.split(" ")[0], self._commands)
        if len(fits) != 1:
            return [("hint", " · ".join(command.name for command in fits))]
        lines = [("hint", self._explain(fits[0]))]
        last = next((saying for saying in reversed(self.sayings) if saying.at), None)
        if fits[0].name in _DOUBTS and last is not None:
            lines.append(("hint", self._said(Text("The last one told here: {saying}", {"saying": last.text}))))
        return lines

    def _outcomes(self) -> list[str]:
        """Return what each move of a choice leads to; nothing where the game does not say so, or of many moves."""
        mine = self._mine[self.asked] if self.asked else {}
        outcomes = zip(mine.get("moves", ()), mine.get("outcomes", ()), strict=False)
        lines = [f"{move}: {render(outcome, self.names)}" for move, outcome in outcomes]
        return lines if len(lines) <= HINT_LINES else []

    def _readings(self, texts: Sequence[str], typed: str) -> list[str]:
        found = read_line(texts, typed)
        if len(found) == 1:
            return [f"↵ {found[0]}"]
        if not found:
            why = Text("not possible now; Enter says why")
            known = self.asked is not None and self._is_move(self.asked, " ".join(typed.split()))
            return [self._said(why if known else Text("no move here begins like this"))]
        one, many = "{count} move fits: {moves}", "{count} moves fit: {moves}"
        return [self._said(counted(len(found), one, many, moves=_some(found)))]

    def _explain(self, command: Command) -> str:
        """Return what a command does."""
        return self._said(Text("{command}: {does}", {"command": command.name, "does": command.does}))

    def options(self, typed: str) -> list[Option]:
        """Return what can be chosen after what is typed: commands; moves; where these are many, what they begin with.

        Nothing where a secret is decided at a screen that several share: what is looked at would tell it.
        """
        if self.quitting or self.page or self.hidden or self.must_confirm:
            return []
        if typed.startswith(":"):
            with_values = [f"{each.name} {value}" for each in self._commands for value in each.values]
            if " " in typed:
                return [Option(line, "", True) for line in with_values if line.startswith(typed)]
            fitting = [each for each in self._commands if each.name.startswith(typed)]
            return [Option(each.name, self._said(each.does), each.whole) for each in fitting]
        if self.over is not None and self.repeats and not self.looks:
            return [Option(each, self._said(_AFTER[each]), True) for each in self._after if each.startswith(typed)]
        if self.asked is None:
            return []
        fits = find(list(self.lines()), typed)
        if len(fits) > _CHOSEN_FROM:
            stands, found = choices(fits, typed)
            if len(found) > 1:
                stands += "" if stands[-1:] in ("", ":", "-") else " "
                return [self._group(self.asked, stands + choice.part, fits) for choice in found]
        return [Option(text, self._leads(self.asked, text), True) for text in fits]

    def _leads(self, seat: int, line: str) -> str:
        """Return what a line leads to, as far as its game says so."""
        if self._words.outcome is None:
            return ""
        try:
            move = self.rules.parse(f"{seat_name(seat)} {line}")
        except RulesError:  # the reply to a poll or a menu
            return ""
        leads = self._words.outcome(self.rules, self._updates[seat]["view"], move)
        return "" if leads is None else self._said(leads)

    def _group(self, seat: int, beginning: str, texts: Sequence[str]) -> Option:
        """Return the option of all moves that begin alike; the move itself, if it is one alone."""
        fits = [text for text in texts if text.startswith(beginning)]
        if len(fits) == 1:
            return Option(fits[0], self._leads(seat, fits[0]), True)
        if all(text == beginning or text.startswith(f"{beginning} ") for text in fits) and beginning not in fits:
            beginning += " "
        return Option(beginning, summary(fits, beginning, _FOLLOWING), False)

    def complete(self, typed: str) -> str:
        """Return the line with all that can only follow."""
        if typed.startswith(":"):
            return complete([command.name for command in self._commands], typed)
        return typed if self.asked is None or self.must_confirm else complete(list(self.lines()), typed)

    def _lit(self, typed: str) -> set[str]:
        """Return the parts of the board that the move being typed names, and those that it may name next; none while
        every move still fits.
        """
        if not typed.strip() or self.asked is None or self.must_confirm or self.hidden or self._question is None:
            return set()
        if self._question["kind"] != "turn":
            return set()
        texts = list(self.lines())
        fits = find(texts, typed)
        if len(fits) == len(texts) > 1:
            return set()
        try:
            moves = [self._words.parts_of(self.rules, self.asked, text) for text in fits]
        except Exception:  # a game's own part: what goes wrong in it is told where a game needs it
            return set()
        lit: set[str] = set()
        for groups in zip_longest(*moves, fillvalue=()):
            lit.update(part for group in groups for part in group)
            if len(set(groups)) > 1:
                break
        return lit

    def help(self, *keys: Text) -> list[Sequence[str]]:
        """Return the help: sections of paragraphs; ``keys``: those about the keys of this kind of screen, which has a
        list of all commands."""
        moves = self._words.help
        moves = self._words.help_at_table or moves if self._beside_table else moves
        unsaid = {":picture"} if self.no_picture is not None else set()
        unsaid |= {command.name for command in self._commands if keys and command.page in LOOKED_UP}
        short = Text("Words can be cut short, and the verb left out, as long as only one move fits.")
        return [
            [self._said(text) for text in moves],
            [self._said(text) for text in (short, *keys)],
            [self._explain(command) for command in self._commands if command.name not in unsaid],
            *([[self._said(self._address)]] if self._address is not None else []),
        ]

    def card(self, *, keys: bool) -> list[tuple[str, Sequence[str]]]:
        """Return what a newcomer has to know before the first question: headings, each with its paragraphs. ``keys``:
        this kind of screen has some."""
        words = self._words
        moves = words.help_at_table or words.help if self._beside_table else words.help
        more = _WITH_KEYS if keys else _WITH_WORDS
        sections = ((_AIM, (words.aim,)), (_TURN, (words.turn,)), (_ANSWER, (*moves, more)))
        return [
            (self._said(head), [self._said(text) for text in texts]) for head, texts in sections if any(map(str, texts))
        ]

    # -- lines that are typed --------------------------------------------------------------------------------------

    def refuse(self, why: Text) -> None:
        """Say what is wrong with what is typed."""
        self.error = self._said(why)

    def changed(self) -> None:
        """Forget the error, and what Enter would confirm: somebody types again, and has read it."""
        self.error = self._meant = ""

    def dismiss(self) -> None:
        """Forget a hint, too, unless a bot still thinks about it: what is read must not come back by surprise."""
        self.changed()
        if not self.thinking:
            self._advice = None

    def quit(self) -> list[Action]:
        """Ask whether to stop; stop if that was being asked."""
        self.error = ""
        if self.over is not None or self.quitting or not self.ready:
            return self.stop()
        self.quitting = True
        return []

    def stop(self) -> list[Action]:
        """Stop the game at once, when it is not over."""
        if self.over is not None:
            return [Action(LEAVE, {})]
        self.stopped = True
        return [Action(COMMAND, {"command": "stop"}), Action(LEAVE, {})]

    def accept(self, line: str) -> list[Action]:
        """Take a line that was entered; return what is to be sent. What is wrong with it becomes :attr:`error`."""
        if len(line) > LINE_MAX:
            self.changed()
            self.refuse(TOO_LONG)
            return []
        text = " ".join(line.split())
        offered = "" if self.error else self.advised_line  # an error hides the hint
        meant = (self.confirmation and self._meant) or offered
        self.error = self._sent = self._meant = ""
        if self.quitting:
            self.quitting = False
            return self.stop() if text and "yes".startswith(text.casefold()) else []
        if self.looks:
            return self._look(text)
        if self.page:
            self.page = ""
            if not text or text.casefold() in ("q", "back"):  # as every pager does
                return []
        if text.startswith(":"):
            return self._command(text)
        if self._is_command(text):
            word, _, rest = text.partition(" ")
            return self._command(f"{read_bare(word, self._commands)} {rest}".rstrip())
        if self.over is not None and self.repeats:
            return self._follow_up(text)
        if self.asked is None and text:
            late = Text("{seen} is dropped: nobody at this screen is asked now.", {"seen": repr(text)})
            self.error = self._said(late if self.over is None else _OVER)
            return []
        if self.asked is None:
            return [Action(COMMAND, {"command": "hurry"}) if self.over is None else Action(LEAVE, {})]
        if self.must_confirm:
            return self._confirm(self.asked, text)
        return self._answer(self.asked, text or meant, sure=not text)

    @property
    def _after(self) -> list[str]:
        """Return what can be done when the game is over."""
        back = self.lookback is not None and self.lookback.possible
        return [each for each in _AFTER if back or each != LOOK]

    @property
    def looks(self) -> bool:
        """Return whether somebody looks back at the game."""
        return self.lookback is not None and self.lookback.at is not None

    def _follow_up(self, text: str) -> list[Action]:
        """Do what somebody wants when the game is over. Enter alone does nothing: it may have been meant for a bot's
        delay."""
        choices = {**{each: each for each in self._after}, **_AFTER_ALSO}
        found = {choices[line] for line in read_line(list(choices), text)} if text else set()
        if len(found) != 1:
            wrong = Text(
                "{seen} is not possible now; type {choices}", {"seen": repr(text), "choices": any_of(self._after)}
            )
            self.error = self._said(wrong) if text else ""
            return []
        if found == {LOOK}:
            assert self.lookback is not None
            self.lookback.begin()
            return []
        self.another = found == {AGAIN}
        return [Action(LEAVE, {})]

    def _look(self, text: str) -> list[Action]:
        """Look back at another move, or at the end again."""
        assert self.lookback is not None
        if not text or "next".startswith(text.casefold()):
            self.lookback.step(1)
        elif "back".startswith(text.casefold()):
            self.lookback.step(-1)
        elif _number(text) is not None:
            self.lookback.go(int(text))
        elif "quit".startswith(text.removeprefix(":").casefold()):
            self.lookback.end()
        else:
            wrong = Text("{seen} is not the number of a move, next, back or quit", {"seen": repr(text)})
            self.error = self._said(wrong)
        return []

    def _is_command(self, text: str) -> bool:
        """Return whether a line without a colon is a command: its word is one, and nothing that is asked here can be
        answered so."""
        word, _, rest = text.partition(" ")
        command = read_bare(word, self._commands)
        if not command or not self.ready or self.quitting or (rest and command != ":back"):
            return False
        if self.must_confirm:
            return self.asked not in seats_meant(text, self._whole, self.here)
        return not (self.asked and read_line(list(self.lines()), text))

    @property
    def _commands(self) -> tuple[Command, ...]:
        """Return the commands of this kind of screen."""
        return PRINTING if self.prints else GAME

    def _command(self, text: str) -> list[Action]:
        """Do what a line with a colon says."""
        word, _, rest = text.partition(" ")
        command = find_command(word, self._commands)
        if command is None:
            self.refuse(unknown(word, self._commands))
            return []
        if command.page:
            self.page = command.page
            return []
        return self._doers[command.name](rest)

    def _pause(self, _rest: str) -> list[Action]:
        return [Action(COMMAND, {"command": "pause", "seat": self._speaker})]

    def _turn_picture(self, _rest: str) -> list[Action]:
        """Show the board as a picture, or in characters again."""
        if self.no_picture is not None:
            self.refuse(self.no_picture)
        else:
            self.pictured = not self.pictured
        return []

    def _set_pace(self, text: str) -> list[Action]:
        """Have bots move faster or slower, or take some seconds for a move."""
        seconds = _seconds(text)
        if text and FASTER.startswith(text.casefold()):
            seconds = max((pace for pace in _PACES if pace < self.pace_s), default=0.0)
        elif text and SLOWER.startswith(text.casefold()):
            seconds = min((pace for pace in _PACES if pace > self.pace_s), default=self.pace_s)
        if seconds is None:
            about = {"seen": repr(text), "now": number_text(self.pace_s), "most": _PACE_MAX_S}
            wrong = Text(":pace takes faster, slower, or 0 to {most} seconds, not {seen}; it is {now} s now", about)
            which = Text("Type :pace and faster, slower, or 0 to {most} seconds; it is {now} s now.", about)
            self.error = self._said(wrong if text else which)
            return []
        return [Action(COMMAND, {"command": "pace", "seconds": seconds})]

    def _call(self, _rest: str) -> list[Action]:
        """Stop play for a seat here."""
        if not self.here:
            text = Text("Nobody plays at this screen. A place stops play: hold minus there and press plus.")
            self.error = self._said(text if self._beside_table else Text("Nobody plays at this screen."))
            return []
        return [Action(COMMAND, {"command": "call", "seat": self._speaker})]

    def _ask_for_hint(self) -> list[Action]:
        """Have a bot decide in place of the seat that is asked here; else, of the one at the table."""
        seat, question = self.asked or self._at_table, self._question
        if question is None:
            self.error = self._said(Text("There is no question now."))
        elif seat is None:
            args = {"names": self._names(self._waiting)}
            self.error = self._said(Text("Hints are for your own turn; it is up to {names} now.", args))
        elif self.must_confirm:
            self.error = self._said(Text("This is for {name}, who types that name.", self._who(seat)))
        elif not self.thinking:
            self._advice, self._because, self._advised, self._advised_line = THINKING, None, self._occasion, ""
            self._advised_for = self.question_key
            self._hints += 1
            return [Action(COMMAND, {"command": "hint", "seat": seat, "n": self._hints})]
        return []

    def _take_hint(self, hint: Json) -> None:
        """Take a hint; it is told as long as the question is open for which it was asked."""
        question = self._question
        if hint["n"] != self._hints or self._occasion != self._advised or question is None:
            return
        if "why" in hint:
            self._advice = Text("No hint: {why}.", {"why": render(hint["why"], self.names)})
            return
        whole = line = PASS if hint["move"] is None else hint["move"]
        self._advice = Text("Hint: {move}", {"move": whole})
        if leads := question.get("leads"):
            steps = self._steps(question)
            step = next((step for step, moves in zip(steps, leads, strict=True) if whole in moves), PASS)
            line = step
            if step != whole:
                self._advice = Text("Hint: {move}; now {step}", {"move": whole, "step": step})
        elif question["kind"] == "window":
            line = "done" if hint["move"] is None else whole
            self._advice = Text("Hint: {move}", {"move": line})
        self._because = text_from(hint["because"]) if hint.get("because") else None
        if line in self.lines():
            self._advised_line = line
            self._advice = Text("{hint} (Enter plays it)", {"hint": self._advice})

    def _steps(self, question: Json) -> list[str]:
        """Return what can be done now where a move is composed or answered."""
        return ["no", "yes"] if question["kind"] == "poll" else list(self._options(question))

    def _take_back(self, text: str) -> list[Action]:
        """Ask for a seat's last decisions to be taken back; at a console for one that is named."""
        seat, count = self._speaker, text
        if not self.here:
            here = [n for n in range(1, len(self.names) + 1) if self._sits(n)]
            fits, last = self._read_name(text, here)
            count = last or "1"
            if len(fits) != 1:
                known = {"names": any_of([self._name(n) for n in here])}
                whose = Text("Type :back and a name: {names}", known)
                self.error = self._said(whose if here else Text("Nobody plays at this screen."))
                return []
            (seat,) = fits
        if _number(count) in (None, 0):
            self.error = self._said(Text(":back takes a number of decisions, not {seen}", {"seen": repr(count)}))
            return []
        return [Action(COMMAND, {"command": "back", "seat": seat, "count": _number(count)})]

    def _leave_to_bot(self, text: str) -> list[Action]:
        """Have a bot decide for a person who plays here or at the table, or another one for a bot's seat."""
        from tablier.bots.bots import default_bot, is_bot  # with all that bots need: a screen begins without it

        game = self.latest["rules"]
        bots, here = self._bots, set(self.here or filter(self._sits, range(1, len(self.names) + 1)))
        fits, level = self._read_name(text, here | bots)
        named = seats_called(text, self._whole) or (fits and not is_bot(game, text))
        if not named and " " not in text and self._speaker in here:  # no name at all, or none that is known
            fits, level = [self._speaker], text
        if len(fits) != 1 or (fits[0] in bots and not level):
            known = {"names": any_of([self._name(n) for n in sorted(here | bots)])}
            self.error = self._said(Text("Type :leave, a name and which bot: {names}", known))
            return []
        return [Action(COMMAND, {"command": "source", "seat": fits[0], "source": level or default_bot(game)})]

    def _come_back(self, text: str) -> list[Action]:
        """Have a person decide again whose seat a bot has: here, or at the table."""
        seats = self.latest["seats"]
        able = self._bots & (set(self.here) or {n for n, seat in enumerate(seats, 1) if seat["place"]})
        fits = seats_meant(text, self._whole, able) if text else sorted(able & set(self.here))
        if len(fits) != 1:
            known = {"names": any_of([self._name(n) for n in sorted(able)])}
            form = Text("Type :return and a name: {names}", known)
            self.error = self._said(form if able else Text("No bot plays for anybody here."))
            return []
        source = AT_SCREEN if self.here else AT_TABLE
        return [Action(COMMAND, {"command": "source", "seat": fits[0], "source": source})]

    @property
    def _bots(self) -> set[int]:
        """Return the seats of bots."""
        seats = self.latest["seats"] if self.ready else ()
        return {n for n, seat in enumerate(seats, 1) if seat["source"] not in (AT_SCREEN, AT_TABLE)}

    def _read_name(self, text: str, seats: Collection[int]) -> tuple[list[int], str]:
        """Return which of some seats a text names, and the last word where that is none of the name.

        A whole name wins over the beginning of one.
        """
        head, _, last = text.rpartition(" ")
        readings = ((text, ""), (head, last))
        whole = [(name, rest) for name, rest in readings if seats_called(name, self._whole)]
        for name, rest in whole or readings:
            if fits := seats_meant(name, self._whole, seats):
                return fits, rest
        return [], ""

    def _doubt(self, command: str, text: str) -> list[Action]:
        """Correct or dispute a move: an optional number, then what is to be said; or have a seat say anew what it drew
        in secret."""
        drew = [n for n in seats_called(text, self._whole) if self._sits(n)]
        if command == ":correct" and not self.here and drew:
            return [Action(COMMAND, {"command": "mistake", "seat": drew[0]})]
        first, _, rest = text.partition(" ")
        at = _number(first)
        said, what = text if at is None else rest, "move" if command == ":correct" else "text"
        if not said:
            wrong = Text(":dispute takes the number of a move and what is wrong")
            self.error = self._said(Text(":correct takes the number of a move and a move") if what == "move" else wrong)
            return []
        return [Action(COMMAND, {"command": command[1:], "seat": self._speaker, "at": at, what: said})]

    @property
    def _speaker(self) -> int:
        """Return the seat that gives commands here, 0 where nobody plays."""
        return self.asked or self._looking or next(iter(self.here), 0)

    def _confirm(self, seat: int, text: str) -> list[Action]:
        """Let a seat look that says who it is. Enter alone does not do: the last one may have pressed it once more; nor
        does a text by which somebody else here may have said the same."""
        fits = seats_meant(text, self._whole, self.here)
        if fits == [seat]:
            self._looking = seat
        elif seat in fits:
            several = {"seen": repr(text), "names": self._names(fits)}
            self.error = self._said(Text("{seen} may be {names}; type more of your name.", several))
        elif text:
            self.error = self._said(Text("This is for {name}, who types that name.", self._who(seat)))
        return []

    def _answer(self, seat: int, text: str, *, sure: bool) -> list[Action]:
        """Send a reply. ``sure``: it need not be confirmed, because it was shown in full before."""
        if not text:
            return []
        lines = self.lines()
        found = read_line(list(lines), text)
        if called := seats_called(text, self._whole):  # Ann is no beginning of Anne, where that is an answer
            found = [line for line in found if line not in self.names or self.names.index(line) + 1 in called]
        if len(found) > 1:
            fits = Text("{seen} fits {moves}", {"seen": repr(text), "moves": _some(found)})
            self.error = self._said(Text("That fits more than one option.") if self.hidden else fits)
            return []
        question = self._question
        assert question is not None
        head = {"id": question["id"], "seat": seat}
        if not found:
            if question["kind"] == "turn" and self._is_move(seat, text):  # the rules know why not
                self._sent = text
                return [Action(REPLY, {**head, "event": "played", "move": text})]
            hidden = Text("That cannot be answered here.")
            self.error = self._said(hidden if self.hidden else self._impossible(text, list(lines)))
            return []
        if not sure and self._must_repeat(question, found[0]) and not is_whole(found[0], text):
            self._meant, self._meant_for = found[0], self._occasion
            return []
        for story in self._stories.values():
            story.decided()
        reply = lines[found[0]]
        if reply["event"] == "locked":
            self._binders[seat] = Binder()
            mine = self._updates[seat]["question"]
            return [Action(REPLY, self._binders[seat].lock(mine, seat, reply["option"]))]
        return [Action(REPLY, {**head, **reply})]

    def _is_move(self, seat: int, text: str) -> bool:
        """Return whether a line is a move of the game, or an attempt at one, of which the rules say why it cannot be
        played."""
        try:
            self.rules.parse_typed(f"{seat_name(seat)} {text}")
        except RulesError:
            return False
        return True

    def _must_repeat(self, question: Json, move: str) -> bool:
        """Return whether a move decides so much that a shortened line for it is confirmed."""
        return question["kind"] == "choice" or move.split(" ")[0] in self._words.weighty

    def _impossible(self, text: str, lines: Sequence[str]) -> Text:
        """Return that a line is no reply, and what can be typed now."""
        args: dict[str, Any] = {"seen": repr(text)}
        verb = text.split(" ")[0].casefold()
        if same := [line for line in lines if line.split(" ")[0].casefold() == verb]:
            return Text("{seen} is not possible now; possible: {lines}", {**args, "lines": _some(same)})
        if near := nearest(text, lines, 0.75):
            return Text("{seen} is not possible now; did you mean {near}?", {**args, "near": near})
        if len(lines) <= _SHOWN and len(", ".join(lines)) <= _ROOM:
            return Text("{seen} is not possible now; type {lines}", {**args, "lines": any_of(lines)})
        verbs = _by_verb(lines)
        if not 1 < len(verbs) <= _VERBS:
            return Text("{seen} is not possible now; type a move such as {line}", {**args, "line": lines[0]})
        return Text("{seen} is not possible now; type {lines}", {**args, "lines": any_of(verbs)})

    def lines(self) -> dict[str, Json]:
        """Return each line that can be typed, and the reply that it stands for."""
        seat, question = self.asked, self._question
        if seat is None or question is None:
            return {}
        mine, kind = self._mine[seat], question["kind"]
        if kind == "turn":
            lines: dict[str, Json] = {move: {"event": "played", "move": move} for move in mine["moves"]}
            return {**lines, PASS: {"event": "played", "move": None}} if mine["may_pass"] else lines
        if kind == "choice":
            options = question["options"]
            return {move: {"event": "locked", "option": options.index(move)} for move in mine["moves"]}
        if kind == "poll":
            return {"yes": {"event": "answered", "yes": True}, "no": {"event": "answered", "yes": False}}
        if kind == "menu":
            return self._options(question)
        cards: dict[str, Json] = {f"throw {rank}": {"event": "thrown", "rank": rank} for rank in mine["cards"]}
        return {**cards, "done": {"event": "done"}}

    def _options(self, menu: Json) -> dict[str, Json]:
        texts = [render(option, self.names) for option in menu["options"]]
        if len(set(texts)) < len(texts):
            texts = [f"{label}: {text}" for label, text in zip(menu["labels"], texts, strict=True)]
        return {text: {"event": "picked", "option": number} for number, text in enumerate(texts)}

    # -- what the updates say --------------------------------------------------------------------------------------

    @property
    def latest(self) -> Json:
        """Return the latest update of what may be shown to everybody here."""
        return self._updates[self.viewers[-1]]

    @property
    def _question(self) -> Json | None:
        question: Json | None = self.latest["question"] if self.ready else None
        return question

    @property
    def _waiting(self) -> list[int]:
        return list(self._question["waiting"]) if self._question else []

    @property
    def _at_table(self) -> int | None:
        """Return the first seat at the table that is waited for."""
        return next((seat for seat in self._waiting if self.latest["seats"][seat - 1]["source"] == AT_TABLE), None)

    def _sits(self, seat: int) -> bool:
        """Return whether a seat is at a table."""
        return self.ready and self.latest["seats"][seat - 1]["source"] == AT_TABLE

    @property
    def _beside_table(self) -> bool:
        """Return whether somebody sits at a table."""
        return self.ready and any(seat["source"] == AT_TABLE for seat in self.latest["seats"])

    @property
    def _bots_decide(self) -> bool:
        return bool(self._bots & set(self._waiting))

    @property
    def _mine(self) -> dict[int, Json]:
        """Return what each seat here that is waited for may know of the question."""
        current, found = self._question, {}
        for seat in self.here if current else ():
            question = self._updates[seat]["question"]
            if question and current and question["id"] == current["id"] and question.get("mine", {}).get("waits"):
                found[seat] = question["mine"]
        return found

    def _private(self, seat: int) -> bool:
        """Return whether others may not look on: the seat sees what is secret, or what it says will be."""
        question = self._question
        return bool(question and question.get("secret")) or self._updates[seat]["view"] != self._updates[None]["view"]

    def _name(self, seat: int | None) -> str:
        return self.names[seat - 1] if seat else ""

    def _names(self, seats: Sequence[int]) -> Listed:
        return all_of([self._name(seat) for seat in seats])

    def _who(self, seat: int | None) -> Json:
        """Return a seat's name as the argument of a text."""
        return {"name": self._name(seat)}


def _clock(left: float) -> str:
    """Return the time that is left, as a bar that runs out."""
    whole = int(left + 0.999)
    return f"[{'■' * min(whole, 10)}{'·' * max(0, 5 - whole)}] {whole} s"


def _by_verb(lines: Iterable[str]) -> list[str]:
    """Return what can be typed, one line for each verb."""
    verbs: dict[str, list[str]] = {}
    for line in lines:
        verbs.setdefault(line.split(" ")[0], []).append(line)
    return [found[0] if len(found) == 1 else f"{found[0]} …" for found in verbs.values()]


def _some(texts: Sequence[str]) -> Listed:
    """Return the first texts, as many as fit in two narrow lines, and how many more there are."""
    shown = next((n for n in range(1, len(texts)) if len(", ".join(texts[: n + 1])) > _ROOM), len(texts))
    shown = min(shown, _SHOWN)
    more = [counted(len(texts) - shown, "{count} more", "{count} more")] if len(texts) > shown else []
    return all_of([*texts[:shown], *more])


__all__ = ["COMMAND", "LEAVE", "PACE_S", "REPLY", "Action", "Model", "Option", "send"]

"""The model of a screen: the meaning of typed lines, whatever the screen looks like.

A model takes messages and lines and returns what is to be sent; it neither draws nor waits. Every kind of question
becomes a set of lines that can be typed, each with the reply that it stands for, so that completing, abbreviating and
explaining are the same for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from tablier import messages
from tablier.course.binding import Binder
from tablier.games import leads_to
from tablier.games.core import RulesError, seat_name
from tablier.messages import Question, Update
from tablier.play.connections import Connection, Hinted, Message, Reconnected, Refused, Said
from tablier.screens.advice import Advice
from tablier.screens.commands import (
    CARD,
    GAME,
    HELPS,
    LINE_MAX,
    LOOKED_UP,
    PRINTING,
    TOO_LONG,
    WORDS,
    Command,
    Mistyped,
    begun,
    find_command,
    fitting,
    plain,
    read_bare,
    unknown,
)
from tablier.screens.names import seats_called, seats_meant
from tablier.screens.orders import ORDERS, number_of, read_pace
from tablier.screens.phrases import THIS_IS_FOR, TYPE_THESE
from tablier.screens.replies import MANY_VERBS, NOTATION, impossible, some_of
from tablier.screens.seen import Seen
from tablier.screens.summary import LogName, final_text
from tablier.screens.turn import question_text
from tablier.screens.typed import choices, complete, find, is_whole, outline, read_line, summary
from tablier.texts import Json, Text, any_of, counted, render, spelled, unspelled

if TYPE_CHECKING:
    from tablier.screens.history import Lookback

REPLY, COMMAND, LEAVE = "reply", "command", "leave"
HINT_LINES = 2
PACE_S = 1.0
"""The seconds that bots take for a move, where nothing else was said."""
_CHOSEN_FROM = 12  # the most moves that are chosen from at once
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


_LEAVES = Text("The game is over. Enter leaves.")
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
_AIM, _TURN, _ANSWER = Text("The aim"), Text("A turn"), Text("How to answer")
_WITH_KEYS = Text("Or choose with ↑ ↓ and Enter. F1 is the help, F2 the rules, F3 a hint.")
_WITH_WORDS = Text("help, rules and hint say more.")


class Model(Seen):
    """One screen with the seats that sit at it. Not thread-safe."""

    def __init__(
        self,
        here: Sequence[int],
        log: LogName,
        *,
        now: Callable[[], float] = monotonic,
    ) -> None:
        super().__init__(here, now=now)
        self.log = log
        self.error = ""
        self.page = ""
        """The page that is being read instead of the board: :data:`RULES`, :data:`HELP` or none."""
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
        self.quitting = False
        """True while the screen asks whether to stop."""
        self.stops = True
        """True if the game stops when this screen is left."""
        self.stopped = False
        """True once somebody here has stopped the game."""
        self.abandons = False
        """True once somebody here has stopped it for good: it is to be abandoned."""
        self._advice = Advice(self)
        self._meant = ""  # the move that a shortened line means, which Enter plays …
        self._meant_for: object = None  # … on this occasion
        self._turns = 0  # how many questions to seats here have gone
        self._binders: dict[int, Binder] = {}
        self._opened: dict[int, int] = {}  # the question whose choice each seat has opened
        self._sent = ""  # the line that was sent last as a move: what is wrong with it the rules say

    # -- messages --------------------------------------------------------------------------------------------------

    def take(self, message: Message) -> list[Action]:
        """Take a message of the connection; return what is to be sent because of it."""
        match message:
            case messages.Updates(updates=updates):
                return self._update(updates)
            case Refused(why=why):
                self._take_refusal(why)
            case Hinted(n=n, hint=hint):
                self._advice.take(n, hint)
            case Reconnected():  # what was sent last may be lost
                self._opened.clear()
            case Said(text=text):
                self.note(text)
            case messages.Taken(seat=seat):
                self._binders.pop(seat, None)
                self._opened.pop(seat, None)
                self.let_go(seat)
        return []  # what programs wrote is shown when the screen has been left

    def _update(self, updates: Sequence[Update]) -> list[Action]:
        before = self.question_key
        first = not self.ready
        self.take_updates(updates)
        if first:
            self.explains = self.explains and bool(self.here) and updates[0].over is None
            self.page = CARD if self.explains else ""
        for news in (news for update in updates for news in update.news if news.kind == "pace"):
            self.pace_s = float(news.text.args["seconds"])
        if before[1] is not None and self.question_key[:2] != before[:2]:
            self._turns += 1
        actions = [action for update in updates for action in self._open(update.viewer, update.question)]
        return [*actions, *self._ask_for_hint()] if self._advice.is_outdated() else actions

    def _take_refusal(self, refused: Text) -> None:
        if self.thinking:
            self._advice.drop()
        why = render(refused, self.names)
        quoted = not self._sent or repr(self._sent) in refused.args.values()
        self.error = (
            why if quoted else self.said(Text("{line}: {why}", {"line": repr(spelled(self._sent)), "why": why}))
        )

    def _open(self, viewer: int | None, question: Question | None) -> list[Action]:
        """Open what a seat here is bound to, once all are bound."""
        if viewer not in self._binders or not isinstance(question, messages.Choice) or viewer not in question.to_open:
            return []
        opening = self._binders[viewer].open(question.id, viewer)
        if opening is None or self._opened.get(viewer) == question.id:
            return []
        self._opened[viewer] = question.id
        return [Action(REPLY, opening)]

    # -- what can be seen ------------------------------------------------------------------------------------------

    @property
    def summary(self) -> str | None:
        """Return what is left to tell of a game that is over when its screen has been left."""
        if self.over is None:
            return None
        return final_text(self.latest, self.over, self.log, self.lookback.played if self.lookback is not None else None)

    @property
    def key(self) -> tuple[int, int | None, bool]:
        """Return what a half-typed line belongs to: when this changes, the line goes.

        What is typed while others decide is kept for the next question, where nobody else sits at this screen.
        """
        return self._turns, self.asked if self._alone is None else self._alone, self.must_confirm

    @property
    def question(self) -> str:
        """Return the question, in one or two lines; while a page is read, how to leave it."""
        if self.quitting:
            if self.elsewhere:
                return self.said(Text("Leave? The game continues for {names}.", {"names": self.elsewhere}))
            stops = Text("Stop? The game is kept to be resumed; unfinished it counts for nobody.")
            return self.said(stops if self.stops else Text("Leave? The game continues."))
        if self.page == CARD:
            return self.said(Text("Enter: begin."))
        if self.page:
            return self.said(Text("PgDn, PgUp: turn the page. Enter: back to the game."))
        return self._question

    @property
    def _question(self) -> str:
        """Return what is asked in the game."""
        if self.over is not None:
            if self.looks:
                return self.said(Text("Looking back. Enter: next move; back; a number: after that move; quit."))
            return self.said(Text("The game is over. Again?") if self.repeats else _LEAVES)
        if self.must_confirm:
            return self.said(Text("Pass the screen to {name}.", {"name": self.name_of(self.asked)}))
        text = question_text(self.latest, self.names, yours=self.asked is not None) if self.ready else None
        if text is None or self.asking is None:
            return ""
        if self.asked is not None and self.asking.what == "turn":  # the rules alone ask: say what can be typed
            lines = list(self.lines())
            verbs = list(dict.fromkeys(line.split(" ")[0] for line in lines))
            args = {"question": text, "lines": any_of(verbs), "line": lines[0]}
            many = len(verbs) > MANY_VERBS or len(verbs) == 1 < len(lines)
            example = Text("{question} Type a move such as {line}.", args)
            text = example if many else Text("{question} Type {lines}.", args)
        left = self.seconds_left
        return self.said(text) if left is None else f"{self.said(text)} {_clock(left)}"

    @property
    def prompt(self) -> tuple[str, str]:
        """Return style and text of what stands before the line to type in."""
        if self.quitting:
            return "strong", self.said(Text("yes or no> "))
        if self.repeats and self.over is not None:
            return "mine", "> "
        return ("hint", "… ") if self.asked is None else ("mine", f"{self.name_of(self.asked)}> ")

    @property
    def advice(self) -> str:
        """Return the advice that was asked for, as long as its question is open and its seat can do the same."""
        return self.said(self._advice.text) if self._advice.text else ""

    @property
    def advice_lines(self) -> list[str]:
        """Return the advice, and what the bot says of it."""
        return list(map(self.said, self._advice.texts))

    @property
    def advised_line(self) -> str:
        """Return the line that does what the advice says, which Enter alone does, too; empty where there is none."""
        return self._advice.line

    @property
    def thinking(self) -> bool:
        """Return whether a hint for the open question is being worked out."""
        return self._advice.thinking

    @property
    def confirmation(self) -> str:
        """Return what Enter does once more, where a shortened line would decide much; else nothing."""
        if not self._meant or self._meant_for != self.occasion:
            return ""
        hidden = Text("Enter again takes it.")
        return self.said(hidden if self.hidden else Text("Enter again plays {move}.", {"move": self._meant}))

    def hint(self, typed: str, width: int) -> list[tuple[str, str]]:
        """Return what can be typed next, or what is wrong, as lines of a style and a text."""
        if self.error:
            asks = self.asked and not (typed or self.quitting or self.page or self.must_confirm)
            moves = outline(list(self.lines()), "", width, 1) if asks else []
            return [("error", self.error), *(("hint", line) for line in moves)]
        if self.quitting:
            leaves = Text("yes: leave · no: play on")
            stops = Text("yes: stop · no: play on · abandon: stop, and never count or resume it")
            return [("hint", self.said(leaves if self.elsewhere or not self.stops else stops))]
        if not self.ready or (self.page and not typed) or self.looks:
            return []
        if not typed and self.confirmation:
            return [("strong", self.confirmation)]
        if typed.startswith((":", "?")) or self._is_command(typed):
            return self._hint_at_command(typed)
        if self.over is not None:
            leave = Text("Enter: leave · :back: take back your last decision")
            after = Text(
                "{choices} · :back: take back your last decision",
                {"choices": any_of([WORDS[each] for each in self._after])},
            )
            return [("hint", self.said(after if self.repeats else leave))]
        if self.advice and not typed:
            return [("hint", ". ".join(self.advice_lines))]
        if self.asked is None:
            return [
                (
                    "hint",
                    self.said(Text("Enter: skip the delay · faster, slower · :help"))
                    if self.bots_decide
                    else HELPS.said,
                )
            ]
        if self.must_confirm:
            about = {"name": self.name_of(self.asked)}
            alone = Text("{name}: when nobody else looks, type your name (its beginning is enough).", about)
            return [("strong", self.said(alone))]
        if self.hidden and typed:
            return [("hint", self.said(Text("Enter: take it")))]
        texts = list(self.lines())
        lines = [] if typed else self._outcomes()
        lines = lines or outline(texts, typed, width, HINT_LINES) or self._readings(typed)
        return [("hint", line) for line in lines]

    def _hint_at_command(self, typed: str) -> list[tuple[str, str]]:
        """Return what the command being typed does; of one that takes the number of a move, also the last move's."""
        fits = fitting(typed.split(" ")[0], self._commands)
        if len(fits) != 1:
            return [("hint", " · ".join(command.said for command in fits))]
        lines = [("hint", self._explain(fits[0]))]
        last = next((saying for saying in reversed(self.sayings) if saying.at), None)
        if fits[0].name in _DOUBTS and last is not None:
            lines.append(("hint", self.said(Text("The last one told here: {saying}", {"saying": last.text}))))
        return lines

    def _outcomes(self) -> list[str]:
        """Return what each move of a choice leads to; nothing where the game does not say so, or of many moves."""
        mine = self.mine[self.asked] if self.asked else None
        if not isinstance(mine, messages.MyChoice):
            return []
        outcomes = zip(mine.moves, mine.outcomes, strict=False)
        lines = [
            str(Text("{move}: {outcome}", {"move": spelled(move), "outcome": render(outcome, self.names)}))
            for move, outcome in outcomes
        ]
        return lines if len(lines) <= HINT_LINES else []

    def _readings(self, typed: str) -> list[str]:
        found = self._read(typed)
        if len(found) == 1:
            return [f"↵ {found[0]}"]
        if not found:
            why = Text("not possible now; Enter says why")
            known = self.asked is not None and self._is_move(self.asked, self._in_notation(" ".join(typed.split())))
            return [self.said(why if known else Text("no move here begins like this"))]
        one, many = "{count} move fits: {moves}", "{count} moves fit: {moves}"
        return [self.said(counted(len(found), one, many, moves=some_of(found)))]

    def _explain(self, command: Command) -> str:
        """Return what a command does."""
        return self._describe(command.said, command.told)

    def _describe(self, typed: str, does: Text) -> str:
        """Return what somebody can type, and what it does."""
        return self.said(Text("{command}: {does}", {"command": typed, "does": does}))

    def options(self, typed: str) -> list[Option]:
        """Return what can be chosen after what is typed: commands; moves; where these are many, what they begin with.

        Nothing where a secret is decided at a screen that several share: what is looked at would tell it.
        """
        if self.quitting or self.page or self.hidden or self.must_confirm:
            return []
        if typed.startswith(":"):
            with_values = [line for each in self._commands for line in each.lines]
            if " " in typed:
                return [Option(line, "", True) for line in with_values if line.startswith(typed)]
            fitting = [each for each in self._commands if each.begins(typed)]
            return [Option(each.said, self.said(each.told), each.whole) for each in fitting]
        if self.over is not None and self.repeats and not self.looks:
            words = [(str(WORDS[each]), self.said(_AFTER[each])) for each in self._after]
            return [Option(word, does, True) for word, does in words if word.startswith(typed)]
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
        if self.words.outcome is None:
            return ""
        try:
            move = self.rules.parse(f"{seat_name(seat)} {self.notation().get(line, line)}")
        except RulesError:  # the reply to a poll or a menu
            return ""
        leads = leads_to(self.rules, self._updates[seat].view, move)
        return "" if leads is None else self.said(leads)

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
            return complete([command.said for command in self._commands], typed)
        return typed if self.asked is None or self.must_confirm else complete(list(self.lines()), typed)

    def situation(self, typed: str = "") -> list[str]:
        """Return the help for what somebody stands at: the command that is being typed, else the question and how it
        is answered."""
        if typed.startswith(":"):
            return [self._explain(command) for command in fitting(typed.split(" ")[0], self._commands)]
        if self.over is not None:
            after = [self._describe(str(WORDS[each]), _AFTER[each]) for each in self._after]
            return [self._question, *(after if self.repeats and not self.looks else ())]
        moves = self.words.help_at_table or self.words.help if self.beside_table else self.words.help
        return [text for text in (self._question, *map(self.said, moves)) if text]

    def help(self, *keys: Text, typed: str = "") -> list[Sequence[str]]:
        """Return the help: sections of paragraphs, first of all :meth:`situation`; ``keys``: those about the keys of
        this kind of screen, which has a list of all commands."""
        unsaid = {":picture"} if self.no_picture is not None else set()
        unsaid |= {command.name for command in self._commands if keys and command.page in LOOKED_UP}
        short = Text("Words can be cut short, and the verb left out, as long as only one move fits.")
        return [
            self.situation(typed),
            [self.said(text) for text in (short, *keys)],
            [self._explain(command) for command in self._commands if command.name not in unsaid],
            *([[self.said(self.way_in)]] if self.way_in is not None else []),
        ]

    def card(self, *, keys: bool) -> list[tuple[str, Sequence[str]]]:
        """Return what a newcomer has to know before the first question: headings, each with its paragraphs. ``keys``:
        this kind of screen has some."""
        words = self.words
        moves = words.help_at_table or words.help if self.beside_table else words.help
        more = _WITH_KEYS if keys else _WITH_WORDS
        sections = ((_AIM, (words.aim,)), (_TURN, (words.turn,)), (_ANSWER, (*moves, more)))
        return [
            (self.said(head), [self.said(text) for text in texts]) for head, texts in sections if any(map(str, texts))
        ]

    # -- lines that are typed --------------------------------------------------------------------------------------

    def refuse(self, why: Text) -> None:
        """Say what is wrong with what is typed."""
        self.error = self.said(why)

    def changed(self) -> None:
        """Forget the error, and what Enter would confirm: somebody types again, and has read it."""
        self.error = self._meant = ""

    def dismiss(self) -> None:
        """Forget a hint, too, unless a bot still thinks about it: what is read must not come back by surprise."""
        self.changed()
        if not self.thinking:
            self._advice.drop()

    def quit(self) -> list[Action]:
        """Ask whether to stop; stop if that was being asked."""
        self.error = ""
        if self.over is not None or self.quitting or not self.ready:
            return self.stop()
        self.quitting = True
        return []

    def stop(self) -> list[Action]:
        """Leave the screen at once; who shows it stops the game, unless others play it."""
        if self.over is not None:
            return [Action(LEAVE, {})]
        self.stopped = True
        return [Action(LEAVE, {})]

    def accept(self, line: str) -> list[Action]:
        """Take a line that was entered; return what is to be sent. What is wrong with it becomes :attr:`error`."""
        offered = "" if self.error else self.advised_line  # an error hides the hint
        meant = (self.confirmation and self._meant) or offered
        self.error = self._meant = ""
        try:
            return self._take_line(line, meant)
        except Mistyped as error:
            self.refuse(error.text)
            return []

    def _take_line(self, line: str, meant: str) -> list[Action]:
        """Do what a line says. ``meant``: what Enter alone stands for."""
        if len(line) > LINE_MAX:
            raise Mistyped(TOO_LONG)
        text, self._sent = " ".join(line.split()), ""
        if self.quitting:
            answers = ("yes", "no") if self.elsewhere or not self.stops else ("yes", "no", "abandon")
            answer = begun(text, answers)
            if text and not answer:
                raise Mistyped("Type {answers}.", answers=any_of([WORDS[each] for each in answers]))
            self.quitting, self.abandons = False, answer == "abandon"
            return self.stop() if answer in ("yes", "abandon") else []
        if self.page:
            self.page = ""
            if not text or plain(text).casefold() in ("q", "back"):  # as every pager does
                return []
        if self.looks:
            return self._look(text)
        if text.startswith(":"):
            return self._command(text)
        if self._is_command(text):
            word, _, rest = plain(text).partition(" ")
            return self._command(f"{read_bare(word, self._commands)} {rest}".rstrip())
        if self.over is not None and self.repeats:
            return self._follow_up(text)
        if self.asked is None and text:
            late = Text("{seen} is dropped: nobody at this screen is asked now.", {"seen": repr(text)})
            if self.at_table is not None:
                about = {"seen": repr(text), "name": self.name_of(self.at_table), "page": f"{self._address}table"}
                late = Text("{seen} is dropped: {name} answers with the buttons at the table.", about)
                if self._address:
                    late = Text(
                        "{seen} is dropped: {name} answers with the buttons at the table; those of a simulated one are"
                        " on {page}",
                        about,
                    )
            raise Mistyped(late if self.over is None else _LEAVES)
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
        own = {str(WORDS[each]): choice for each, choice in choices.items()}
        found = {own[line] for line in read_line(list(own), text)} if text else set()
        found = found or {choices[line] for line in read_line(list(choices), text)} if text else set()
        if text and len(found) != 1:
            raise Mistyped(TYPE_THESE.of(seen=repr(text), lines=any_of([WORDS[each] for each in self._after])))
        if found == {LOOK}:
            assert self.lookback is not None
            self.lookback.begin()
        self.another = found == {AGAIN}
        return [Action(LEAVE, {})] if found and found != {LOOK} else []

    def _look(self, text: str) -> list[Action]:
        """Look back at another move, or at the end again."""
        assert self.lookback is not None
        word = begun(text.removeprefix(":"), ("next", "back", "quit"))
        if not text or word == "next":
            self.lookback.step(1)
        elif word == "back":
            self.lookback.step(-1)
        elif word == "quit":
            self.lookback.end()
        elif number_of(text) is not None:
            self.lookback.go(int(text))
        else:
            raise Mistyped("{seen} is not the number of a move, next, back or quit", seen=repr(text))
        return []

    def _is_command(self, text: str) -> bool:
        """Return whether a line without a colon is a command: its word is one, and nothing that is asked here can be
        answered so."""
        word, _, rest = plain(text).partition(" ")
        command = read_bare(word, self._commands)
        if not command or not self.ready or self.quitting or (rest and command != ":back"):
            return False
        if self.must_confirm:
            return self.asked not in seats_meant(text, self.whole_names, self.here)
        return not (self.asked and self._read(text))

    @property
    def _commands(self) -> tuple[Command, ...]:
        """Return the commands of this kind of screen."""
        return PRINTING if self.prints else GAME

    def _command(self, text: str) -> list[Action]:
        """Do what a line with a colon says."""
        word, _, rest = text.partition(" ")
        command = find_command(word, self._commands)
        if command is None and (bare := read_bare(plain(word.removeprefix(":")), self._commands)):  # :faster
            return self._command(f"{bare} {rest}".rstrip())
        if command is None:
            raise Mistyped(unknown(word, self._commands))
        if command.page:
            self.page = command.page
        elif command.name == ":quit":
            return self.quit()
        elif command.name == ":hint":
            return self._ask_for_hint()
        elif command.name == ":pace":
            return [Action(COMMAND, read_pace(rest, self.pace_s))]
        elif command.name in ORDERS:
            return [Action(COMMAND, ORDERS[command.name](self, rest))]
        else:
            assert command.name == ":picture", command.name
            if self.no_picture is not None:
                raise Mistyped(self.no_picture)
            self.pictured = not self.pictured
        return []

    def _ask_for_hint(self) -> list[Action]:
        """Have a bot decide in place of the seat that is asked here; else, of the one at the table."""
        seat = self.asked or self.at_table
        if self.asking is None:
            raise Mistyped("There is no question now.")
        if seat is None:
            names = self.names_of(self.waiting)
            raise Mistyped("Hints are for your own turn; it is up to {names} now.", names=names)
        if self.must_confirm:
            raise Mistyped(THIS_IS_FOR.of(name=self.name_of(seat)))
        return [] if self.thinking else [Action(COMMAND, {"command": "hint", "seat": seat, "n": self._advice.ask()})]

    def _confirm(self, seat: int, text: str) -> list[Action]:
        """Let a seat look that says who it is. Enter alone does not do: the last one may have pressed it once more; nor
        does a text by which somebody else here may have said the same."""
        fits = seats_meant(text, self.whole_names, self.here)
        if fits == [seat]:
            self.look(seat)
        elif seat in fits:
            names = self.names_of(fits)
            raise Mistyped("{seen} may be {names}; type more of your name.", seen=repr(text), names=names)
        elif text:
            raise Mistyped(THIS_IS_FOR.of(name=self.name_of(seat)))
        return []

    def _answer(self, seat: int, text: str, *, sure: bool) -> list[Action]:
        """Send a reply. ``sure``: it need not be confirmed, because it was shown in full before."""
        if not text:
            return []
        lines, notation = self.lines(), self.notation()
        found = self._read(text)
        if called := seats_called(text, self.whole_names):  # Ann is no beginning of Anne, where that is an answer
            found = [line for line in found if line not in self.names or self.names.index(line) + 1 in called]
        if len(found) > 1:
            fits = Text("{seen} fits {moves}", {"seen": repr(text), "moves": some_of(found)})
            raise Mistyped(Text("That fits more than one option.") if self.hidden else fits)
        question = self.asking
        assert question is not None
        head = {"id": question.id, "seat": seat}
        if not found:
            plain = self._in_notation(text)
            if isinstance(question, messages.Turn) and self._is_move(seat, plain):  # the rules know why not
                self._sent = plain
                return [Action(REPLY, {**head, "event": "played", "move": plain})]
            hidden = Text("That cannot be answered here.")
            raise Mistyped(hidden if self.hidden else impossible(text, list(lines)))
        move = notation[found[0]]
        whole = is_whole(found[0], text) or is_whole(move, text)
        if not sure and self._must_repeat(question, move) and not whole:
            self._meant, self._meant_for = found[0], self.occasion
            return []
        self.decided()
        reply = lines[found[0]]
        if reply["event"] == "locked":
            self._binders[seat] = Binder()
            mine = self.mine[seat]
            assert isinstance(mine, messages.MyChoice)
            return [Action(REPLY, self._binders[seat].lock(mine.bind, question.id, seat, reply["option"]))]
        return [Action(REPLY, {**head, **reply})]

    def _read(self, text: str) -> list[str]:
        """Return the lines that a typed one may mean, in the reader's words or in those of the notation."""
        notation = self.notation()
        plain = {move: line for line, move in notation.items()}
        return read_line(list(notation), text) or [plain[move] for move in read_line(list(plain), text)]

    def _in_notation(self, text: str) -> str:
        """Return what is typed with the words of the notation."""
        return unspelled(text, [each.template for each in (*NOTATION, *self.words.notation)])

    def _is_move(self, seat: int, text: str) -> bool:
        """Return whether a line is a move of the game, or an attempt at one, of which the rules say why it cannot be
        played."""
        try:
            self.rules.parse_typed(f"{seat_name(seat)} {text}")
        except RulesError:
            return False
        return True

    def _must_repeat(self, question: Question, move: str) -> bool:
        """Return whether a move decides so much that a shortened line for it is confirmed."""
        return isinstance(question, messages.Choice) or move.split(" ")[0] in self.words.weighty


def _clock(left: float) -> str:
    """Return the time that is left, as a bar that runs out."""
    whole = int(left + 0.999)
    return f"[{'■' * min(whole, 10)}{'·' * max(0, 5 - whole)}] {whole} s"


__all__ = ["COMMAND", "LEAVE", "PACE_S", "REPLY", "Action", "Model", "Option", "send"]

"""The start screen: which game, who plays, and what can be resumed. It begins nothing; it returns a command's words."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text as Styled
from textual import events
from textual.widget import Widget

from tablier.course.seats import AT_SCREEN
from tablier.games.core.drawing import short
from tablier.names import near_name, same_name
from tablier.printable import printable
from tablier.screens.commands import EVENING, read_bare
from tablier.screens.editor import can_be_typed
from tablier.screens.paper import wrapped
from tablier.screens.phrases import BEGIN, IN_BROWSER
from tablier.screens.phrases import EVENING as EVENING_NUMBER
from tablier.screens.terminal import Program, first_line, kept_signals
from tablier.texts import Text

_NAME_MAX = 40
"""The most characters of a name that is typed here."""
_MARKS = "=@"
"""What no name holds that is typed here: a command gets it as ``NAME=SOURCE``."""
_TITLE, _CHOSEN, _HEAD, _SOFT, _WRONG = "reverse", "reverse", "bold", "bright_black", "red"
_HERE = Text("at this screen")
_KEYS = Text("↑ ↓ and Enter choose · q or Ctrl-Q quits · F1 help")
_SEAT_KEYS = Text("Esc goes back · Type a name · ← → who decides · ↑ ↓ and Enter choose · F1 help")
_HELP_KEYS = Text("Enter or Esc: back")
_HELP = (
    Text("↑ and ↓ point at a line; Enter chooses it, and so does a second click with the mouse."),
    Text("A game asks who plays. There ↑ and ↓ go from player to player: type or delete letters for another name."),
    Text("← and → change who decides for a player: a person at this screen, or a bot. 'Begin' begins the game."),
    Text("Esc goes back; q, where no name is typed, Ctrl-Q and Ctrl-C leave."),
    Text("During a game F1 is the help and F2 the rules. Without this screen: 'tablier help' in a shell."),
)


class Playable(NamedTuple):
    """A game that can be played."""

    name: str
    title: str
    aim: str
    counts: tuple[int, ...]
    """The numbers of players."""
    seats: list[tuple[str, str]]
    """Who would play: for each seat a name, and a bot or :data:`AT_SCREEN`."""
    bots: tuple[str, ...]


class Resumable(NamedTuple):
    """A game that can be resumed."""

    number: int
    text: str


class Offer(NamedTuple):
    """What the start screen shows."""

    games: list[Playable]
    resumable: list[Resumable]
    tables: list[str]
    address: str
    """Where the pages for browsers are; empty if they are not served."""
    names: tuple[str, ...]
    """Names for players who are added."""
    evenings: Sequence[Resumable] = ()
    """The evenings that were left open."""
    known: Sequence[str] = ()
    """The names of those who have played."""


def choose(offer: Offer) -> list[str] | None:
    """Show the start screen; return the words of the command that was chosen, ``None`` if somebody has left.

    Raise :class:`SystemExit` with the status that shells give for a signal, when one has ended it.
    """
    app = Start(offer)
    with kept_signals(app.note_signal):
        chosen = app.run()
    if app.ended_by:
        raise SystemExit(128 + app.ended_by)
    return chosen


class Start(Program[list[str]]):
    """The program that the start screen runs."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, offer: Offer) -> None:
        super().__init__(Menu(offer, self.exit))
        self.ended_by = 0
        """The signal that has ended it."""

    def begin(self) -> None:
        """Take signals from now on; end on one that came before."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._end, number)
        if self.ended_by:
            self.exit()

    def note_signal(self, number: int, frame: object = None) -> None:
        """Note a signal that comes before the screen is there."""
        self.ended_by = number

    def _end(self, number: int) -> None:
        self.ended_by = number
        self.exit()


class Row(NamedTuple):
    """Something that can be chosen."""

    label: str
    detail: str
    choose: Callable[[], None]
    seat: int | None = None
    """The number of the seat that it names."""


class Menu(Widget, can_focus=True):
    """What can be chosen: a game or what is to be resumed, and then who plays."""

    DEFAULT_CSS = "Menu { width: 1fr; height: 1fr; }"

    def __init__(self, offer: Offer, done: Callable[[list[str] | None], None]) -> None:
        super().__init__()
        self._offer = offer
        self._done = done
        self._game: Playable | None = None
        self._seats: list[tuple[str, str]] = []
        self._at = 0
        self._error = ""
        self._doubt: tuple[int, str, str] | None = None
        """A seat, its name, and the known one that may be meant, while somebody is asked."""
        self._new: set[str] = set()
        """The names that are nearly known ones, and are meant as they stand."""
        self._helps = False
        """True while the help is read."""
        self._rows_at: dict[int, int] = {}
        """By line of the screen: the row that stands there."""

    # -- what can be chosen ------------------------------------------------------------------------------------------

    def _rows(self) -> list[Row]:
        if self._game is None:
            return [*self._play_rows(), *self._resume_rows()]
        if self._doubt is not None:
            _, name, near = self._doubt
            return [
                Row(near, str(Text("who has played before")), partial(self._settle, near)),
                Row(name, str(Text("somebody new")), partial(self._settle, name)),
            ]
        most, least = max(self._game.counts), min(self._game.counts)
        rows = [Row(str(BEGIN), "", self._begin)]
        for number, (name, source) in enumerate(self._seats):
            who = str(_HERE) if source == AT_SCREEN else str(Text("bot: {level}", {"level": source}))
            rows.append(Row(name, who, partial(self._move, 1), number))
        if len(self._seats) < most:
            rows.append(Row(str(Text("One more player")), "", partial(self._resize, 1)))
        if len(self._seats) > least:
            rows.append(Row(str(Text("One player less")), "", partial(self._resize, -1)))
        return rows

    def _play_rows(self) -> list[Row]:
        games = [Row(game.title, game.aim, partial(self._open, game)) for game in self._offer.games]
        words = ["evening", "--new"]
        about, phones = (
            Text("Games in a row, with people who come and go."),
            Text("The same with phones of this network."),
        )
        return [
            *games,
            Row(str(Text("An evening")), str(about), partial(self._done, words)),
            Row(str(Text("An evening, phones")), str(phones), partial(self._done, [*words, "--lan"])),
        ]

    def _resume_rows(self) -> list[Row]:
        evenings = [
            Row(str(EVENING_NUMBER.of(evening=each.number)), each.text, partial(self._resume_evening, each))
            for each in self._offer.evenings
        ]
        games = [
            Row(str(Text("Game {number}", {"number": each.number})), each.text, partial(self._resume, each))
            for each in self._offer.resumable
        ]
        return [*evenings, *games]

    def _open(self, game: Playable) -> None:
        self._game, self._seats, self._at = game, list(game.seats), 0

    def _resume(self, each: Resumable) -> None:
        self._done(["resume", str(each.number)])

    def _resume_evening(self, each: Resumable) -> None:
        self._done(["evening", "--resume", str(each.number)])

    def _settle(self, name: str) -> None:
        """Take a name where it was asked whether that or a known one is meant, and begin."""
        assert self._doubt is not None
        seat = self._doubt[0]
        self._doubt, self._at = None, 0
        self._new.add(same_name(name))
        self._rename(seat, name)
        self._begin()

    def _resize(self, step: int) -> None:
        """Add a player, or leave the last one out; the numbers between which no game is played are passed over."""
        assert self._game is not None
        while True:
            if step < 0:
                self._seats.pop()
            else:
                taken = {same_name(name) for name, _ in self._seats}
                name = next(name for name in self._offer.names if same_name(name) not in taken)
                self._seats.append((name, self._game.seats[-1][1]))
            if len(self._seats) in self._game.counts:
                break
        self._at = min(self._at, len(self._rows()) - 1)

    def _begin(self) -> None:
        """Begin the game, if the names will do."""
        assert self._game is not None
        names = [" ".join(name.split()) for name, _ in self._seats]
        for number, name in enumerate(names, 1):
            if not name:
                self._error = str(Text("Player {number} has no name.", {"number": number}))
                return
            if list(map(same_name, names)).count(same_name(name)) > 1:
                self._error = str(Text("Two players are called {name}; give each a name of its own.", {"name": name}))
                return
        for seat, (name, (_, source)) in enumerate(zip(names, self._seats, strict=True)):
            near = near_name(name, self._offer.known) if source == AT_SCREEN else None
            if near is not None and same_name(name) not in self._new:
                self._doubt, self._at = (seat, name, near), 0
                return
        seats = [("--seat", f"{name}={source}") for name, (_, source) in zip(names, self._seats, strict=True)]
        self._done(["play", self._game.name, *(word for pair in seats for word in pair)])

    # -- what is pressed ---------------------------------------------------------------------------------------------

    def on_key(self, event: events.Key) -> None:
        row = self._rows()[self._at] if self._rows() else None
        self._error = ""
        names = row is not None and row.seat is not None
        command = "" if names else read_bare(event.character or "", EVENING)
        if self._helps:
            self._helps = False
        elif event.key == "f1" or command == ":help":
            self._helps = True
        elif command == ":quit":
            self._done(None)
        elif event.key in ("up", "down"):
            self._move(1 if event.key == "down" else -1)
        elif event.key == "enter" and row is not None:
            row.choose()
        elif event.key == "escape":
            if self._doubt is not None:
                self._at, self._doubt = 1 + self._doubt[0], None
            elif self._game is None:
                self._done(None)
            else:
                self._game, self._at = None, 0
        elif row is None or row.seat is None:
            return
        elif event.key in ("left", "right"):
            self._change_source(row.seat, 1 if event.key == "right" else -1)
        elif event.key == "backspace":
            self._rename(row.seat, self._seats[row.seat][0][:-1])
        elif event.key == "ctrl+u":
            self._rename(row.seat, "")
        elif event.character is not None and can_be_typed(event.character) and event.character not in _MARKS:
            self._rename(row.seat, (self._seats[row.seat][0] + event.character)[:_NAME_MAX])
        event.stop()
        event.prevent_default()
        self.refresh()

    def on_paste(self, event: events.Paste) -> None:
        """Take what is pasted into the name that is pointed at."""
        row = self._rows()[self._at] if self._rows() else None
        if row is not None and row.seat is not None and not self._helps:
            typed = "".join(filter(can_be_typed, first_line(event.text))).translate(
                {ord(each): None for each in _MARKS}
            )
            self._error = ""
            self._rename(row.seat, (self._seats[row.seat][0] + typed)[:_NAME_MAX])
        event.stop()
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        """Point at what somebody clicks at; choose what is pointed at already."""
        if event.y in self._rows_at:
            if self._rows_at[event.y] == self._at:
                self._rows()[self._at].choose()
            else:
                self._at = self._rows_at[event.y]
            self.refresh()

    def _move(self, step: int) -> None:
        self._at = (self._at + step) % max(1, len(self._rows()))

    def _rename(self, seat: int, name: str) -> None:
        self._seats[seat] = (name, self._seats[seat][1])

    def _change_source(self, seat: int, step: int) -> None:
        assert self._game is not None
        name, source = self._seats[seat]
        sources = (AT_SCREEN, *self._game.bots)
        self._seats[seat] = (name, sources[(sources.index(source) + step) % len(sources)])

    # -- what is drawn -----------------------------------------------------------------------------------------------

    def render(self) -> Styled:
        width, height = self.size
        self._rows_at = {}
        lines = [Styled(f" {Text('Tablier')}".ljust(width), _TITLE), Styled()]
        keys = _KEYS if self._game is None else _SEAT_KEYS
        if self._helps:
            lines += [Styled(f" {line}") for text in _HELP for line in wrapped(str(text), width - 2, "", "  ")]
            keys = _HELP_KEYS
        elif self._game is None:
            lines += self._game_lines(width)
        else:
            lines += self._seat_lines(self._game, width)
        foot = [
            Styled(line, _WRONG if self._error else _SOFT) for line in wrapped(self._error or str(keys), max(1, width))
        ][:height]
        room = height - len(foot)
        lines = lines[:room]
        lines += [Styled() for _ in range(room - len(lines))]
        for line in (*lines, *foot):
            line.truncate(width)
        return Styled("\n", no_wrap=True, end="").join([*lines, *foot])

    def _game_lines(self, width: int) -> list[Styled]:
        rows, resumed = self._play_rows(), self._resume_rows()
        lines = [Styled(f" {Text('Play')}", _HEAD), *self._drawn(rows, 0, 3, width)]
        if resumed:
            lines += [Styled(), Styled(f" {Text('Resume')}", _HEAD)]
            lines += self._drawn(resumed, len(rows), 2 + len(lines), width)
        if self._offer.tables:
            lines += [Styled(), Styled(f" {Text('Tables')}", _HEAD)]
            lines += [Styled(f"   {printable(table)}") for table in self._offer.tables]
            lines.append(Styled(f"   {Text('tablier play GAME --port PORT --seat NAME=table … plays at one')}", _SOFT))
        if self._offer.address:
            about = IN_BROWSER.of(address=self._offer.address)
            lines += [Styled(), Styled(f" {about}")]
        return lines

    def _seat_lines(self, game: Playable, width: int) -> list[Styled]:
        lines = [Styled(f" {game.title}", _HEAD), *(Styled(f" {line}") for line in wrapped(game.aim, width - 2))]
        who = Text("Who plays?")
        if self._doubt is not None:
            who = Text("{name}: who is that?", {"name": self._doubt[1]})
        lines += [Styled(), Styled(f" {printable(str(who))}", _HEAD)]
        return [*lines, *self._drawn(self._rows(), 0, 2 + len(lines), width)]

    def _drawn(self, rows: Sequence[Row], first: int, line: int, width: int) -> Iterator[Styled]:
        """Yield rows as lines, the first of them at a line of the screen."""
        labels = [short(printable(row.label), 24) for row in rows]
        longest = max(map(cell_len, labels), default=0)
        for number, (row, label) in enumerate(zip(rows, labels, strict=True), first):
            self._rows_at[line + number - first] = number
            text = f"   {label}{' ' * (longest - cell_len(label))}  {printable(row.detail)}"
            drawn = Styled(short(text, width))
            if number == self._at:
                drawn.stylize(_CHOSEN)
            yield drawn


__all__ = ["Menu", "Offer", "Playable", "Resumable", "Start", "choose"]

"""The start screen: what can be played, resumed and looked up, and settings. It begins nothing; it returns a command's
words."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeVar

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text as Styled
from textual import events
from textual.widget import Widget

from tablier.course.seats import AT_SCREEN
from tablier.games.core.drawing import short
from tablier.names import near_name, same_name
from tablier.printable import printable
from tablier.screens.commands import EVENING, read_bare
from tablier.screens.editor import Editor, can_be_typed
from tablier.screens.paper import cut_line, wrapped
from tablier.screens.phrases import AN_EVENING, BEGIN, IN_BROWSER, LOOK_BACK, YOUR_NAME
from tablier.screens.phrases import EVENING as EVENING_NUMBER
from tablier.screens.preferences import NAME_MAX, PACES, Preferences, PreferencesError
from tablier.screens.terminal import Program, first_line, kept_signals
from tablier.texts import Text, counted, source_text

T = TypeVar("T")

_MARKS = "=@"
"""What no name holds that is typed here: a command gets it as ``NAME=SOURCE``."""
_TITLE, _CHOSEN, _HEAD, _SOFT, _WRONG = "reverse", "reverse", "bold", "bright_black", "red"
_CURSOR = Style(reverse=False, underline=True)
_TABLES, _BACK, _SETTINGS = "tables", "back", "settings"
"""The pages that the first one leads to."""
_GAME = Text("Game {number}")
_LEFT, _RUNNING = Text("left: {about}"), Text("running: {about}")
_HERE = Text("at this screen")
_KEYS = Text("↑ ↓ and Enter choose · q or Ctrl-Q quits · F1 help")
_PAGE_KEYS = Text("Esc goes back · ↑ ↓ and Enter choose · F1 help")
_SEAT_KEYS = Text("Esc goes back · Type a name · Tab: who decides · ↑ ↓ and Enter choose · F1 help")
_SETTING_KEYS = Text("Esc goes back and keeps them · Enter or Tab changes one · Type your name · F1 help")
_HELP_KEYS = Text("Enter or Esc: back")
_HELP = (
    Text("↑ and ↓ point at a line; Enter chooses it, and so does a second click with the mouse."),
    Text(
        "A game asks who plays. There ↑ and ↓ go from player to player. A name is edited as any text: ←, →, Home, End."
    ),
    Text("Tab and Shift+Tab change who decides for a player: a person at this screen, or a bot. 'Begin' begins it."),
    Text("What was left can be resumed; what is running is shown here, too. After a game this screen comes back."),
    Text("Settings are kept in {file}; options of a command come before them."),
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
    """A game or an evening that can be resumed; a game that is running can be shown here, too."""

    number: int
    text: str
    runs: bool = False


class Port(NamedTuple):
    """A port at which a table may be."""

    name: str
    what: str


class Offer(NamedTuple):
    """What the start screen shows."""

    games: list[Playable]
    resumable: list[Resumable]
    tables: Sequence[Port]
    address: str
    """Where the pages for browsers are; empty if they are not served."""
    names: tuple[str, ...]
    """Names for players who are added."""
    evenings: Sequence[Resumable] = ()
    """The evenings that were left open."""
    known: Sequence[str] = ()
    """The names of those who have played."""
    played: Sequence[Resumable] = ()
    """The games to look back at, the latest first."""
    preferences: Preferences = Preferences()
    languages: Mapping[str, str] = {}
    """The languages by their tags."""
    file: str = ""
    """Where preferences are kept."""
    keep: Callable[[Preferences], None] = lambda preferences: None
    """Keeps preferences. Raises :class:`PreferencesError`."""


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
        self._page = ""
        """The page that is read; empty on the first one."""
        self._preferences = offer.preferences
        self._edited = Editor()
        """The name that is pointed at."""
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
            if self._page:
                return {_TABLES: self._table_rows, _BACK: self._back_rows, _SETTINGS: self._setting_rows}[self._page]()
            return [*self._play_rows(), *self._resume_rows(), *self._other_rows()]
        if self._doubt is not None:
            _, name, near = self._doubt
            return [
                Row(near, str(Text("who has played before")), partial(self._settle, near)),
                Row(name, str(Text("somebody new")), partial(self._settle, name)),
            ]
        most, least = max(self._game.counts), min(self._game.counts)
        rows = [Row(str(BEGIN), "", self._begin)]
        for number, (name, source) in enumerate(self._seats):
            who = str(_HERE) if source == AT_SCREEN else str(Text("bot: {level}", {"level": source_text(source)}))
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
            Row(str(AN_EVENING), str(about), partial(self._done, words)),
            Row(str(Text("An evening, phones")), str(phones), partial(self._done, [*words, "--lan"])),
        ]

    def _resume_rows(self) -> list[Row]:
        evenings = [
            Row(str(EVENING_NUMBER.of(evening=each.number)), each.text, partial(self._resume_evening, each))
            for each in self._offer.evenings
        ]
        games = [
            Row(
                str(_GAME.of(number=each.number)),
                str((_RUNNING if each.runs else _LEFT).of(about=each.text)),
                partial(self._resume, each),
            )
            for each in self._offer.resumable
        ]
        return [*evenings, *games]

    def _other_rows(self) -> list[Row]:
        tables = counted(
            len(self._offer.tables), "{count} is plugged in", "{count} are plugged in", "none is plugged in"
        )
        return [
            Row(str(LOOK_BACK), str(Text("the games that were played here")), partial(self._turn_to, _BACK)),
            Row(str(Text("Results")), str(Text("who has won how much")), partial(self._done, ["log", "standings"])),
            Row(str(Text("People")), str(Text("who has played here")), partial(self._done, ["people"])),
            Row(str(Text("Tables")), str(tables), partial(self._turn_to, _TABLES)),
            Row(str(Text("Settings")), str(Text("name, pace, bell, language")), partial(self._turn_to, _SETTINGS)),
            Row(str(Text("Manual")), str(Text("its pages, to be read here")), partial(self._done, ["manual"])),
        ]

    def _table_rows(self) -> list[Row]:
        rows = []
        for port in self._offer.tables:
            begin = ["evening", "--new", "--port", port.name]
            about = Text("An evening at {port}", {"port": port.name})
            rows.append(Row(str(about), port.what, partial(self._done, begin)))
            words = ["table", "info", "--port", port.name]
            about = Text("About {port}", {"port": port.name})
            rows.append(Row(str(about), str(Text("what the table says of itself")), partial(self._done, words)))
        simulated = partial(self._done, ["evening", "--new", "--port", "simulated"])
        about = Text("An evening at a simulated table")
        return [*rows, Row(str(about), str(Text("nothing has to be plugged in")), simulated)]

    def _back_rows(self) -> list[Row]:
        games = [
            Row(
                str(_GAME.of(number=each.number)),
                each.text,
                partial(self._done, ["log", "show", str(each.number)]),
            )
            for each in self._offer.played
        ]
        evenings = Row(
            str(Text("Evenings")), str(Text("all of them, with results")), partial(self._done, ["log", "list"])
        )
        return [evenings, *games]

    def _setting_rows(self) -> list[Row]:
        chosen = self._preferences
        pace = Text("as it is") if chosen.pace is None else Text("{seconds} s", {"seconds": f"{chosen.pace:g}"})
        language = self._offer.languages.get(chosen.language, "") or str(Text("that of this computer"))
        return [
            Row(str(YOUR_NAME), chosen.name, partial(self._move, 1), 0),
            Row(str(Text("Bots take for a move")), str(pace), self._change_pace),
            Row(str(Text("Ring when it is your turn")), _yes(chosen.bell), partial(self._toggle, "bell")),
            Row(str(Text("Lines instead of a full screen")), _yes(chosen.plain), partial(self._toggle, "plain")),
            Row(str(Text("Lines, with boards in sentences")), _yes(chosen.spoken), partial(self._toggle, "spoken")),
            Row(str(Text("Language")), language, self._change_language),
        ]

    def _change_pace(self) -> None:
        self._preferences = self._preferences._replace(pace=_after(self._preferences.pace, (None, *PACES)))

    def _toggle(self, key: str) -> None:
        turned: dict[str, Any] = {key: not getattr(self._preferences, key)}
        self._preferences = self._preferences._replace(**turned)

    def _change_language(self) -> None:
        tags = ("", *self._offer.languages)
        self._preferences = self._preferences._replace(language=_after(self._preferences.language, tags))

    def _turn_to(self, page: str) -> None:
        self._page, self._at = page, 0

    def _go_back(self) -> None:
        """Go back to the first page; keep the settings."""
        kept = self._preferences._replace(name=" ".join(self._preferences.name.split()))
        if self._page == _SETTINGS and kept != self._offer.preferences:
            try:
                self._offer.keep(kept)
            except PreferencesError as error:
                self._error = str(error)
                self._preferences = self._offer.preferences
            else:
                self._done([])  # offered anew, in another language perhaps
                return
        self._page, self._at = "", 0

    def _open(self, game: Playable) -> None:
        self._game, self._seats, self._at = game, list(game.seats), 0

    def _resume(self, each: Resumable) -> None:
        self._done(["attach" if each.runs else "resume", str(each.number)])

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
        self._take_up(row)
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
            elif self._page:
                self._go_back()
            elif self._game is None:
                self._done(None)
            else:
                self._game, self._at = None, 0
        elif row is None or row.seat is None:
            if row is None or self._page != _SETTINGS or event.key not in ("tab", "left", "right"):
                return
            row.choose()
        elif event.key in ("tab", "shift+tab") and self._game is not None:
            self._change_source(row.seat, 1 if event.key == "tab" else -1)
        elif self._edited.press(event.key):
            self._rename(row.seat, self._edited.text)
        elif event.character is not None and can_be_typed(event.character):
            self._type(row.seat, event.character)
        event.stop()
        event.prevent_default()
        self.refresh()

    def on_paste(self, event: events.Paste) -> None:
        """Take what is pasted into the name that is pointed at."""
        row = self._rows()[self._at] if self._rows() else None
        if row is not None and row.seat is not None and not self._helps:
            self._error = ""
            self._take_up(row)
            self._type(row.seat, first_line(event.text))
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

    def _take_up(self, row: Row | None) -> None:
        """Edit the name of a row, if it has one, from where the cursor was left in it."""
        if row is not None and row.seat is not None and self._edited.text != (name := self._name_of(row.seat)):
            self._edited.put(name)

    def _type(self, seat: int, typed: str) -> None:
        """Put characters into a name, as far as it may have them."""
        room = NAME_MAX - len(self._edited.text)
        fits = [each for each in typed if can_be_typed(each) and each not in _MARKS]
        self._edited.insert("".join(fits[:room]))
        self._rename(seat, self._edited.text)

    def _name_of(self, seat: int) -> str:
        return self._preferences.name if self._game is None else self._seats[seat][0]

    def _rename(self, seat: int, name: str) -> None:
        if self._game is None:
            self._preferences = self._preferences._replace(name=name)
        else:
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
            texts = [each.of(file=self._offer.file) for each in _HELP]
            lines += [Styled(f" {line}") for text in texts for line in wrapped(str(text), width - 2, "", "  ")]
            keys = _HELP_KEYS
        elif self._page:
            lines += self._page_lines(width)
            keys = _SETTING_KEYS if self._page == _SETTINGS else _PAGE_KEYS
        elif self._game is None:
            lines += self._first_lines(width)
        else:
            lines += self._seat_lines(self._game, width)
        foot = [
            Styled(line, _WRONG if self._error else _SOFT) for line in wrapped(self._error or str(keys), max(1, width))
        ][:height]
        room = height - len(foot)
        if (beyond := len(lines) - room) > 0 and not self._helps:
            at = next((line for line, row in self._rows_at.items() if row == self._at), 0)
            first = max(0, min(beyond, at - room // 2))
            lines = lines[first:]
            self._rows_at = {line - first: row for line, row in self._rows_at.items() if 0 <= line - first < room}
        lines = lines[:room]
        lines += [Styled() for _ in range(room - len(lines))]
        for line in (*lines, *foot):
            line.truncate(width)
        return Styled("\n", no_wrap=True, end="").join([*lines, *foot])

    def _first_lines(self, width: int) -> list[Styled]:
        lines: list[Styled] = []
        first = 0
        for head, rows in (
            (Text("Play"), self._play_rows()),
            (Text("Resume"), self._resume_rows()),
            (Text("Look up"), self._other_rows()),
        ):
            if rows:
                lines += [Styled(), Styled(f" {head}", _HEAD)] if lines else [Styled(f" {head}", _HEAD)]
                lines += self._drawn(rows, first, 2 + len(lines), width)
                first += len(rows)
        if self._offer.address:
            about = IN_BROWSER.of(address=self._offer.address)
            lines += [Styled(), Styled(f" {about}")]
        return lines

    def _page_lines(self, width: int) -> list[Styled]:
        title = {_TABLES: Text("Tables"), _BACK: LOOK_BACK, _SETTINGS: Text("Settings")}[self._page]
        return [Styled(f" {title}", _HEAD), *self._drawn(self._rows(), 0, 3, width)]

    def _seat_lines(self, game: Playable, width: int) -> list[Styled]:
        lines = [Styled(f" {game.title}", _HEAD), *(Styled(f" {line}") for line in wrapped(game.aim, width - 2))]
        who = Text("Who plays?")
        if self._doubt is not None:
            who = Text("{name}: who is that?", {"name": self._doubt[1]})
        lines += [Styled(), Styled(f" {printable(str(who))}", _HEAD)]
        return [*lines, *self._drawn(self._rows(), 0, 2 + len(lines), width)]

    def _drawn(self, rows: Sequence[Row], first: int, line: int, width: int) -> Iterator[Styled]:
        """Yield rows as lines, the first of them at a line of the screen."""
        labels = [short(printable(row.label), 34) for row in rows]
        longest = max(map(cell_len, labels), default=0)
        for number, (row, label) in enumerate(zip(rows, labels, strict=True), first):
            self._rows_at[line + number - first] = number
            text = f"   {label}{' ' * (longest - cell_len(label))}  {printable(row.detail)}"
            drawn = cut_line(Styled(text), width)
            if number == self._at:
                drawn.stylize(_CHOSEN)
                if row.seat is not None:
                    self._take_up(row)
                    at = 3 + self._edited.cursor  # where letters come in
                    if self._game is None:
                        at += 2 + len(label) + longest - cell_len(label)
                    drawn.pad_right(max(0, min(at + 1, width) - len(drawn.plain)))
                    drawn.stylize(_CURSOR, at, at + 1)
            yield drawn


def _after(value: T, values: Sequence[T]) -> T:
    """Return the one after a value, round and round; of one that is not there the second."""
    return values[(values.index(value) + 1 if value in values else 1) % len(values)]


def _yes(value: bool) -> str:
    return str(Text("yes") if value else Text("no"))


__all__ = ["Menu", "Offer", "Playable", "Port", "Resumable", "Start", "choose"]

"""The full screen as lines: the board, the news, the question, what can be chosen, and a line to type in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text as Styled
from textual.geometry import Size

from tablier.games import title_of
from tablier.printable import printable
from tablier.screens.commands import CARD, HELP, LOOKED_UP
from tablier.screens.editor import Editor
from tablier.screens.model import HINT_LINES, Model, Option
from tablier.screens.paper import board_lines, cut_line, rules_page, styled_lines, wrapped
from tablier.screens.phrases import WINNER
from tablier.screens.scrolled import Scrolled
from tablier.screens.story import Turn
from tablier.screens.summary import results, turning_lines
from tablier.texts import Text, once_a_language

if TYPE_CHECKING:
    from tablier.screens.history import Lookback
    from tablier.screens.pictures import Showing

BOARD_WIDTH = 78
_HELP = Text("Tab completes, ↑ ↓ choose, Esc goes back; + and - change the pace of bots.")
_KEYS = (
    Text("F1 help  Ctrl-P commands  Ctrl-Q quit"),
    Text("F1 help  Ctrl-P commands"),
    Text("F1 help"),
)
"""What the first line says of keys, the most that fits."""
_CHOOSE = Text("Choose with ↑ ↓ and Enter:")
_PART = Text("(there are more)")
_LOOK = Text("← →: look back at the game")
_LOOKING = Text("← →: a move back or forward · Shift with it: ten · Home, End · Esc: the end")
_LOOKS_UP = Text("Looking it up …")
_STORY, _END = "story", "end"
"""What is read beside the board, or with it when a game is over."""
_BACK = "looking back"
"""Whose view it is when somebody looks back at a game."""
_CURVE = 60
"""The most columns of a curve of points."""
_HANGING = 4
"""The columns by which what an option leads to is indented below a long one."""
_ROWS = 4
"""The rows from which on options stand in columns."""
_NARROW = Text("{count} columns show all", {"count": BOARD_WIDTH + 2})
"""Said in the place of the keys where the board is cut."""
_READABLE = 60
"""The columns from which on the rules can be read beside the board."""
_STORY_LINES = 2
"""The least lines of the news."""
_HINT_MOST = 4
"""The most lines below the line to type in, where neither the board nor the least of the news needs them."""
_QUESTION_MOST = 3
"""The most lines of a question."""
_STYLES = {
    "old": "bright_black",
    "note": "yellow",
    "question": "bold cyan",
    "mine": "bold green",
    "hint": "bright_black",
    "strong": "bold yellow",
    "error": "red",
    "chosen": "reverse",
    "heading": "bold",
}
WIDE = 110
"""The columns from which on the news stand beside the board."""
_SIDE = 40
"""The columns of the news in a terminal that is a little wider."""


class Sheet:
    """A game, drawn as a whole: no drawing mixes what one seat may see with what another one may."""

    def __init__(self, model: Model, editor: Editor, looked_up: Callable[[], tuple[str, Sequence[Text]]]) -> None:
        """``looked_up`` returns the page that was looked up last, and what it says."""
        self._model, self.editor, self._looked_up = model, editor, looked_up
        self.story, self.page = Scrolled(), Scrolled()
        self.showing: Showing | None = None
        """What shows the board as a picture, in a terminal that can."""
        self.chosen: int | None = None
        """The number of the option that is pointed at."""
        self.listed: list[tuple[range, range, int]] = []
        """Where each option stands on the screen: rows, columns, and its number."""

    @property
    def options(self) -> list[Option]:
        """Return what can be chosen now."""
        return self._model.options(self.editor.text) if self._model.ready else []

    @property
    def lookback(self) -> Lookback | None:
        """Return the game that can be looked back at."""
        lookback = self._model.lookback
        return lookback if lookback is not None and lookback.possible else None

    @property
    def read(self) -> Scrolled:
        """Return what is read now."""
        return self.page if self._model.page else self.story

    def lines(self, width: int, height: int) -> list[Styled]:
        """Return the lines of the screen."""
        if self.showing is not None:
            self.showing.begin()
        model, inner = self._model, max(20, width - 2)
        asked = [Styled(line, _STYLES["question"]) for line in wrapped(model.question, inner)]
        asked = _shortened(asked, _QUESTION_MOST, inner)
        style, lead = model.prompt
        prompt = self.editor.line(_STYLES[style], printable(lead), width, hidden=model.hidden)
        hints = model.hint(self.editor.text, inner)
        hint = [Styled(line, _STYLES[style]) for style, text in hints for line in wrapped(text, inner)]
        if self.lookback is not None and not self.editor.text and not model.error and not model.page:
            about = [Styled(str(_LOOKING), _STYLES["hint"])]
            hint = about if self._model.looks else [*hint[:1], Styled(str(_LOOK), _STYLES["hint"])]
        room = max(0, height - 1 - len(asked) - 1)
        most = self._hint_lines(width, room, len(hint)) if hint or not model.page or self._reads_beside(width) else 0
        below = [*asked, prompt, *_filled(_shortened(hint, most, inner), most)]
        room = max(0, room - most)
        title = model.title
        if self.lookback is not None and self._model.looks:
            title = str(self.lookback.title)
        lines = [_title(title, width), *_filled(self._middle(width, room), room), *below]
        for line in lines:
            line.truncate(width)
        return lines

    def _hint_lines(self, width: int, room: int, wanted: int) -> int:
        """Return how many lines a hint gets below the line to type in, of those that it shares with the middle."""
        for lines in range(min(wanted, _HINT_MOST), HINT_LINES, -1):
            if self._fits(width, room - lines):
                return lines
        return HINT_LINES

    def _fits(self, width: int, room: int) -> bool:
        """Return whether the middle has room for the board and the least of the news."""
        model = self._model
        if not model.ready or self.showing is not None:  # a picture is made smaller
            return room > 0
        canvas = model.canvas(*_board_size(width, room), self.editor.text)
        board = board_lines(model.rules, model.view, model.names, canvas)
        return len(board) + (0 if _side(width) else _STORY_LINES) <= room

    def _middle(self, width: int, room: int) -> list[Styled]:
        """Return the lines between the title and the question."""
        model, self.listed = self._model, []
        if not model.ready:
            return []
        side = _side(width)
        options = self.options
        if self.chosen is not None and self.chosen >= len(options):
            self.chosen = len(options) - 1 if options else None
        if model.page and not self._reads_beside(width):
            return self._paged(width, room)
        left = width - side
        chosen = options[self.chosen].line if self.chosen is not None else self.editor.text
        cells = _board_size(width, room)
        if not side:
            shown = self._list(options, room // 2, room, 0, width) if self.chosen is not None else self._end(width)
            most = max(1, room - max(_STORY_LINES, len(shown)))
            drawn, told = self._board(cells, Size(width, cells.height), most, chosen)
            if (
                self._model.over is not None
                and len(drawn) + len(shown) + _STORY_LINES > room
                and self.chosen is None
                and self.showing is None
            ):
                return self._rolled(told, drawn, shown, max(20, width - 2), room)
            drawn = _cut(drawn, most)
            if self.chosen is not None:
                return [*_filled(drawn, room - len(shown))[: room - len(shown)], *shown]
            if shown:
                news = self._news(told, max(20, width - 2), room - len(drawn) - len(shown))
                return [*_filled([*drawn, *news], room - len(shown)), *shown]
            return [*drawn, *self._news(told, max(20, width - 2), room - len(drawn))]
        drawn, told = self._board(cells, cells, room, chosen)
        if model.page:
            right = self._paged(side - 2, room)
        else:
            shown = self._list(options, room // 2, room, left + 1, side - 1) or self._end(side - 2)
            news = self._news(told, side - 2, room - len(shown))
            right = [*_filled(news, room - len(shown)), *shown]
        return _beside(_cut(drawn, room), right, left, room)

    def _reads_beside(self, width: int) -> bool:
        """Return whether a page leaves the board where it is."""
        side = _side(width)
        return side > 0 and (self._model.page in (HELP, CARD) or side >= _READABLE)

    def _news(self, told: tuple[Turn, ...], width: int, room: int) -> list[Styled]:
        """Return the end of the story, or what somebody has scrolled to."""
        return self.story.lines(_STORY, (told, room), partial(_told, told, room), width, room, None)

    def _rolled(
        self, told: tuple[Turn, ...], drawn: Sequence[Styled], end: Sequence[Styled], width: int, room: int
    ) -> list[Styled]:
        """Return a game that is over, as far as there is room: its standings, the board, then the turning points.

        The story stands above.
        """
        standings = 1 + len(results(self._model.latest))  # an empty line is before them

        def make(columns: int) -> list[Styled]:
            return [*_told(told, 0, columns), *end[1:standings], *drawn, *end[:1], *end[standings:]]

        before = _told(told, 0, width)
        lines = self.story.lines(_END, (told, tuple(map(str, (*drawn, *end)))), make, width, room, len(before))
        if below := self.story.below:
            said = Text("PgDn: {count} more lines", {"count": below + 1})
            lines[-1] = Styled(f" {said}", _STYLES["hint"])
        return lines

    def _board(self, cells: Size, for_picture: Size, most: int, chosen: str) -> tuple[list[Styled], tuple[Turn, ...]]:
        """Return the board and the story: as they are, or at the move at which somebody looks back.

        ``cells`` is the room for a board in characters, ``for_picture`` that for a picture, of which ``most`` lines
        are free. Where there is a picture the board is empty lines, before which it stands.
        """
        model, lookback = self._model, self.lookback
        viewer: object
        if lookback is None or not model.looks:
            viewer, view, told = model.viewer, model.view, tuple(model.turns)
            canvas = model.canvas(*cells, chosen)
        else:
            viewer, view, told = _BACK, lookback.view(), tuple(Turn("", (text,)) for text in lookback.story())
            canvas = lookback.canvas(*cells)
        if self.showing is not None and model.pictured and not canvas.thrown:  # cards in the air no picture has
            rows = self.showing.rows(viewer, model.rules, view, model.names, canvas.last, for_picture, most)
            if rows:
                return _filled([], rows), told
        return board_lines(model.rules, view, model.names, canvas), told

    def _end(self, width: int) -> list[Styled]:
        """Return the standings of a game that is over with the course of each player's points, and its turning
        points."""
        if self._model.over is None or self._model.looks:
            return []
        played = self.lookback.played if self.lookback is not None else None
        standings = results(self._model.latest)
        names = max(cell_len(name) for name, _, _ in standings)
        points = max(cell_len(score) for _, score, _ in standings)
        lines = []
        for seat, (name, score, won) in enumerate(standings, 1):
            line = Styled(
                f" {name}{' ' * (names - cell_len(name))}  {score:>{points}} ", _STYLES["mine"] if won else ""
            )
            line.append(f"{WINNER if won else ' ' * len(str(WINNER))}  ")
            if played is not None:
                line.append(played.curve(seat, max(0, min(_CURVE, width - line.cell_len - 1))), _STYLES["note"])
            lines.append(line)
        turning = [Styled(f" {line}") for text in turning_lines(played) for line in wrapped(text, width - 2, "", "  ")]
        return [Styled(), *lines, *turning]

    def _paged(self, width: int, room: int) -> list[Styled]:
        model = self._model
        state = self._looked_up() if model.page in LOOKED_UP else model.situation(self.editor.text)
        return self.page.lines(model.page, state, self._paper, min(width - 1, BOARD_WIDTH), room)

    def _list(self, options: Sequence[Option], most: int, bottom: int, left: int, width: int) -> list[Styled]:
        """Return the options as lines that end at a row of the middle, column by column, and note where they stand."""
        if not options:
            return []
        longest = max(cell_len(option.line) for option in options)
        whole = longest + 4 + max(cell_len(option.leads) for option in options)
        cell = min(width, whole)
        if whole > width and (lines := self._wrapped(options, most - 1, bottom, left, width, longest)):
            return lines
        rows = max(1, min(most - 1, len(options), max(_ROWS, -(-len(options) // max(1, width // cell)))))
        columns = max(1, min(width // cell, -(-len(options) // rows)))
        page = rows * columns
        first = (self.chosen or 0) // page * page
        top = 1 + bottom - rows  # the title stands above
        lines = [Styled() for _ in range(min(rows, len(options) - first))]
        for number, option in enumerate(options[first : first + page], first):
            line = Styled(f" {printable(option.line)}{' ' * (longest - cell_len(option.line) + 2)}")
            line.append(printable(option.leads), "" if number == self.chosen else _STYLES["hint"])
            cut_line(line, cell - 1)
            line.truncate(cell - 1, pad=True)
            if number == self.chosen:
                line.stylize(_STYLES["chosen"])
            column, row = divmod(number - first, rows)
            at = left + column * cell
            self.listed.append((range(top + row, top + row + 1), range(at, at + cell), number))
            lines[row].append_text(line).append(" ")
        more = len(options) - page
        head = Styled(f" {_CHOOSE}", _STYLES["hint"])
        return [head.append(f" {_PART}" if more > 0 else ""), *lines]

    def _wrapped(
        self, options: Sequence[Option], most: int, bottom: int, left: int, width: int, longest: int
    ) -> list[Styled]:
        """Return the options one below the other, each with all that it leads to, and note where they stand; nothing
        if that takes more lines than ``most``. The names of options take ``longest`` columns at most."""
        rest = " " * (longest + 3 if 2 * longest < width else _HANGING)
        found = []
        for number, option in enumerate(options):
            label = f" {printable(option.line)}{' ' * (longest - cell_len(option.line) + 2)}"
            lines = [Styled(line) for line in wrapped(option.leads, width - 1, label, rest)]
            for row, line in enumerate(lines):
                if number == self.chosen:
                    line.truncate(width - 1, pad=True)
                    line.stylize(_STYLES["chosen"])
                else:
                    line.stylize(_STYLES["hint"], 0 if row else len(label))
            found.append(lines)
        if sum(map(len, found)) > most:
            return []
        top = 1 + bottom - sum(map(len, found))  # the title stands above
        for number, lines in enumerate(found):
            self.listed.append((range(top, top + len(lines)), range(left, left + width), number))
            top += len(lines)
        return [Styled(f" {_CHOOSE}", _STYLES["hint"]), *(line for lines in found for line in lines)]

    def _paper(self, width: int) -> list[Styled]:
        """Return the page that is being read."""
        if self._model.page == CARD:
            head = [Styled(title_of(self._model.rules.name), _STYLES["heading"])]
            return [*head, *(line for section in self._model.card(keys=True) for line in _section(*section, width))]
        if self._model.page in LOOKED_UP:
            page, texts = self._looked_up()
            told = texts if page == self._model.page else [_LOOKS_UP]
            return [line for text in told for line in styled_lines(str(text), width, "", "  ")]
        if self._model.page != HELP:
            return _rules(self._model.rules.name, width)
        help_ = self._model.help(_HELP, typed=self.editor.text)
        sections = ((line for text in texts for line in wrapped(text, width)) for texts in help_)
        return [Styled(line) for lines in sections for line in (*lines, "")]


def _section(head: str, paragraphs: Sequence[str], width: int) -> list[Styled]:
    """Return a heading and its paragraphs, below an empty line."""
    lines = [line for text in paragraphs for line in styled_lines(text, width)]
    return [Styled(), Styled(head, _STYLES["heading"]), *lines]


def _cut(lines: list[Styled], most: int) -> list[Styled]:
    """Return the lines of a board, as many as there may be; where some are left out, the last line says so."""
    if len(lines) <= most:
        return lines
    said = Text("… {count} more lines of the board", {"count": len(lines) - most + 1})
    return [*lines[: most - 1], Styled(str(said), _STYLES["hint"])]


def _filled(lines: list[Styled], count: int) -> list[Styled]:
    """Return the lines, and empty ones up to their number."""
    return [*lines, *(Styled() for _ in range(count - len(lines)))]


def _side(width: int) -> int:
    """Return the columns beside the board, 0 in a narrow terminal."""
    return 0 if width < WIDE else min(_READABLE + 10, width - BOARD_WIDTH - 2, max(_SIDE, width // 3))


def _board_size(width: int, room: int) -> Size:
    """Return the room for a board in characters, of the lines between the title and the question."""
    side = _side(width)
    return Size(width - side - 2, room) if side else Size(BOARD_WIDTH, room - max(_STORY_LINES, room // 4))


def _shortened(lines: list[Styled], most: int, width: int) -> list[Styled]:
    """Return the first lines of a hint; where some are left out, the last one ends with a sign of it."""
    if len(lines) <= most:
        return lines
    last = lines[most - 1].copy().append(" …")
    return [*lines[: most - 1], cut_line(last, width)]


def _beside(left: Sequence[Styled], right: Sequence[Styled], width: int, rows: int) -> list[Styled]:
    """Return the lines of two columns, of which the first one has a width."""
    found = []
    for number in range(rows):
        line = left[number].copy() if number < len(left) else Styled()
        line.truncate(width - 1, pad=True)
        line.append("│", _STYLES["hint"]).append(" ")
        found.append(line.append_text(right[number]) if number < len(right) else line)
    return found


def _title(title: str, columns: int) -> Styled:
    """Return the first line: the keys, and as much of the title as there is room for; where the board is cut, that is
    said in the place of the keys."""
    parts = printable(title).split(" · ")
    lefts = [f" {' · '.join(parts[:kept])}" for kept in range(len(parts), 0, -1)]
    narrow = [(left, _NARROW) for left in lefts] if columns < BOARD_WIDTH else []
    wide = [(left, keys) for keys in (_KEYS[-1:] if narrow else _KEYS) for left in lefts]
    for left, right in (*narrow, *wide):
        room = columns - cell_len(left) - cell_len(str(right)) - 1
        if room >= 2:
            return Styled(f"{left}{' ' * room}{right} ", "reverse")
    line = Styled(lefts[0], "reverse")
    line.truncate(columns, overflow="ellipsis", pad=True)
    return line


def _told(turns: Sequence[Turn], room: int, width: int) -> list[Styled]:
    """Return the story: each move on a line of its own, if what has not been read yet fits the room so."""
    read = max((number for number, turn in enumerate(turns, 1) if turn.style == "old"), default=0)
    apart = sum(len(_turn_lines(turn, width, apart=True)) for turn in turns[read:]) <= room
    return [line for turn in turns for line in _turn_lines(turn, width, apart=apart)]


def _turn_lines(turn: Turn, width: int, *, apart: bool) -> list[Styled]:
    texts = turn.moves if apart else (" ".join(turn.moves),)
    return [
        line
        for number, text in enumerate(texts)
        for line in styled_lines(text, width, "  " if number else "· ", "  ", style=_STYLES.get(turn.style, ""))
    ]


def _from_ansi(text: str) -> list[Styled]:
    return [Styled.from_ansi(line) for line in text.splitlines()]


@once_a_language
def _rules(game: str, width: int) -> list[Styled]:
    return _from_ansi(rules_page(game, width))


__all__ = ["BOARD_WIDTH", "WIDE", "Sheet"]

"""The questions before the first prompt of an evening: which evening it is, and who is there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from tablier.messages import Evening
from tablier.names import same_name
from tablier.screens.commands import Mistyped, check_typed, evening_command, plain
from tablier.screens.people import People, Someone
from tablier.screens.phrases import Say
from tablier.screens.status_pages import about_open
from tablier.texts import Text

_NOBODY, _SAME = "nobody", "same"
_WHO = Text("Who plays at this screen or at a table? Phones come in by themselves.")
_HELP_WHO = (
    Text(
        "Type names, separated by commas, or the numbers of those who are known. NAME@2 sits at place 2 of the table."
    ),
    Text("Enter, nobody: :come NAME adds people later. quit: leave."),
)


class _Asking:
    """A question that is asked until somebody answers it. After a slip it is not asked at once: what is wrong stands
    last, and Enter asks again. So Enter does nothing that nobody has read."""

    def __init__(
        self, ask: Callable[[], object], read: Callable[[], str | None], say: Say, taken: Collection[str] = ()
    ) -> None:
        """``taken``: names by which nobody leaves."""
        self._ask, self._read, self._say, self._taken = ask, read, say, taken
        self._slipped = False

    def line(self) -> str | None:
        """Return a line that was typed; ``None`` at the end of input, and where somebody leaves by it."""
        while True:
            if not self._slipped:
                self._ask()
            slipped, self._slipped = self._slipped, False
            line = self._read()
            if line is None or _leaves(line, self._taken):
                return None
            if line.strip() or not slipped:
                return line

    def slip(self, why: Text) -> None:
        """Say what was wrong with the line."""
        self._say(why, flush=True)
        self._slipped = True


def ask_who(
    people: People, last: Sequence[Someone], read: Callable[[], str | None], say: Say
) -> Sequence[Someone] | None:
    """Ask who plays without a phone, until that can be read. ``people``: those whom the log knows; ``last``: those of
    the last time. Return ``None`` if somebody leaves instead."""
    taken = set(map(same_name, people.names))
    if people.names:
        say(Text("Known: {names}.", {"names": people.numbered}))
    asks = [_WHO, Text("Names, separated by commas, or numbers. Enter: nobody.")]
    if last:
        asks += [Text("same: as last time ({names}).", {"names": [each.placed for each in last]})]
    asking = _Asking(lambda: say(*asks, flush=True), read, say, taken)
    while True:
        if (line := asking.line()) is None:
            return None
        try:
            check_typed(line)
            if not line.strip():
                return []
            if (word := plain(line)) in (_NOBODY, _SAME) and not people.is_known(line):
                return last if word == _SAME else []
            if evening_command(line, taken) is None and not line.lstrip().startswith(":"):
                return people.read_all(line)
            say(*_HELP_WHO)
        except Mistyped as error:
            asking.slip(error.text)


def ask_which(evenings: Sequence[Evening], read: Callable[[], str | None], say: Say) -> int | None:
    """Ask whether one of the evenings that were left is to be resumed; return its number, 0 for another evening, and
    ``None`` if somebody leaves instead."""
    for each in evenings:
        say(Text("Evening {evening} is open: {about}.", {"evening": each.evening, "about": about_open(each)}))
    last = evenings[-1].evening
    resumes = Text("Enter resumes evening {evening}; new begins another one.", {"evening": last})
    asking = _Asking(lambda: say(resumes, flush=True), read, say)
    while True:
        if (line := asking.line()) is None:
            return None
        typed = plain(line).casefold()
        if typed in ("", "new"):
            return 0 if typed else last
        if typed in {str(each.evening) for each in evenings}:
            return int(typed)
        asking.slip(Text("Type the number of an evening, new, or quit."))


def ask_here(free: Sequence[Someone], read: Callable[[], str | None], say: Say) -> Sequence[Someone] | None:
    """Ask who is at this terminal, of those whom no device has come in as. Return ``None`` if somebody leaves
    instead."""
    people = People(free)
    taken = set(map(same_name, people.names))
    asks = [
        _WHO,
        Text("Enter: {names}. Or names or numbers; nobody.", {"names": people.numbered}),
    ]
    asking = _Asking(lambda: say(*asks, flush=True), read, say, taken)
    while True:
        if (line := asking.line()) is None:
            return None
        try:
            check_typed(line)
            if not line.strip():
                return free
            return [] if plain(line) == _NOBODY else people.read_all(line)
        except Mistyped as error:
            asking.slip(error.text)


def _leaves(line: str, taken: Collection[str]) -> bool:
    """Return whether somebody leaves by a line that is none of the names that are taken."""
    command = evening_command(line, taken)
    return command is not None and command.name == ":quit"


__all__ = ["ask_here", "ask_which", "ask_who"]

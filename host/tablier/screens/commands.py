"""Commands that people type, in a game and between the games of an evening: one table for every kind of screen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from tablier.names import same_name, without_accents
from tablier.printable import is_printable
from tablier.texts import LEVELS, Failure, Text, nearest, source_text, word_list

LINE_MAX = 500
"""The most characters of a line that is typed: enough for any move and command, and little enough to be read as one
types."""
READ_MAX = LINE_MAX + 2
"""The characters of a line that are read, with its end: one more than it may have, by which that is seen."""
TOO_LONG = Text("A line has at most {most} characters.", {"most": LINE_MAX})

RULES, HELP, CARD, TABLE, TONIGHT, BOARD, SPOKEN = "rules", "help", "card", "table", "evening", "board", "spoken"
"""The pages that can be read instead of the board."""
LOOKED_UP = (TABLE, TONIGHT)
"""The pages that the keeper is asked for."""
FASTER, SLOWER = "faster", "slower"

WORDS = {
    each.template: each
    for each in word_list(
        *("abandon", "again", "back", "board", "bots", "call", "close", "come", "correct", "dispute", "door", "end"),
        *("evening", "faster", "first", "game", "games", "go", "help", "hint", "host", "lan", "leave", "look", "new"),
        *("next", "no", "nobody", "off", "open", "organiser", "pace", "pause", "picture", "quit", "rename"),
        *("results", "resume", "return", "rules", "same", "series", "slower", "spoken", "table", "to", "with", "yes"),
        context="command",
    )
}
"""The words of commands, each as people read and type it in their language. Those of the keys are understood in every
language."""


def plain(line: str) -> str:
    """Return a typed line that begins with one of :data:`WORDS` in the reader's language with that word as the key."""
    word, blank, rest = line.strip().partition(" ")
    known = {_letters(str(each)): key for key, each in WORDS.items()}
    return f"{known.get(_letters(word), word)}{blank}{rest}"


def begun(typed: str, words: Sequence[str]) -> str:
    """Return the one of :data:`WORDS` that is typed, or that begins so; ``""`` where none does."""
    forms = [(_letters(form), word) for word in words for form in (str(WORDS[word]), word)]
    return next((word for form, word in forms if typed and form.startswith(_letters(typed))), "")


def in_keys(typed: str, words: Iterable[str]) -> str:
    """Return what follows a command, with some of :data:`WORDS` in the reader's language as their keys."""
    keys = {_letters(str(WORDS[word])): word for word in words}
    return " ".join(keys.get(_letters(each), each) for each in typed.split(" "))


def level_of(typed: str) -> str:
    """Return the name of a bot of a level that is typed in the reader's language; of another text, that text."""
    return next((level for level in LEVELS if _letters(str(source_text(level))) == _letters(typed)), typed)


def _letters(word: str) -> str:
    """Return a word without capitals and accents."""
    return without_accents(word.casefold())


class Mistyped(Failure):
    """A line, or an argument, is not in the form that it has to have."""


def check_typed(line: str) -> None:
    """Raise :class:`Mistyped` for a line that is too long, and where keys were pressed that a line does not know, such
    as arrows."""
    if len(line) > LINE_MAX:
        raise Mistyped(TOO_LONG)
    if not is_printable(line):
        raise Mistyped("Keys such as arrows cannot be used here: type a line, and Enter.")


class Command(NamedTuple):
    """A command with all that is known of it."""

    name: str
    does: Text
    how: Text | None = None
    """What may follow it, with examples, where that is not clear from what it does."""
    words: tuple[str, ...] = ()
    """Words that mean it without a colon, where nothing that is asked has such a name."""
    values: tuple[str, ...] = ()
    """Words that mean it with themselves: ``faster`` is ``:pace faster``."""
    key: str = ""
    """The key of the full screen that does the same."""
    page: str = ""
    """The page that it opens."""
    whole: bool = True
    """False if it says nothing without what follows it."""
    asks_for: str = ""
    """Another word, with a colon, that it asks for itself."""

    @property
    def said(self) -> str:
        """Return its name as the reader types it."""
        return f":{WORDS[self.name[1:]]}"

    @property
    def told(self) -> Text:
        """Return what it does, and what may follow it."""
        return self.does if self.how is None else Text("{does} ({how})", {"does": self.does, "how": self.how})

    @property
    def lines(self) -> list[str]:
        """Return what the reader can type with its values."""
        return [f"{self.said} {WORDS[value]}" for value in self.values]

    def begins(self, word: str) -> bool:
        """Return whether its name begins with a word, in the reader's language or as a key."""
        return any(form.startswith(word) for form in (_letters(self.said), self.name))


HELPS = Command(
    ":help",
    Text("how to type moves"),
    Text("help, rules, hint, back and quit need no colon"),
    words=("help", "h"),
    key="f1",
    page=HELP,
)
_BACK = Command(
    ":back",
    Text("take back your last decision"),
    Text(":back 3: three; :back NAME at a table"),
    words=("back", "undo"),
    key="f4",
)
_QUIT = Command(
    ":quit", Text("stop; the game is kept, or abandoned"), words=("quit", "q", "exit"), key="ctrl+q", asks_for="abandon"
)

GAME = (
    HELPS,
    Command(":rules", Text("the rules of the game"), Text("or ?"), words=("rules", "?"), key="f2", page=RULES),
    Command(":hint", Text("what the strongest bot would do"), words=("hint",), key="f3"),
    _BACK,
    Command(
        ":correct",
        Text("enter what was really played"),
        Text("MOVE; 12 MOVE; NAME: drawn in secret"),
        key="f8",
        whole=False,
    ),
    Command(
        ":dispute",
        Text("note that a move was wrong; it stands"),
        Text(":dispute 12 WHY: move 12"),
        key="f9",
        whole=False,
    ),
    Command(":pause", Text("pause the game, or resume it"), key="f5"),
    Command(
        ":pace",
        Text("bots move faster or slower"),
        Text(":pace faster, :pace slower, :pace 2"),
        values=(FASTER, SLOWER),
        key="f12",
        whole=False,
    ),
    Command(":picture", Text("show the board as a picture, or in characters again"), key="ctrl+g"),
    Command(":table", Text("the state of the table: line, clock, memory, sensors"), key="ctrl+t", page=TABLE),
    Command(":evening", Text("the evening: who is here, its games, how its series stand"), key="ctrl+o", page=TONIGHT),
    Command(":call", Text("stop play: something was wrong"), Text("a place holds minus and presses plus"), key="f10"),
    Command(":leave", Text("have a bot play for you"), Text(":leave strong, :leave NAME strong"), key="f6"),
    Command(":return", Text("play again yourself"), Text(":return NAME at a table"), key="f7"),
    _QUIT,
)
"""The commands of every screen of a game. A beginning that several have is the first one's; each has a key of its own;
with the help of a game they fill one page of 24 lines. Another one has to open a page that is looked up: those are left
out of the help where a list of all commands is a key away."""
PRINTING = (
    *GAME,
    Command(":board", Text("print the board again, with maps and dice in dots"), words=("board",), page=BOARD),
    Command(":spoken", Text("print the board in sentences, or drawn again"), words=("spoken",), page=SPOKEN),
)
"""The commands of a screen that prints, and does not show the board all the time."""
EVENING = (
    HELPS._replace(does=Text("this list"), how=None, words=("help", "h", "?")),
    Command(":come", Text("people come"), Text(":come NAME, NAME; NAME@2: to place 2 of the table"), whole=False),
    Command(":go", Text("somebody leaves, or is shown out"), Text(":go NAME"), whole=False),
    Command(":rename", Text("give somebody who is here another name"), Text(":rename Ane, Anne"), whole=False),
    Command(
        ":door",
        Text("how others come in, with a QR code"),
        Text(":door lan for phones, :door close, :door open"),
        words=("door",),
    ),
    Command(":yes", Text("let in who asks for that, as by a second phone"), words=("yes",)),
    Command(":no", Text("do not let them in"), words=("no",)),
    Command(
        ":organiser",
        Text("somebody may begin games and let people in"),
        Text(":organiser NAME; :organiser NAME off"),
        whole=False,
    ),
    Command(":host", Text("run the evening on a page that opens in a browser of this computer"), words=("host",)),
    Command(
        ":series",
        Text("count games together"),
        Text(":series first to 3 GAME …, :series 5 games GAME …"),
        whole=False,
    ),
    Command(":bots", Text("bots fill every game"), Text(":bots good, :bots 2 good, :bots off"), words=("bots",)),
    Command(":resume", Text("resume a game that was left"), Text(":resume 7: game 7"), words=("resume",)),
    Command(":abandon", Text("a game that was left counts nowhere"), Text(":abandon 7: game 7"), whole=False),
    Command(":results", Text("what was played"), words=("results",)),
    Command(":end", Text("end the evening"), words=("end",)),
    _BACK._replace(does=Text("take back a decision; during a game only"), how=None),
    _QUIT._replace(does=Text("leave; the evening stays open"), asks_for=""),
)
"""The commands between the games of an evening."""

_OTHER_NAMES = {":exit": ":quit", ":undo": ":back", ":?": ":rules"}
"""Words of other programs for commands."""


def find_command(typed: str, commands: Sequence[Command]) -> Command | None:
    """Return the command of a word with a colon, which may be cut short."""
    word = _letters(typed)
    word = _OTHER_NAMES.get(word, word)
    begun = (each for each in commands if len(word) > 1 and each.begins(word))
    return find_spelled(word, commands) or next(begun, None)


def find_spelled(word: str, commands: Sequence[Command]) -> Command | None:
    """Return the command that has a word as its whole name, with a colon or without."""
    name = _letters(f":{word.removeprefix(':')}")
    named = (each for each in commands if name in (_letters(each.said), each.name))
    asking = (
        each for each in commands if each.asks_for and name[1:] in (each.asks_for, _letters(str(WORDS[each.asks_for])))
    )
    return next(named, None) or next(asking, None)


def fitting(typed: str, commands: Sequence[Command]) -> list[Command]:
    """Return the commands that a word being typed may become, with a colon or without."""
    word = _letters(typed)
    bare = read_bare(plain(typed), commands)
    word = bare.split(" ")[0] if bare else _OTHER_NAMES.get(word, word)
    return [command for command in commands if command.begins(word)]


def read_bare(typed: str, commands: Sequence[Command]) -> str:
    """Return the line with a colon that a word without one stands for; ``""`` where it is no command."""
    word = typed.casefold()
    for command in commands:
        if word in command.words:
            return command.name
        if word in command.values:
            return f"{command.name} {word}"
    return ""


def evening_command(line: str, taken: Collection[str]) -> Command | None:
    """Return the command of an evening that a line begins with, unless the line is one of the names that are taken."""
    line = line.strip()
    word, _, rest = line.partition(" ")
    if word.startswith(":"):
        return find_command(word, EVENING)
    bare = "" if rest or same_name(line) in taken else read_bare(plain(word), EVENING)
    return find_command(bare, EVENING)


def unknown(typed: str, commands: Sequence[Command]) -> Text:
    """Return where a word with a colon is a command, or that it is none, and which was meant or which there are."""
    if commands is not EVENING and (found := find_command(typed, EVENING)) is not None:
        if found.name == ":go":
            leave = next(each for each in commands if each.name == ":leave")
            about = {"command": found.said, "leave": leave.said}
            return Text(
                "{command}: only between games; '{leave} NAME good' has a bot play on for somebody who goes", about
            )
        return Text("{command}: only between the games of an evening", {"command": found.said})
    if commands is EVENING and (found := find_command(typed, PRINTING)) is not None:
        return Text("{command}: only during a game", {"command": found.said})
    names = [command.said for command in commands]
    args = {"seen": repr(typed), "commands": names, "near": nearest(typed.casefold(), names)}
    if args["near"]:
        return Text("{seen}: unknown command; did you mean {near}?", args)
    return Text("{seen}: unknown command; commands: {commands}", args)


__all__ = [
    "BOARD",
    "CARD",
    "EVENING",
    "FASTER",
    "GAME",
    "HELP",
    "HELPS",
    "LINE_MAX",
    "LOOKED_UP",
    "PRINTING",
    "READ_MAX",
    "RULES",
    "SLOWER",
    "SPOKEN",
    "TABLE",
    "TONIGHT",
    "TOO_LONG",
    "WORDS",
    "Command",
    "Mistyped",
    "begun",
    "check_typed",
    "evening_command",
    "find_command",
    "find_spelled",
    "fitting",
    "in_keys",
    "level_of",
    "plain",
    "read_bare",
    "unknown",
]

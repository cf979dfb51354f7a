"""What holds wherever a line is typed: how long it may be, and which words are commands without a colon, too, as long
as nothing that is asked is called so."""

from tablier.texts import Text

LINE_MAX = 500
"""The most characters of a line that is typed: enough for any move and command, and little enough to be read as one
types."""
READ_MAX = LINE_MAX + 2
"""The characters of a line that are read, with its end: one more than it may have, by which that is seen."""
TOO_LONG = Text("A line has at most {most} characters.", {"most": LINE_MAX})

FASTER, SLOWER = "faster", "slower"
PACE = ":pace"
BARE = {
    "q": ":quit",
    "quit": ":quit",
    "exit": ":quit",
    "h": ":help",
    "help": ":help",
    "back": ":back",
    "undo": ":back",
    "hint": ":hint",
    "rules": ":rules",
    "board": ":board",
    FASTER: f"{PACE} {FASTER}",
    SLOWER: f"{PACE} {SLOWER}",
}
"""By word: the command that it means."""

__all__ = ["BARE", "FASTER", "LINE_MAX", "PACE", "READ_MAX", "SLOWER", "TOO_LONG"]

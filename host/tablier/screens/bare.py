"""Words that are commands without a colon, too, wherever a line is typed and nothing that is asked is called so."""

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

__all__ = ["BARE", "FASTER", "PACE", "SLOWER"]

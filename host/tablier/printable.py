"""Text from outside, made safe to print: what a log, a bot, a table, a file or a command line says goes through here on
its way to a terminal. Every start of the command line loads this."""

import json
import os


def printable(text: str) -> str:
    """Return the text as one line that cannot command a terminal or hide what it says: what is not printable (control
    characters, line ends, marks of direction) is escaped."""
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def printable_json(line: str) -> str:
    """Return JSON that says the same and cannot command a terminal."""
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in line)


def number_text(number: float, form: str = "g") -> str:
    """Return a number as people read it, with a minus and not a hyphen, and none before a zero; ``form`` as
    :func:`format` takes it."""
    text = format(number, form)
    if not text.strip(" -+0.%"):  # rounded to zero
        text = format(abs(number), form)
    return text.replace("-", "−")


def ascii_only() -> bool:
    """Return whether the terminal shows ASCII alone: its locale is not one of UTF-8, or it is a dumb one."""
    if os.environ.get("TERM") == "dumb":
        return True
    names = {name: os.environ.get(name, "") for name in ("LC_ALL", "LC_CTYPE", "LANG")}
    if names["LC_CTYPE"] == "C.UTF-8" and names["LANG"] in ("", "C", "POSIX"):
        names["LC_CTYPE"] = ""  # Python itself has set it at its start, in the place of "C" (PEP 538)
    named = next(filter(None, names.values()), "C")
    return "utf8" not in named.lower().replace("-", "")


__all__ = ["ascii_only", "number_text", "printable", "printable_json"]

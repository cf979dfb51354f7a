"""Text from outside, made safe to print. Imports nothing: every start of the command line loads it."""


def printable(text: str) -> str:
    """Return the text as one line that cannot command a terminal: what is not printable is escaped."""
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


__all__ = ["printable"]

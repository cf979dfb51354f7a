"""Text from outside, made safe to print. Imports nothing: every start of the command line loads it."""


def printable(text: str) -> str:
    """Return the text as one line that cannot command a terminal: what is not printable is escaped."""
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def number_text(number: float, form: str = "g") -> str:
    """Return a number as people read it, with a minus and not a hyphen; ``form`` as :func:`format` takes it."""
    return format(number, form).replace("-", "−")


__all__ = ["number_text", "printable"]

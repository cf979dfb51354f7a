"""A hint: asked for, waited for, and told as long as its question is open."""

from __future__ import annotations

from tablier import messages
from tablier.games.core.menus import PASS
from tablier.screens.phrases import HINT, THINKING
from tablier.screens.replies import options_of
from tablier.screens.seen import Seen
from tablier.texts import Text, render, spelled


class Advice:
    """The latest hint of a screen."""

    def __init__(self, seen: Seen) -> None:
        self._seen = seen
        self._text: Text | None = None
        self._because: Text | None = None  # what the bot says of it
        self._occasion: object = None  # what it is for …
        self._question: object = None  # … and the question of that
        self._line = ""
        self._asked = 0  # how many were asked for

    @property
    def text(self) -> Text | None:
        """Return the hint, or that it is being thought about, as long as its question is open and its seat can do the
        same."""
        return self._text if self._seen.occasion == self._occasion else None

    @property
    def thinking(self) -> bool:
        """Return whether a hint for the open question is being worked out."""
        return self.text is THINKING

    @property
    def texts(self) -> list[Text]:
        """Return the hint, and what the bot says of it."""
        return [text for text in (self.text, self._because) if text is not None] if self.text else []

    @property
    def line(self) -> str:
        """Return the line that does what the hint says, which Enter alone does, too; empty where there is none."""
        return self._line if self.text else ""

    def ask(self) -> int:
        """Begin to wait for a hint; return its number."""
        self._text, self._because, self._line = THINKING, None, ""
        self._occasion, self._question = self._seen.occasion, self._seen.question_key
        self._asked += 1
        return self._asked

    def drop(self) -> None:
        """Forget the hint."""
        self._text = None

    def is_outdated(self) -> bool:
        """Forget a hint that a bot still works out for what a seat held before, and return that it was so: it must not
        tell of a card that has left the hand."""
        outdated = self._text is THINKING and self._occasion != self._seen.occasion
        if outdated := outdated and self._question == self._seen.question_key:
            self._text = None
        return outdated

    def take(self, n: int, hint: messages.Hint) -> None:
        """Take a hint, if it is the one that was asked for, and its question is still open."""
        question, names = self._seen.asking, self._seen.names
        if n != self._asked or self._occasion != self._seen.occasion or question is None:
            return
        if hint.why is not None:
            self._text = Text("No hint: {why}.", {"why": render(hint.why, names)})
            return
        whole = line = PASS if hint.move is None else hint.move
        self._text = HINT.of(move=spelled(whole))
        if isinstance(question, messages.Poll | messages.Menu) and question.leads:  # step by step
            steps = ["no", "yes"] if isinstance(question, messages.Poll) else options_of(question, names)
            line = next((step for step, moves in zip(steps, question.leads, strict=True) if whole in moves), PASS)
            if line != whole:
                self._text = Text("Hint: {move}; now {step}", {"move": spelled(whole), "step": spelled(line)})
        elif isinstance(question, messages.Window) and hint.move is None:
            line = "done"
            self._text = HINT.of(move=spelled(line))
        self._because = hint.because
        if (line := spelled(line)) in self._seen.lines():
            self._line = line
            self._text = Text("{hint} (Enter plays it)", {"hint": self._text})


__all__ = ["Advice"]

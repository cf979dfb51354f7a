"""From a question to the lines that can be typed, or touched, and the replies that they stand for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tablier import messages
from tablier.course.asides import ENDED_BY_ONE
from tablier.games.core.menus import PASS
from tablier.messages import Mine, Question
from tablier.screens.phrases import TYPE_THESE
from tablier.texts import Json, Listed, Text, all_of, any_of, counted, nearest, render, word_list

MANY_VERBS = 4
"""The most verbs that a question lists."""
NOTATION = word_list("yes", "no", "pass", "done", "throw", "table", context="notation")
"""The words of replies that are no game's own."""
_SHOWN = 6  # lines that a typed text may mean, as an error names them …
_ROOM = 90  # … and the characters that they may take


def replies_to(question: Question, mine: Mine, names: Sequence[str]) -> dict[str, Json]:
    """Return each line by which a seat can answer, and the reply that it stands for. ``mine``: the seat's own part of
    the question."""
    match question, mine:
        case messages.Turn(), messages.MyTurn(moves=moves, may_pass=may_pass):
            lines: dict[str, Json] = {move: {"event": "played", "move": move} for move in moves}
            return {**lines, PASS: {"event": "played", "move": None}} if may_pass else lines
        case messages.Choice(options=options), messages.MyChoice(moves=moves):
            return {move: {"event": "locked", "option": options.index(move)} for move in moves}
        case messages.Window(), messages.MyWindow(cards=cards):
            throws: dict[str, Json] = {f"throw {rank}": {"event": "thrown", "rank": rank} for rank in cards}
            return {**throws, "done": {"event": "done"}}
        case messages.Menu(), _:
            texts = options_of(question, names)
            return {text: {"event": "picked", "option": number} for number, text in enumerate(texts)}
        case messages.Poll(what=what), _ if what in ENDED_BY_ONE:
            return {"yes": {"event": "answered", "yes": True}}  # who says nothing leaves it as it is
        case messages.Poll(), _:
            return {"yes": {"event": "answered", "yes": True}, "no": {"event": "answered", "yes": False}}
        case ((messages.Roll() | messages.Tally()), _):
            return {}  # entered at the table
    raise AssertionError(question)


def options_of(menu: messages.Menu, names: Sequence[str]) -> list[str]:
    """Return the options of a menu in words, with their labels where two would be the same."""
    texts = [render(option, names) for option in menu.options]
    if len(set(texts)) < len(texts):
        texts = [f"{label}: {text}" for label, text in zip(menu.labels, texts, strict=True)]
    return texts


_SUCH_AS = Text("{seen} is not possible now; type a move such as {lines}")


def impossible(text: str, lines: Sequence[str]) -> Text:
    """Return that a line is no reply, and what can be typed now."""
    args: dict[str, Any] = {"seen": repr(text)}
    verb = text.split(" ")[0].casefold()
    few = len(lines) <= _SHOWN and len(", ".join(lines)) <= _ROOM
    if few and all(" " not in line for line in lines):  # as yes and no
        return TYPE_THESE.of(**args, lines=any_of(lines))
    if same := [line for line in lines if line.split(" ")[0].casefold() == verb]:
        shown = _fitting(same)
        return (TYPE_THESE if len(shown) == len(same) else _SUCH_AS).of(**args, lines=any_of(shown))
    if near := nearest(text, lines, 0.75):
        return Text("{seen} is not possible now; did you mean {near}?", {**args, "near": near})
    if few:
        return TYPE_THESE.of(**args, lines=any_of(lines))
    verbs = _by_verb(lines)
    if not 1 < len(verbs) <= MANY_VERBS:
        return _SUCH_AS.of(**args, lines=lines[0])
    return TYPE_THESE.of(**args, lines=any_of(verbs))


def _by_verb(lines: Iterable[str]) -> list[Text | str]:
    """Return what can be typed, one line for each verb."""
    verbs: dict[str, list[str]] = {}
    for line in lines:
        verbs.setdefault(line.split(" ")[0], []).append(line)
    one_of = Text("{verb} (such as {line})")
    return [found[0] if len(found) == 1 else one_of.of(verb=verb, line=found[0]) for verb, found in verbs.items()]


def some_of(texts: Sequence[str]) -> Listed:
    """Return the first texts, as many as fit in two narrow lines, and how many more there are."""
    shown = _fitting(texts)
    left = len(texts) - len(shown)
    return all_of([*shown, *([counted(left, "{count} more", "{count} more")] if left else [])])


def _fitting(texts: Sequence[str]) -> Sequence[str]:
    """Return the first texts, as many as fit in two narrow lines."""
    count = next((n for n in range(1, len(texts)) if len(", ".join(texts[: n + 1])) > _ROOM), len(texts))
    return texts[: min(count, _SHOWN)]


__all__ = ["MANY_VERBS", "impossible", "options_of", "replies_to", "some_of"]

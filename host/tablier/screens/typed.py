"""Move input: find the moves that a typed line may mean, and complete it.

Moves are typed in their notation without the actor. As long as only one move fits, words may be cut short, and the
verb, dashes, colons and capitals left out; words that form a set may come in any order. All that follows a verb, typed
in full, means that move alone, whatever else begins like it: ``k Q`` keeps a queen and nothing besides. This module
handles strings only; the moves come from the rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from tablier.texts import Text, and_more

END = "↵"
"""Stands for the end of a move that could be longer."""

_SEPARATORS = (" ", ":", "-")
_PART = re.compile(" ?[^ :-]+[:-]?")  # what is typed at a time: a word, or half of f5:g and c3-c6
_SOFT = re.compile(r"[ :+-]")


def read_line(texts: Sequence[str], typed: str) -> list[str]:
    """Return the moves that a line may mean, by the closest reading that fits any.

    An exact match wins over moves that only begin like it.
    """
    line = " ".join(typed.split())
    if not line:
        return list(texts) if len(texts) == 1 else []
    if "+" in line:  # may be left out, but is not typed by chance: K+9, which goes nowhere, does not keep a K and a 9
        texts = [text for text in texts if "+" in text]
    for reading in _READINGS:
        fits = {text: reading(text, line) for text in texts}
        best = max(fits.values(), default=0)
        if best:
            return [text for text, fit in fits.items() if fit == best]
    return []


def is_whole(text: str, line: str) -> bool:
    """Return whether a line is all of a move, but for capitals, spaces and marks."""
    return _tight(text) == _tight(line)


def _tight(text: str) -> str:
    return _SOFT.sub("", text).casefold()


def _begun(text: str, line: str) -> int:
    """Return how well a line fits whose words begin a move's words: the number of whole words counts."""
    words, typed = text.casefold().split(" "), line.casefold().split(" ")
    if len(typed) > len(words) or not all(map(str.startswith, words, typed)):
        return 0
    return 1 + sum(map(str.__eq__, words, typed))


def _without_verb(text: str) -> str:
    return text.partition(" ")[2]


def _all_but_verb(text: str, line: str) -> bool:
    """Return whether a line is all of a move, with its verb cut short or left out."""
    verb, _, rest = text.partition(" ")
    head, _, tail = line.partition(" ")
    return bool(rest) and (line == rest or (tail == rest and bool(head) and verb.startswith(head)))


def _all_but_verb_tight(text: str, line: str) -> bool:
    """As :func:`_all_but_verb`, without spaces, marks and capitals."""
    verb, _, rest = text.partition(" ")
    rest, line = _tight(rest), _tight(line)
    return bool(rest) and line.endswith(rest) and verb.casefold().startswith(line.removesuffix(rest))


def _in_any_order(text: str, line: str) -> bool:
    """As :func:`_all_but_verb`, the words in any order."""
    verb, _, rest = text.casefold().partition(" ")
    typed, words = line.casefold().split(" "), sorted(rest.split(" "))
    return sorted(typed) == words or (verb.startswith(typed[0]) and sorted(typed[1:]) == words)


_READINGS: tuple[Callable[[str, str], int], ...] = (
    lambda text, line: text == line,
    _all_but_verb,
    lambda text, line: text.casefold() == line.casefold(),
    lambda text, line: text.casefold().startswith(line.casefold()),
    lambda text, line: _all_but_verb(text.casefold(), line.casefold()),
    is_whole,
    _in_any_order,
    _all_but_verb_tight,
    _begun,
    lambda text, line: _begun(_without_verb(text), line),
    lambda text, line: _tight(text).startswith(_tight(line)),
)
"""The ways in which a line may fit a move, the closest first; 0 is no fit, and more is better."""


def find(texts: Sequence[str], typed: str) -> list[str]:
    """Return the moves that a line begins; where it begins none, those that it may mean."""
    line = typed.lstrip().casefold()
    return [text for text in texts if text.casefold().startswith(line)] or read_line(texts, typed)


def complete(texts: Sequence[str], typed: str) -> str:
    """Return the line, extended by everything that must follow."""
    line = typed.lstrip()
    found = find(texts, typed)
    if not found:
        return typed
    first, last = min(found), max(found)
    same = next((n for n, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:same] if same >= len(line) else typed


class Choice(NamedTuple):
    """A part that can be typed next, and what can follow it."""

    part: str
    then: tuple[str, ...]
    """The parts after it; empty when the move is complete with it. ``""`` among them: it may end here."""


def choices(texts: Iterable[str], typed: str) -> tuple[str, list[Choice]]:
    """Return the completed line, and what can be typed after it, grouped by the next part."""
    line = typed.lstrip()
    found = [text for text in texts if text.casefold().startswith(line.casefold())]
    if not found:
        return line, []
    split = [_PART.findall(text) for text in found]
    at = len(_PART.findall(found[0][: len(line)])) - (line != "" and line[-1] not in _SEPARATORS)
    while len(heads := {_at(parts, at) for parts in split}) == 1 and heads != {""}:
        at += 1
    following: dict[str, dict[str, None]] = {}
    for parts in split:
        following.setdefault(_at(parts, at), {})[_at(parts, at + 1)] = None
    stands = "".join(split[0][:at])
    if list(following) == [""]:
        return stands, []
    return stands, [Choice(part.lstrip(), tuple(then)) for part, then in following.items()]


def _at(parts: Sequence[str], number: int) -> str:
    return parts[number] if number < len(parts) else ""


def outline(texts: Sequence[str], typed: str, width: int, lines: int) -> list[str]:
    """Return :func:`choices` as text, as much as fits into the lines and columns."""
    stands, found = choices(texts, typed)
    if not found:
        return [f"{END} {stands}"] if stands in texts else []
    head = f"{stands} ▸ " if stands else ""
    ends = {choice.then for choice in found}
    if len(found) > 1 and len(ends) == 1 and (then := ends.pop()) != ("",):  # all continue alike: said once
        shapes = [(" ", [*(choice.part for choice in found), _then(then)])]
    else:
        shapes = [(" · ", [_with_next(choice) for choice in found])]
    shapes.append(("  ", [_open(choice) for choice in found]))
    for mark, items in shapes:
        mark = mark if any(" " in item for item in items) else "  "
        filled = _fill(head, items, mark, width)
        if len(filled) <= lines and max(map(cell_len, filled)) <= width:
            return filled
    items = shapes[-1][1]
    for kept in range(len(items) - 1, 0, -1):
        filled = _fill(head, [*items[:kept], _more(len(items) - kept)], "  ", width)
        if len(filled) <= lines:
            break
    return filled


def summary(texts: Sequence[str], typed: str, width: int) -> str:
    """Return what can follow a beginning, as much as fits into the columns."""
    parts = [choice.part.rstrip("-:") or END for choice in choices(texts, typed)[1]]
    for kept in range(len(parts), 0, -1):
        more = [_more(len(parts) - kept)] if kept < len(parts) else []
        text = " ".join([*parts[:kept], *more])
        if cell_len(text) <= width:
            return text
    return _more(len(parts))


def _then(parts: Iterable[str]) -> str:
    return str(Text("then {parts}", {"parts": _either(parts)}))


def _more(count: int) -> str:
    return str(and_more(count))


def _either(parts: Iterable[str]) -> str:
    return "|".join(part.lstrip() or END for part in parts)


def _with_next(choice: Choice) -> str:
    """Return a part with what follows it."""
    if choice.then == ("",):
        return choice.part or END
    glue = "" if choice.part[-1] in _SEPARATORS else " "
    return f"{choice.part}{glue}{_either(choice.then)}"


def _open(choice: Choice) -> str:
    """Return a part, and whether something follows it."""
    if choice.then == ("",) or choice.part[-1] in _SEPARATORS:
        return choice.part or END
    return f"{choice.part}…"


def _fill(head: str, items: Sequence[str], mark: str, width: int) -> list[str]:
    lines = [head]
    for number, item in enumerate(items):
        glue = mark if number else ""
        if cell_len(lines[-1]) + len(glue) + cell_len(item) > width and lines[-1] != head:
            lines.append("  " + item)
        else:
            lines[-1] += glue + item
    return [line.rstrip() for line in lines]


__all__ = ["Choice", "choices", "complete", "find", "is_whole", "outline", "read_line", "summary"]

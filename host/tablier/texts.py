"""Texts: what people are told, as a template with arguments; a screen makes sentences of them, with names.

Nothing here is a finished sentence, so that a screen can say it in its reader's language: a text of a number of things
carries both its forms and the number, and :func:`render` picks one; a list is joined when it is rendered; a word that
stands as an argument says by its context what it means (``red`` is a colour). ``python -m tests.catalogue`` writes all
templates as a POT file.
"""

from __future__ import annotations

import os
import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, lru_cache, wraps
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct, field, structs, to_builtins

if TYPE_CHECKING:
    from datetime import date, datetime, time

Json = dict[str, Any]
_Result = TypeVar("_Result")


def _no_args() -> Json:
    return {}  # not dict itself, whose empty value would be left out of JSON


class Text(Struct, frozen=True, omit_defaults=True):
    """A template and its arguments.

    Each field of the template, such as ``{who}``, stands for the argument of that name: a number, a word, a
    :class:`Who`, a :class:`Typed`, another text, a :class:`Listed`, the error that says it, or a list of these; of
    anything else its ``str``. ``str(text)`` is the sentence as records and the command line have it: seats as ``p1``,
    moves with their actor.
    """

    template: str = field(name="text")
    args: Mapping[str, Any] = field(default_factory=_no_args)
    context: str = ""
    """The meaning of the template, where it is a word that may mean several things: ``colour``."""
    one: str = ""
    """The template where the argument ``count`` calls for the singular; empty where there is no such form."""
    you: str = ""
    """The template for a reader whom the argument ``who`` names, alone or among others; empty where there is no such
    form. Where it names this seat, it says "you"."""

    def __post_init__(self) -> None:
        for value in self.args.values():
            if type(value) not in _PLAIN:
                structs.force_setattr(self, "args", {key: _argument(each) for key, each in self.args.items()})
                return

    def of(self, **args: Any) -> Text:
        """Return the text with these arguments."""
        return structs.replace(self, args=args)

    def to_you(self, you: Text) -> Text:
        """Return the text with another's template for a reader whom the argument ``who`` names."""
        return structs.replace(self, you=you.template)

    def to_json(self) -> Json:
        """Return ``{"text": template, "args": {…}}``, and ``context``, ``one`` and ``you`` where it has them."""
        told: Json = to_builtins(self)
        return told

    def __str__(self) -> str:
        return render(self)


class Who(Struct, frozen=True):
    """A seat, as an argument of a :class:`Text`: a screen shows its player's name."""

    seat: int


class Typed(Struct, frozen=True):
    """A move, the form of one or a word of one (without an actor), as an argument of a :class:`Text`: a screen leaves
    out the actor, and writes the words as its reader does."""

    actor: str
    rest: str = field(name="move")


class Listed(Struct, frozen=True):
    """A list, as an argument of a :class:`Text`; :data:`JOINS` says how it is joined."""

    items: Sequence[Any] = field(name="list")
    join: str = "comma"

    def __post_init__(self) -> None:
        structs.force_setattr(self, "items", list(map(_argument, self.items)))

    def __str__(self) -> str:
        return render(Text("{items}", {"items": self}))


_PLAIN = frozenset((str, int, float, bool, Who, Typed, Text, Listed))
"""What stands as an argument of a text as it is."""


TRUE_OR_FALSE = Text("true or false")
"""What an option or a setting may be that is on or off."""


class Failure(Exception):
    """An error whose message is a :class:`Text`; ``str(error)`` is ``str(text)``."""

    def __init__(self, text: Text | str, /, **args: Any) -> None:
        """Take a text, or a template with its arguments."""
        self.text = text if isinstance(text, Text) else Text(text, args)
        super().__init__(self.text)

    def __str__(self) -> str:
        return str(self.text)


class Unsound(Failure):
    """What was checked is not as it has to be: a log that was changed or damaged, say."""


class TextError(Failure, ValueError):
    """A value is wrong; says why in a :class:`Text`."""


NOT_ALLOWED = Text("{field} is {seen}; allowed: {allowed}")
NOT_YOURS = Text("it belongs to user {user}, not to you")
"""Why a file or a folder is not trusted."""


def text_of(error: Failure | OSError | ValueError) -> Text:
    """Return the message of an error as a text: of an error of the operating system, its file and what is wrong."""
    if isinstance(error, Failure):
        return error.text
    if isinstance(error, OSError) and error.strerror:
        if error.filename is None:
            return Text("{why}", {"why": error.strerror})
        return Text("{file}: {why}", {"file": os.fsdecode(error.filename), "why": error.strerror})
    return Text("{message}", {"message": str(error)})


def text_from(value: Json | str) -> Text:
    """Return a text that :meth:`Text.to_json` gave; of a finished sentence, a text that says just that."""
    if isinstance(value, str):
        return Text("{message}", {"message": value})
    return Text(value["text"], value["args"], *(value.get(key, "") for key in ("context", "one", "you")))


def _argument(value: Any) -> Any:
    """Return an argument as a text holds it, of what it was made with or of its JSON."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, list | tuple):
        return [_argument(each) for each in value]
    if isinstance(value, dict):
        return _from_json(value)
    if isinstance(value, Failure):
        return value.text
    return value + 0 if isinstance(value, int | float) else str(value)


def _from_json(value: Json) -> Who | Typed | Listed | Text | str:
    """Return an argument of its JSON; of any other value its ``str``."""
    match value:
        case {"seat": int(seat), **rest} if not rest:
            return Who(seat)
        case {"actor": str(actor), "move": str(move), **rest} if not rest:
            return Typed(actor, move)
        case {"list": [*items], "join": str(join), **rest} if not rest and join in JOINS:
            return Listed(items, join)
        case {"text": str(), "args": {}}:
            return text_from(value)
    return str(value)


def counted(count: int, one: str, many: str, none: str = "", /, **args: Any) -> Text:
    """Return the text of a number of things, with both its forms and the number as its ``{count}``.

    ``none`` is the text for 0, where that is another one: "no dice".
    """
    if "count" in args:
        raise TypeError("the number is the first argument")  # another would decide which form is taken
    if none and not count:
        return Text(none, {"count": count, **args} if "{count}" in none else args)
    return Text(many, {"count": count, **args}, one=one)


def word_list(*templates: str, context: str) -> tuple[Text, ...]:
    """Return the texts of words of one context, as of a notation."""
    return tuple([Text(template, context=context) for template in templates])


def all_of(items: Sequence[Any]) -> Listed:
    """Return a list that reads "a, b and c"."""
    return Listed(items, "and")


def any_of(items: Sequence[Any]) -> Listed:
    """Return a list that reads "a, b or c"."""
    return Listed(items, "or")


def in_turn(items: Sequence[Any]) -> Listed:
    """Return a list that reads "a, then b, then c"."""
    return Listed(items, "then")


def clauses(items: Sequence[Any], most: int | None = None) -> Text:
    """Return items with semicolons between them as a text; of more than ``most``, the number of the others at the
    end."""
    more = 0 if most is None else max(0, len(items) - most)
    shown = items if most is None else items[:most]
    rest = [and_more(more)] if more else []
    return Text("{items}", {"items": Listed((*shown, *rest), "clauses")})


def and_more(count: int) -> Text:
    """Return the end of a list that is cut off."""
    return counted(count, "and {count} more", "and {count} more")


def span(first: object, last: object) -> Text:
    """Return a range that reads "a to b"."""
    return Text("{first} to {last}", {"first": first, "last": last})


def nearest(seen: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known word that is most like another, whatever its capitals; ``None`` where none is much like it."""
    from difflib import get_close_matches

    words = {word.casefold(): word for word in known}
    return next((words[word] for word in get_close_matches(seen.casefold(), words, 1, cutoff)), None)


def suggest(text: Text, seen: str, known: Iterable[str], said: Callable[[str], Text | str] = str) -> Text:
    """Return a text about a word that is not known, with the known one that may be meant, as ``said`` says it."""
    near = nearest(seen, known)
    return text if near is None else did_you_mean(text, said(near))


def did_you_mean(text: Text, near: str | Text | Listed) -> Text:
    """Return a text about a word that is not known, with what may be meant."""
    return Text("{text}; did you mean {near}?", {"text": text, "near": near})


def number_text(number: float, form: str = "g") -> str:
    """Return a number as its reader writes it, with a minus and not a hyphen, and none before a zero; ``form`` as
    :func:`format` takes it."""
    text = format(number, form)
    if not text.strip(" -+0.%"):  # rounded to zero
        text = format(abs(number), form)
    return language().number(text.replace("-", "−"))


def day_text(date: date) -> Text:
    """Return a date as people write it."""
    return Text(
        "{year}-{month}-{day}",
        {"year": date.year, "month": f"{date.month:02}", "day": f"{date.day:02}"},
        context="date",
    )


def time_text(at: datetime | time) -> Text:
    """Return a time of day as people write it."""
    return Text("{hour}:{minute}", {"hour": f"{at.hour:02}", "minute": f"{at.minute:02}"}, context="time of day")


def once_a_language(function: Callable[..., _Result]) -> Callable[..., _Result]:
    """Have a function be called once for each language and arguments: what it returns holds words."""
    found = cache(lambda read, *args: function(*args))
    return wraps(function)(lambda *args: found(language(), *args))


# -- sentences ---------------------------------------------------------------------------------------------------


class Language:
    """A language of readers. This one is English, as the templates are; :mod:`tablier.languages` finds others."""

    tag = "en"
    """As in HTML: ``en``, ``pt-BR``."""

    def find(self, context: str, template: str, one: str = "", count: int = 1) -> str:
        """Return a template in this language; of one with a singular, the form of that number."""
        return one if one and count == 1 else template

    def value(self, value: str) -> str:
        """Return a value of a text: a message of the operating system is in this language, others stand as they are."""
        return value

    def number(self, value: str) -> str:
        """Return a number with the marks of this language."""
        return value

    def attach(self, before: str, word: str) -> str:
        """Return a beginning of a sentence with the word after it: *de* and *Anne* are *d'Anne*."""
        return before + word


ENGLISH = Language()
_process = ENGLISH
_reader: ContextVar[Language | None] = ContextVar("reader", default=None)


def language() -> Language:
    """Return the language of whom this is rendered for: of :func:`reading`, else of the process."""
    return _reader.get() or _process


def speak(spoken: Language) -> None:
    """Have this process say everything in a language: a program at a terminal has one reader."""
    global _process
    _process = spoken


@contextmanager
def reading(read: Language) -> Iterator[None]:
    """Render what is said within for a reader of a language, one of several of this process."""
    before = _reader.set(read)
    try:
        yield
    finally:
        _reader.reset(before)


def read_as(read: Language) -> None:
    """Render for a reader of a language all that the current task says from now on."""
    _reader.set(read)


JOINS = {
    "comma": ("{some}, {next}", "{some}, {last}"),
    "and": ("{some}, {next}", "{some} and {last}"),
    "or": ("{some}, {next}", "{some} or {last}"),
    "then": ("{some}, then {next}", "{some}, then {last}"),
    "clauses": ("{some}; {next}", "{some}; {last}"),
}
"""The templates that join lists, in the context ``list``: the next item to some, and the last one."""
THE_TABLE, YOU = "the table", "you"
"""The actor that is no seat, where players have names, and the reader's own seat, in the context ``seat``."""


LEVELS = {each.template: each for each in word_list("random", "greedy", "easy", "good", "strong", context="bot")}
"""The bots that come with the games, by source."""
_SEATS = {each.template: each for each in (Text("table", context="source"), Text("screen", context="source"))}


def source_text(source: str) -> Text | str:
    """Return what decides for a seat as people read and type it: the table, a screen, or a bot of a level; of a
    program, its command."""
    return LEVELS.get(source, _SEATS.get(source, source))


_WORD_OF_MOVE = re.compile(r"[^ :+-]+")


def spelled(move: str, read: Language | None = None) -> str:
    """Return a move, or a word of one, as its reader writes it: each word of the notation as the context ``notation``
    has it. The notation of records is the same everywhere."""
    read = read or language()
    return move if read is ENGLISH else _WORD_OF_MOVE.sub(lambda word: read.find("notation", word[0]), move)


def unspelled(typed: str, words: Iterable[str]) -> str:
    """Return a typed move with its words as the notation has them; ``words``: those that the notation knows."""
    known = {spelled(word).casefold(): word for word in words}
    return _WORD_OF_MOVE.sub(lambda word: known.get(word[0].casefold(), word[0]), typed)


class _Fields(string.Formatter):
    def get_value(self, key: int | str, args: Any, kwargs: Any) -> Any:
        return kwargs.get(key, "{" + str(key) + "}")


_FORMATTER = _Fields()


@lru_cache(1024)
def _pieces(template: str) -> tuple[tuple[str, str | None], ...] | None:
    """Return the parts of a template, each text and the field after it; ``None`` for one with more than plain fields.

    A list of ten thousand games says the same few templates again and again.
    """
    try:
        parsed = tuple(_FORMATTER.parse(template))
    except ValueError:
        return None
    if any(field is not None and (spec or turned or not field.isidentifier()) for _, field, spec, turned in parsed):
        return None
    return tuple((literal, field) for literal, field, _, _ in parsed)


def render(text: Text | Json, names: Sequence[str] | None = None, read: Language | None = None, *, you: int = 0) -> str:
    """Return a text, or the JSON of one, as a sentence, with the players' names in it, in the language of its reader.

    Without names seats are written as in records, ``p1``, and moves with their actor. ``you``: the seat of the one
    reader, 0 for a text that several read.
    """
    return _Renderer(names, read or language(), you).sentence(text if isinstance(text, Text) else text_from(text))


class _Renderer:
    def __init__(self, names: Sequence[str] | None, language: Language, you: int) -> None:
        self._names = names
        self._language = language
        self._you = you
        self._addressed = False
        """True within a text that speaks to the reader."""

    def sentence(self, text: Text) -> str:
        before = self._addressed
        self._addressed = bool(self._you and text.you) and _names(text.args.get("who"), self._you)
        many, one = (text.you, "") if self._addressed else (text.template, text.one)
        said = self._said(text.args, self._template(many, text.context, one, text.args.get("count")))
        self._addressed = before
        return said

    def _said(self, args: Mapping[str, Any], template: str) -> str:
        pieces = _pieces(template)
        if pieces is not None:
            said, attach, word = "", self._language.attach, self._word
            for literal, field in pieces:
                said += literal
                if field is not None:
                    said = attach(said, word(args[field]) if field in args else f"{{{field}}}")
            return said
        try:
            return _FORMATTER.vformat(template, (), {key: self._word(value) for key, value in args.items()})
        except (ValueError, AttributeError):  # braces that mean nothing
            return template

    def _template(self, many: str, context: str, one: str, count: Any) -> str:
        """Return the template in the reader's language, for a number of things in the form of that number."""
        if not many:  # gettext has its own header there
            return many
        if one and isinstance(count, int):
            return self._language.find(context, many, one, count)
        return self._language.find(context, many)

    def _word(self, value: Any) -> str:
        kind = type(value)  # of most of what lists of games say
        if kind is str:
            return self._language.value(value)
        if kind is int:
            return str(value)
        match value:
            case str():
                return self._language.value(value)
            case Text():
                return self.sentence(value)
            case Who(seat):
                return self._name(seat)
            case Typed(actor, rest):
                return spelled(f"{actor} {rest}" if actor and self._names is None else rest, self._language)
            case Listed(items, join):
                return self._joined(items, join)
            case list():
                return self._joined(value, "comma")
            case float():
                return self._language.number(str(value))
        return str(value)

    def _joined(self, items: Sequence[Any], join: str) -> str:
        first, last = (self._language.find("list", template) for template in JOINS[join])
        words = [self._word(each) for each in items]
        if len(words) > 1 and (between := _between(self._language, first, last)) is not None:
            return between[1].join((between[0].join(words[:-1]), words[-1]))
        some = words[0] if words else ""
        for number, word in enumerate(words[1:], 2):
            template, key = (last, "last") if number == len(words) else (first, "next")
            some = self._said({"some": some, key: word}, template)
        return some

    def _name(self, seat: int) -> str:
        if not seat:
            return "table" if self._names is None else self._language.find("seat", THE_TABLE)
        if self._addressed and seat == self._you:
            return self._language.find("seat", YOU)
        return f"p{seat}" if self._names is None else self._names[seat - 1]


@lru_cache(1024)
def _between(read: Language, first: str, last: str) -> tuple[str, str] | None:
    """Return what stands between two words of a list, and before the last one, by the templates that join them;
    ``None`` where these say anything else, or a word may change what is before it."""
    if type(read).attach is not Language.attach:
        return None
    match _pieces(first), _pieces(last):
        case ((("", "some"), (str(one), "next")), (("", "some"), (str(other), "last"))):
            return one, other
    return None


def _names(who: Any, seat: int) -> bool:
    """Return whether an argument names a seat."""
    return who == Who(seat) or (isinstance(who, list) and Who(seat) in who)


__all__ = [
    "ENGLISH",
    "JOINS",
    "LEVELS",
    "NOT_ALLOWED",
    "NOT_YOURS",
    "THE_TABLE",
    "TRUE_OR_FALSE",
    "YOU",
    "Failure",
    "Json",
    "Language",
    "Listed",
    "Text",
    "TextError",
    "Typed",
    "Who",
    "all_of",
    "and_more",
    "any_of",
    "clauses",
    "counted",
    "day_text",
    "did_you_mean",
    "in_turn",
    "language",
    "nearest",
    "number_text",
    "once_a_language",
    "read_as",
    "reading",
    "render",
    "source_text",
    "span",
    "speak",
    "spelled",
    "suggest",
    "text_from",
    "text_of",
    "time_text",
    "unspelled",
    "word_list",
]

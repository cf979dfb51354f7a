"""The catalogues: every template of a text that Tablier can say, found in its sources.

    python -m tests.catalogue              writes a POT file of all to standard output
    python -m tests.catalogue tablier.pot  writes that file
    python -m tests.catalogue --update     writes what is missing into every PO file, and what is gone out of it
    python -m tests.catalogue --new TAG    begins the PO files of a language

A translator needs it, and a player does not, so it is no command. A template stands in the sources as a literal: as
an argument of ``Text``, ``counted``, ``word_list`` or an error, as a name that is only ever given literals, or in a
table of them. One that is put together from parts cannot be found, and is a fault. Besides, what argparse shows as help
is read where its parsers are made.
"""

from __future__ import annotations

import ast
import gc
import re
import sys
from collections.abc import Container, Iterator
from dataclasses import dataclass, field
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import tablier
from tablier.texts import JOINS, THE_TABLE, YOU, Failure, nearest
from tablier_fw import words

if TYPE_CHECKING:
    from babel.messages.catalog import Catalog

OFFERS = (
    "Shall the host draw from its seed from now on?",
    "Shall physical dice be thrown and entered from now on?",
)
"""The session returns these from a method, where they cannot be followed."""
FROM_ELSEWHERE = {"course/session.py": "Text(text)", "table/refusals.py": "Text(rule)"}
"""By file: the text whose template cannot be followed: one of :data:`OFFERS`, one of the wire's rules."""
ROOT = Path(tablier.__file__).parent


class Message(NamedTuple):
    """A template with its context; ``one`` is its singular, empty where it has none."""

    template: str
    context: str = ""
    one: str = ""


class Literal(NamedTuple):
    """A string in a source, and its line there."""

    text: str
    line: int


@dataclass
class Catalogue:
    """The templates found: each message with its files and with the places where it is written as ``file:line``; and
    the places of templates that cannot be found."""

    messages: dict[Message, list[str]] = field(default_factory=dict)
    places: dict[Message, set[str]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    _known: set[tuple[str, str]] = field(default_factory=set)

    def add(self, message: Message, file: str, line: int = 0) -> None:
        """Take a message, unless it has no words of its own. ``line``: where it is written, if that can be told."""
        if message.context in _WITHOUT_WORDS or any(map(str.isalpha, _without_fields(message.template))):
            files = self.messages.setdefault(message, [])
            if file not in files:
                files.append(file)
            if line:
                self.places.setdefault(message, set()).add(f"{file}:{line}")

    def knows(self, template: str, context: str = "") -> bool:
        """Return whether a template is in the catalogue."""
        if not any(character.isalpha() for character in _without_fields(template)):
            return True
        if len(self._known) < len(self.messages):
            self._known = {message[:2] for message in self.messages}
        return (template, context) in self._known


def _without_fields(template: str) -> str:
    depth, rest = 0, ""
    for character in template:
        depth += (character == "{") - (character == "}")
        rest += character if not depth else ""
    return rest


@cache
def sources() -> list[tuple[str, str, ast.Module]]:
    """Return name, text and tree of each file of the package."""
    texts = [(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")) for path in ROOT.rglob("*.py")]
    gc.disable()  # it would look through every tree again and again, for longer than it takes to make them
    try:
        return [(name, text, ast.parse(text)) for name, text in sorted(texts)]
    finally:
        gc.enable()


@cache
def classes() -> list[ast.ClassDef]:
    """Return every class of the package."""
    return [node for _, _, tree in sources() for node in tree.body if isinstance(node, ast.ClassDef)]


@cache
def kinds_of_failure() -> frozenset[str]:
    """Return the names of all errors whose message is a text: :class:`Failure`, and what is derived from it."""
    kinds, before = {Failure.__name__}, 0
    based = [(node.name, ast.unparse(base).rpartition(".")[2]) for node in classes() for base in node.bases]
    while len(kinds) > before:
        before = len(kinds)
        kinds |= {name for name, base in based if base in kinds}
    return frozenset(kinds)


@cache
def text_at(name: str) -> int:
    """Return which argument of an error is its text: the first, unless its class has a constructor that says else."""
    for node in classes():
        for made in node.body if node.name == name else ():
            if isinstance(made, ast.FunctionDef) and made.name == "__init__":
                names = [argument.arg for argument in (*made.args.posonlyargs, *made.args.args)]
                return names.index("text") - 1 if "text" in names else 0
    return 0


@cache
def catalogue() -> Catalogue:
    """Return the catalogue of the package."""
    found = Catalogue()
    for name, _, tree in sources():
        Reader(found, name, tree).read()
    for pair in JOINS.values():
        for template in pair:
            found.messages[Message(template, "list")] = ["texts.py"]
    for word in (THE_TABLE, YOU):
        found.add(Message(word, "seat"), "texts.py")
    for offer in OFFERS:
        found.add(Message(offer), "course/session.py")
    for rule in words.RULES.values():
        found.add(Message(rule), "table/refusals.py")
    return found


class Reader:
    """Reads one module into a catalogue."""

    def __init__(self, found: Catalogue, name: str, tree: ast.Module) -> None:
        self._found = found
        self._name = name
        self._tree = tree
        self._makers = {
            alias.asname or alias.name: alias.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and node.module == "tablier.texts"
            for alias in node.names
            if alias.name in _MAKERS
        } or {each: each for each in _MAKERS if name == "texts.py"}

    def read(self) -> None:
        known = len(self._found.faults)
        self._read(self._tree, [self._tree])
        if self._name == "texts.py":  # it makes texts of what others bring as well
            del self._found.faults[known:]

    def _read(self, node: ast.AST, scopes: list[ast.AST]) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Call) and isinstance(child.func, ast.Name):
                self._call(child, child.func.id, scopes)
            if isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute | ast.Name):
                self._argument(child, child.func.id if isinstance(child.func, ast.Name) else child.func.attr, scopes)
            if isinstance(child, ast.ClassDef):
                self._title(child)
            self._read(child, [*scopes, child] if isinstance(child, ast.FunctionDef | ast.Lambda) else scopes)

    def _argument(self, call: ast.Call, name: str, scopes: list[ast.AST]) -> None:
        """Take what argparse shows of a command or an argument."""
        if name not in _PARSERS or not self._name.startswith("cli/"):
            return
        for each in call.keywords:
            if each.arg not in _ARGPARSE or ast.unparse(each.value) in ("argparse.SUPPRESS", "None"):
                continue
            templates = _literals(each.value, scopes)
            if templates is None and not ast.unparse(each.value).startswith(
                ("str(Text(", "str(counted(", "', '.join(", "' '.join(")
            ):
                self._found.faults.append(f"{self._name}:{each.value.lineno}")
            for template, line in templates or ():
                context = "argument" if each.arg == "metavar" else "help"
                self._found.add(Message(template, context), self._name, line)

    def _title(self, node: ast.ClassDef) -> None:
        """Take the title of a game, which is a name and may be another in another language."""
        for each in node.body:
            if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "title":
                for title, line in _literals(each.value, []) or ():
                    self._found.add(Message(title, "game"), self._name, line)

    def _call(self, call: ast.Call, name: str, scopes: list[ast.AST]) -> None:
        maker = self._makers.get(name, "Failure" if name in kinds_of_failure() else "")
        at = text_at(name) if maker == "Failure" else 0
        if not maker or len(call.args) <= at:
            return
        where = f"{self._name}:{call.lineno}"
        if maker == "counted":
            forms = [_literals(each, scopes) for each in call.args[1:]]
            if None in forms or len(set(map(len, filter(None, forms)))) != 1:
                self._found.faults.append(where)
                return
            for one, (many, line), *none in zip(*filter(None, forms), strict=True):
                self._found.add(Message(many, one=one.text), self._name, line)
                for template, line in none:
                    self._found.add(Message(template), self._name, line)
            return
        contexts = [_literals(each.value, scopes) for each in call.keywords if each.arg == "context"]
        context = contexts[0] if contexts else [Literal("", 0)]
        templates = _all(call.args, scopes) if maker == "word_list" else _literals(call.args[at], scopes)
        if templates is not None:
            spoken = [_literals(each.value, scopes) for each in call.keywords if each.arg == "you" and maker == "Text"]
            templates = None if None in spoken else [*templates, *(each for some in spoken for each in some or ())]
        if maker == "Failure" and templates is None and not _is_made(call.args[at]):
            return  # a text, which is read where it is made
        if templates is None or not context or len(context) != 1:
            if ast.unparse(call) != FROM_ELSEWHERE.get(self._name):
                self._found.faults.append(where)
            return
        for template, line in templates:
            self._found.add(Message(template, context[0].text if maker != "Failure" else ""), self._name, line)


def _is_made(node: ast.expr) -> bool:
    """Return whether an expression is a string that is put together."""
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
        return name in ("str", "format", "join", "repr")
    return isinstance(node, ast.JoinedStr | ast.BinOp)


def _literals(node: ast.expr, scopes: list[ast.AST]) -> list[Literal] | None:
    """Return the literals that an expression may be; ``None`` where it may be anything else."""
    if isinstance(node, ast.Constant):
        return [Literal(node.value, node.lineno)] if isinstance(node.value, str) else None
    if isinstance(node, ast.Starred):
        return _literals(node.value, scopes)
    if isinstance(node, ast.IfExp):
        return _all([node.body, node.orelse], scopes)
    if isinstance(node, ast.Dict):
        return _all(node.values, scopes)
    if isinstance(node, ast.Tuple | ast.List):
        return _all(node.elts, scopes)
    if isinstance(node, ast.Subscript):
        return _literals(node.value, scopes) if isinstance(node.value, ast.Name | ast.Dict | ast.Tuple) else None
    if isinstance(node, ast.Name):
        for scope in reversed(scopes):
            if values := list(_assigned(node.id, scope)):
                return None if None in values else _all([each for each in values if each is not None], scopes)
    return None


def _all(nodes: list[ast.expr], scopes: list[ast.AST]) -> list[Literal] | None:
    found = [_literals(each, scopes) for each in nodes]
    return None if None in found else [literal for each in found if each is not None for literal in each]


def _assigned(name: str, scope: ast.AST) -> Iterator[ast.expr | None]:
    """Yield what a name is given in a scope; ``None`` where that cannot be told."""
    if isinstance(scope, ast.FunctionDef | ast.Lambda):
        every = [*scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs]
        if any(argument.arg == name for argument in every):
            yield None
    body = scope.body if isinstance(scope, ast.Module) else list(ast.walk(scope))
    for node in body if isinstance(body, list) else [body]:
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign | ast.For | ast.comprehension | ast.NamedExpr):
            targets = [node.target]
        for target in targets:
            if isinstance(target, ast.Name) and target.id == name:
                yield node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            elif isinstance(target, ast.Tuple):
                names = [each.id if isinstance(each, ast.Name) else "" for each in target.elts]
                if name in names and isinstance(node, ast.For) and isinstance(node.iter, ast.Tuple | ast.List):
                    rows = [row for row in node.iter.elts if isinstance(row, ast.Tuple)]
                    yield from (row.elts[names.index(name)] for row in rows)
                elif name in names:
                    value = node.value if isinstance(node, ast.Assign) else None
                    yield value.elts[names.index(name)] if isinstance(value, ast.Tuple) else None


# -- what goes past it -----------------------------------------------------------------------------------------------

_WITHOUT_WORDS = (
    *("date", "time of day", "decimal mark", "thousands mark", "colon", "semicolon", "quotes", "percent"),
    "a bot that has decided",
)
"""Contexts of templates without words, which are others in other languages all the same."""
_WORDS = re.compile(r"[A-Za-z]{2,}[,;:.?!]? [A-Za-z{]{2,}|\} [a-z]{2,}|[a-z]{2,} \{")
"""Two words, or one and a value: a sentence or a part of one."""
_NOTATION = re.compile(r"(\{\} )?(bet|duel|lands|offer|pass|predict|table|throw) .*|\{\} (pass|prelude \{\})")
_SQL = re.compile(
    r"\b(?:ALTER|AND|BEGIN|CREATE|DELETE|DROP|IN|INSERT|ORDER BY|PRAGMA|REPEATABLE|SELECT|UPDATE|WHERE)\b"
)
_STYLE = re.compile(r"(\{\}|bold|dim|reverse|[a-z_]+\d*)( on|reverse| [a-z_]+\d*| \{\}|\{\})* ?")
_DRAWN = ("drawing.py", "terminal.py", "sheet.py")
"""Files in which styles are no sentences."""
_SHEETS = ("CSS", "DEFAULT_CSS")
_MAKERS = ("Text", "counted", "word_list")
_PARSERS = ("add_argument", "add_argument_group", "add_parser", "add_subparsers", "Parser")
_ARGPARSE = ("description", "epilog", "help", "metavar", "title", "usage", "context")


_NOT_TOLD = ("method", "waiting.beside", "_TRACER.debug", ".add_argument_group")
"""What takes words that nobody reads in a game: values, the keeper's document, a thread's name, a trace, argparse."""


def past(name: str, tree: ast.Module, known: Container[str]) -> list[tuple[int, str]]:
    """Return line and words of each literal of a file that reads like a sentence and is in no catalogue.

    Left out are docstrings, exceptions for programmers, moves in notation, styles, and what argparse shows as help.
    """
    found: list[tuple[int, str]] = []
    _past(tree, False, known, found, drawn=name.endswith(_DRAWN))
    return found


def _past(node: ast.AST, quiet: bool, known: Container[str], found: list[tuple[int, str]], drawn: bool) -> None:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue
        if isinstance(child, ast.keyword) and child.arg in _ARGPARSE:
            continue
        if isinstance(child, ast.Assign) and ast.unparse(child.targets[0]) in _SHEETS:
            continue
        if isinstance(child, ast.FunctionDef) and child.name in ("register", "__repr__"):
            continue
        if isinstance(child, ast.Call) and ast.unparse(child.func).endswith(_NOT_TOLD):
            continue
        if isinstance(child, ast.JoinedStr | ast.Constant):
            words = _words(child)
            plain = _NOTATION.fullmatch(words) or (drawn and _STYLE.fullmatch(words))
            plain = plain or _SQL.search(words)
            if not quiet and not plain and words not in known and _WORDS.search(words):
                found.append((child.lineno, words))
            continue
        _past(child, quiet or isinstance(child, ast.Raise | ast.Assert), known, found, drawn)


def _words(node: ast.JoinedStr | ast.Constant) -> str:
    """Return a literal, with ``{}`` for each value in an f-string."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)


# -- files ---------------------------------------------------------------------------------------------------------

HOST = "tablier"
"""The catalogue of the host, beside one of each game."""


def catalogue_of(files: list[str]) -> str:
    """Return the name of the catalogue of a message: of the one game that says it, else of the host."""
    rooms = [file.split("/") for file in files]
    games = {room[1] if room[0] == "games" and len(room) > 2 else HOST for room in rooms} - {"core"}
    return games.pop() if len(games) == 1 and all(room[1:2] != ["core"] for room in rooms) else HOST


def names_of_catalogues() -> list[str]:
    return [HOST, *sorted(path.parent.name for path in ROOT.glob("games/*/rules.py"))]


def po_file(name: str, tag: str) -> Path:
    """Return where a catalogue of a language is."""
    folder = ROOT if name == HOST else ROOT / "games" / name
    return folder / "locale" / tag / "LC_MESSAGES" / f"{name}.po"


def template_of(name: str, tag: str = "") -> Catalog:
    """Return a catalogue without translations; ``""`` is the one of all messages."""
    from babel.messages.catalog import Catalog

    found = catalogue()
    if found.faults:
        raise SystemExit(f"no literal templates: {', '.join(found.faults)}")
    made = Catalog(locale=tag.replace("-", "_") or None, charset="utf-8", header_comment="#", fuzzy=False)
    for message, files in sorted(found.messages.items(), key=lambda each: (each[1][0], each[0])):
        if not name or catalogue_of(files) == name:
            forms = (message.one, message.template) if message.one else message.template
            flags = ["python-brace-format"] if "{" in message.template else []
            made.add(forms, locations=[(file, 0) for file in files], flags=flags, context=message.context or None)
    return made


def pot() -> str:
    """Return all messages as a POT file."""
    return _written(template_of(""))


def _written(made: Catalog) -> str:
    from babel.messages.pofile import write_po

    out = BytesIO()
    write_po(out, made, width=0, include_lineno=False, omit_header=False, include_previous=True)
    lines = out.getvalue().decode().splitlines()
    return "\n".join(line for line in lines if not line.startswith(_DATED)) + "\n"


_DATED = (
    '"Language-Team',
    '"POT-Creation-Date',
    '"PO-Revision-Date',
    '"Generated-By',
    '"Last-Translator',
    '"Project-Id',
    '"Report-Msgid',
)
"""Of the header: what would change with each update, or says nothing."""


def read(file: Path, tag: str) -> Catalog:
    """Return a PO file of a language; an empty one where there is none."""
    from babel.messages.catalog import Catalog
    from babel.messages.pofile import read_po

    if not file.exists():
        return Catalog(locale=tag.replace("-", "_"))
    with file.open("rb") as opened:
        return read_po(opened, locale=tag.replace("-", "_"))


def update(tag: str) -> None:
    """Write what is missing into the PO files of a language, and take out what is gone. A message that has moved to
    another file keeps its translation; a new one that is like one that is gone gets that one's, marked as fuzzy."""
    old = {name: read(po_file(name, tag), tag) for name in names_of_catalogues()}
    kept = {
        (each.context, _key(each)): each for made in old.values() for each in made if each.id and any(forms_of(each))
    }
    new = {name: template_of(name, tag) for name in names_of_catalogues()}
    known = {(each.context, _key(each)) for made in new.values() for each in made}
    gone = {key: each for (_, key), each in kept.items() if (each.context, key) not in known}
    for name, made in new.items():
        for each in made:
            if each.id and (before := kept.get((each.context, _key(each)))) is not None:
                each.string, each.user_comments = before.string, before.user_comments
                each.flags |= before.flags & {"fuzzy"}
            elif each.id and (near := nearest(_key(each), gone, 0.7)) is not None:
                each.string = gone[near].string
                each.flags.add("fuzzy")
        file = po_file(name, tag)
        if file.exists():
            made.header_comment = old[name].header_comment
            vars(made).update(_num_plurals=old[name].num_plurals, _plural_expr=old[name].plural_expr)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_written(made), encoding="utf-8")
        left = sum(each.fuzzy or not all(forms_of(each)) for each in made if each.id)
        print(f"{file.relative_to(ROOT)}: {len(made)} messages, {left} to translate")


def _key(message: Any) -> str:
    """Return the ``msgid`` of a message: its singular, where it has one."""
    return str(message.id if isinstance(message.id, str) else message.id[0])


def forms_of(message: Any) -> tuple[str, ...]:
    """Return the translations of a message: one, or one for each plural form."""
    return (message.string or "",) if not isinstance(message.id, tuple) else tuple(message.string or ("",))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--update"]:
            for folder in sorted((ROOT / "locale").glob("*/")):
                update(folder.name)
        case ["--new", tag]:
            update(tag)
        case [name]:
            Path(name).write_text(pot(), encoding="utf-8")
        case _:
            print(pot(), end="")

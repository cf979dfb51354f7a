"""Declarations of messages, as TypeScript writes types: for the keeper's document and for the pages' scripts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec import Struct, inspect

from tablier.texts import Text

TEMPLATE = "Text"
NAMES: dict[type[inspect.Type], str] = {
    inspect.IntType: "number",
    inspect.FloatType: "number",
    inspect.StrType: "string",
    inspect.BoolType: "boolean",
    inspect.NoneType: "null",
    inspect.AnyType: "any",
}


class Field(NamedTuple):
    """A field of a struct, as it is sent."""

    name: str
    optional: bool
    """It is left out where it has its default."""
    type: str
    what: str


def type_of(kind: Any) -> str:
    """Return a type."""
    match kind:
        case inspect.Metadata(type=inner):
            return type_of(inner)
        case inspect.StructType(cls=cls):
            return TEMPLATE if cls is Text else cls.__name__
        case inspect.ListType(item_type=item):
            listed = type_of(item)
            return f"({listed})[]" if "|" in listed else f"{listed}[]"
        case inspect.DictType(value_type=value):
            return f"Record<string, {type_of(value)}>"
        case inspect.VarTupleType(item_type=item):
            return type_of(inspect.ListType(item))
        case inspect.TupleType(item_types=items):
            return f"[{', '.join(map(type_of, items))}]"
        case inspect.UnionType(types=types):
            return " | ".join(dict.fromkeys(map(type_of, types)))
        case inspect.LiteralType(values=values):
            return " | ".join(f'"{value}"' for value in values)
    return NAMES[type(kind)]


def fields(struct: type[Struct]) -> Iterator[Field]:
    """Yield the fields of a struct, its tag first."""
    info = inspect.type_info(struct)
    assert isinstance(info, inspect.StructType)
    if info.tag_field is not None and info.tag is not None:
        yield Field(info.tag_field, False, f'"{info.tag}"', "")
    for field in info.fields:
        meta = getattr(field.type, "extra_json_schema", None) or {}
        omitted = not field.required and struct.__struct_config__.omit_defaults
        kind = type_of(field.type)
        if omitted and field.default is None:
            kind = kind.removesuffix(" | null")
        yield Field(field.encode_name, omitted, kind, meta.get("description", ""))


def reached(*roots: type[Struct]) -> list[type[Struct]]:
    """Return structs, each before those that are in it."""
    found: dict[type[Struct], None] = {}
    for root in roots:
        for struct in _within(inspect.type_info(root)):
            found.setdefault(struct)
    return [struct for struct in found if struct is not Text]


def _within(kind: Any) -> Iterator[type[Struct]]:
    match kind:
        case inspect.Metadata(type=inner):
            yield from _within(inner)
        case inspect.StructType(cls=cls, fields=inside):
            yield cls
            if cls is not Text:
                for field in inside:
                    yield from _within(field.type)
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            yield from _within(item)
        case inspect.DictType(value_type=value):
            yield from _within(value)
        case inspect.TupleType(item_types=items) | inspect.UnionType(types=items):
            for item in items:
                yield from _within(item)


def interfaces(*roots: type[Struct]) -> Iterator[str]:
    """Yield the lines of a file of TypeScript that declares structs, and those that are in them."""
    for struct in reached(*roots):
        yield ""
        yield f"/** {(struct.__doc__ or '').strip()} */"
        yield f"export interface {struct.__name__} {{"
        for name, optional, kind, what in fields(struct):
            if what:
                yield f"  /** {what[0].upper()}{what[1:]}. */"
            yield f"  {name}{'?' if optional else ''}: {kind};"
        yield "}"

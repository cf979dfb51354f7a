"""What a minor version may change: today's declarations against those that are stored of every earlier one."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy

import pytest
from tests.wire.declarations import Json, declare, field_of, grown, numbered, since, stored

from tablier_fw import wire, words

TODAY = {message["name"]: message for message in declare(wire.MESSAGES)}
EARLIER = [version for version in stored() if version[0] == wire.MAJOR and version[1] < wire.MINOR]


def test_every_earlier_minor_version_is_stored() -> None:
    assert [minor for _, minor in EARLIER] == list(range(wire.MINOR)), "run: python -m tests.wire.declarations"


def test_a_message_grows_by_the_rule() -> None:
    for version in EARLIER:
        for name, message in stored()[version]["messages"].items():
            assert name in TODAY, "a message may not go"
            assert list(grown(message, TODAY[name])) == [], (version, name)


@pytest.mark.parametrize("version", EARLIER)
def test_bits_and_numbers_keep_their_meaning(version: tuple[int, int]) -> None:
    for what, names in stored()[version]["numbered"].items():
        assert numbered()[what][: len(names)] == names, what


@pytest.mark.parametrize("version", EARLIER)
def test_no_code_is_given_anew(version: tuple[int, int]) -> None:
    codes = {message["code"]: name for name, message in stored()[version]["messages"].items()}
    assert all(TODAY[name]["code"] == code for code, name in codes.items())
    assert all(codes.get(message["code"], name) == name for name, message in TODAY.items())


def test_every_announced_change_is_one_and_has_its_ability() -> None:
    abilities = [name for name, _ in words.ABILITIES]
    for (name, field), ability in words.WIDENED.items():
        assert ability in abilities
        before = [stored()[version]["messages"].get(name) for version in EARLIER]
        fields = [it for message in before if message for it in message["fields"] if it["name"] == field]
        after = [it for it in TODAY[name]["fields"] if it["name"] == field]
        assert fields and [fields[0]] != after, (name, field)


def test_since_when_something_is_there_follows_from_what_is_stored() -> None:
    fields = ("tally", "given"), ("idle", "game"), ("window", "first"), ("scene", "light")
    assert (since("poll"), since("roll"), *(since(*field) for field in fields)) == (
        "2.0",
        "2.1",
        "2.1",
        "2.2",
        "2.3",
        "2.4",
    )


# -- the rule itself ---------------------------------------------------------------------------------------------------


Change = Callable[[Json, list[Json]], object]
"""Changes a declaration, or its fields."""


def changed(name: str, change: Change) -> Json:
    new = deepcopy(TODAY[name])
    change(new, new["fields"])
    return new


def wider(index: int, name: str = "range", high: int = 200) -> Change:
    def change(_: Json, fields: list[Json]) -> None:
        fields[index][name] = [0, high] if name == "range" else [[0, high]]

    return change


ILLEGAL: list[tuple[str, Change, str]] = [
    ("poll", lambda it, _: it.update(code=0x55), "code"),
    ("poll", lambda it, _: it.update({"class": "event"}), "class"),
    ("poll", lambda _, fields: fields.append({"name": "more", "type": "u8"}), "no default"),
    ("poll", lambda _, fields: fields.insert(1, {"name": "more", "type": "u8", "default": 0}), "more now"),
    ("poll", lambda _, fields: fields.reverse(), "places now"),
    ("poll", lambda _, fields: fields.pop(), "gone"),
    ("poll", lambda _, fields: fields[1].update(type="u16"), "another type"),
    ("poll", wider(1), "wider"),
    ("answered", wider(4), "wider"),
    ("tallied", lambda _, fields: fields[5].update(count=[1, 6]), "wider"),
    ("poll", lambda _, fields: fields[2].update(range=[1, 31]), "narrower"),
    ("menu", lambda _, fields: fields[5].update(count=[1, 11]), "narrower"),
    ("scene", lambda _, fields: fields[1].update(ranges=[[0, 14], None, [0, 4]]), "wider"),
    ("table_hello", lambda _, fields: fields.append({"name": "more", "type": "u8", "default": 0}), "hello"),
    ("tally", lambda _, fields: fields[5].update(default="00"), "another type"),
]


@pytest.mark.parametrize(("name", "change", "why"), ILLEGAL)
def test_what_the_rule_forbids_is_found(name: str, change: Change, why: str) -> None:
    (said,) = list(grown(TODAY[name], changed(name, change)))[:1]
    assert why in said


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("poll", lambda _, fields: fields.append({"name": "more", "type": "u8", "default": 0})),
        ("tally", wider(1)),  # announced by an ability
    ],
)
def test_what_the_rule_allows_is_let_pass(name: str, change: Change) -> None:
    assert list(grown(TODAY[name], changed(name, change))) == []


def test_a_declaration_is_what_the_codec_was_told() -> None:
    assert field_of(wire.field("pixels", "*BBB", 0, (14, 255, 3), 5, 32)) == {
        "name": "pixels",
        "type": "row",
        "unit": ["u8", "u8", "u8"],
        "count": [5, 32],
        "ranges": [[0, 14], None, [0, 3]],
    }
    assert field_of(wire.field("allowed", "6s", 0, 7)) == {
        "name": "allowed",
        "type": "bytes",
        "size": 6,
        "range": [0, 7],
    }
    assert field_of(wire.field("flags", "B", default=0)) == {"name": "flags", "type": "u8", "default": 0}

"""The short form in which entries are stored: it says what was logged, byte for byte."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablier.log.bodies import EVENTS
from tablier.log.chain import canonical
from tablier.log.replies import REPLIES
from tablier.log.store import Log
from tablier.log.storing import FORMS, WHOLE_AMONG, pack_body, pack_time, unpack_body, unpack_time

values = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.integers() | st.text(), max_size=2)


@given(data=st.data())
def test_a_body_comes_back_whatever_stands_in_it(data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(sorted(FORMS.values())))
    body = json.loads(form.replace('"%s"', '""').replace("%s", "0"))
    for name in data.draw(st.sets(st.sampled_from(sorted(body)))):
        body[name] = data.draw(values)
    if data.draw(st.booleans()):
        body[data.draw(st.text())] = data.draw(values)
    packed = pack_body(body)
    assert packed.text == canonical(body) == unpack_body(packed.stored)


@pytest.mark.parametrize("body", [{"event": {"by": 1}}, {"event": ["locked"], "id": 1}, {}, {"%s": "%"}])
def test_a_body_of_no_form_is_stored_in_full(body: dict[str, object]) -> None:
    assert pack_body(body) == (canonical(body), canonical(body))


def test_the_bodies_that_make_up_most_of_a_log_have_forms() -> None:
    def has(event: str, fields: list[str]) -> bool:
        sample = {**dict.fromkeys(fields, ""), "event": event}
        return not pack_body(sample).stored.startswith("{")

    assert all(has(name, [field for field in fields if field[-1] != "?"]) for name, fields in EVENTS.items())
    for name, reply in REPLIES.items():
        assert has(name, list(reply.__struct_fields__))


@given(time=st.datetimes(datetime(1970, 1, 1), datetime(2199, 12, 31)).map(lambda time: time.replace(tzinfo=UTC)))
def test_a_time_comes_back(time: datetime) -> None:
    text = time.isoformat(timespec="microseconds").replace("+00:00", "Z")
    assert unpack_time(pack_time(text)) == text
    assert len(pack_time(text)) <= 11 or time.year == 1970


@pytest.mark.parametrize(
    "text", ["2026-02-30T00:00:00.000000Z", "2026-11-28", "", "yesterday Z", "2026-11-28T22:44:34Z"]
)
def test_what_is_no_time_is_stored_in_full(text: str) -> None:
    assert unpack_time(pack_time(text)) == text


@pytest.mark.parametrize("stored", ["A", "aB", "0a", " a", "a_b", "-1", "zzzzzzzzzzzzzz"])
def test_a_time_has_one_short_form(stored: str) -> None:
    assert unpack_time(stored) == stored


def test_every_hash_follows_from_what_is_stored(tmp_path: Path) -> None:
    with Log.open(tmp_path / "log.db") as log:
        for count in (1, 3, 2, 3 * WHOLE_AMONG, 1):
            log.append_all([(None, "ids", {"to": n}) for n in range(count)])
        entries = list(log.entries())
        whole = [entry.hash for entry in log.checked(0, log.last_entry)]
        assert [len(entry.hash) for entry in entries if len(entry.hash) != 64] == [8] * (
            1 * 2 + 1 + 3 * WHOLE_AMONG - 4
        )
        for entry, digest in zip(entries, whole, strict=True):
            assert digest.startswith(entry.hash) and log.entry_with(digest) == entry.n
        assert (log.head, log.entry_with("0" * 64), log.entry_with(whole[1][:8] + "0" * 56)) == (whole[-1], 0, None)


def test_no_form_says_what_another_does() -> None:
    shapes = [re.sub('"%s"', "%s", form) for form in FORMS.values()]
    assert len(FORMS) == len(set(FORMS.values())) and all(len(letter) == 1 for letter in FORMS)
    assert len(shapes) - len(set(shapes)) == 1, "a pass is no move, and the only value that is a string or not"

"""A short run of the fuzzer; ``make fuzz`` runs half a million frames each way."""

import pytest

from sample import sample, thorough
from tablier.table.refusals import refusal
from tablier_fw import wire

from .at_host import at_client, at_conductor
from .at_keeper import at_keeper
from .at_port import at_port
from .at_table import Broken, fuzz
from .between import GAMES, LIES, between


def test_any_frame_at_the_firmware_changes_what_its_declaration_allows_or_is_refused_with_its_reason() -> None:
    told = fuzz(1, sample(800, 2500))
    assert {"taken", "not ours", "unknown", "refused: short", "refused: range", "refused: rule", "refused: old"} <= set(
        told
    )


def test_the_fuzzer_sees_a_range_that_the_firmware_does_not_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same declaration with a narrower range, on this side only."""
    field = wire.POLL.fields[2]
    narrow = wire.Message(
        wire.POLL.code,
        "poll",
        wire.TO_TABLE,
        (*wire.POLL.fields[:2], (*field[:3], 62, *field[4:])),
        (),
        wire.CAN_POLL,
    )
    monkeypatch.setattr(wire.POLL, "_parts", narrow._parts)
    with pytest.raises(Broken, match="poll"):
        fuzz(1, 2500)


def test_a_table_that_says_anything_raises_nothing_in_the_client() -> None:
    told = at_client(1, sample(1500, 6000))
    assert min(told["TableEvent"], told["Unfit"], told["Refused"], told["unknown"]) > sample(5, 10)


def test_a_table_that_says_anything_raises_nothing_in_a_game() -> None:
    told = at_conductor(1, 600)
    assert told["Unfit"] > 50 and told["TableEvent"] > 20 and told["moves"] > 0


def test_screens_that_send_anything_end_no_game_and_the_audit_takes_its_log() -> None:
    told = at_port(1, sample(700, 2000))
    assert min(told["refused"], told["moves"]) > 20


@thorough
def test_clients_that_send_anything_harm_no_game_of_a_keeper() -> None:
    told = at_keeper(1, sample(1000, 10_000))
    assert min(told["refused -32602"], told["refused 1"], told["refused 2"], told["taken"], told["moves"]) > 20


@thorough
def test_lies_both_ways_between_a_host_and_its_table_leave_a_log_that_is_whole() -> None:
    told = between(1, sample(250, 4_000), sample(GAMES[3:4], GAMES), whole=sample(False, True))
    assert sum(told[lie] for lie in set(LIES)) > 20 and told["move"] > 0


def test_a_refusal_is_one_line_whichever_field_and_reason_a_table_names() -> None:
    for message in wire.MESSAGES:
        for field in (*range(len(message.names) + 1), wire.NO_FIELD):
            for reason in range(256):
                told = str(refusal(message, b"", field, reason))
                assert told.startswith(f"{message.name}: ") and "\n" not in told

"""The classifier of landings, against traces of the arena's model; what follows holds for every seed."""

from __future__ import annotations

import re
import tomllib
from itertools import pairwise, product
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.firmware import traces
from tests.firmware.traces import BEGIN, Told, classify, edges_of, paired

from sample import sample
from tablier.simulation.arena import FLOOR, IMPACT, LIGHT, LOW, RIM, Arena, Edge, Model, Senses
from tablier_fw import landing, wire, words
from tablier_fw.landing import FLIGHT_MS, LIMIT_MS, SETTLE_MS

ROOT = Path(__file__).resolve().parents[2]
SEEDS = st.integers(0, 2**32)
MANY = settings(max_examples=sample(20, 60), deadline=None)
CLASSES = ("flat", "leaning", "rim")
WRAP = 1 << 30


def hows(told: list[Told]) -> list[str]:
    return [it.how for it in told]


def card(at: int = 100, column: int = 0, how: str = "flat") -> list[Edge]:
    """The edges of a card that falls through one beam of each tier; times in ms."""
    return edges_of(Model(Random(0)).plain(how, at, column).happenings)


def at_ms(*edges: tuple[int, int, int]) -> list[Edge]:
    return [(ms * 1000, line, level) for ms, line, level in edges]


# -- one card ---------------------------------------------------------------------------------------------------


@MANY
@given(SEEDS, st.sampled_from(CLASSES))
def test_every_clean_card_is_one_landing_of_its_class(seed: int, how: str) -> None:
    trace = traces.clean(seed, how)
    told, _ = classify(trace.edges())
    if how == "rim" and any(line < RIM for line in trace.cards[0].stays):  # what hangs in so deep may as well lean
        assert hows(told) == ["leaning"] and told[0].landing.doubts & wire.BOTH
    else:
        assert hows(told) == [how]
    (it,) = told
    assert it.landing.us / 1000 == pytest.approx(trace.cards[0].time, abs=0.01)
    assert it.landing.confidence >= 65
    assert SETTLE_MS <= it.at - it.landing.us // 1000 <= LIMIT_MS + 1
    stays = sum(1 << line for line in trace.cards[0].stays)
    assert it.landing.low | it.landing.rim << 4 == stays


@MANY
@given(SEEDS)
def test_a_card_that_is_felt_more_than_once_is_one_landing(seed: int) -> None:
    trace = traces.clean(seed, "flat")
    struck = [ms for ms, line, _ in trace.happenings if line == IMPACT]
    told, _ = classify(trace.edges())
    assert len(told) == 1
    apart = [second - first for first, second in pairwise(struck)]
    felt = 1 + sum(gap > Arena.stretch for gap in apart)
    assert told[0].landing.impacts == felt


def test_a_card_that_was_not_felt_is_one_landing_and_says_so() -> None:
    edges = [edge for edge in card() if edge[1] != IMPACT]
    ((it,), _) = classify(edges)
    assert it.how == "flat" and it.landing.impacts == 0
    assert it.landing.doubts == wire.UNFELT
    assert it.landing.us == 120_000  # when it passed the low tier


def test_a_card_that_no_beam_saw_come_is_told_with_little_confidence() -> None:
    ((it,), _) = classify(at_ms((100, IMPACT, 1)))
    assert it.how == "flat" and it.landing.doubts == wire.UNSEEN and it.landing.confidence < 20


def test_a_card_that_leans_out_over_the_rim_leans() -> None:
    edges = at_ms((100, RIM, 1), (110, LOW, 1), (120, IMPACT, 1))
    ((it,), _) = classify(edges)
    assert it.how == "leaning" and it.landing.doubts == wire.BOTH
    assert (it.landing.low, it.landing.rim) == (1, 1)


def test_a_card_that_struck_the_rim_and_went_outside_is_not_sure() -> None:
    ((it,), _) = classify(at_ms((100, RIM, 1), (104, IMPACT, 1), (120, RIM, 0)))
    assert it.landing.doubts == wire.HALF and it.landing.confidence < 50


@pytest.mark.parametrize("floor", [FLOOR, FLOOR + 1])
def test_on_an_empty_floor_lies_no_card(floor: int) -> None:
    cleared = at_ms((10, floor, 1), (20, floor, 0))
    ((it,), _) = classify(cleared + [edge for edge in card() if edge[1] < FLOOR])
    assert it.landing.doubts == wire.EMPTY and it.landing.confidence < 20
    ((it,), _) = classify(cleared + card())
    assert it.landing.doubts == 0


def test_a_card_that_settles_while_it_is_watched_is_told_as_it_settles() -> None:
    edges = at_ms((100, RIM, 1), (112, RIM, 0), (120, LOW, 1), (140, IMPACT, 1), (230, LOW, 0), (232, IMPACT, 1))
    told, moved = classify(edges)
    assert hows(told) == ["flat"] and not moved
    assert told[0].landing.impacts == 2


# -- several cards ----------------------------------------------------------------------------------------------


@MANY
@given(SEEDS)
def test_landings_are_told_in_the_order_in_which_they_were_felt(seed: int) -> None:
    trace = traces.burst(seed)
    told, _ = classify(trace.edges())
    assert [it.landing.number for it in told] == list(range(1, len(told) + 1))
    assert [it.at for it in told] == sorted(it.at for it in told)
    for before, after in pairwise(told):  # but where two came at once
        if not before.landing.doubts & wire.CROWDED or not after.landing.doubts & wire.CROWDED:
            assert after.landing.us > before.landing.us - FLIGHT_MS * 1000


@MANY
@given(SEEDS, st.integers(250, 900))
def test_clean_cards_a_quarter_of_a_second_apart_do_not_meddle(seed: int, apart: int) -> None:
    random, found, meant = Random(seed), traces.pile(), []
    for number in range(4):
        how = random.choice(CLASSES) if number == 3 else "flat"
        one = traces.clean(random.randrange(2**32), how)
        found += [(ms + apart * number, line, change) for ms, line, change in one.happenings if ms >= BEGIN]
        meant.append("leaning" if any(line < RIM for line in one.cards[0].stays) else how)
    told, _ = classify(edges_of(found))
    assert hows(told) == meant


def test_two_quick_cards_in_different_beams_are_two() -> None:
    for one, two, apart in product(CLASSES, CLASSES, (45, 60, 100, 150)):
        told, _ = classify(sorted(card(100, 0, one) + card(100 + apart, 1, two)))
        assert hows(told) == [one, two]
        assert [it.landing.us for it in told] == [140_000, (140 + apart) * 1000]


def test_two_cards_200_us_apart_are_two_where_a_beam_tells_them_apart() -> None:
    """Both pass the same beam, one after the other, and strike at almost the same time."""
    edges = at_ms(
        (100, 4, 1), (108, 4, 0), (112, 0, 1), (116, 4, 1), (118, 0, 0), (122, 4, 0), (126, 1, 1), (134, 1, 0)
    )
    edges += [(140_000, IMPACT, 1), (140_200, IMPACT, 1)]
    told, _ = classify(edges)
    assert [(it.how, it.landing.us) for it in told] == [("flat", 140_000), ("flat", 140_200)]


def test_two_cards_that_pass_and_strike_together_are_one() -> None:
    """What cannot be told apart: a single card breaks both beams too, and its ringing is felt for longer."""
    edges = sorted(card(100, 0) + [(us + 200, line, level) for us, line, level in card(100, 1)])
    told, _ = classify(edges)
    assert hows(told) == ["flat"] and told[0].landing.impacts == 2


def test_two_cards_that_are_felt_as_one_are_two_if_both_were_seen() -> None:
    edges = sorted(card(100, 0) + [edge for edge in card(150, 0) if edge[1] != IMPACT])
    told, _ = classify(edges)
    assert hows(told) == ["flat", "flat"]
    assert told[1].landing.doubts & wire.UNFELT


def test_beams_in_which_cards_lie_say_nothing_of_the_next() -> None:
    edges = card(100, 0, "leaning") + card(600, 1, "rim") + card(1100, 2)
    told, _ = classify(edges)
    assert hows(told) == ["leaning", "rim", "flat"]
    assert [it.landing.low | it.landing.rim << 4 for it in told] == [0x01, 0x20, 0]
    assert told[2].landing.doubts == wire.MASKED


# -- what is no card ----------------------------------------------------------------------------------------------


@MANY
@given(SEEDS)
def test_a_hand_never_makes_a_landing(seed: int) -> None:
    assert classify(traces.hand(seed).edges()) == ([], [])


@MANY
@given(SEEDS)
def test_a_knock_is_told_with_little_confidence(seed: int) -> None:
    told, _ = classify(traces.bump(seed).edges())
    assert told and all(it.landing.doubts & wire.UNSEEN and it.landing.confidence < 20 for it in told)


def test_a_knock_that_rings_is_one() -> None:
    told, _ = classify(at_ms((100, IMPACT, 1), (112, IMPACT, 1), (130, IMPACT, 1), (190, IMPACT, 1)))
    assert [it.landing.impacts for it in told] == [4]


def test_a_knock_while_a_hand_is_over_the_arena_is_told_with_less() -> None:
    ((it,), _) = classify(at_ms((100, RIM, 1), (500, IMPACT, 1), (900, RIM, 0)))
    assert it.landing.doubts == wire.UNSEEN | wire.HAND | wire.MASKED and it.landing.confidence < 15


@MANY
@given(SEEDS)
def test_a_card_under_a_hand_lies_flat(seed: int) -> None:
    told, _ = classify(traces.under_a_hand(seed).edges())
    assert len(told) <= 2 and set(hows(told)) <= {"flat"}


def test_a_hand_after_a_card_does_not_put_it_on_the_rim() -> None:
    for after in (10, 20, 30, 60, 100):
        told, _ = classify(sorted(card() + at_ms((140 + after, RIM + 2, 1), (1500, RIM + 2, 0))))
        assert hows(told) == ["flat"]


def test_something_that_goes_on_breaking_a_beam_puts_nothing_off_for_ever() -> None:
    flicker = [(150 + 5 * n, RIM + 3, 1 - n % 2) for n in range(400)]
    told, _ = classify(sorted(card() + at_ms(*flicker)))
    assert hows(told) == ["flat"] and told[0].at <= 140 + LIMIT_MS + 1


# -- what happens later -------------------------------------------------------------------------------------------


@MANY
@given(SEEDS, st.sampled_from(["leaning", "rim"]))
def test_a_card_that_slides_or_falls_in_is_no_new_landing_and_has_moved(seed: int, how: str) -> None:
    model = Model(Random(seed))
    trace = traces.clean(seed, how)
    (first,) = trace.cards
    later = model.slide(first, first.time + 500)
    told, moved = classify(edges_of(trace.happenings + later))
    assert len(told) == 1 and moved == [1]


@MANY
@given(SEEDS)
def test_a_card_that_is_taken_out_has_moved_and_the_next_is_classified_as_ever(seed: int) -> None:
    model, trace = Model(Random(seed)), traces.clean(seed, "leaning")
    next_ = traces.clean(seed + 1, "flat")
    later = model.take(trace.cards[0].stays, BEGIN + 600)
    later += [(ms + 5000, line, change) for ms, line, change in next_.happenings if ms >= BEGIN]
    told, moved = classify(edges_of(trace.happenings + later))
    assert hows(told) == ["leaning", "flat"] and moved == [1]
    assert told[1].landing.doubts in (0, wire.RESTLESS, wire.CROWDED, wire.RESTLESS | wire.CROWDED)


def test_a_card_that_trembles_in_its_beam_has_not_moved() -> None:
    tremble = [(400 + 20 * n, LOW, n % 2) for n in range(100)]
    told, moved = classify(card(100, 0, "leaning") + at_ms(*tremble))
    assert hows(told) == ["leaning"] and not moved


# -- light ----------------------------------------------------------------------------------------------------------


def test_light_on_a_receiver_is_neither_a_card_nor_takes_one_away() -> None:
    senses = Senses()
    model = Model(Random(0))
    happenings = model.plain("leaning", 100, 0).happenings + model.light(0, 600, 700) + model.light(5, 900, 100)
    edges = [edge for it in sorted(happenings) for edge in senses.feel(round(it[0] * 1000), *it[1:])]
    assert (600_000, LOW, 0) in edges and (1_300_000, LOW, 1) in edges  # so it seems
    told, moved = classify(edges)
    assert hows(told) == ["leaning"] and not moved


def test_a_card_in_the_light_says_that_beams_could_not_tell() -> None:
    ((it,), _) = classify(at_ms((50, LIGHT + 1, 1), (50, LIGHT + 7, 1)) + card())
    assert it.how == "flat" and it.landing.doubts == wire.MASKED


# -- time and form ------------------------------------------------------------------------------------------------


@MANY
@given(SEEDS, st.integers(0, 4000))
def test_the_board_s_milliseconds_may_wrap_at_any_moment(seed: int, before: int) -> None:
    edges = traces.burst(seed).edges()
    told, moved = classify(edges)
    again, moved_again = classify(edges, start=WRAP - before)
    assert [vars(it.landing) for it in told] == [vars(it.landing) for it in again] and moved == moved_again


@MANY
@given(st.lists(st.tuples(st.integers(0, 3_000_000), st.integers(0, 23), st.integers(0, 1)), max_size=60))
def test_whatever_edges_come_confidence_is_a_percentage_and_it_ends_at_rest(edges: list[Edge]) -> None:
    told, _ = classify(sorted(edges))
    for it in told:
        assert 0 <= it.landing.confidence <= 100
        assert 0 <= it.landing.doubts < 1 << len(words.DOUBTS)
        assert it.landing.confidence > 90 or it.landing.doubts


def test_a_seed_is_a_trace() -> None:
    assert traces.burst(7).edges() == traces.burst(7).edges()
    assert traces.burst(7).edges() != traces.burst(8).edges()


def test_the_model_has_the_arena_that_the_hardware_has() -> None:
    path = ROOT / "hardware" / "arena.toml"
    if not path.exists():
        pytest.skip("only a checkout has the hardware's data")
    data, arena = tomllib.loads(path.read_text(encoding="utf-8")), Arena()
    assert arena.half == data["tray"]["inner"] / 2
    assert (arena.wall, arena.low, arena.rim) == (data["tray"]["rim"], data["tiers"]["low"], data["tiers"]["rim"])
    assert (arena.across, arena.hole) == (data["tiers"]["across"], data["tiers"]["hole"])
    assert (arena.towers, arena.tower) == (data["tower"]["inside"], data["tower"]["top"])
    card_ = data["card"]
    assert (arena.width, arena.length, arena.thick) == (card_["width"], card_["length"], card_["thickness"])
    assert arena.layer == pytest.approx(card_["thickness"] * data["pile"]["looseness"])


# -- how often it is right ----------------------------------------------------------------------------------------


def test_most_of_what_people_throw_together_is_told_as_it_lies() -> None:
    right = cards = extra = 0
    for seed in range(150):
        trace = traces.burst(seed)
        told, _ = classify(trace.edges())
        found, left = paired(trace, told)
        seen = [(it, by) for it, by in found if it.shown]
        right += sum(by is not None and (by.how == "flat") == (it.how == "flat") for it, by in seen)
        cards += len(seen)
        extra += len(left)
    assert right / cards > 0.9 and extra / cards < 0.03


def test_confidence_means_what_it_says() -> None:
    said: dict[bool, list[float]] = {True: [], False: []}
    was: dict[bool, list[bool]] = {True: [], False: []}
    for seed in range(200):
        trace = (traces.burst, traces.bump, traces.glance, traces.burst)[seed % 4](seed)
        told, _ = classify(trace.edges())
        found, _ = paired(trace, told)
        right = {id(by) for it, by in found if by is not None and by.how == it.how}
        for it in told:
            sure = it.landing.confidence >= 70
            said[sure].append(it.landing.confidence / 100)
            was[sure].append(id(it) in right)
    for sure in (True, False):
        assert sum(was[sure]) / len(was[sure]) == pytest.approx(sum(said[sure]) / len(said[sure]), abs=0.12)


# -- the document -------------------------------------------------------------------------------------------------


def test_the_document_has_the_numbers_of_the_code() -> None:
    text = (ROOT / "firmware" / "LANDINGS.md").read_text(encoding="utf-8")
    named = {name: int(ms) for name, ms in re.findall(r"^\| `(\w+_MS)` \| (\d+) \|", text, re.MULTILINE)}
    assert named == {name: value for name, value in vars(landing).items() if name.endswith("_MS")}
    shares = {name: int(share) for name, share in re.findall(r"^\| (\w+) \| .* \| (\d+) % \|$", text, re.MULTILINE)}
    assert shares == {name: landing._SHARE[1 << bit] for bit, (name, _) in enumerate(words.DOUBTS)}
    assert f"It is {landing._SURE}, and" in text
    for path in re.findall(r"`((?:firmware|hardware|host|tests)/[\w/.]+)`", text):
        assert (ROOT / path).exists(), path

"""People who know nothing but the sheets play every game; with any line of a sheet missing, they are stuck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest
from playing import a_table
from sheet_evenings import EVENINGS, Room, people_of
from sheets import COMMON, Puzzled, Sheet, family, lines, sheet_of

from sample import sample, thorough
from tablier.games.daemonen.colours import COLOURS
from tablier.texts import Json
from tablier_fw import colours
from tools.pictures.sheets import FOLDERS, GAMES

SHORTER: dict[tuple[str, int], Json] = sample({("roudalon", 1): {"most": 8}}, {})
"""What makes a long evening begin later or end sooner."""


@cache
def played(game: str, number: int) -> Room:
    """Return an evening that was played with the whole sheet."""
    evening = replace(EVENINGS[game][number], **SHORTER.get((game, number), {}))
    room = Room(evening)
    with a_table(seed=evening.seed) as table:
        room.play(table, people_of(evening, Sheet(sheet_of(game))))
    return room


def stuck(room: Room, texts: Sequence[str]) -> bool:
    """Return whether people with these lines are stuck, or press something else, where those with all of them went on.

    What they do is a function of what they have seen, so that they see the same until then.
    """
    people = people_of(room.evening, Sheet(texts))
    for seat, sight, pressed in room.kept:
        try:
            if people[seat].press(sight) != pressed:
                return True
        except Puzzled:
            return True
    return False


@pytest.mark.parametrize("game", sample(["d21"], list(FOLDERS)))
def test_people_who_know_only_the_sheet_play_to_the_end_and_miss_each_line(game: str) -> None:
    texts = sheet_of(game)
    rooms = [played(game, number) for number in range(len(EVENINGS[game]))]
    assert rooms[0].over
    assert [room.misplayed() for room in rooms] == [[]] * len(rooms)
    assert not any(stuck(room, texts) for room in rooms)
    for room in rooms:
        if room.evening.mistaken:
            wrong, right = room.corrected
            wrong.remove(room.mistake["what you had entered"])
            assert sorted([*wrong, room.mistake["what you drew"]]) == sorted(right)
    for line in lines(GAMES / FOLDERS[game] / "README.md"):
        left = [each for each in texts if each != line]
        assert any(stuck(room, left) for room in rooms), f"nobody misses: {line}"


@thorough
def test_no_line_of_every_sheet_can_be_missing() -> None:
    rooms = [(game, played(game, number)) for game in FOLDERS for number in range(len(EVENINGS[game]))]
    for line in lines(COMMON):
        assert any(stuck(room, [each for each in sheet_of(game) if each != line]) for game, room in rooms), line


def test_the_sheet_explains_every_light_of_a_place_that_the_table_has() -> None:
    keys = Sheet(lines(COMMON)).about("your light").keys
    for light in (colours.ASKED, colours.PENDING, colours.LOCKED, colours.TAKEN, colours.REFUSED):
        word = family(bytes(light).hex())
        assert (word if word != "yellow" else "amber") in keys
    assert COLOURS

"""Who may know what, until when: each secret of each game against each channel by which somebody else could learn it.

A secret is played twice, by the same presses at the same times, so that the two runs differ in nothing but the secret;
until it is public both look the same on every channel. ``make test`` plays one of each kind, ``make thorough`` all of
them. Nothing is left out: the secrets of the games are found by their rules
(:func:`test_no_secret_of_any_game_is_missing`), and a channel that a run does not have is named in ``WITHOUT`` with the
reason. D.21 has no secrets.

Elsewhere: duels in every order of presses, with a screen, and what the button says (``test_secrecy.py``); secrets at
screens (``test_secret_pairs.py``); that a secret is not found by trying all between two heads (``test_audit.py``).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from parts import same_people, with_part
from watched import Hand, Seen, Sitting, sitting, tapped, without_ids

from sample import sample
from tablier.course.chance import Sources
from tablier.games import GAMES, game_class, rules_of
from tablier.games.core import Position, Rules
from tablier.games.core.lights import CHOICE_COLOURS, Lights
from tablier.games.daemonen.lights import NOTHING
from tablier.games.daemonen.rules import Daemonen
from tablier.games.struggle.rules import OBJECTIVES
from tablier.play import lights as lamps
from tablier_fw import colours, wire

CHANNELS = ("hoods", "public", "ring", "wire", "updates", "bots", "exports", "pictures", "heads")
"""The hoods of other places; public pixels; the ring; the wire in lengths, counts and times; the updates of other
viewers; what bots are asked; exports and pictures of the running game; the log but for what is salted or bound."""


class Secret(NamedTuple):
    name: str
    game: str
    verb: str
    """The move of the rules that it is, or is part of."""
    source: str
    """Where it comes from: a choice, or a source of chance."""
    play: Callable[[Path, int], Seen]
    """Play it, the one or the other way."""
    nobody: bool = False
    """Not even its owner may know it yet."""


# -- how each is played -----------------------------------------------------------------------------------------------

DUEL = ("p1 offer 1", "table close", "p2 offer 8", "p3 throw 3 flat", "table close")


def choice(folder: Path, which: int) -> Seen:
    """Lock one of two choices; the other duellist has not locked."""
    with sitting(folder, "dilemma", DUEL) as it:
        it.start()
        it.choose(CHOICE_COLOURS[which])
        it.wait(1)
    return it.seen


DEALT = [f"table deal p{seat} {card}" for seat, card in enumerate(OBJECTIVES[:3], 1)]
OTHER = f"table deal p3 {OBJECTIVES[7]}"
THROWN = "table roll K K Q J A"
PLAYED = ("p1 play K+3 Q+1 J+1", THROWN)


def _take_turns(it: Sitting) -> None:
    """The bot has had its turn; the next one plays all its dice, the owner begins; all look under their hoods."""
    it.peek()
    it.press(2, *["a", "plus", "a", "plus", "a", "plus", "a", "plus", "a", "b", "b", "b", "b", "b", "b", "b", "b"])
    it.wait(4)
    it.peek()
    it.press(3, "a", "plus")
    it.wait(1)


def objective(folder: Path, which: int) -> Seen:
    with sitting(folder, "struggle", [*DEALT[:2], (DEALT[2], OTHER)[which], THROWN]) as it:
        it.start()
        _take_turns(it)
    return it.seen


def objective_rolled(folder: Path, which: int) -> Seen:
    with sitting(folder, "struggle", DEALT[:2], sources=Sources(("host",) * 3, "roll")) as it:
        it.draw(("aa", "bb")[which] * 16)
        it.start()
        it.wait(1)
        _take_turns(it)
    return it.seen


def objective_entered(folder: Path, which: int) -> Seen:
    """With the same presses: the tally begins at another objective."""
    with sitting(folder, "struggle", DEALT[:2], sources=Sources(("host",) * 3, "tally")) as it:
        it.draw(("0004", "0009")[which])
        it.start()
        it.press(3, "plus", "plus", "b")
        it.wait(1)
        _take_turns(it)
    return it.seen


def dice_to_come(folder: Path, which: int) -> Seen:
    with sitting(folder, "struggle", [*DEALT, THROWN, *PLAYED], seed=which + 1) as it:
        it.start()
        it.peek()
        it.press(2, "a", "plus", "plus", "a")
    return it.seen


def dice_rolling(folder: Path, which: int) -> Seen:
    with sitting(folder, "struggle", [*DEALT, THROWN, PLAYED[0]], sources=Sources(("roll",) * 3)) as it:
        it.start()
        it.draw(("aa", "bb")[which] * 16)
        it.commit(2)
    return it.seen


def objective_to_come(folder: Path, which: int) -> Seen:
    with sitting(folder, "struggle", [], sources=Sources(("host",) * 3, "roll")) as it:
        it.draw(("aa", "bb")[which] * 16)
        it.commit()
    return it.seen


FIRST = [
    *(f"table draw p1 {colour}" for colour in ("red", "blue", "green", "yellow")),
    *(f"table draw p2 {colour}" for colour in ("blue", "blue", "green", "yellow")),
    *(f"table draw p3 {colour}" for colour in ("white", "red", "red")),
]
CLAIMED = [
    *("p1 place blue f1:c", "p1 predict red", "table draw p1 yellow"),
    *("p2 place blue f4:c", "p2 predict blue", "table draw p2 yellow"),
]
SPOT = ("b", "minus", "minus", "b")
"""Into a field, back, to the last option, and in: the first field's middle, whatever the fist holds."""


def _fist(last: str) -> list[str]:
    """The owner is to place. It holds a ghost and two red ones; red and blue are claimed."""
    return [*FIRST, f"table draw p3 {last}", *CLAIMED]


def fist(folder: Path, which: int) -> Seen:
    """After its placing the owner could predict nothing, or green; it is asked in both cases, and says nothing."""
    with sitting(folder, "dicke-daemonen", _fist(("red", "green")[which])) as it:
        it.start()
        it.peek()
        it.press(3, *SPOT)
        it.walk_to(colours.WHITE)
        it.wait(2)
        it.walk_to(NOTHING)
        it.wait(2)
        it.peek()
    return it.seen


def fist_rolled(folder: Path, which: int) -> Seen:
    """The bot, whose own draw would depend on what is left, does not come to its turn."""
    with sitting(folder, "dicke-daemonen", FIRST, options={"first": "p2"}, sources=Sources((), "roll")) as it:
        it.draw(("33", "44")[which] * 16)
        it.start()
        it.wait(1)
        it.peek()
        it.press(2, *SPOT)
        it.peek()
    return it.seen


def fist_entered(folder: Path, which: int) -> Seen:
    with sitting(folder, "dicke-daemonen", FIRST, sources=Sources((), "tally")) as it:
        it.draw(("0000", "0002")[which])
        it.start()
        it.press(3, "plus", "b")
        it.wait(1)
        it.peek()
    return it.seen


def prediction(folder: Path, which: int) -> Seen:
    """The owner walks through the colours, and has not confirmed one."""
    with sitting(folder, "dicke-daemonen", _fist("green")) as it:
        it.start()
        it.press(3, *SPOT)
        it.draw(("0000", "0001")[which])
        it.walk_to(colours.WHITE)
        it.wait(1)
        it.press(3, "plus", "plus")
        it.peek()
    return it.seen


def prediction_alone(folder: Path, which: int) -> Seen:
    """The first of several colours is named, which is no prediction yet."""
    drawn = [f"table draw p1 {colour}" for colour in ("white", "red", "blue", "green")]
    with sitting(folder, "dicke-daemonen", drawn, seats=1) as it:
        it.start()
        it.press(1, *SPOT)
        it.draw(("0000", "0001")[which])
        it.walk_to(colours.WHITE)
        it.wait(1)
        it.draw("0000")
        it.press(1, "plus", "b")
        it.wait(1)
    return it.seen


def creature_to_come(folder: Path, which: int) -> Seen:
    with sitting(folder, "dicke-daemonen", _fist("green"), seed=which + 1) as it:
        it.start()
        it.peek()
        it.press(3, *SPOT)
        it.walk_to(colours.WHITE)
        it.wait(1)
    return it.seen


def creature_rolling(folder: Path, which: int) -> Seen:
    with sitting(folder, "dicke-daemonen", FIRST, sources=Sources((), "roll")) as it:
        it.draw(("aa", "bb")[which] * 16)
        it.commit()
    return it.seen


BEGUN = {"first": "p1"}
"""Nobody throws for who begins."""
STAKED = [f"p{seat} bet 2" for seat in (1, 2, 3, 4, 1)]


def throw_to_come(folder: Path, which: int) -> Seen:
    with sitting(folder, "roudalon", STAKED, seats=4, options=BEGUN, seed=which + 1) as it:
        it.start()
        it.peek()
        it.press(2, "plus", "b", "plus", "a")
    return it.seen


def throw_rolling(folder: Path, which: int) -> Seen:
    rolls = Sources(("roll",) * 4)
    with sitting(folder, "roudalon", [*STAKED, "p2 roll 2"], seats=4, options=BEGUN, sources=rolls) as it:
        it.start()
        it.draw(("aa", "bb")[which] * 16)
        it.commit(2)
    return it.seen


def throw_for_who_begins(folder: Path, which: int) -> Seen:
    with sitting(folder, "roudalon", [], seats=4, sources=Sources(("roll",) * 4)) as it:
        it.draw(("aa", "bb")[which] * 16)
        it.commit()
    return it.seen


SECRETS = (
    Secret("a choice", "dilemma", "duel", "choice", choice),
    Secret("an objective", "struggle", "deal", "host", objective),
    Secret("an objective that was rolled", "struggle", "deal", "roll", objective_rolled),
    Secret("an objective that was entered", "struggle", "deal", "tally", objective_entered),
    Secret("objectives to come, rolled", "struggle", "deal", "roll", objective_to_come, nobody=True),
    Secret("dice to come", "struggle", "roll", "host", dice_to_come, nobody=True),
    Secret("dice to come, rolled", "struggle", "roll", "roll", dice_rolling, nobody=True),
    Secret("a fist", "dicke-daemonen", "draw", "host", fist),
    Secret("a fist that was rolled", "dicke-daemonen", "draw", "roll", fist_rolled),
    Secret("a fist that was entered", "dicke-daemonen", "draw", "tally", fist_entered),
    Secret("a prediction", "dicke-daemonen", "predict", "choice", prediction),
    Secret("a prediction of several colours", "dicke-daemonen", "predict", "choice", prediction_alone),
    Secret("the bag", "dicke-daemonen", "draw", "host", creature_to_come, nobody=True),
    Secret("the bag, rolled", "dicke-daemonen", "draw", "roll", creature_rolling, nobody=True),
    Secret("dice to come", "roudalon", "dice", "host", throw_to_come, nobody=True),
    Secret("dice to come, rolled", "roudalon", "dice", "roll", throw_rolling, nobody=True),
    Secret("throws for who begins, rolled", "roudalon", "throw", "roll", throw_for_who_begins, nobody=True),
)
BY_HAND = "no bot draws from a bag whose contents are entered by hand"
ALONE = "nobody else plays"
NO_RECORD = "a game that has not begun has no record to be drawn"
WITHOUT = {
    ("an objective that was entered", "bots"): BY_HAND,
    ("a fist that was entered", "bots"): BY_HAND,
    ("a prediction of several colours", "bots"): ALONE,
    ("throws for who begins, rolled", "pictures"): NO_RECORD,
}
"""Channels that the runs of a secret do not have. That the first is so: ``test_rolls.py``,
``test_sources_that_cannot_be_are_refused_before_a_game_begins``."""


# -- the table -----------------------------------------------------------------------------------------------------


def heads(seen: Seen) -> list[Any]:
    """The entries of the log but for what hides a secret: salted bodies, commitments, nonces, the seed, its digest."""
    hiding = ("commitment", "nonce", "seed", "heading")
    entries: list[Any] = []
    for entry in seen.entries:
        body = {key: value for key, value in entry.body.items() if key not in hiding}
        if "salt" in body:
            assert len(bytes.fromhex(body["salt"])) == 16
            body = {"salted": sorted(body)}
        if entry.kind != "ids":
            entries.append(f"{entry.kind} {without_ids(body)} {entry.boot} {entry.number}")
    return entries


def compared(secret: Secret, seen: Seen) -> dict[str, Any]:
    """Return the observations to compare, by channel."""
    owner = max(viewer or 0 for viewer in seen.updates)
    viewers = [viewer for viewer in seen.updates if secret.nobody or viewer != owner]
    hoods = [*seen.hoods, *(seen.owners_hood if secret.nobody else ())]
    return {
        **{channel: getattr(seen, channel) for channel in CHANNELS if hasattr(seen, channel)},
        "hoods": hoods,
        "updates": [f"{viewer}: {update}" for viewer in viewers for update in seen.updates[viewer]],
        "heads": heads(seen),
    }


def differing(secret: Secret, folder: Path) -> dict[str, str]:
    """Play the secret both ways, and return the channels that tell which it was, each with the first difference."""

    def play(at: int, which: int) -> Seen:
        with same_people():
            return secret.play(folder / str(at), which)

    one, two = play(0, 0), play(1, 1)
    for again in range(2, 10):  # the host's part of a roll is its own, and both may come to the same
        if secret.source == "roll" and one.owners_hood == two.owners_hood and not secret.nobody:
            two = play(again, 1)
    assert secret.nobody or secret.source == "choice" or one.owners_hood != two.owners_hood, "it is no secret"
    assert [entry.body for entry in one.entries] != [entry.body for entry in two.entries], "the runs are the same"
    here, there = compared(secret, one), compared(secret, two)
    assert set(here) == set(CHANNELS)
    found = {}
    for channel in CHANNELS:
        assert bool(here[channel]) == ((secret.name, channel) not in WITHOUT), f"{channel} shows nothing at all"
        if here[channel] != there[channel]:
            found[channel] = _first(here[channel], there[channel])
    return found


def _first(here: Any, there: Any) -> str:
    """Return where two lists, or texts, begin to differ."""
    at = next(
        (n for n, (one, two) in enumerate(zip(here, there, strict=False)) if one != two), min(len(here), len(there))
    )
    if isinstance(here, str):
        return f"{here[max(0, at - 60) : at + 60]} / {there[max(0, at - 60) : at + 60]}"
    if at in (len(here), len(there)):
        return f"{len(here)} / {len(there)} pieces"
    return _first(here[at], there[at]) if isinstance(here[at], str) else f"{here[at]} / {there[at]}"


SAMPLED = tuple(
    secret
    for secret in SECRETS
    if secret.play
    in (
        choice,
        objective_entered,
        objective_to_come,
        dice_rolling,
        fist_rolled,
        prediction,
        creature_to_come,
        throw_to_come,
        throw_for_who_begins,
    )
)
"""Those that ``make test`` plays."""


def test_the_sample_has_each_kind_of_secret_and_each_channel() -> None:
    """Of each game and move, whether its owner may know it yet or nobody; of each source; and all channels."""
    for kind in (lambda secret: (secret.game, secret.verb, secret.nobody), lambda secret: secret.source):
        assert set(map(kind, SAMPLED)) == set(map(kind, SECRETS))
    for channel in CHANNELS:
        assert any((secret.name, channel) not in WITHOUT for secret in SAMPLED)


@pytest.mark.parametrize("secret", sample(SAMPLED, SECRETS), ids=lambda secret: f"{secret.game}, {secret.name}")
def test_no_channel_tells_of_a_secret(secret: Secret, tmp_path: Path) -> None:
    assert differing(secret, tmp_path) == {}


# -- that nothing is missing -----------------------------------------------------------------------------------------


def _found(rules: Rules[Any], seed: int) -> set[str]:
    """Return the verbs of a game at random that were secret when they were played, or left to chance."""
    position, dice = Position(rules).conducted(), random.Random(seed)
    verbs = set()
    while not position.is_over and position.ply < 150:
        before, by_chance = position.state, len(rules.chance(position.state)) > 1
        move = dice.choice(position.legal_moves)
        position.push(move)
        if by_chance or position.rules.secret(before, move, position.state):
            verbs.add(move.verb)
    return verbs


def test_no_secret_of_any_game_is_missing() -> None:
    """By the rules: what is left to chance has a secret of each source that it can have, and so has each choice."""
    for game in GAMES:
        counts = game_class(game).seat_counts
        verbs = set().union(*(_found(rules_of(game, count), seed) for count in counts for seed in range(6)))
        listed = {(secret.verb, secret.source) for secret in SECRETS if secret.game == game}
        assert {verb for verb, _ in listed} >= verbs, game
        for verb in verbs:
            sources = {source for at, source in listed if at == verb}
            assert sources >= {"choice"} or sources >= {"host", "roll"}, f"{game}: {verb}"


# -- how often one presses -------------------------------------------------------------------------------------------

ONES = bytes((colours.RED, colours.GREEN, colours.BLUE, colours.WHITE, colours.MAGENTA))
QUESTIONS: dict[str, tuple[Any, tuple[Any, ...], str]] = {
    "a secret menu": (wire.MENU, (wire.SECRET, 1, 0, 0b11111, ONES), "option"),
    "a secret menu in which little is open": (wire.MENU, (wire.SECRET, 1, 0, 0b10010, ONES), "option"),
    "a secret tally": (wire.TALLY, (wire.VEIL, 1, 1, ONES, b""), "faces"),
}
"""The secret questions that are walked through. Of a choice every answer takes two presses, and which buttons these are
is chance: ``test_secrecy.py``, ``test_which_button_means_what_is_chance_whatever_is_chosen``."""


@pytest.mark.parametrize("asked", QUESTIONS)
def test_each_answer_takes_each_number_of_presses_as_often(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table draws where a question begins; over all that it can draw, no answer takes more presses than another."""
    message, values, answer = QUESTIONS[asked]
    shown = [bytes(colours.option_look(index)).hex() for index in ONES]
    open_ = [n for n in range(len(ONES)) if message is wire.TALLY or values[3] >> n & 1]
    presses: dict[int, list[int]] = {wanted: [] for wanted in open_}
    with tapped(monkeypatch) as table:
        hand = Hand(table)
        for wanted in open_:
            for drawn in range(len(ONES)):
                table.say(f"draw {drawn:04x}")
                hand.ask(message, *values)
                count = 0
                while hand.pixel() != shown[wanted]:
                    hand.press("plus")
                    count += 1
                (told,) = hand.press("b")
                assert told[answer] == (wanted if answer == "option" else bytes([wanted]))
                presses[wanted].append(count)
        hand.close()
    assert all(sorted(counts) == list(range(len(ONES))) for counts in presses.values())


# -- that a leak would be seen ---------------------------------------------------------------------------------------


def test_a_host_that_leaks_is_seen_on_every_channel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It shows everybody what the owner alone may see, keeps nothing secret, and sounds a tone by it."""
    view, show = Daemonen.view, lamps.Lamps.show

    def painted(look: Any, *_: Any) -> list[Any]:
        fist = look.view["fists"]["p3"]
        return [(colours.WHITE, 9 + 9 * fist.count("green"), wire.STEADY)] * 32

    def telling(it: lamps.Lamps, position: Position[Any], *rest: Any) -> None:
        show(it, position, *rest)
        if "green" in position.rules.view(position.state, 3)["fists"]["p3"]:
            it._scene(wire.RING, bytes(96))

    monkeypatch.setattr(Daemonen, "view", lambda rules, state, seat: view(rules, state, 3))
    monkeypatch.setattr(Daemonen, "secret", lambda *_: False)
    leaking = Lights(ring=painted, public=lambda look: painted(look)[:6], hood=lambda look, *_: painted(look)[:5])
    with_part(monkeypatch, "dicke-daemonen", "lights", leaking)
    monkeypatch.setattr(lamps.Lamps, "show", telling)
    (secret,) = [secret for secret in SECRETS if secret.name == "a fist"]
    assert set(differing(secret, tmp_path)) == set(CHANNELS)

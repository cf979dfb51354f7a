"""Whether the log of an evening tells what the campaign has seen, and done: by a replay of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter

import replies
from harness import Broken, numbers_of_events
from tablier.games.core import seat_name
from tablier.judge.redaction import record
from tablier.log.fold import GameInfo
from tablier.log.store import Log
from tablier.record import Record, replay

from .campaign import Evening, Played
from .phones import Phone


def judge(evening: Evening) -> None:
    """Raise :class:`Broken` unless the log is whole and tells all that was shown, and nothing that nobody has done."""
    verify(evening)
    compare(evening)


def verify(evening: Evening) -> None:
    """Raise :class:`Broken` unless the log is whole."""
    command = [sys.executable, "-m", "tablier.cli.main", "log", "verify", "--log", str(evening.log)]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        raise Broken(f"'tablier log verify' ends with {run.returncode}: {run.stdout}{run.stderr}")


def compare(evening: Evening) -> None:
    """Raise :class:`Broken` unless the log tells all that was shown, and nothing that nobody has done."""
    with Log.read(evening.log) as log:
        games = log.games()
        if [info.id for info in games] != [played.number for played in evening.played]:
            raise Broken(f"the log has the games {[info.id for info in games]}")
        for info, played in zip(games, evening.played, strict=True):
            _judge_game(evening, log, info, played)
            before = log.game(info.id - 1) if played.again else info
            if (before.game, set(before.names)) != (info.game, set(info.names)):
                raise Broken(f"game {info.id} is not another one of game {before.id}: {info.names}, {before.names}")
        if won(log) != _shown_wins(evening):
            raise Broken(f"the log's games are won by {won(log)}, as shown by {_shown_wins(evening)}")
        _judge_evening(evening, log)
        evening.told.entries += log.last_entry
    numbers_of_events(evening.log)


def _judge_evening(evening: Evening, log: Log) -> None:
    """Who came and went, what was played, and the series are what the campaign has done."""
    names = {person.id: person.name for person in log.people()}
    told = [
        (entry.kind, names[entry.body["person"]], entry.body.get("place", 0))
        for entry in log.entries()
        if entry.kind in ("came", "went")
    ]
    if told != evening.went:
        raise Broken(f"by the log came and went {told}, and that was {evening.went}")
    (spent,) = log.evenings()
    here = {names[person]: place for person, place in spent.present.items()}
    games = tuple(played.number for played in evening.played)
    if (spent.number, spent.games, here) != (evening.number, games, evening.here) or spent.ended is None:
        raise Broken(f"the log has the evening {spent}")
    (series,) = spent.series
    count = len(evening.plan.games)
    standings = {names[person]: wins for person, wins in series.standings.items()}
    won = {name: wins for name, wins in _shown_wins(evening, count).items() if name in evening.names}
    if (series.number, series.played, standings, series.over) != (evening.series, games[:count], won, True):
        raise Broken(f"the log has the series {series}, and its games were won by {won}")


def _judge_game(evening: Evening, log: Log, info: GameInfo, played: Played) -> None:
    where = f"game {info.id} ({info.game})"
    moves = log.moves(info.id)
    if info.ended is None:
        raise Broken(f"{where} has not ended")
    _judge_views(evening, info, played, moves)
    told, withheld = record(log, info)
    position = replay(told)
    if withheld or not position.is_over:
        raise Broken(f"{where}: its record has no end")
    state, rules = position.state, position.rules
    scores = list(rules.scores(state))
    named = {seat_name(seat): score for seat, score in enumerate(scores, 1)}
    winners = list(rules.winners(state))
    if played.over is None:  # the keeper was killed before it has shown the end
        played.over = {"scores": scores, "winners": winners}
        played.seats = played.seats or [{"name": name} for name in info.names]
    if (played.over["scores"], played.over["winners"]) != (scores, winners):
        raise Broken(f"{where}: {played.over} was shown, and its moves lead to {scores}, won by {winners}")
    if info.result is None or told.result is None or info.result["scores"] != named:
        raise Broken(f"{where}: the log's result is {info.result}, and its moves lead to {scores}")
    for ply, meant in played.meant.items():
        seats = {move.split()[0] for move in meant}
        if ply < len(moves) and moves[ply].split()[0] in seats and moves[ply] not in meant:
            raise Broken(f"{where}: move {ply + 1} is {moves[ply]}, and people meant {meant}")
    _judge_pauses(log, played, where)
    _judge_replies(evening, log, played, where)
    evening.told.moves += len(moves)


def _judge_views(evening: Evening, info: GameInfo, played: Played, moves: list[str]) -> None:
    """Each view that was shown is what the rules make of the moves up to there."""
    for ply in sorted({ply for _, ply in played.shown}):
        if ply > len(moves):
            raise Broken(f"game {info.id}: {ply} moves were shown, and the log has {len(moves)}")
        position = replay(Record(info.game, tuple(info.names), tuple(moves[:ply]), info.options), conducted=True)
        for viewer in {viewer for viewer, at in played.shown if at == ply}:
            view = json.loads(json.dumps(position.rules.view(position.state, viewer)))
            if json.loads(played.shown[viewer, ply]) != view:
                raise Broken(f"game {info.id}: viewer {viewer} was shown another game after {ply} moves")
            evening.told.views += 1


def _judge_pauses(log: Log, played: Played, where: str) -> None:
    """Each pause that was granted stands in the log, none that nobody has asked for, and in none anybody has moved."""
    asked, paused, pauses = 0, False, 0
    for entry in log.entries(played.number):
        if entry.kind == "pause":
            pauses, paused = pauses + 1, True
        elif entry.kind == "ask" and entry.body["what"] == "paused":
            asked = entry.body["id"]
        elif entry.kind == "sits" or (entry.body.get("id") == asked and entry.body.get("yes")):
            paused = False  # nobody may be left to say so
        elif entry.kind == "move" and paused:
            raise Broken(f"{where}: entry {entry.n} is a move in a pause")
    if not played.pauses <= pauses <= played.pauses_asked:
        raise Broken(f"{where}: the log has {pauses} pauses; {played.pauses} were granted of {played.pauses_asked}")


def _judge_replies(evening: Evening, log: Log, played: Played, where: str) -> None:
    """What screens were told is taken stands in the log once, and nothing stands there that no screen has said."""
    logged: Counter[str] = Counter()
    seats = {screen.seat for screen in played.screens}
    # A keeper that is killed has left a seat to a bot and not said so any more.
    left = {entry.body["seat"] for entry in log.entries(played.number) if entry.kind == "sits"}
    for entry in log.entries(played.number):
        if entry.kind in ("reply", "commitment", "opening") and entry.body["seat"] in seats:
            kept = {key: value for key, value in entry.body.items() if key in _FIELDS}
            if kept["event"] == replies.OPENED:
                continue  # its choice is bound by its commitment, which is compared
            logged[json.dumps(kept, sort_keys=True)] += 1
    if logged and max(logged.values()) > 1:
        raise Broken(f"{where}: a reply stands twice in the log: {logged.most_common(1)}")
    for screen in played.screens:
        mine = [json.dumps(reply, sort_keys=True) for reply in screen.taken if reply["event"] != replies.OPENED]
        sent = {json.dumps(reply, sort_keys=True) for reply in screen.sent}
        for reply in mine:
            if reply not in logged:
                raise Broken(f"{where}: seat {screen.seat}'s reply was taken, and is not in the log: {reply}")
        own = f'"seat": {screen.seat}'
        for reply in logged:
            if own in reply and reply not in sent and screen.seat not in left:
                raise Broken(f"{where}: seat {screen.seat} has not said {reply}")
        evening.told.replies += len(screen.taken)
        evening.told.by_phone += len(screen.taken) if isinstance(screen, Phone) else 0


_FIELDS = ("event", "id", "seat", "move", "yes", "option", "rank", "commitment")


def won(log: Log) -> Counter[str]:
    """Return how many games each name has won, by the results of the log."""
    wins: Counter[str] = Counter()
    for info in log.games():
        assert info.result is not None
        wins.update(info.names[int(seat[1:]) - 1] for seat in info.result["winners"])
    return wins


def _shown_wins(evening: Evening, count: int | None = None) -> Counter[str]:
    """Return the wins by name in the first games, or all."""
    wins: Counter[str] = Counter()
    for played in evening.played[:count]:
        wins.update(played.seats[seat - 1]["name"] for seat in played.over["winners"])
    return wins

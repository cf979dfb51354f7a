"""Entries of a game in words, for ``tablier log show``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tablier.course.session import CORRECTS, PAUSES, STOPS_PLAY, actor_of
from tablier.games.core import SAYS_NO, SAYS_YES
from tablier.log.bodies import check
from tablier.log.chain import Entry
from tablier.log.evenings import ABANDONED
from tablier.play.sentences import DISPUTES, DONE, IMPOSSIBLE
from tablier.texts import Json, Text, Who, all_of, counted, number_text, text_from

APART = ("move", "prelude", "sits")
"""Kinds that the story of a game tells itself: moves in their notation, and who has a seat by what came before."""


def entry_text(entry: Entry) -> Text | None:
    """Return what an entry says; ``None`` for one that no program of this version writes, which has no words."""
    try:
        check(entry)
    except ValueError:
        return None
    return _WORDS[entry.kind](entry.body)


def _by(body: Json) -> Json:
    return {"who": actor_of(body["seat"])}


def _seat(name: str) -> Who:
    return Who(int(name[1:]))


def _fields(body: Json) -> list[str]:
    """Return an object without quotes and brackets."""
    return [f"{key} {value}" for key, value in body.items()]


def _reply(body: Json) -> Text:
    event, args = body["event"], {**_by(body), **body}
    if event == "played":
        return Text("{who} plays {move}.", args) if body["move"] is not None else Text("{who} passes.", args)
    if event == "answered":
        return (SAYS_YES if body["yes"] else SAYS_NO).of(**args)
    if event == "picked":
        return Text("{who} picks option {number}.", {**args, "number": body["option"] + 1})
    if event == "thrown":
        return Text("{who} throws the {rank}.", args)
    if event != "done":
        raise ValueError(f"event is {event!r}")
    return DONE.of(**args)


def _from_table(body: Json) -> Text:
    if body["event"] == "hello":
        return Text("Table {board} is there, with firmware {version}.", body)
    said = _fields({key: value for key, value in body.items() if key not in ("event", "time")})
    return Text("The table says {event}: {fields}.", {"event": body["event"], "fields": said})


def _gap(body: Json) -> Text:
    if body["lost"] is None:
        return Text("The table has restarted; it is unknown whether events are lost.")
    one, many = "The table has restarted; {count} event is lost.", "The table has restarted; {count} events are lost."
    return counted(body["lost"], one, many, "The table has restarted; no event is lost.")


def _since(body: Json) -> Text:
    if "lost" not in body:
        return Text("The table was played at with another log.")
    one, many = "The log lacks {count} event of the table.", "The log lacks {count} events of the table."
    return counted(body["lost"], one, many)


def _takeback(body: Json) -> Text:
    one, many = "{who} takes moves back; {count} move stands.", "{who} takes moves back; {count} moves stand."
    args = {"who": actor_of(body["by"]), "agreed": all_of([Who(seat) for seat in body["agreed"]])}
    if body["agreed"]:
        one = "{who} takes moves back; {count} move stands. It was agreed by {agreed}."
        many = "{who} takes moves back; {count} moves stand. It was agreed by {agreed}."
    return counted(body["to"], one, many, **args)


def _pause(body: Json) -> Text:
    return Text("{who} resumes the game.", _by(body)) if body.get("ends") else PAUSES.of(**_by(body))


def _request(body: Json) -> Text:
    one = "{who} wants to take moves back; {count} move would stand."
    many = "{who} wants to take moves back; {count} moves would stand."
    return counted(body["to"], one, many, **_by(body))


def _end(body: Json) -> Text:
    scores = [
        Text("{who} {score}", {"who": _seat(seat), "score": number_text(score)})
        for seat, score in body["scores"].items()
    ]
    args = {"scores": scores, "winners": all_of([_seat(seat) for seat in body["winners"]])}
    if not body["winners"]:
        return Text("The game is over: {scores}. Nobody wins.", args)
    return Text("The game is over: {scores}. Won by {winners}.", args)


def _aborted(body: Json) -> Text:
    return counted(body.get("rolls", 1), "{count} roll is aborted.", "{count} rolls are aborted.")


def _void(body: Json) -> Text:
    about = {"id": body["id"], "why": body["why"]}
    return Text("What question {id} has gathered is void: {why}.", about)


def _source(body: Json) -> Text:
    return Text(
        "Chance comes from elsewhere: dice from {dice}, draws from {bag}.", {**body, "dice": body["dice"] or "-"}
    )


def _fault(body: Json) -> Text:
    return IMPOSSIBLE.of(what=body["what"], why=text_from(body["why"]))


_WORDS: dict[str, Callable[[Json], Text]] = {
    "game": lambda body: Text("The game begins."),
    "seed": lambda body: Text("The host draws its seed."),
    "run": lambda body: Text("The host conducts the game without a table."),
    "commitment": lambda body: Text("{who} is bound to a choice.", _by(body)),
    "opening": lambda body: Text("{who} opens choice {choice}.", {**_by(body), "choice": body["choice"] + 1}),
    "contribution": lambda body: Text("The host adds its part to roll {id}.", body),
    "gap": _gap,
    "void": _void,
    "request": _request,
    "correction": lambda body: CORRECTS.of(**body, **_by(body)),
    "dispute": lambda body: DISPUTES.of(**body, **_by(body)),
    "mistake": lambda body: Text("{who} wants to put right, in secret, something that was drawn.", _by(body)),
    "pause": _pause,
    "call": lambda body: STOPS_PLAY.of(**_by(body)),
    "elapsed": lambda body: Text("Nobody has answered the call in time."),
    "shown": lambda body: Text("The end has been shown."),
    "ask": lambda body: Text("Question {id}, {what}, is put to {seats}.", {**body, "seats": _asked(body)}),
    "begins": lambda body: Text("The game begins with {options}.", {"options": _fields(body["options"])}),
    "takeback": _takeback,
    "end": _end,
    "aborted": _aborted,
    ABANDONED: lambda body: Text("The game was abandoned."),
    "source": _source,
    "note": lambda body: Text("Noted: {text}", {"text": text_from(body)}),
    "warning": lambda body: Text("Warning, {what}: {why}.", {"what": body["what"], "why": text_from(body["why"])}),
    "reveal": lambda body: Text("Secrets are shown by '{by}'.", body),
    "since": _since,
    "table": _from_table,
    "reply": _reply,
    "fault": _fault,
}


def _asked(body: Json) -> Any:
    return all_of([Who(seat) for seat in body["seats"]]) if body["seats"] else Text("the table")

"""All that a question says, as JSON: for tests that compare two."""

from __future__ import annotations

from tablier.games.core.questions import Choice, Leads, Menu, Poll, Question, Roll, Tally, Turn, Window, bare
from tablier.texts import Json


def public(question: Question) -> Json:
    """Return what everybody may know of it."""
    said: Json = {
        "kind": question.kind,
        "what": question.what,
        "seats": list(question.seats),
        "text": question.text.to_json(),
    }
    match question:
        case Turn(secret=secret):
            return {**said, "secret": secret}
        case Choice(options=options):
            return {**said, "options": list(options), "secret": True}
        case Poll(first=first, leads=leads, subject=subject, listed=listed):
            about = {"first": first, "subject": subject, "listed": list(map(list, listed))}
            return {**said, **about, **(_leads(leads) if leads else {})}
        case Menu(labels=labels, start=start, leads=leads, hints=hints, subject=subject, listed=listed):
            return {
                **said,
                **({"secret": True} if question.secret else {}),
                "options": [option.to_json() for option in question.options],
                "labels": list(labels),
                "start": start,
                **_leads(leads),
                **({"hints": list(hints)} if hints else {}),
                "subject": subject,
                "listed": list(map(list, listed)),
            }
        case Window(quiet_s=quiet_s, to_lay=to_lay):
            return {**said, "quiet_s": quiet_s, "to_lay": list(map(list, to_lay))}
        case Roll(ranges=ranges, secret=secret):
            return {**said, "ranges": list(ranges), "secret": secret}
        case Tally(dice=dice, faces=faces, mark=mark, leads=leads, secret=secret):
            given = [] if secret else list(question.given)
            tallied: Json = {"dice": dice, "faces": faces, "given": given, "mark": mark, "secret": secret}
            return {**said, **tallied, **(_leads(leads) if leads else {})}
    raise AssertionError(question)


def private(question: Question, seat: int) -> Json:
    """Return what only a seat that is asked may know besides."""
    match question:
        case Turn(moves=moves, may_pass=may_pass):
            return {"moves": list(map(bare, moves)), "may_pass": may_pass}
        case Choice(moves=by_seat):
            return {"moves": list(map(bare, by_seat[seat])), "may_pass": False}
        case Menu(secret=True, shut=shut):
            return {"shut": sorted(shut)}
        case Window(cards=cards):
            return {"cards": list(cards.get(seat, ()))}
    return {}


def _leads(leads: Leads) -> Json:
    return {"leads": [list(map(bare, moves)) for moves in leads]}

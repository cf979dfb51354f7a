"""Pages without a keeper: what they show is put on their channels, so that any position stands at once."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

from msgspec import Struct
from served import Served, served

from positions import at_random
from tablier import messages
from tablier.course.session import Made
from tablier.games import rules_of, script_of
from tablier.games.core import Position
from tablier.games.core.questions import Choice, Conditions, Turn, bare
from tablier.messages import News, Update
from tablier.play.telling import pieces_of
from tablier.texts import Json
from tablier.web.qr import picture
from tablier.web.saying import boards_of, say
from tablier.web.states import EveningState, InsideState, ListedGame, ListState, NewsState

GAME = 1
NAMES = ("Anne", "Bernard of the long name", "Christine-Marie Dupont", "Daniel", "Emma", "Felix")


class Stage:
    """A server of pages, and what it shows."""

    def __init__(self, pages: Served) -> None:
        self.pages, self.address = pages, pages.address

    def put(
        self, topic: str, name: str, state: Callable[[], Struct] | None, news: Sequence[Callable[[], NewsState]] = ()
    ) -> None:
        """Say a state on a channel."""
        hub = self.pages.site.hub
        self.pages.loop.call_soon_threadsafe(lambda: hub.channel(topic, name).put(state, news))

    def show(self, update: Update) -> None:
        """Show a game to everybody."""
        said = say(update)
        game = ListedGame(
            game=GAME, rules=update.rules, title=said.state().title, seats=[], simulated=False, evening=1, table=None
        )
        self.put("public", "list", lambda: ListState(games=[game], unfinished=[]))
        for surface, board in boards_of(update).items():
            self.put(surface, f"board-{GAME}", board)
        self.put("public", f"game-{GAME}", said.state, said.news)

    def open(self, *codes: str, **more: Any) -> None:
        """Show evenings whose doors are open, and how people come in."""
        address = "http://tablier.lan:8000/in"
        for number, code in enumerate(codes, 1):
            qr = picture(f"{address}#{code}")
            inside = InsideState(code=code, address=address, local=False, qr=qr, wishes=[])
            state: dict[str, Any] = {"begun": 0, "here": [], "door": True, "table": None, "games": [], "standings": []}
            state |= {
                "series": [],
                "next": None,
                "again": False,
                "game": GAME,
                "seats": [],
                "ended": False,
                "why": None,
            }
            told = partial(EveningState, evening=number, inside=inside, **{**state, **more})
            self.put("public", f"evening-{number}", told)


@contextmanager
def stage(log: Path) -> Iterator[Stage]:
    """Serve pages that no keeper feeds."""

    async def stays() -> bool:
        return True

    with patch("tablier.web.site._is_gone", stays), served(log) as pages:
        yield Stage(pages)


def positions(game: str, seats: int, seed: int, options: Any = None) -> Iterator[tuple[Position[Any], list[News]]]:
    """Yield the positions of a random game, each with all that was told so far; its last one too."""
    rng, told = random.Random(seed), list[News]()
    position: Position[Any] = Position(rules_of(game, seats, options or {}))
    yield position, told
    for move in islice(at_random(position, rng), 400):
        for piece in pieces_of(Made(move, position)):
            if piece.audience is None:
                told.append(News(n=len(told) + 1, kind=piece.kind, text=piece.text, turn=piece.turn, at=piece.at))
        yield position, told


def update_of(position: Position[Any], told: Sequence[News], names: Sequence[str] = NAMES, seat: int = 0) -> Update:
    """Return what everybody, or a seat, may see of a position whose seats are all at screens."""
    rules, state = position.rules, position.state
    last, fell = position.lately()
    over = None
    if position.is_over:
        scores, winners = list(rules.scores(state)), list(rules.winners(state))
        over = messages.Over(scores=scores, winners=winners, head="", remarks=[])
    return Update(
        game=GAME,
        rules=rules.name,
        options=rules.given,
        seats=[messages.Seat(name=name, place=0, source="screen") for name in names[: rules.seats]],
        viewer=seat or None,
        ply=position.ply,
        to_move=list(position.to_move),
        last=None if last is None else str(last),
        fell=list(map(str, fell)),
        view=rules.view(state, seat or None),
        question=None if over else _question(position, seat),
        practice=False,
        over=over,
        now=0.0,
        news=list(told),
    )


def _question(position: Position[Any], seat: int) -> messages.Question | None:
    """Return what is asked in a position, ``None`` where chance moves."""
    if 0 in position.to_move and len(position.to_move) == 1:
        return None
    script, _ = script_of(position.rules.name)
    made = script(position, Conditions())
    question = next(made, None) if isinstance(made, Iterator) else None
    if question is None:
        return None
    asked: Json = {"id": position.ply + 1, "what": question.what, "seats": list(question.seats), "text": question.text}
    waits = seat in question.seats
    match question:
        case Turn(moves=moves, may_pass=may_pass, secret=secret):
            mine = messages.MyTurn(waits=True, moves=list(map(bare, moves)), may_pass=may_pass) if waits else None
            return messages.Turn(**asked, waiting=list(question.seats), secret=secret, mine=mine)
        case Choice(options=options, moves=own):
            bind = messages.Bind(board="00" * 8, boot="00" * 8, place=seat)
            chooses = messages.MyChoice(waits=True, moves=list(map(bare, own[seat])), bind=bind) if waits else None
            return messages.Choice(
                **asked, waiting=list(question.seats), secret=True, options=list(options), mine=chooses
            )
    return None


__all__ = ["GAME", "NAMES", "Stage", "positions", "stage", "update_of"]

"""The sections about how games were played: what they show of it, and the best of them with their boards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tablier.archive.ended import time_of
from tablier.archive.questions import Answer
from tablier.course.chance import told_of
from tablier.games import facts_of, title_of
from tablier.games.core import Move, moves_text
from tablier.html import boards
from tablier.html.elements import Markup, tag
from tablier.judge.redaction import sentence
from tablier.log.people import SOMEBODY
from tablier.printable import printable
from tablier.report.best import REPLAYED, TURNS_MOST, Best, best, turns
from tablier.report.plots import SERIES_MOST, bars, lines
from tablier.report.season import Season, column, rows, say, table
from tablier.report.sections import Section, about_plot
from tablier.screens.turning import Turn, heading, turn_text
from tablier.texts import Text, any_of, clauses, counted, day_text, number_text

_WORDS_MOST = 6
"""The most rows of a table of words, such as first moves."""
_PLOT_LEAST = 3
"""Facts about a game as a whole that are drawn, too."""


BEST = "best"
"""Asked of a page alone; all else are questions of ``tablier stats``."""
BEST_GAMES = Text("The best games")


def play(season: Season) -> Section | None:
    """Tell how people play, as far as games show it."""
    answers = [answer for answer in season.answers("play") if answer.rows]
    parts = [part for kind in season.kinds for part in _facts(kind, answers)]
    return Section("play", Text("How people play"), parts) if parts else None


def wholes(season: Season) -> list[Markup]:
    """Return a plot of what is counted of each game as a whole, where there are several numbers of that."""
    found = []
    for answer in season.answers("play"):
        kind, _, fact = answer.key.partition(".")
        if fact == "facts" and (plot := _whole(kind, answer)) is not None:
            found.append(tag("div", tag("h3", title_of(kind)), plot))
    return found


def _facts(kind: str, answers: Sequence[Answer]) -> Iterator[Markup]:
    """Yield the facts of one game: numbers, a plot of those about the game as a whole, and a table for each told by
    words."""
    own = [answer for answer in answers if answer.key.partition(".")[0] == kind]
    if not own:
        return
    yield tag("h3", title_of(kind))
    names = facts_of(kind).names
    left: list[Markup] = []
    right: list[Markup | None] = []
    for answer in own:
        fact = answer.key.partition(".")[2]
        if fact in names:
            right.append(_words(answer, names[fact]))
        else:
            left.append(table(answer.columns, answer.rows))
            right.append(_whole(kind, answer))
    yield tag("div", left, tag("div", right), class_="beside")


def _words(answer: Answer, fact: Text) -> Markup | None:
    """Return a table of a fact that is told by words; of many words those alone that came more than once."""
    if len(answer.rows) <= _WORDS_MOST:
        return table(answer.columns, answer.rows, fact)
    times = [each.key for each in answer.columns].index("times")
    frequent = [row for row in answer.rows if int(row[times] or 0) > 1][:_WORDS_MOST]
    return table(answer.columns, frequent, Text("{fact}, the most frequent", {"fact": fact})) if frequent else None


def _whole(kind: str, sums: Answer) -> Markup | None:
    """Return a plot of what is counted of a game as a whole, such as how duels ended."""
    fact, form, whole = column(sums, "fact"), column(sums, "per_game"), facts_of(kind).game
    found = [row for row in rows(sums) if row["fact"] in whole]
    told = [(fact.shown(row["fact"]), row["per_game"], form.shown(row["per_game"])) for row in found]
    if len(told) < _PLOT_LEAST:
        return None
    title = Text("{game}, a game", {"game": title_of(kind)})
    return bars(f"facts-{kind}", about_plot(title, told), told, Text("a game"))


def best_games(season: Season) -> Section | None:
    """Show the best game of each kind, with its final board."""
    shown = best_of(season)
    return Section(BEST, BEST_GAMES, shown) if shown else None


def best_of(season: Season) -> list[Markup]:
    """Return how the best game of each kind was chosen, and each with its final board; nothing where there is none."""
    found = [game for kind in season.kinds if (game := best(season.archive, season.scope, kind)) is not None]
    told = [tag("p", say(text), class_="rule") for text in _rules(found)]
    return [*told, *(_best(game, season) for game in found)]


def _rules(found: Sequence[Best]) -> Iterator[Text]:
    """Yield how the games were chosen, and how to look back at them."""
    about: dict[str, Any] = {"count": REPLAYED}
    if any(game.by_points for game in found):
        yield Text(
            "Of each game one: of the {count} closest finishes the one in which the lead changed hands most often."
            " Games that people have played and somebody has won come before others.",
            about,
        )
    if without := [game.position.rules.shown_title() for game in found if not game.by_points]:
        yield Text(
            "All wins of {games} are equally close: of the {count} longest games that somebody has won it is the"
            " one in which the lead changed hands most often.",
            {**about, "games": any_of(without)},
        )
    if any(game.close.log is not None for game in found):
        yield Text(
            "To look back at one where its log is: 'tablier log show NUMBER', 'tablier log analyse NUMBER MOVE', or"
            " /log/game/NUMBER on the pages of 'tablier web'."
        )


def _best(game: Best, season: Season) -> Markup:
    close, rules = game.close, game.position.rules
    names = [printable(str(SOMEBODY) if seat.player.name is None else seat.player.name) for seat in close.game.seats]
    about = {"game": rules.shown_title(), "day": day_text(time_of(close.game.ended)), "club": close.club}
    board = _board(game, game.position.state, names, game.last)
    said = tag(
        "div",
        tag("h3", say(Text("{game}, {day}, {club}" if len(season.clubs) > 1 else "{game}, {day}", about))),
        _players(game, names),
        [tag("p", say(Text("{remark}.", {"remark": it.text(names)}))) for it in close.game.stand_ins],
        tag("p", say(_why(game))),
        _turning(game, names),
        tag("p", say(_where(game)), class_="soft"),
        class_="said",
    )
    beside = tag("div", said, tag("div", board, _course(game, names)), class_="beside")
    return tag("article", beside, _look_back(game, names), class_="best")


def _board(game: Best, state: Any, names: Sequence[str], last: Move | None) -> Markup:
    """Return the board of a state, drawn and in words. ``last``: the move that is marked."""
    rules = game.position.rules
    view = rules.view(state, None)
    return boards.with_reading(boards.draw(rules, view, names, last), boards.read(rules, view, names))


def _look_back(game: Best, names: Sequence[str]) -> Markup:
    """Return all moves in words, to be unfolded, with the board after each turning point."""
    rules, shown, last = game.position.rules, {turn.at for turn in turns(game)}, None
    lines = []
    history = [*game.position.history()]
    states = [*(before for before, _ in history[1:]), game.position.state]
    for at, ((before, move), after) in enumerate(zip(history, states, strict=True), 1):
        last = move if move.actor else last
        events = told_of(rules.events(before, move, after), completed=True)
        said = " ".join(sentence(event, names) for event in events if event.audience is None) or str(move)
        board = _board(game, after, names, last) if at in shown else None
        lines.append(tag("li", say(said), board, id=_anchor(game, at) if at in shown else None))
    count = counted(len(lines), "Look back: the {count} move", "Look back: all {count} moves")
    return tag("details", tag("summary", say(count)), tag("ol", lines), class_="look-back")


def _anchor(game: Best, at: int) -> str:
    """Return the id of a move of a game that is looked back at."""
    return f"{game.position.rules.name}-{at}"


def _players(game: Best, names: Sequence[str]) -> Markup:
    """Return who has played, the best first, with the points of each; a winner has a star."""
    order = sorted(zip(game.close.game.seats, names, strict=True), key=lambda each: (not each[0].won, -each[0].points))
    return tag(
        "ul",
        [
            tag(
                "li",
                f"{'★ ' if seat.won else ''}{name} {number_text(seat.points)}",
                class_="won" if seat.won else None,
            )
            for seat, name in order
        ],
        class_="players",
    )


def _why(game: Best) -> Text:
    changes = counted(
        game.changes,
        "the lead changed hands once",
        "the lead changed hands {count} times",
        "the lead never changed hands",
    )
    moves = moves_text(len(game.close.game.moves))
    ahead = [Text("in the end {ahead}", {"ahead": _ahead(game)})] if game.by_points else []
    return Text("{why}.", {"why": clauses([moves, changes, *ahead])})


def _ahead(game: Best) -> Text:
    if game.level == len(game.close.game.seats):
        return Text("all were level")
    if game.level > 1:
        return Text("the first {count} were level", {"count": game.level})
    return Text("the first was {margin} ahead of the next", {"margin": number_text(game.close.margin)})


def _turning(game: Best, names: Sequence[str]) -> list[Markup]:
    found = turns(game)
    if not found:
        return []
    head = heading(game.counts)
    if game.changes > TURNS_MOST:
        head = Text("{head} the {count} greatest", {"head": head, "count": TURNS_MOST})
    return [
        tag("p", say(head)),
        tag("ul", [_turn(game, turn, names) for turn in found], class_="turning"),
    ]


def _turn(game: Best, turn: Turn, names: Sequence[str]) -> Markup:
    """Return a turning point, with a link to the move."""
    return tag("li", tag("a", say(turn_text(turn, names)), href=f"#{_anchor(game, turn.at)}"))


def _where(game: Best) -> Text:
    """Return where the game is."""
    close = game.close
    if close.log is None:
        return Text("A simulated game, number {number} of its campaign.", {"number": close.game.number})
    about = {"number": close.game.number, "evening": close.game.evening, "log": close.log[:8]}
    return Text("Evening {evening}, game {number} of the log that begins with {log}.", about)


def _course(game: Best, names: Sequence[str]) -> Markup | None:
    """Return the course of the points; nothing where they come with the last move alone, or of too many seats."""
    if not turns(game) or len(names) > SERIES_MOST:
        return None
    series = [(name, [points[seat] for points in game.course]) for seat, name in enumerate(names)]
    title = Text("Points move by move") if game.counts is None else Text("{what}, move by move", {"what": game.counts})
    ends = [(name, 0.0, number_text(values[-1])) for name, values in series]
    height = Text("points") if game.counts is None else game.counts
    name = f"course-{game.position.rules.name}"
    return lines(name, about_plot(title, ends), series, Text("moves"), height, steps=True)

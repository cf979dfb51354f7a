"""The sections about people, evenings and chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from tablier.archive.ended import Player
from tablier.archive.fairness import POWER
from tablier.archive.months import month_said
from tablier.archive.questions import (
    BY_MONTH,
    HEAD_TO_HEAD,
    NOT_FAIR,
    NUMBERED,
    Answer,
    Cell,
    Column,
    event_order,
    throws_enough,
)
from tablier.archive.ratings import CONFIDENCE
from tablier.course import chance
from tablier.games import title_of
from tablier.html.elements import Markup, tag
from tablier.report.plots import SERIES_MOST, Interval, bars, histogram, intervals, lines
from tablier.report.season import Row, Season, column, rows, say, table
from tablier.table.beams import MARGIN_LEAST, MARGIN_MOST
from tablier.texts import Text, all_of, counted, number_text, render

_PLAYERS_MOST, _PAIRS_MOST, _EVENINGS_MOST, _MONTHS_MOST = 20, 12, 60, 6


class Section(NamedTuple):
    """A section of the page."""

    key: str
    title: Text
    parts: Sequence[Markup]


def figures(season: Season) -> Section:
    """Tell how much there was."""
    present = rows(season.ask("results", "players"))
    evenings = rows(season.ask("evenings", "evenings"))
    told = [
        (Text("Games"), season.games),
        (
            Text("Evenings"),
            len(evenings) if season.scope.club is not None else sum(row["evenings"] for row in evenings),
        ),
        (Text("People"), sum(row["people"] for row in present)),
        (Text("Bots and simulated people"), sum(row["programs"] for row in present)),
        (Text("Months with games"), len(season.by_month)),
    ]
    shown = [tag("div", tag("dt", say(name)), tag("dd", n)) for name, n in told if n]
    games: Counter[str] = Counter()
    for row in rows(season.ask("evenings", "months")):
        games[row["game"]] += row["games"]
    most = all_of(
        [Text("{game} ({count})", {"game": title_of(kind), "count": games[kind]}) for kind, _ in games.most_common()]
    )
    parts = [tag("dl", shown, class_="figures"), tag("p", say(Text("Played: {games}.", {"games": most})))]
    return Section("figures", Text("In figures"), parts)


class _Player(NamedTuple):
    """A player, in the order of names."""

    name: str
    """As the page has it."""
    club: str
    key: str
    """Unlike all others of the club."""


def winners(season: Season) -> Section | None:
    """Tell who has won how often, all games together, and how that came about month by month."""
    answer = season.ask("results", "results")
    assert answer is not None
    played, won = _together(season)
    if not won:
        return None
    columns = [column(answer, key) for key in ("name", "games", "won", "share")]
    cells = [(each.name, played[each], won[each], won[each] / played[each]) for each in _ranked(played, won)]
    parts = [_wins(season, played, won), table(columns, cells, most=_PLAYERS_MOST)]
    parts += [tag("p", say(note), class_="soft") for note in answer.notes if note is NUMBERED]
    return Section("won", Text("Who has won"), [tag("div", parts, class_="beside")])


def wins(season: Season) -> list[Markup]:
    """Return a plot of who has won how often; nothing where nobody has."""
    played, won = _together(season)
    return [_wins(season, played, won)] if won else []


def _ranked(played: Counter[_Player], won: Counter[_Player]) -> list[_Player]:
    """Return all, people first, and those who have won most often."""
    return sorted(played, key=lambda each: (not Player(each.key, None).is_person, -won[each], played[each], each))


def _wins(season: Season, played: Counter[_Player], won: Counter[_Player]) -> Markup:
    """Return a plot of those who have won most often, and who is left out of it."""
    order = _ranked(played, won)
    left = [each.name for each in order[SERIES_MOST:]]
    note = tag("p", say(_not_drawn(left)), class_="soft") if left else None
    return tag("div", _course(season, order[:SERIES_MOST]), note)


def _not_drawn(names: Sequence[str]) -> Text:
    """Return who is left out of a plot."""
    if len(names) > SERIES_MOST:
        return Text("Not drawn: {count} others.", {"count": len(names)})
    return Text("Not drawn, but in the table: {names}.", {"names": all_of(names)})


def _course(season: Season, players: Sequence[_Player]) -> Markup:
    """Return a plot of the wins of some players: added up by month with games or, of a single month, in all."""
    months = sorted(season.by_month)
    won = [_together(season.month(month))[1] for month in months]
    course = [(who.name, [float(each) for each in accumulate(month[who] for month in won)]) for who in players]
    told = [(name, values[-1], number_text(values[-1])) for name, values in course]
    said, axis = about_plot(Text("Games won"), told), Text("games won")
    if len(months) < 2:
        return bars("won", said, told, axis)
    labels = [str(month_said(month)) for month in months]
    return lines("won", said, course, Text("by the end of the month"), axis, labels)


def _together(season: Season) -> tuple[Counter[_Player], Counter[_Player]]:
    """Return how many games each has played, and won, of all kinds together."""
    played, won = Counter[_Player](), Counter[_Player]()
    for row in rows(season.ask("results", "results")):
        player = _Player(season.who(row), row["club"], row["player"])
        played[player] += row["games"]
        won[player] += row["won"]
    return +played, +won


def results(season: Season) -> Section:
    """Tell of each game who has played, won, and how strong everybody is."""
    parts = []
    played, rated = season.ask("results", "results"), season.ask("ratings", "ratings")
    assert played is not None
    for kind in season.kinds:
        parts.append(tag("h3", title_of(kind)))
        beside = [_table(season, played, kind, "name", "games", "won", "share", "points", "by_others")]
        if rated is not None and any(row["game"] == kind for row in rows(rated)):
            beside.append(_ratings(season, rated, kind))
        parts.append(tag("div", beside, class_="beside"))
    parts += [tag("p", say(note), class_="soft") for note in played.notes]
    if rated is not None:
        about = {"confidence": number_text(CONFIDENCE, ".0%")}
        note = Text(
            "Ratings are OpenSkill's (Plackett and Luce), over all games of a club but practice; the bar holds a"
            " player's strength with a chance of {confidence}. It is wide for those who have played little. Two"
            " players of different clubs cannot be compared.",
            about,
        )
        parts.append(tag("p", say(note), class_="soft"))
    return Section("results", Text("Results and ratings"), parts)


def _table(season: Season, answer: Answer, kind: str, *keys: str) -> Markup:
    """Return some columns of a table, of one game."""
    columns = [column(answer, key) for key in keys]
    found = [row for row in rows(answer) if row["game"] == kind]
    cells = [[season.who(row) if key == "name" else row[key] for key in keys] for row in found]
    return table(columns, cells, most=_PLAYERS_MOST)


def ratings(season: Season) -> list[Markup]:
    """Return a plot of the ratings of each game."""
    rated = season.ask("ratings", "ratings")
    kinds = {row["game"] for row in rows(rated)}
    return [
        tag("div", tag("h3", title_of(kind)), _ratings(season, rated, kind))
        for kind in season.kinds
        if rated is not None and kind in kinds
    ]


def _ratings(season: Season, rated: Answer, kind: str) -> Markup:
    form = column(rated, "rating")
    drawn = []
    for row in [row for row in rows(rated) if row["game"] == kind][:_PLAYERS_MOST]:
        low, high = row["rating"] - row["uncertainty"], row["rating"] + row["uncertainty"]
        about = {"rating": form.shown(row["rating"]), "low": number_text(round(low)), "high": number_text(round(high))}
        written = render(Text("{rating} ({low} to {high})", about))
        drawn.append(Interval(season.who(row), low, row["rating"], high, written))
    title = Text("Ratings of {game}", {"game": title_of(kind)})
    said = about_plot(title, [(row.name, row.middle, row.written) for row in drawn])
    return intervals(f"rating-{kind}", said, drawn, Text("rating"))


def head_to_head(season: Season) -> Section | None:
    """Tell how the most frequent pairs have done against each other."""
    answer = season.ask("against", "against")
    if answer is None:
        return None
    columns = [column(answer, key) for key in ("name", "other", "game", "games", "share")]
    pairs = sorted(rows(answer), key=lambda row: (-row["games"], -row["share"], row["game"], season.who(row)))
    cells = [
        (season.who(row), season.who(row, "other"), row["game"], row["games"], row["share"])
        for row in pairs[:_PAIRS_MOST]
    ]
    notes = [tag("p", say(note), class_="soft") for note in answer.notes]
    return Section("against", HEAD_TO_HEAD, [table(columns, cells), *notes])


def evenings(season: Season) -> Section | None:
    """List the evenings, and the games of each month."""
    answer, parts = season.ask("evenings", "evenings"), []
    if answer is not None:
        shown = answer.rows[-_EVENINGS_MOST:]
        if left := len(answer.rows) - len(shown):
            parts.append(
                tag("p", say(counted(left, "{count} earlier one is not shown.", "{count} earlier ones are not shown.")))
            )
        parts.append(table(answer.columns, shown))
    parts += by_month(season)
    return Section("evenings", Text("Evenings"), [tag("div", parts, class_="beside")]) if parts else None


def by_month(season: Season) -> list[Markup]:
    """Return a plot of the games of each month; nothing of a single one."""
    if len(season.by_month) < 2:
        return []
    told = [(str(month_said(month)), float(n), number_text(n)) for month, n in sorted(season.by_month.items())]
    return [bars("months", about_plot(BY_MONTH, told), told, Text("games"))]


def lengths(season: Season) -> Section | None:
    """Tell how many moves games have."""
    answer = season.ask("lengths", "lengths")
    if answer is None:
        return None
    keys = ("game", "players", "games", "least", "median", "most")
    cells = [[row[key] for key in keys] for row in rows(answer)]
    parts = [table([column(answer, key) for key in keys], cells), tag("div", by_length(season), class_="beside")]
    return Section("lengths", Text("How long games are"), parts)


def by_length(season: Season) -> list[Markup]:
    """Return a plot of the lengths of each game."""
    spread = rows(season.ask("lengths", "spread"))
    plots = (_histogram(kind, [row for row in spread if row["game"] == kind]) for kind in season.kinds)
    return [plot for plot in plots if plot is not None]


def _histogram(kind: str, spread: Sequence[Row]) -> Markup | None:
    """Return a plot of how many games have how many moves; nothing where they are all alike."""
    if len(spread) < 2:
        return None
    told = [(str(Text("{from} to {to}", row)), 0.0, number_text(row["games"])) for row in spread]
    title = Text("{game}: games by length", {"game": title_of(kind)})
    classes = [(row["from"], row["to"], row["games"]) for row in spread]
    plot = histogram(f"length-{kind}", about_plot(title, told), classes, Text("moves"), Text("games"))
    return tag("div", tag("h3", title_of(kind)), plot, class_="whole")


def endings(season: Season) -> Section | None:
    """Tell how games end."""
    answer = season.ask("endings", "endings")
    if answer is None:
        return None
    return Section("endings", Text("How games end"), [table(answer.columns, answer.rows)])


def dice(season: Season) -> Section | None:
    """Tell in words whether dice and bags are fair, and what that rests on."""
    answer = season.ask("dice", "dice")
    if answer is None:
        return None
    tested, parts = rows(answer), words_of_dice(season)
    keys = ["game", "source", "die", "n", "face", "seen", "expected", "p", "verdict"]
    if len(season.clubs) > 1:
        keys.insert(1, "club")
    columns = [column(answer, key) for key in keys]
    cells = [[row[key] for key in keys] for row in tested]
    notes = [tag("p", say(note), class_="soft") for note in answer.notes[:1]]
    return Section("dice", Text("Dice and draws"), [*parts, table(columns, cells), *notes])


def words_of_dice(season: Season) -> list[Markup]:
    """Name unfair dice and bags, and those thrown often enough to tell."""
    answer = season.ask("dice", "dice")
    if answer is None:
        return []
    tested = rows(answer)
    accused = [_accused(season, answer, row) for row in tested if row["verdict"] == NOT_FAIR]
    return [
        *(tag("p", say(text), class_="hot") for text in accused),
        *(tag("p", say(text)) for text in _shown_by(tested)),
    ]


def _accused(season: Season, answer: Answer, row: Row) -> Text:
    about = {
        "club": row["club"],
        "n": number_text(row["n"], ",d"),
        **{key: column(answer, key).shown(row[key]) for key in ("die", "source", "face")},
        "game": title_of(row["game"]),
        "seen": number_text(row["seen"], ".1%"),
        "expected": number_text(row["expected"], ".1%"),
        "p": Text("less than 0.0001") if row["p"] < 0.0001 else number_text(row["p"], ".4f"),
    }
    if len(season.clubs) > 1:
        return Text(
            "The {die} of {game} (source: {source}; {club}) is not fair: in {n} throws or draws {face} came in {seen},"
            " not in {expected}. Chance alone does as much or more with a probability of {p}.",
            about,
        )
    return Text(
        "The {die} of {game} (source: {source}) is not fair: in {n} throws or draws {face} came in {seen}, not in"
        " {expected}. Chance alone does as much or more with a probability of {p}.",
        about,
    )


_TOUCHED = {
    chance.ROLL: Text("Rolled at the table"),
    chance.TALLY: Text("Thrown or drawn by hand"),
}
"""The sources that people can touch."""


def _shown_by(tested: Sequence[Row]) -> Iterator[Text]:
    """Yield for each source that people can touch whether a die that is not fair could have been seen, then how many
    throws that takes, then what the computer has thrown."""
    needed = throws_enough(len(tested))
    by_hand = False
    for source, name in _TOUCHED.items():
        if own := [row for row in tested if row["source"] == source]:
            by_hand = True
            yield Text("{source}: {what}", {"source": name, "what": _seen_by(own, needed)})
    if not by_hand:
        yield Text("No dice or bags that people can touch were used.")
    yield Text(
        "A die of six that shows one face once in five instead of once in six is found, beside all others of this"
        " table, with a chance of {power} after {needed} throws.",
        {"power": number_text(POWER, ".0%"), "needed": number_text(needed, ",d")},
    )
    if computed := [row for row in tested if row["source"] not in _TOUCHED]:
        about = {"n": number_text(sum(row["n"] for row in computed), ",d")}
        if any(row["verdict"] == NOT_FAIR for row in computed):
            yield Text("The computer itself threw and drew {n} times: not all of it is fair, see above.", about)
        else:
            yield Text(
                "The computer itself threw and drew {n} times; nothing speaks against its chance, and that says nothing"
                " of real dice.",
                about,
            )


def _seen_by(own: Sequence[Row], needed: int) -> Text:
    """Return how much came from a source, and whether one of its dice that is not fair could have been seen."""
    enough, most = [row for row in own if row["n"] >= needed], max(row["n"] for row in own)
    thrown = number_text(sum(row["n"] for row in own), ",d")
    about = {"all": thrown, "most": number_text(most, ",d"), "enough": len(enough)}
    if not enough:
        return counted(
            len(own),
            "{all} throws or draws, too few to see a loaded die. One that is not accused may still be loaded.",
            "{all} throws or draws, at most {most} of one die or bag, too few to see a loaded die. One that is not"
            " accused may still be loaded.",
            **about,
        )
    if len(enough) == len(own):
        return counted(
            len(own),
            "{all} throws or draws, enough to see a loaded die.",
            "{all} throws or draws, of each of the {count} dice or bags enough to see a loaded one.",
            **about,
        )
    return Text(
        "{all} throws or draws. Of {enough} of {kinds} dice and bags they are enough to see a loaded one; of the others"
        " one that is not accused may still be loaded.",
        {**about, "kinds": len(own)},
    )


def tables(season: Season) -> Section | None:
    """Tell what the tables went through."""
    answer = season.ask("tables", "tables")
    if answer is None:
        return None
    went: dict[str, Counter[int]] = {}
    for row in rows(answer):
        went.setdefault(row["what"], Counter())[row["month"]] += row["times"]
    months = sorted(season.by_month)[-_MONTHS_MOST:]
    shown = months if len(months) > 1 else []
    times = column(answer, "times")
    whole = times._replace(head=Text("in all", context="column")) if shown else times
    heads = [column(answer, "what"), *_month_columns(times, shown), whole]
    cells: list[list[Cell]] = [
        [what, *(went[what][month] for month in shown), went[what].total()]
        for what in sorted(went, key=lambda what: (event_order(what), what))
    ]
    return Section("tables", Text("The tables"), [table(heads, cells), *beams(season)])


def _month_columns(form: Column, months: Sequence[int]) -> list[Column]:
    """Return a column for each month."""
    return [form._replace(head=Text("{month}", {"month": month_said(month)})) for month in months]


def beams(season: Season) -> list[Markup]:
    """Tell of each table whose beams were measured how much of their light they can do without."""
    answer = season.ask("tables", "beams")
    if answer is None:
        return []
    by_table: dict[str, list[Row]] = {}
    for row in rows(answer):
        by_table.setdefault(season.who(row, "table"), []).append(row)
    told = [tag("p", say(note), class_="soft") for note in answer.notes]
    return [part for name, found in by_table.items() for part in _beams_of(name, found, answer)] + told


def _beams_of(name: str, found: Sequence[Row], answer: Answer) -> Iterator[Markup]:
    """Tell of one table month by month, and of the beams that are to be looked after."""
    months = sorted({row["month"] for row in found})[-_MONTHS_MOST:]
    margins = {(row["beam"], row["month"]): row["margin"] for row in found}
    margin = column(answer, "margin")
    heads = [column(answer, "beam"), *_month_columns(margin, months)]
    names = sorted({row["beam"] for row in found})
    yield tag("h3", say(Text("Beams of table {table}", {"table": name})))
    yield table(heads, [[beam, *(margins.get((beam, month)) for month in months)] for beam in names])
    for row in found:
        if row["month"] == months[-1] and not MARGIN_LEAST <= 100 * row["margin"] <= MARGIN_MOST:
            about = {"beam": heads[0].shown(row["beam"]), "seen": margin.shown(row["margin"])}
            about["month"] = str(month_said(months[-1]))
            text = Text("In {month}, {beam} had {seen} to spare; 'tablier table selftest' says what helps.", about)
            yield tag("p", say(text), class_="hot")


def about_plot(title: Text, told: Sequence[tuple[str, float, str]]) -> Text:
    """Return what a plot shows, for who hears it."""
    said = [Text("{name} {value}", {"name": name, "value": value}) for name, _, value in told]
    return Text("{title}: {all}", {"title": title, "all": said})


__all__ = [
    "Section",
    "about_plot",
    "by_length",
    "by_month",
    "dice",
    "endings",
    "evenings",
    "figures",
    "head_to_head",
    "lengths",
    "ratings",
    "results",
    "tables",
    "winners",
    "wins",
    "words_of_dice",
]

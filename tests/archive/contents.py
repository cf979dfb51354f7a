"""The whole of an archive in a form that does not depend on the order in which it came about."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from tablier.archive.database import Archive
from tablier.archive.keeping import read_games
from tablier.archive.summary import AGAINST
from tablier.archive.tables import CHAIN, CLUB, FACT, GAME, PLAYER, RATED, RATING, SOURCE, SUMMARY


def contents(archive: Archive) -> dict[str, Any]:
    """Return clubs, sources, players, games, their facts, what they add up to, and ratings, without the ids of rows."""
    with archive.reading() as connection:
        clubs = {row.id: row.name for row in connection.execute(select(CLUB))}
        sources = {row.id: row.origin.hex() for row in connection.execute(select(SOURCE))}
        players = {row.id: row.key for row in connection.execute(select(PLAYER))}
        heads = {
            (clubs[row.club], row.origin.hex(), row.entries, row.head and row.head.hex())
            for row in connection.execute(select(SOURCE))
        }
        chains: dict[str, bytes] = {}
        for row in connection.execute(select(CHAIN).order_by(CHAIN.c.source, CHAIN.c.after)):
            chains[sources[row.source]] = chains.get(sources[row.source], b"") + row.hashes
        games = {
            (clubs[club], sources[source]): sorted(
                read_games(connection, (GAME.c.source == source) & (GAME.c.club == club)), key=lambda game: game.number
            )
            for club, source in connection.execute(select(GAME.c.club, GAME.c.source).distinct()).all()
        }
        facts = {
            (sources[row.source], row.number, row.what, row.value, row.n, round(row.total, 6))
            for row in connection.execute(select(FACT))
        }
        summary = {}
        for row in connection.execute(select(SUMMARY)):
            value = players[int(row.value)] if row.what == AGAINST else row.value
            who = players[row.player] if row.player else ""
            key = (clubs[row.club], sources[row.source], row.block, row.month, row.kind, row.players)
            summary[*key, who, row.what, value] = row.n, round(row.total, 6)
        ratings = {
            (clubs[row.club], row.kind, players[row.player]): (round(row.mu, 6), round(row.sigma, 6), row.games)
            for row in connection.execute(select(RATING))
        }
        rated = {
            (clubs[row.club], row.kind, row.ended, sources[row.source], row.number)
            for row in connection.execute(select(RATED))
        }
        people = {(clubs[row.club], row.key, row.name) for row in connection.execute(select(PLAYER))}
    return {
        "sources": heads,
        "chains": chains,
        "games": games,
        "facts": facts,
        "summary": summary,
        "ratings": ratings,
        "rated": rated,
        "players": people,
    }

"""The tables of an archive: a row a game, a row a seat, a row a fact of a game, and what blocks of games add up to.

Games and seats are named by their source (a log or a campaign) and their number in it, so that many rows are written
without asking for ids. Everything that changes with a game hangs on its club: two clubs never write the same row.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from tablier.archive import CLUB_MAX
from tablier.archive.ended import KEY_MAX
from tablier.archive.facts import VALUE_MAX, WHAT_MAX

VERSION = 3
"""Raised whenever tables change, or what they say of a game."""
READABLE = 2
"""The earliest version that is read: it has no table ``added``, which comes with the first change."""
METADATA = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pk",
        "fk": "%(table_name)s_%(referred_table_name)s_fk",
        "uq": "%(table_name)s_%(column_0_N_name)s_uq",
    }
)

ARCHIVE = Table("archive", METADATA, Column("version", Integer, primary_key=True, autoincrement=False))
"""Its one row says by which version the tables were made."""

CLUB = Table(
    "club",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", String(CLUB_MAX), nullable=False, unique=True),
)

SOURCE = Table(
    "source",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("club", ForeignKey(CLUB.c.id), nullable=False),
    Column("origin", LargeBinary(32), nullable=False, unique=True),
    Column("campaign", Text),
    Column("entries", Integer, nullable=False),
    Column("head", LargeBinary(32)),
)
"""Sources of games: a log, named by the hash of its first entry, with the number and the hash of the last
entry that was read; or a campaign (its JSON)."""

CHAIN = Table(
    "chain",
    METADATA,
    Column("source", ForeignKey(SOURCE.c.id), primary_key=True),
    Column("after", Integer, primary_key=True, autoincrement=False),
    Column("hashes", LargeBinary, nullable=False),
)
"""The first byte of the hash of each entry of a log, from the one after this: where a log forks."""

ADDED = Table(
    "added",
    METADATA,
    Column("source", ForeignKey(SOURCE.c.id), primary_key=True, autoincrement=False),
    Column("file", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("changes", Integer, nullable=False),
    Column("change", LargeBinary),
    Column("root", LargeBinary(32), nullable=False),
    Column("since", Integer, nullable=False),
    Index("added_root", "root"),
)
"""The last addition of a log: the name of its file, the time (microseconds since 1970), how many changes there were
beside its entries, and the id of the last one (``Log.changes``). root: the hash of its first entry. since: the entry
that names it, 1 but for a copy that was used on its own: there it is the first that the other copy does not have."""

PLAYER = Table(
    "player",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("club", ForeignKey(CLUB.c.id), nullable=False),
    Column("key", String(KEY_MAX), nullable=False),
    Column("name", Text),
    UniqueConstraint("club", "key"),
)
"""A person of a club (by the id that its log gives; without a name where it was forgotten), a bot, or a simulated
person."""

_OF_EVENINGS = "evening > 0"
GAME = Table(
    "game",
    METADATA,
    Column("source", ForeignKey(SOURCE.c.id), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("club", Integer, nullable=False),
    Column("kind", String(40), nullable=False),
    Column("month", Integer, nullable=False),
    Column("players", SmallInteger, nullable=False),
    Column("began", BigInteger, nullable=False),
    Column("ended", BigInteger, nullable=False),
    Column("evening", Integer, nullable=False),
    Column("series", Integer),
    Column("practice", Boolean, nullable=False),
    Column("moves", Integer, nullable=False),
    Column("ending", String(40), nullable=False),
    Column("state", LargeBinary(16), nullable=False),
    Column("body", LargeBinary, nullable=False),
    Index("game_club_ended", "club", "ended"),
    Index(
        "game_evening",
        *("club", "source", "evening", "series", "ended", "began", "kind"),
        sqlite_where=text(_OF_EVENINGS),
    ),
)
"""A game that has ended: times in microseconds since 1970 (UTC); month: that of its end, such as 202611; state: a
digest of all that is stored of it but its players; body: options, moves, sources of chance and what the table went
through, as compressed JSON."""


def index_as_on_server() -> None:
    """Have the index of evenings leave out what it does in a file. A server's dialect takes long to import: only who
    makes tables there needs it."""
    for index in GAME.indexes:
        if index.name == "game_evening":
            index.kwargs["postgresql_where"] = text(_OF_EVENINGS)


SEAT = Table(
    "seat",
    METADATA,
    Column("source", Integer, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("seat", SmallInteger, primary_key=True, autoincrement=False),
    Column("player", ForeignKey(PLAYER.c.id), nullable=False),
    Column("points", Float, nullable=False),
    Column("won", Boolean, nullable=False),
    Column("own", Boolean, nullable=False),
    ForeignKeyConstraint(["source", "number"], [GAME.c.source, GAME.c.number], ondelete="CASCADE"),
    Index("seat_player", "player"),
)
"""own: false where somebody else decided a move of the player, as a bot for a person who had left."""

FACT = Table(
    "fact",
    METADATA,
    Column("source", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("what", String(WHAT_MAX), nullable=False),
    Column("value", String(VALUE_MAX), nullable=False),
    Column("n", Integer, nullable=False),
    Column("total", Float, nullable=False),
    Index("fact_game", "source", "number"),
)
"""A fact of a game (:mod:`tablier.archive.facts`). Without keys to other tables: checking them takes as long as writing
the row."""

SUMMARY = Table(
    "summary",
    METADATA,
    Column("club", Integer, nullable=False),
    Column("source", Integer, nullable=False),
    Column("block", Integer, nullable=False),
    Column("month", Integer, nullable=False),
    Column("kind", String(40), nullable=False),
    Column("players", SmallInteger, nullable=False),
    Column("player", Integer, nullable=False),
    Column("what", String(WHAT_MAX), nullable=False),
    Column("value", String(VALUE_MAX), nullable=False),
    Column("n", BigInteger, nullable=False),
    Column("total", Float, nullable=False),
    Index("summary_block", "source", "block"),
    Index("summary_club", "club", "what"),
)
"""What the games of a block of a source add up to, by month, kind and number of players; player 0 for the game as a
whole (:mod:`tablier.archive.summary`)."""

RATING = Table(
    "rating",
    METADATA,
    Column("club", ForeignKey(CLUB.c.id), primary_key=True, autoincrement=False),
    Column("kind", String(40), primary_key=True),
    Column("player", ForeignKey(PLAYER.c.id), primary_key=True, autoincrement=False),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("games", Integer, nullable=False),
)

RATED = Table(
    "rated",
    METADATA,
    Column("club", ForeignKey(CLUB.c.id), primary_key=True, autoincrement=False),
    Column("kind", String(40), primary_key=True),
    Column("ended", BigInteger, nullable=False),
    Column("source", Integer, nullable=False),
    Column("number", Integer, nullable=False),
)
"""The last game that the ratings of a club and a game take in."""

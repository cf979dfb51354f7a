"""Clubs, the sources of their games, games with their seats, what they add up to, and ratings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "a1"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "club",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("counting", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="club_pk"),
        sa.UniqueConstraint("name", name="club_name_uq"),
    )
    op.create_table(
        "player",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("club", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=120), nullable=False),
        sa.Column("name", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["club"], ["club.id"], name="player_club_fk"),
        sa.PrimaryKeyConstraint("id", name="player_pk"),
        sa.UniqueConstraint("club", "key", name="player_club_key_uq"),
    )
    op.create_table(
        "rated",
        sa.Column("club", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("ended", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["club"], ["club.id"], name="rated_club_fk"),
        sa.PrimaryKeyConstraint("club", "kind", name="rated_pk"),
    )
    op.create_table(
        "source",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("club", sa.Integer(), nullable=False),
        sa.Column("origin", sa.LargeBinary(length=32), nullable=False),
        sa.Column("campaign", sa.Text(), nullable=True),
        sa.Column("entries", sa.Integer(), nullable=False),
        sa.Column("head", sa.LargeBinary(length=32), nullable=True),
        sa.ForeignKeyConstraint(["club"], ["club.id"], name="source_club_fk"),
        sa.PrimaryKeyConstraint("id", name="source_pk"),
        sa.UniqueConstraint("origin", name="source_origin_uq"),
    )
    op.create_table(
        "tally",
        sa.Column("club", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("month", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("players", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("player", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("what", sa.String(length=40), nullable=False),
        sa.Column("value", sa.String(length=80), nullable=False),
        sa.Column("n", sa.BigInteger(), nullable=False),
        sa.Column("total", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["club"], ["club.id"], name="tally_club_fk"),
        sa.PrimaryKeyConstraint("club", "month", "kind", "players", "player", "what", "value", name="tally_pk"),
    )
    op.create_table(
        "chain",
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("after", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("hashes", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["source"], ["source.id"], name="chain_source_fk"),
        sa.PrimaryKeyConstraint("source", "after", name="chain_pk"),
    )
    op.create_table(
        "game",
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("club", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("began", sa.BigInteger(), nullable=False),
        sa.Column("ended", sa.BigInteger(), nullable=False),
        sa.Column("evening", sa.Integer(), nullable=False),
        sa.Column("series", sa.Integer(), nullable=True),
        sa.Column("practice", sa.Boolean(), nullable=False),
        sa.Column("moves", sa.Integer(), nullable=False),
        sa.Column("ending", sa.String(length=40), nullable=False),
        sa.Column("state", sa.LargeBinary(length=16), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["source"], ["source.id"], name="game_source_fk"),
        sa.PrimaryKeyConstraint("source", "number", name="game_pk"),
    )
    op.create_index("game_club_ended", "game", ["club", "ended"], unique=False)
    op.create_index(
        "game_evening",
        "game",
        ["club", "source", "evening", "series", "ended", "began", "kind"],
        sqlite_where=sa.text("evening > 0"),
        postgresql_where=sa.text("evening > 0"),
    )
    op.create_table(
        "rating",
        sa.Column("club", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("player", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["club"], ["club.id"], name="rating_club_fk"),
        sa.ForeignKeyConstraint(["player"], ["player.id"], name="rating_player_fk"),
        sa.PrimaryKeyConstraint("club", "kind", "player", name="rating_pk"),
    )
    op.create_table(
        "seat",
        sa.Column("source", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("player", sa.Integer(), nullable=False),
        sa.Column("points", sa.Float(), nullable=False),
        sa.Column("won", sa.Boolean(), nullable=False),
        sa.Column("own", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["player"], ["player.id"], name="seat_player_fk"),
        sa.ForeignKeyConstraint(
            ["source", "number"], ["game.source", "game.number"], name="seat_game_fk", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("source", "number", "seat", name="seat_pk"),
    )
    op.create_index("seat_player", "seat", ["player"], unique=False)

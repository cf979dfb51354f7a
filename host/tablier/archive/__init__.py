"""Ended games of many logs and clubs in one database, SQLite or PostgreSQL, and what is asked of them."""

CLUB_MAX = 80
"""Characters of a club's name."""

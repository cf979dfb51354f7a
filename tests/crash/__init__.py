"""Crashes: games whose log is written to a disk that stops, fills up or fails at any point.

:mod:`tests.crash.disk` is the disk: SQLite writes to it through ``apsw``, every operation is recorded, and what may be
on it after each of them is made from the record. :mod:`tests.crash.games` plays and says what a log has to hold.
:mod:`tests.crash.campaigns` brings the two together; ``python -m tests.crash`` (``make crash``) runs all of it, and
``test_crash.py`` a sample.
"""

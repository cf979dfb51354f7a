"""The error of everything that reads or writes an archive."""

from __future__ import annotations

from tablier.texts import Failure, Unsound


class ArchiveError(Failure):
    """An archive that cannot be opened, read or written; the text is one line: where, what, why."""


class ArchiveUnsound(ArchiveError, Unsound):
    """A log that does not follow from what the archive holds of it."""

"""The log: everything that happened, one SQLite file, one writer, nothing ever changed or taken out.

What is not durably logged has not happened: :meth:`Log.append_all` returns when its entries are on the disk. Readers
(:meth:`Log.read`) work beside the writer and see whole transactions.

*Entries.* The log is one list of entries, numbered from 1. Each carries the SHA-256 of the one before and itself
(:mod:`tablier.log.chain` says of which bytes), so that no change, gap or swap goes unnoticed by :meth:`Log.verify`.
Only a cut tail leaves a sound chain; the *head*, the hash of the last entry, is shown to people for that, and
``verify`` accepts it.

*Names stand beside the chain.* Entries name people by id; a table says who that is. So somebody can be renamed, merged
with another or forgotten (:mod:`tablier.log.people`), and the log verifies as before. A game binds the names that it
was played under (``named`` of a seat), and what opens that stands beside the chain, too, until somebody is forgotten.

*Nothing is stored twice.* An entry is stored without what stands in every entry of its kind or follows from others
(:mod:`tablier.log.storing`). Games, evenings, standings and cursors are derived from the entries when they are asked
for; a row beside the chain is kept of each game that is over (:mod:`tablier.log.ended`) and of each evening
(:mod:`tablier.log.evening_rows`), and ``verify`` derives it anew. A log holds secrets and is readable by its owner
alone; what may be told of a running game is said by :mod:`tablier.judge.redaction`.

*Modules.* Each name is imported from the module where it stands, so that a program that finds a log's keeper loads no
SQLite. ``store`` appends, reads and backs up; ``chain`` and ``bodies`` say what an entry is, ``storing`` how it is
stored, ``fold`` and ``evenings`` what follows from entries, ``ended`` and ``evening_rows`` what is kept of that,
``deciding`` who decided for a seat, ``people`` who somebody is, ``checking`` whether a log is whole, ``unchecked`` and
``checker`` the same beside a writer. Under it ``opening`` opens a file, for its one writer (``lock``) or for readers;
``making`` makes one, new or as a copy; ``migrations`` knows its format, ``connection`` how SQLite is set and the one
place that commits, ``files`` the names beside it, ``errors`` what a disk can report.

Kinds of entries, with their bodies (:mod:`tablier.log.bodies` declares every field):

========== =================================================================================================
game       ``{"game", "options", "seats", …}``: a game begins, with ``"prelude": true`` where something is settled
           before its first position, such as who has the first turn
prelude    ``{"text", "by"}``: what the table threw or drew for that, like a move
begins     ``{"options"}``: what the prelude has settled; the first position follows
move       ``{"text", "by"}``: a move in the notation of its game, and who it came from
takeback   ``{"to", "by", "agreed"}``: the number of moves that remain, as a seat wanted and others agreed
correction what somebody says was really played; the takeback and the moves after it, if any, are what follows
dispute    what somebody says against a move; it stands
mistake    a seat has entered in secret what it did not draw; a takeback and other moves follow where all agree
pause      ``{"seat"}``: play stops; the next ask, whether to resume the game, ends it, or a pause with
           ``"ends": true``
call       ``{"seat"}``: a seat stops play, at a screen; the asks after it are what for
elapsed    ``{"id"}``: that seat has not said so in time
shown      the end of the game has stood on the table
end        ``{"scores", "winners"}``: the game is over
ask        a question was put to seats
table      an event from the wire as it came
commitment what a source that is not at the table has committed to
fault      what the table said and cannot be, as it came; it is used for nothing
sits       ``{"seat", "source", "by"}``: what decides for a seat from now on; ``by``: that seat, or 0 for the
           operator. With ``why``: a built-in bot takes over from one that failed; with ``person``: who has it at a
           screen, where that is not who began with it
since      the events of a boot of the table up to the cursor of this entry are not in this log: ``{}`` where another
           log has them; ``{"lost", "rolls"}`` where the table was told that this one has: a newer copy of it has, or
           had, that many events, with that many rolls among them
gap        ``{"boot", "after"}``: a boot of the table ended, its events after this number are lost
void       a question and all its commitments are void
note       what the table itself decided, in the words of the rules
warning    ``{"what", "why"}``: people were warned of something; nothing follows from it. Of ``rolls`` that the table
           counts otherwise than this log also ``{"boot", "counts"}``: what the table says
reveal     ``{"by"}``: somebody lifted the secrets of a game
ids        ``{"to"}``: interaction ids up to this one are taken
evening    ``{"evening", "table"}``: an evening begins; its games name it, and the ``"series"`` that they belong to. A
           game that names none begins one, which later games, or any entry below, may name
came       ``{"evening", "person", "place"}``: somebody came, or changed the place (0: none)
went       ``{"evening", "person"}``: somebody went, whose key holds no longer
key        ``{"evening", "person"}``: somebody has another key, and the one before holds no longer
organiser  ``{"evening", "person", "on"}``: somebody may conduct the evening, or no longer
door       ``{"evening", "open"}``: people can come in by a code, or no longer; one that is opened again has another
series     ``{"evening", "series", "games", "wins", "count"}``: a series begins: first to ``wins``, or ``count`` games
closed     ``{"evening"}``: an evening was ended
========== =================================================================================================
"""

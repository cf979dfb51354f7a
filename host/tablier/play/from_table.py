"""What comes in from the table: each event is one change; what cannot be is a fault of the table."""

from __future__ import annotations

import os

from tablier.course.declined import Declined
from tablier.course.entries import Body
from tablier.course.session import CONTRIBUTION_BYTES
from tablier.games.core.questions import Choice, Roll, Window, doubt
from tablier.log.bodies import nearest_time
from tablier.log.chain import SINCE
from tablier.play.change import Change
from tablier.play.committing import Committer
from tablier.table.health import changed_texts
from tablier.table.incoming import Ailing, Incoming, Plugged, Rebooted, Refused, TableEvent, Unfit, Unplugged, Walked
from tablier.texts import Text, Who, all_of, counted
from tablier_fw import wire

_ROLLED_AGAIN = Text("The table did not reveal a roll as it had committed to it; it is rolled again.")


class FromTable:
    """Takes what the client of a game's table has received."""

    def __init__(self, game: Committer) -> None:
        self._game = game
        self._session = game.session
        self._table = game.table
        self._called = 0  # the seat whose call waits until a choice has opened
        self._strayed = 0  # the latest question with a cursor where none can be

    def take(self, incoming: Incoming) -> None:
        """Take what has come from the table: log it, act on it, acknowledge it."""
        session = self._session
        if isinstance(incoming, TableEvent):
            self._take_event(incoming)
        elif isinstance(incoming, Unfit):
            self._take_unfit(incoming)
        elif isinstance(incoming, Refused):
            self._game.audience.note("refusal", Text("The table refused a message: {why}.", {"why": incoming.why}))
            if incoming.message is wire.CONTRIBUTION and session.open.rolling:
                change = Change(self._session)
                self._game.void(change, _ROLLED_AGAIN, incoming.why)
                self._game.commit(change)
            self._game.audience.publish()
        elif isinstance(incoming, Walked):
            if incoming.question == session.id:
                self._walk(incoming.place, incoming.option)
        elif isinstance(incoming, Rebooted):
            known = self._table.known
            if known is None or known["boot"] == incoming.before:  # else the game began at a later boot
                change = Change(self._session)
                self.restart(change, incoming.boot, incoming.lost)
                self._game.commit(change)
        elif isinstance(incoming, Unplugged):
            self._game.audience.note(
                "unplugged", Text("The table does not answer. Is its cable plugged in? The game waits.")
            )
            self._game.audience.publish()
        elif isinstance(incoming, Ailing):
            for text in changed_texts(incoming.before, incoming.faults):
                self._game.audience.note("warning", text)
            self._game.audience.publish()
        elif isinstance(incoming, Plugged):
            assert self._table.client is not None
            self.catch_up()
            self._game.rolls.compare_soon()
            self._game.audience.note("plugged", Text("The table answers."))
            if self._table.client.warning:
                self._game.audience.note("warning", Text("Warning: {what}.", {"what": self._table.client.warning}))
            self._game.audience.publish()

    def _take_event(self, event: TableEvent) -> None:
        body = self._table.body_of(event)
        change = Change(self._session)
        closes = body["event"] == "closed" and body["id"] == self._session.id
        before = self._session.position.copy() if closes and isinstance(self._session.question, Window) else None
        if before is not None:
            change.note("closed", Text("The window is closed."))  # before what follows from it
        if event.message is wire.REVEALED:
            self._table.hold()  # until then the ring shows the outcome
        try:
            self._game.answer(change, "table", body, event.boot)
        except Declined as error:
            change = Change(self._session)
            self._add_fault(change, event.boot, {"what": body["event"], "event": body}, error.text)
            self._game.commit(change, event)
            return
        if before is not None:
            self._table.show_closed(before)  # before the moves that follow
        if self._session.open.contribution_due:
            contribution = os.urandom(CONTRIBUTION_BYTES).hex()
            change.feed("contribution", {"id": self._session.id, "bytes": contribution})
        if event.message is wire.CALLED and isinstance(self._session.question, Choice):
            self._called = self._session.open.seat_at(body["place"])
        asked = body.get("id") == self._session.id
        if asked and isinstance(self._session.question, Window):
            self._tell_window(change, body)
        self._game.commit(change, event)
        if asked and self._game.deadline is not None:
            self._table.light(self._game.deadline)
        if self._session.open.rolling:
            self._table.contribute()

    def call(self) -> None:
        """Stop play for a place that called while the choices of screens were still to be opened."""
        session, seat = self._session, self._called
        if not seat or isinstance(session.question, Choice):
            return
        self._called = 0
        if session.seats[seat - 1].at_table:
            try:
                self._game.feed("call", {"seat": seat})
            except Declined:
                pass  # another place has called, or the game is over

    def _tell_window(self, change: Change, body: Body) -> None:
        if body["event"] == "landed":
            unsure = doubt(body["confidence"], body["doubts"])
            lands = Text("A card lands in the arena.")
            change.note("landed", Text("A card lands in the arena ({doubt}).", {"doubt": unsure}) if unsure else lands)
            window = self._session.question
            assert isinstance(window, Window)
            if not body["doubts"] & wire.UNSEEN:  # it may be a knock, which keeps no window open
                self._game.deadline = self._game.clock.now() + window.quiet_s
        elif body["event"] == "done":
            who = {"who": Who(self._session.open.seat_at(body["place"]))}
            missed = Text("{who} throws no more; a card of theirs missed the arena.", who)
            change.note("done", missed if body["missed"] else Text("{who} throws no more.", who))

    def _walk(self, place: int, option: int) -> None:
        """Follow a place through its menu. Where it cannot be is a fault of the table, noted once a question."""
        why = self._session.open.astray(place, option)
        if why is None:
            self._game.reminder.postpone()
            self._game.prolong_call()
            self._table.walk(self._session.open.seat_at(place), option)
            self._game.audience.publish()
        elif self._strayed != self._session.id:
            self._strayed = self._session.id
            self._take_unfit(Unfit("", 0, wire.CURSOR.name, why))

    def _note_fault(self, change: Change, what: str, why: Text) -> None:
        args = {"what": what, "why": why}
        change.note("fault", Text("The table reported something impossible ({what}): {why}.", args))

    def _add_fault(self, change: Change, boot: str, body: Body, why: Text) -> None:
        """Announce and log a report of the table that cannot be true; do not use it."""
        self._note_fault(change, body["what"], why)
        asked, rolling = self._session.id, isinstance(self._session.question, Roll)
        change.feed("fault", {**body, "why": why.to_json()}, boot)
        if self._session.id != asked:
            text = Text("What a place opened is not what it had locked; everyone chooses again.")
            change.note("void", _ROLLED_AGAIN if rolling else text)

    def _take_unfit(self, unfit: Unfit) -> None:
        """Log what the client has found to be no message, or out of its time; it changes nothing in the game."""
        body: Body = {"what": unfit.what}
        change = Change(self._session)
        if unfit.event is not None:
            clock = self._game.clock
            body |= {"event": self._table.body_of(unfit.event), "heard": nearest_time(clock.date(clock.now()))}
        elif unfit.number:
            body |= {"code": unfit.code, "payload": unfit.payload.hex()}
        if unfit.number:
            self._add_fault(change, unfit.boot, body, unfit.why)
            self._game.commit(change, unfit)
            return
        self._note_fault(change, unfit.what, unfit.why)
        change.log("warning", {**body, "why": unfit.why.to_json()})
        self._game.commit(change)

    def restart(self, change: Change, boot: str, lost: int | None) -> None:
        """Take note that the table has another boot: what it had not sent is lost, and what it was asked is void.

        ``lost`` is how many events that is; ``None`` where nobody knows.
        """
        known = self._table.known
        assert known is not None and self._table.client is not None
        self._game.rolls.forget()
        self._game.rolls.compare_soon()
        before = known["boot"]
        after = self._game.log.cursor(before)
        what = Text("it is unknown whether events are lost")
        if lost is not None:
            what = counted(lost, "{count} event is lost", "{count} events are lost", "no event is lost")
        text = Text("The table has restarted: {what}; asking again.", {"what": what})
        question, session = self._session.question, self._session
        locked = [seat for seat in session.open.locked if session.seats[seat - 1].at_table]
        if isinstance(question, Choice) and locked:
            args = {"what": what, "who": all_of([Who(seat) for seat in locked])}
            args["all"] = all_of([Who(seat) for seat in question.seats])
            told = "The table has restarted: {what}, but it has forgotten what {who} had locked. {all} choose again."
            text = Text(told, args)
        if known["board"] != self._table.client.board:
            text = Text("This is another table than before; asking again.")
        change.note("restarted", text)
        self.greet(change, boot)
        change.feed("gap", {"boot": before, "after": after, "lost": lost})

    def greet(self, change: Change, boot: str) -> None:
        """Log the hello of a boot of the table; the table is known by it from then on."""
        self._table.known = self._table.hello(boot)
        change.feed("table", self._table.known)

    def lose(self, change: Change, missing: Body) -> None:
        """Log and tell what is missing, and have the people at the table asked before the game goes on."""
        assert self._table.client is not None and self._table.client.boot is not None
        if change.items:
            self._game.log.append_all([(self._game.info.id, kind, body) for kind, body in change.items])
            change.items = []
        self._game.rolls.forget()
        self._game.log.leap_ids()  # those of the questions that were lost are the table's still
        cursor = self._table.client.boot, self._table.client.since
        args = {
            "last": cursor[1] - missing["lost"],
            "lost": counted(missing["lost"], "{count} event", "{count} events"),
            "rolls": counted(missing["rolls"], "{count} roll", "{count} rolls", "no roll"),
        }
        text = Text(
            "This log is older than the table: it ends at event {last} and lacks {lost}, {rolls} among them.", args
        )
        change.note("older", text)
        change.feed(SINCE, missing, cursor[0])
        self._game.commit(change, cursor=cursor)

    def catch_up(self) -> None:
        """Log that events of this boot of the table are in another log: it was played at from elsewhere."""
        client = self._table.client
        if client is not None and client.boot is not None and client.since > self._game.log.cursor(client.boot):
            self._game.rolls.forget()
            self._game.log.append(self._game.info.id, SINCE, {}, (client.boot, client.since))

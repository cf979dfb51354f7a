"""Runs in the MicroPython VM: the parts that need MicroPython's clock, and what a tick may allocate.

Every ``case_…`` is a test; the table they run has a board that a case moves by hand.
"""

import gc

gc.disable()  # this VM's collector must not run inside functions

import micropython  # noqa: E402

from tablier_fw import colours, wire  # noqa: E402
from tablier_fw.buttons import Buttons  # noqa: E402
from tablier_fw.equipment import Equipment  # noqa: E402
from tablier_fw.journal import CAPACITY, RESEND_MS, Journal  # noqa: E402
from tablier_fw.landing import FLAT, FLIGHT_MS, IMPACT, LEANING, RIM, SETTLE_MS, Landings  # noqa: E402
from tablier_fw.link import Link  # noqa: E402
from tablier_fw.scene import FRAME_MS, paint, tint  # noqa: E402
from tablier_fw.session import LEAVING_MS, SILENT_MS  # noqa: E402
from tablier_fw.table import Table  # noqa: E402

RUN = b"a run of"
BUDGET = 16  # replaced by the Pico's in a second run


TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tablier_fw.board import Board as Interface

    Edge = tuple[int, int, int]
else:
    Interface = object


class Board(Interface):
    """A board whose time and inputs are set by hand; it has what the cases use."""

    id = b"a board!"
    system = "a test"
    cause = 1
    abilities = 0
    lost = wire.LOST_UNKNOWN
    paint = staticmethod(paint)
    tint = staticmethod(tint)
    within = staticmethod(wire.within)
    touched = True
    budget = BUDGET
    equipment = Equipment()
    buttons = 0
    pressed = False
    edge_us = edge_ms = edge_line = edge_level = 0

    def __init__(self, ms: int = 1000) -> None:
        self.ms = ms
        self.taken: list[bytes] = []
        self.received = b""
        self.room = 100000
        self.edges: list[tuple[int, int, int]] = []
        self.shown = 0
        self._sampled = -1
        self._draws = 0

    def service_pressed(self) -> bool:
        return self.pressed

    @property
    def heard(self) -> bool:
        return bool(self.received)

    def now_ms(self) -> int:
        return self.ms & 0x3FFFFFFF

    def ticks_us(self) -> int:
        return 0

    def now_us(self) -> int:
        return self.ms * 1000

    def read(self) -> bytes:
        data = self.received
        if data:
            self.received = b""
        return data

    def write(self, data: bytes | memoryview) -> int:
        data = data[: self.room]
        if data:
            self.taken.append(bytes(data))
        return len(data)

    def next_sample(self) -> bool:
        if self._sampled == self.ms:
            return False
        self._sampled = self.ms
        return True

    def debouncer(self) -> Buttons:
        return Buttons(self.buttons)

    def faults(self) -> int:
        return 0

    def next_edge(self) -> bool:
        if not self.edges:
            return False
        self.edge_ms, self.edge_line, self.edge_level = self.edges.pop(0)
        self.edge_us = self.edge_ms * 1000
        return True

    def long_us(self, edge_us: int) -> int:
        return edge_us

    def show(self, frame: bytearray) -> None:
        self.shown += 1

    def tone(self, hertz: int, volume: int) -> None:
        pass

    def entropy(self, count: int) -> bytes:
        self._draws += 1
        return bytes([(self._draws * 37 + i * 11) & 255 for i in range(count)])

    def stir(self, seed: bytes) -> None:
        pass

    def remember(self, count: int) -> None:
        self.remembered = count

    def must_collect(self, busy: bool, calm: int) -> bool:
        return not busy

    used = 1

    def heap(self) -> tuple[int, int]:
        return self.used, 2


def frames(board: Board) -> list[tuple[str, tuple[Any, ...]]]:
    """(message name, values) of all that was written."""
    lines, found = b"".join(board.taken).split(b"\n"), []
    for line in lines:
        if line:
            message, _, _, payload = wire.unframe(line)
            found.append((message.name, message.decode(payload)))
    board.taken.clear()
    return found


def turn(table: Table) -> None:
    """Let the table do all that is due now: as many steps on one board as on the other."""
    for _ in range(16 // BUDGET):
        table.tick()


def greeted(ms: int = 1000) -> tuple[Table, Board]:
    """A table that has heard a hello."""
    board = Board(ms)
    table = Table(board)
    greet(table, board, RUN)
    return table, board


def say(table: Table, board: Board, message: wire.Message, *values: Any, run: bytes = RUN) -> None:
    board.received = wire.frame(message, table.parts.boot, run, message.encode(*values))
    turn(table)


def press(table: Table, board: Board, *bits: int) -> None:
    """Presses buttons together for ten milliseconds and lets go of them."""
    for buttons in (sum([1 << bit for bit in bits]), 0):
        board.buttons = buttons
        for _ in range(10):
            board.ms += 1
            turn(table)


# -- ticks --------------------------------------------------------------------------------------------------


def locked_ticks(table: Table, board: Board, count: int = 40, step: int = 1) -> None:
    """Ticks with a locked heap: the first that allocates raises MemoryError. Status frames are kept out."""
    for _ in range(count):
        board.ms += step
        table.status._status_ms = board.ms & 0x3FFFFFFF
        table.session._heard_ms = board.ms & 0x3FFFFFFF
        table.pause()
        micropython.heap_lock()
        try:
            table.tick()
        finally:
            micropython.heap_unlock()


QUESTIONS = (
    ("nothing", wire.IDLE, (0,)),
    ("a choice", wire.CHOICE, (0, 0b111111, 0, b"\7" * 6, bytes(6), b"\1\2\3")),
    ("a choice with commitments from elsewhere", wire.CHOICE, (0, 0b1, 0b10, b"\3" + bytes(5), bytes(6), b"\1\2")),
    ("a window", wire.WINDOW, (0, 0b111111, 0, 5000, 1000, 3)),
    ("a poll", wire.POLL, (wire.FIRST, 0b111111)),
    ("a menu", wire.MENU, (0, 1, 0, 0b111, b"\1\2\3")),
    ("a tally", wire.TALLY, (wire.MARK, 1, 5, b"\1\2\3\4\5\6", b"")),
    ("presses", wire.WATCH, (0, 0b111111)),
    ("dice that tumble", wire.ROLL, (0, 0, wire.EVERYBODY, b"\6\0" * 5)),
)


def case_a_tick_that_neither_decodes_nor_builds_a_frame_does_not_allocate() -> None:
    for what, message, values in QUESTIONS:
        table, board = greeted()
        table.link.flush()
        say(table, board, wire.SCENE, wire.RING, bytes([5, 200, wire.CHASE]) * 32)
        say(table, board, wire.SCENE, wire.HOOD, bytes([5, 200, wire.PULSE]) * 5)
        say(table, board, message, wire.MAX_ID, *values)
        board.ms += 1
        turn(table)
        try:
            locked_ticks(table, board)
            locked_ticks(table, board, 20, 20)
        except MemoryError:
            raise AssertionError("a tick of " + what) from None
        assert board.shown > 20


def case_a_tick_that_feels_a_contact_move_does_not_allocate() -> None:
    table, board = greeted()
    say(table, board, wire.IDLE, 1, 0)
    for turn in range(12):
        board.buttons = 0x555555 if turn % 2 else 0xAAAAAA
        locked_ticks(table, board, 7 if turn % 3 else 2)


def case_a_tick_with_events_that_wait_for_the_host_does_not_allocate() -> None:
    table, board = greeted()
    say(table, board, wire.WATCH, 1, 0, 1)
    press(table, board, 0)
    for _ in range(5):
        board.ms += 1
        turn(table)
    locked_ticks(table, board, RESEND_MS // 2)


def rolled(table: Table, board: Board, id: int = 1) -> None:
    """Have the table roll, and hear its nonce."""
    say(table, board, wire.ROLL, id, 0, 0, wire.EVERYBODY, b"\6\0" * 5)
    for _ in range(60):
        board.ms += 20
        turn(table)
    committed = next(values for name, values in frames(board) if name == "committed")
    say(table, board, wire.ACK, committed[0])
    say(table, board, wire.CONTRIBUTION, id, committed[4], bytes(16))
    board.ms += 20
    turn(table)
    assert table.asked.question.stands()


def case_a_tick_under_an_outcome_under_its_sign_and_under_the_seal_does_not_allocate() -> None:
    table, board = greeted()
    rolled(table, board)
    table.journal.drop()  # else it is sent again
    locked_ticks(table, board, 40, 16)
    for _ in range(120):
        board.ms += 20
        turn(table)
    say(table, board, wire.IDLE, 2, 0)
    assert table.ledger.marked
    locked_ticks(table, board, 40, 16)
    board.pressed = True
    turn(table)
    assert table.ledger.sealing
    locked_ticks(table, board, 40, 16)


def case_a_decoding_tick_allocates_or_this_test_sees_nothing() -> None:
    table, board = greeted()
    board.received = wire.frame(wire.PING, table.parts.boot, RUN, bytes(8))
    try:
        locked_ticks(table, board, 2)  # one is the people's, where a turn is one step
    except MemoryError:
        return
    raise AssertionError("the heap was not locked")


class Settled:
    """Has debounced already, as a Pico's chain has."""

    settled = True
    stable = 0

    @staticmethod
    def sample(pressed: int) -> int:
        return pressed


def case_a_press_goes_out_before_what_came_in_is_read() -> None:
    table, board = greeted()
    say(table, board, wire.WATCH, 1, 0, 63)
    table.buttons = Settled()
    board.ms += 50
    turn(table)
    board.taken.clear()
    board.ms += 1
    board.buttons = 1 << 4
    board.received = wire.frame(wire.PING, table.parts.boot, RUN, bytes(8))
    table.tick()
    assert table.journal.number == 1, "something else came first"
    turn(table)
    found = [name for name, _ in frames(board) if name != "status"]
    assert found == ["pressed", "pong"], found
    assert table.scene._over[4 * 33] == wire.BLINK  # pending, though drawn after the event


def case_a_contact_that_bounces_for_ever_keeps_nothing_else_waiting_for_ever() -> None:
    table, board = greeted()
    say(table, board, wire.WATCH, 1, 0, 63)
    board.ms += 1
    board.buttons = 1 << 4
    turn(table)
    assert not table.buttons.settled  # and no other sample comes
    board.taken.clear()
    board.received = wire.frame(wire.PING, table.parts.boot, RUN, bytes(8))
    shown = board.shown
    for _ in range(3 * 16):
        table.scene.stale = True
        table.tick()
    assert "pong" in [name for name, _ in frames(board)]
    assert board.shown > shown


def case_time_may_wrap() -> None:
    for question, values in ((wire.WINDOW, (0, 1, 0, 5000, 1000, 0)), (wire.POLL, (0, 1))):
        table, board = greeted((1 << 30) - 300)
        say(table, board, question, 1, *values)
        say(table, board, wire.TONE, 1, b"\1\1\x64\0" * 8)
        board.taken.clear()
        for _ in range(200):
            board.ms += 5
            turn(table)
        statuses = [values for name, values in frames(board) if name == "status"]
        assert 4 <= len(statuses) <= 6, len(statuses)
        assert table.scene.animated()
        assert not table.tone.sounding


def case_weeks_without_a_host_change_nothing() -> None:
    table, board = greeted()
    board.taken.clear()
    for _ in range(30):  # 35 days
        board.ms += 100000000
        turn(table)
        assert table.status._alone
        assert "table_hello" in [name for name, _ in frames(board)]
    board.received = wire.frame(wire.PING, table.parts.boot, RUN, bytes(8))
    turn(table)
    assert not table.status._alone
    for _ in range(30):
        board.ms += 100000000
        board.received = wire.frame(wire.PING, table.parts.boot, RUN, bytes(8))
        turn(table)
        assert "table_hello" not in [name for name, _ in frames(board)]
    board.ms += 5000
    turn(table)
    board.ms += 1000
    turn(table)
    assert "table_hello" in [name for name, _ in frames(board)]


def case_a_stall_loses_no_event_and_tells_its_time() -> None:
    table, board = greeted()
    say(table, board, wire.WINDOW, 1, 0, 1, 0, 5000, 1000, 0)
    board.taken.clear()
    board.edges = [(1010, 4, 1), (1022, 4, 0), (1030, 0, 1), (1042, 0, 0), (1050, IMPACT, 1)]
    board.edges += [(1110, 5, 1), (1122, 5, 0), (1130, 1, 1), (1150, IMPACT, 1)]
    board.ms += 2000  # the loop stood still for two seconds
    for _ in range(3):
        board.ms += 1
        turn(table)
    landed = [values for name, values in frames(board) if name == "landed"]
    assert [(values[1], values[3], values[4]) for values in landed] == [(1050000, 0, FLAT), (1150000, 1, LEANING)], (
        landed
    )


def case_a_port_that_takes_little_at_once_gets_all_and_one_that_takes_nothing_is_not_pressed() -> None:
    table, board = greeted()
    say(table, board, wire.WATCH, 1, 0, 0b111111)
    board.taken.clear()
    table.link.flush()
    board.room = 7  # bytes at once
    press(table, board, *range(24))
    for _ in range(1000):
        board.ms += 1
        turn(table)
    board.room = 0
    press(table, board, 0)
    assert table.pause() >= FRAME_MS
    board.room = 100000
    for _ in range(3):
        board.ms += 20
        turn(table)
    assert table.pause() < 60
    board.ms += RESEND_MS
    for _ in range(12):
        turn(table)
        board.ms += 1
    numbers = [values[0] for name, values in frames(board) if name == "pressed"]
    assert sorted(set(numbers)) == list(range(1, 26)), numbers


def case_what_a_status_tells_of_time_and_memory_stands_still_while_something_is_secret() -> None:
    told = ("heap_used", "heap_free", "loop_us", "loops", "collect_us", "collections")
    choice = wire.CHOICE, (1, 0, 1, 0, b"\3" + bytes(5), bytes(6), b"\1\2")
    menu = wire.MENU, (1, wire.SECRET, 1, 0, 3, b"\1\2")

    def statuses(board: Board) -> list[tuple[int, ...]]:
        at = [wire.STATUS.names.index(name) for name in told]
        return [tuple([values[i] for i in at]) for name, values in frames(board) if name == "status"]

    for message, values in (choice, menu):
        table, board = greeted()
        say(table, board, message, *values)
        turn(table)
        seen = statuses(board)
        for number in range(8):
            board.used = 5000 + number
            table.note_collection(1000 + number)
            board.ms += 250
            board.received = wire.frame(wire.PING, table.parts.boot, RUN, bytes(8))
            turn(table)
            seen += statuses(board)
        assert len(seen) > 8 and len(set(seen)) == 1, seen
        say(table, board, wire.IDLE, 2, 0)
        turn(table)
        after = statuses(board)[-1]
        assert after[0] == 5007 and after[4:] == (1007, 8), after


# -- the journal ----------------------------------------------------------------------------------------------


class Line(Link):
    """A link that takes a number of frames and keeps them."""

    def __init__(self) -> None:
        self.sent: list[int] = []
        self.stuck = False
        self.room = 1000

    def send(self, message: wire.Message, payload: bytes | bytearray, run: bytes | None = None) -> bool:
        if not self.room:
            return False
        self.room -= 1
        self.sent.append(message.decode(bytes(payload))[0])
        return True


def journal_of(count: int) -> tuple[Journal, Board, Line]:
    board, line = Board(), Line()
    journal = Journal(board, line)
    for number in range(1, count + 1):
        assert journal.has_room()
        assert journal.add(wire.PRESSED, 1, 1, 1) == number
    return journal, board, line


def pass_time(journal: Journal, board: Board, ms: int = 1, times: int = 1) -> None:
    for _ in range(times):
        board.ms += ms
        journal.tick(board.now_ms())


def case_the_journal_sends_in_order_one_at_a_time() -> None:
    journal, board, line = journal_of(10)
    pass_time(journal, board)
    assert line.sent == [1]
    pass_time(journal, board, times=9)
    assert line.sent == list(range(1, 11))
    assert not journal.has_unsent() and journal.resent == 0


def case_the_journal_sends_all_again_until_they_are_acknowledged() -> None:
    journal, board, line = journal_of(3)
    pass_time(journal, board, times=3)
    pass_time(journal, board, RESEND_MS - 1)
    assert line.sent == [1, 2, 3]
    pass_time(journal, board, times=3)
    assert line.sent == [1, 2, 3, 1, 2, 3] and journal.resent == 3
    journal.ack(2)
    pass_time(journal, board, RESEND_MS)
    assert line.sent[6:] == [3]
    journal.ack(3)
    pass_time(journal, board, RESEND_MS, 5)
    assert line.sent[7:] == [] and journal.acked == journal.number == 3


def case_an_acknowledgement_that_cannot_be_is_ignored() -> None:
    journal, board, line = journal_of(3)
    for number in (0, 4, 1000):
        journal.ack(number)
        assert journal.acked == 0
    journal.ack(2)
    journal.ack(1)
    assert journal.acked == 2
    pass_time(journal, board)
    assert line.sent == [3]


def case_a_full_journal_has_no_room_and_forgets_nothing() -> None:
    journal, board, line = journal_of(CAPACITY)
    assert not journal.has_room()
    pass_time(journal, board, times=60)
    assert line.sent == list(range(1, CAPACITY + 1))
    journal.ack(5)
    assert journal.has_room(5) and not journal.has_room(6)


def case_a_line_without_room_loses_nothing() -> None:
    journal, board, line = journal_of(9)
    line.room = 5
    pass_time(journal, board, times=10)
    assert line.sent == [1, 2, 3, 4, 5] and journal.has_unsent()
    line.room = 1000
    pass_time(journal, board, times=10)
    assert line.sent == list(range(1, 10))


def case_a_new_host_is_sent_everything() -> None:
    journal, board, line = journal_of(4)
    pass_time(journal, board, times=4)
    journal.ack(1)
    journal.rewind()
    pass_time(journal, board, times=3)
    assert line.sent == [1, 2, 3, 4, 2, 3, 4]


# -- landings ---------------------------------------------------------------------------------------------------


def settle(landings: Landings, edges: list[Edge], until: int) -> list[tuple[int, tuple[int, int, int, int, int]]]:
    """Feed edges (ms, line, level) in time and return of each landing when it was told, and (time, class, low, rim,
    impacts)."""
    told = []
    edges = sorted(edges)
    for ms in range(1, until):
        while edges and edges[0][0] <= ms:
            at, line, level = edges.pop(0)
            landings.edge(at, line, level, at * 1000)
        landing = landings.next_landing(ms)
        if landing:
            told.append((ms, (landing.us, landing.kind, landing.low, landing.rim, landing.impacts)))
    return told


def passing(at: int, how: int = FLAT, beam: int = 0) -> list[Edge]:
    """The edges of a card that strikes 40 ms after it has broken its first beam."""
    edges = [(at, 4 + beam, 1), (at + 40, IMPACT, 1)]
    if how != RIM:
        edges += [(at + 12, 4 + beam, 0), (at + 20, beam, 1)]
        if how != LEANING:
            edges.append((at + 32, beam, 0))
    return edges


def case_a_landing_is_told_when_it_has_settled() -> None:
    for how in (FLAT, LEANING, RIM):
        told = settle(Landings(), passing(100, how, 2), 1000)
        low = 0b0100 if how == LEANING else 0
        rim = 0b0100 if how == RIM else 0
        assert told == [(140 + SETTLE_MS, (140000, how, low, rim, 1))], told


def case_a_card_that_bounces_is_one_landing() -> None:
    edges = passing(100)
    edges += [(190, IMPACT, 1), (220, IMPACT, 1)]
    told = settle(Landings(), edges, 1000)
    assert [landing for _, landing in told] == [(140000, FLAT, 0, 0, 3)], told


def case_two_cards_close_together_are_two() -> None:
    for apart in (45, 60, 100, 150):
        for one in (FLAT, LEANING, RIM):
            for two in (FLAT, LEANING, RIM):
                told = settle(Landings(), passing(100, one, 0) + passing(100 + apart, two, 1), 1500)
                assert [landing[1] for _, landing in told] == [one, two], (apart, one, two, told)
                assert [landing[0] for _, landing in told] == [140000, (140 + apart) * 1000]


def case_a_hand_in_the_beams_puts_no_landing_off_for_ever() -> None:
    edges = passing(100)
    for ms in range(150, 3000, 5):
        edges += [(ms, 7, 0), (ms, 7, 1)]  # never clear for longer than that
    told = settle(Landings(), edges, 3000)
    assert len(told) == 1 and told[0][0] <= 140 + 2 * SETTLE_MS + 1 and told[0][1][1] == FLAT, told


def case_a_card_on_its_way_in_counts_as_settling() -> None:
    landings = Landings()
    assert not landings.is_settling()
    landings.edge(100, 4, 1, 100000)
    landings.next_landing(101)
    assert landings.is_settling()
    landings.next_landing(100 + FLIGHT_MS)  # nothing has struck: it was a hand
    assert not landings.is_settling()


def case_the_end_of_the_latch_is_no_impact() -> None:
    assert settle(Landings(), [(100, IMPACT, 0)], 500) == []


# -- service mode -------------------------------------------------------------------------------------------


class ServedBoard(Board):
    """One that has a service mode. ``served`` is what had been written when it left for it."""

    abilities = wire.CAN_SERVE
    served: bytes | None = None

    def enter_service(self) -> None:
        self.served = b"".join(self.taken)


def leave(table: Table, board: ServedBoard) -> None:
    """Let the table leave, when all have seen that it will."""
    assert board.served is None
    board.ms += LEAVING_MS
    turn(table)
    assert board.served is not None


def greet(table: Table, board: Board, run: bytes, major: int = wire.MAJOR, log: bytes = wire.NO_ID) -> None:
    hello = wire.HOST_HELLO.encode(major, 0, table.link.challenge, log, bytes(16), b"x")
    board.received = wire.frame(wire.HOST_HELLO, wire.NO_ID, run, hello)
    turn(table)
    board.taken.clear()


def asked_to_serve(
    table: Table, board: Board, run: bytes = RUN, boot: bytes | None = None, challenge: bytes | None = None
) -> list[tuple[bytes, int]]:
    """The answers to a wish for service, as (run, refusal)."""
    board.taken.clear()
    challenge = table.link.challenge if challenge is None else challenge
    board.received = wire.frame(wire.SERVICE, boot or table.parts.boot, run, wire.SERVICE.encode(challenge))
    turn(table)
    answers = []
    for line in b"".join(board.taken).split(b"\n"):
        if line:
            message, _, whose, payload = wire.unframe(line)
            if message is wire.SERVING:
                answers.append((whose, message.decode(payload)[0]))
    return answers


def case_a_table_leaves_for_service_when_its_answer_is_out() -> None:
    board = ServedBoard()
    table = Table(board)
    greet(table, board, RUN)
    board.room = 0
    assert asked_to_serve(table, board) == [] and board.served is None
    board.room = 100000
    leave(table, board)
    assert board.served is not None
    told = [wire.unframe(line) for line in board.served.split(b"\n") if line]
    answers = [(run, message.decode(payload)) for message, _, run, payload in told if message is wire.SERVING]
    assert answers == [(RUN, (wire.WILL_SERVE,))]


def case_a_table_that_has_asked_something_does_not_leave() -> None:
    board = ServedBoard()
    table = Table(board)
    greet(table, board, RUN)
    say(table, board, wire.WATCH, 1, 0, 1)
    assert asked_to_serve(table, board) == [(RUN, wire.QUESTION_OPEN)]
    turn(table)
    assert board.served is None
    say(table, board, wire.IDLE, 2, 0)
    assert asked_to_serve(table, board) == [(RUN, wire.WILL_SERVE)]
    leave(table, board)


def case_before_it_leaves_all_at_the_table_see_it() -> None:
    board = ServedBoard()
    table = Table(board)
    greet(table, board, RUN)
    asked_to_serve(table, board)
    say(table, board, wire.POLL, 3, 0, 0b111111)  # too late
    for _ in range(LEAVING_MS - 10):
        board.ms += 1
        turn(table)
    assert board.served is None
    lit = bytes(colours.SERVICE)
    frame = bytes(table.scene.frame)
    assert frame == lit * 38 + bytes(3 * 30), frame
    leave(table, board)


def case_a_table_does_not_leave_under_an_outcome_nor_under_the_sign_of_an_abandoned_roll() -> None:
    """Not even where the service button is held: somebody takes the sign away first."""
    board = ServedBoard()
    table = Table(board)
    greet(table, board, RUN)
    rolled(table, board)
    board.pressed = True
    assert asked_to_serve(table, board) == [(RUN, wire.QUESTION_OPEN)]
    for _ in range(120):
        board.ms += 20
        turn(table)
    say(table, board, wire.IDLE, 2, 0)
    assert table.ledger.marked and not table.asked.question.stands()
    assert asked_to_serve(table, board) == [(RUN, wire.QUESTION_OPEN)]
    for _ in range(120):
        board.ms += 20
        turn(table)
    press(table, board, 0)
    assert asked_to_serve(table, board) == [(RUN, wire.WILL_SERVE)]


def case_in_a_game_it_takes_a_hand_between_two_questions_too() -> None:
    board = ServedBoard()
    table = Table(board)
    greet(table, board, RUN)
    for question in ((wire.IDLE, 2, 0, 1), (wire.POLL, 3, 0, 1)):
        say(table, board, *question)
        assert asked_to_serve(table, board) == [(RUN, wire.QUESTION_OPEN)]
    board.pressed = True
    assert asked_to_serve(table, board) == [(RUN, wire.WILL_SERVE)]
    leave(table, board)


def case_a_host_that_died_in_a_game_locks_nobody_out() -> None:
    for log, question in ((b"new log!", None), (wire.NO_ID, (wire.IDLE, 1, 0, 0))):
        board = ServedBoard()
        table = Table(board)
        greet(table, board, RUN, log=b"the log!")
        say(table, board, wire.IDLE, 2, 0, 1)
        greet(table, board, b"another!", log=log)
        if question:
            assert asked_to_serve(table, board, b"another!") == [(b"another!", wire.QUESTION_OPEN)]
            say(table, board, *question, run=b"another!")
        assert asked_to_serve(table, board, b"another!") == [(b"another!", wire.WILL_SERVE)]
        leave(table, board)


def case_service_is_for_whoever_knows_the_challenge_even_if_its_version_does_not_fit() -> None:
    board = ServedBoard()
    table = Table(board)
    old = table.link.challenge
    greet(table, board, RUN)
    greet(table, board, b"another!", wire.MAJOR + 1)
    assert asked_to_serve(table, board, b"another!", b"old boot") == []
    assert asked_to_serve(table, board, b"another!", challenge=old) == [(b"another!", wire.STRANGER)]
    assert asked_to_serve(table, board, wire.NO_ID) == []
    assert asked_to_serve(table, board, b"another!") == [(b"another!", wire.STRANGER)]  # it has a host
    assert board.served is None
    board.ms += SILENT_MS
    turn(table)
    assert asked_to_serve(table, board, b"another!") == [(b"another!", wire.WILL_SERVE)]
    leave(table, board)


def case_a_table_without_a_service_mode_says_so() -> None:
    table, board = greeted()
    assert asked_to_serve(table, board) == [(RUN, wire.CANNOT_SERVE)]
    turn(table)


CASES = sorted([name for name in globals() if name.startswith("case_")])

"""The door of an evening: who comes in by its code, who comes back by a key, and on whom somebody has to decide."""

from __future__ import annotations

from collections import deque
from hmac import compare_digest
from typing import Annotated, Literal

from msgspec import Meta

from tablier import messages, waiting
from tablier.keeper.access import ENTERED, ORGANISING, WATCHING
from tablier.keeper.evening import IS_HERE, Evenings, OfPerson, Wish, check_room
from tablier.keeper.games import Games, present
from tablier.keeper.methods import Asker, method
from tablier.keeper.protocol import NO_EVENING, REFUSED, EveningNumber, Key, OfEvening, Params, Refusal
from tablier.log.evenings import Evening
from tablier.log.replies import Words, check_printable
from tablier.log.store import Log
from tablier.texts import Text

GUESSES, GUESSES_S = 10, 60.0
"""How many wrong codes all connections but the operator's may try together, and in how many seconds."""
WISHES = 20
"""The most who wait to be let into an evening."""

Code = Annotated[str, Meta(pattern="^[A-Za-z]{4}$", description="four letters")]
PersonId = Annotated[str, Meta(pattern="^[0-9a-f]{16}$", description="8 bytes in lower-case hexadecimal")]
By = Literal["phone", "terminal"]


class Enter(OfEvening, frozen=True, kw_only=True):
    """A person and the key, or the key of a screen."""

    person: PersonId | None = None
    key: Key | None = None
    screen: Key | None = None
    by: By = "phone"


class Leave(OfEvening, frozen=True, kw_only=True):
    """A person whom this connection has come in as; ``home``: who leaves the evening, not only this screen."""

    person: PersonId
    home: bool = False


class Speak(OfEvening, frozen=True, kw_only=True):
    """A person whom this connection has come in as, and the language in which that person reads."""

    person: PersonId
    language: Annotated[
        str,
        Meta(
            pattern="^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,3}$", max_length=35, description="the tag of a language: `fr`"
        ),
    ]


class Join(Params, frozen=True, kw_only=True):
    """The code of a door, and who comes in."""

    code: Code
    name: Words
    by: By = "phone"

    def __post_init__(self) -> None:
        check_printable(self, "name")


class OfCode(Params, frozen=True, kw_only=True):
    """The code of a door."""

    code: Code


class AskScreen(Params, frozen=True, kw_only=True):
    """A screen that all look at."""

    evening: EveningNumber | None = None
    name: Words | None = None

    def __post_init__(self) -> None:
        check_printable(self, "name")


class Decide(OfEvening, frozen=True, kw_only=True):
    """Whether somebody is let in who waits for that."""

    wish: Annotated[int, Meta(ge=1, le=1 << 31, description="the number of a wish")]
    yes: bool


class SetDoor(OfEvening, frozen=True, kw_only=True):
    """Whether people can come in by the code."""

    open: bool


class Guesses:
    """Counts wrong codes, so that nobody finds one by trying."""

    def __init__(self) -> None:
        self._wrong: deque[float] = deque()

    def check(self) -> None:
        """Raise :class:`Refusal` where too many were tried lately, right or wrong."""
        now = waiting.now()
        while self._wrong and now >= self._wrong[0] + GUESSES_S:
            self._wrong.popleft()
        if len(self._wrong) >= GUESSES:
            seconds = int(self._wrong[0] + GUESSES_S - now) + 1
            raise Refusal(REFUSED, "too many wrong codes were tried here; wait {seconds} s", seconds=seconds)

    def count(self) -> None:
        """Take note of a wrong one."""
        self._wrong.append(waiting.now())


class Door:
    """Lets people into the evenings of a log."""

    def __init__(self, log: Log, evenings: Evenings, games: Games) -> None:
        self._log = log
        self._evenings = evenings
        self._games = games
        self._guesses = Guesses()

    @method(
        "enter",
        Enter,
        WATCHING,  # the key is the right
        takes="`evening`, `person`? and `key`?, or `screen`?, the key of a screen; `by`? (`phone`, `terminal`)",
        gives="`Entered`: this connection is that person from now on, and holds the seats of it in each game of the"
        " evening; it may be several. A screen is told the code",
    )
    def _enter(self, asker: Asker, params: Enter) -> messages.Entered:
        evening, rights = self._evenings.evening(params.evening), asker.peer.rights
        if params.screen is not None:
            if (params.person, params.key) != (None, None):
                raise Refusal(REFUSED, "screen is the key of no person; leave out person and key")
            _check_key(params.screen, self._games.screen_key_of(evening))
            rights.screens.add(evening.number)
            self._evenings.tell(evening.number)
            return messages.Entered()
        if params.person is None or params.key is None:
            raise Refusal(REFUSED, "person or key is missing; or screen, the key of a screen")
        _check_key(params.key, self._games.key_of(evening, params.person))
        present(evening, self._log.names(), self._log.names().of(params.person))
        rights.people[evening.number, params.person] = params.by
        self._games.seat_people(evening.number)
        self._evenings.tell(evening.number)
        return messages.Entered(language=self._log.language_of(params.person) or "")

    @method(
        "speak",
        Speak,
        ENTERED,
        takes="`evening`, `person`, `language`",
        gives="the log keeps with the person's name in which language this person reads",
    )
    def _speak(self, asker: Asker, params: Speak) -> messages.Done:
        if self._log.language_of(params.person) != params.language:
            self._log.keep_language(params.person, params.language)
        return messages.DONE

    @method(
        "leave",
        Leave,
        ENTERED,
        takes="`evening`, `person`, `home`?",
        gives="this connection is that person no longer; the key still holds, but with `home` the person has gone, as"
        " by `go`",
    )
    def _leave(self, asker: Asker, params: Leave) -> messages.Done:
        if params.home:
            self._evenings.see_off(params.evening, params.person, Text("you have gone home"))
            return messages.DONE
        del asker.peer.rights.people[params.evening, params.person]
        self._games.seat_people(params.evening, Text("you have left"))
        self._evenings.tell(params.evening)
        return messages.DONE

    @method(
        "join",
        Join,
        WATCHING,  # the code is the right
        takes="`code`, `name` (of somebody whom the log knows, or a new one), `by`? (`phone`, `terminal`)",
        gives="`Entry`, see below: who is new or comes back is there at once, and enters by `key`. Where another"
        " connection has come in as that person, `key` is `null`, an organiser decides on `wish`, and `let_in` or"
        " `turned_away` says what came of it",
    )
    def _join(self, asker: Asker, params: Join) -> messages.Entry:
        evening, names, by = self._behind(asker, params.code), self._log.names(), params.by
        number, known = evening.number, names.find(params.name)
        if known is None or known not in evening.present:
            check_room(evening, new=True)
            person = self._log.person(params.name)
            self._log.come(number, person, 0)
            self._evenings.say(number, IS_HERE.of(name=self._log.names().of(person)))
            self._evenings.tell(number)
            return self._entry(number, person)
        if any(peer is not asker.peer for peer in self._evenings.holders(number, known)):
            wish = self._wish(number, Wish(asker.peer, names.of(known), known, by))
            return messages.Entry(evening=number, person=known, key=None, wish=wish)
        self._renew(number, known, by)
        return self._entry(number, known)

    @method(
        "known",
        OfCode,
        WATCHING,  # the code is the right
        takes="`code`",
        gives="`Known`, see below",
    )
    def _known(self, asker: Asker, params: OfCode) -> messages.Known:
        evening, names = self._behind(asker, params.code), self._log.names()
        people = [messages.KnownPerson(name=name, here=one in evening.present) for one, name in names.known.items()]
        return messages.Known(people=people)

    @method(
        "ask_screen",
        AskScreen,
        WATCHING,
        takes="`evening`? (the latest that is open), `name`? (what it calls itself)",
        gives="`Asking`, see below: an organiser decides, and `let_in` or `turned_away` says what came of it",
    )
    def _ask_screen(self, asker: Asker, params: AskScreen) -> messages.Asking:
        numbers = [each.number for each in self._evenings.all()]
        if params.evening is None and not numbers:
            raise Refusal(REFUSED, NO_EVENING)
        number = params.evening or numbers[-1]
        self._evenings.sitting(number)
        wish = self._wish(number, Wish(asker.peer, params.name or ""))
        return messages.Asking(evening=number, wish=wish)

    @method(
        "decide",
        Decide,
        ORGANISING,
        takes="`evening`, `wish`, `yes`",
        gives="a device that is let in has a new key, and who was in as that person is out",
    )
    def _decide(self, asker: Asker, params: Decide) -> messages.Done:
        number, sitting = params.evening, self._evenings.sitting(params.evening)
        wish = sitting.wishes.pop(params.wish, None)
        if wish is None:
            raise Refusal(REFUSED, "nobody waits with wish {wish}", wish=params.wish)
        evening = self._evenings.evening(number)
        if not params.yes or (wish.person and wish.person not in evening.present):
            wish.asker.say(messages.TurnedAway(evening=number, wish=params.wish))
        elif wish.person:
            self._renew(number, wish.person, wish.by)
            of = self._entry(number, wish.person)
            let = messages.LetIn(
                evening=number, wish=params.wish, person=of.person, key=of.key or "", language=of.language
            )
            wish.asker.say(let)
        else:
            key = self._games.screen_key_of(evening)
            wish.asker.say(messages.LetIn(evening=number, wish=params.wish, screen=key))
        self._evenings.tell(number)
        return messages.DONE

    @method(
        "anew",
        OfPerson,
        ORGANISING,
        takes="`evening`, `name`",
        gives="`Entry`, see below, with a new key; who was in as that person is out",
    )
    def _anew(self, asker: Asker, params: OfPerson) -> messages.Entry:
        evening, names = self._evenings.evening(params.evening), self._log.names()
        person = present(evening, names, params.name)
        self._renew(params.evening, person, "")
        return self._entry(params.evening, person)

    @method(
        "door",
        SetDoor,
        ORGANISING,
        takes="`evening`, `open`",
        gives="a door that is opened again has another code",
    )
    def _set_door(self, asker: Asker, params: SetDoor) -> messages.Done:
        evening = self._evenings.evening(params.evening)
        if params.open != evening.door:
            self._log.set_door(params.evening, opens=params.open)
            self._evenings.tell(params.evening)
        return messages.DONE

    # -- how it is done ----------------------------------------------------------------------------------------------

    def _behind(self, asker: Asker, code: str) -> Evening:
        """Return the evening that a code opens. Raise :class:`Refusal`, also where too many were tried."""
        tries = not asker.peer.rights.operator
        if tries:
            self._guesses.check()
        for evening in self._evenings.all():
            right = self._evenings.code_of(evening)
            if right is not None and compare_digest(code.upper(), right):
                return evening
        if tries:
            self._guesses.count()
        raise Refusal(REFUSED, "this is the code of no door that is open")

    def _entry(self, number: int, person: str) -> messages.Entry:
        key = self._games.key_of(self._evenings.evening(number), person)
        return messages.Entry(evening=number, person=person, key=key, language=self._log.language_of(person))

    def _renew(self, number: int, person: str, by: str) -> None:
        """Give somebody another key, and put out who was in by the one before. ``by``: what the person is back by."""
        name = self._log.names().of(person)
        self._log.give_key(number, person)
        texts = {
            "phone": Text("{name} has come in by phone.", {"name": name}),
            "terminal": Text("{name} has come in at a terminal.", {"name": name}),
        }
        if by in texts:
            self._evenings.say(number, texts[by])
        self._evenings.put_out(number, person, Text("another device is {name} now", {"name": name}))

    def _wish(self, number: int, wish: Wish) -> int:
        """Have organisers decide on a wish; return its number. A connection has one for each person at a time."""
        sitting = self._evenings.sitting(number)
        for other, each in sitting.wishes.items():
            if (each.asker, each.person) == (wish.asker, wish.person):
                return other
        if len(sitting.wishes) >= WISHES:
            raise Refusal(REFUSED, "too many wait to be let in ({count})", count=WISHES)
        sitting.wished += 1
        sitting.wishes[sitting.wished] = wish
        self._evenings.tell(number)
        return sitting.wished


def _check_key(key: str, right: str) -> None:
    if not compare_digest(key, right):
        raise Refusal(REFUSED, "this key is unknown, or no longer valid")

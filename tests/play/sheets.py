"""The sheets of the games as data, and simulated people who know nothing of lights and buttons but what a sheet says.

A sheet is the section "The sheet" of ``host/tablier/games/SHEET.md`` and of a game's ``README.md``. A line of it is
``* **phrase** key: meaning · key: meaning``; a key is a button, a number, ``number`` or a colour. Who hears a phrase
answers by its line; whoever hears or sees what no line explains is :class:`Puzzled`.

People know the rules of their game, and have a move in mind; they see the table, and hear what a terminal reads out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from tablier_fw import colours
from tools.pictures.sheets import COLOURS as FAMILIES
from tools.pictures.sheets import FOLDERS, GAMES, SECTION

COMMON = GAMES / "SHEET.md"
_KEY = rf"`\w+`|\d+|number|dim|dark|one light|two|three|four|five|{'|'.join(FAMILIES)}"
_ORDINALS = tuple(
    f"The {nth} card above the offer"
    for nth in ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
)
_FAINT = 3
"""What is not brighter than this is not seen."""
LIES = {"rim": "on the rim"}
"""By landing: how a card is said to lie, where that is another word."""


class Puzzled(Exception):
    """Somebody does not know what something means, or what to press."""


@dataclass(frozen=True)
class Line:
    """A line of a sheet."""

    text: str
    phrases: tuple[str, ...]
    keys: dict[str, str]

    @staticmethod
    def read(text: str) -> Line:
        phrases = tuple(re.findall(r"\*\*(.+?)\*\*", text))
        keys: dict[str, str] = {}
        for segment in text.rpartition("**")[2].split(" · "):
            for part in segment.split("; "):
                if found := re.search(rf"((?:{_KEY})(?:, (?:{_KEY}|[a-z ]+))*): (.+)", part):
                    keys.update(dict.fromkeys(re.findall(_KEY, found[1]), found[2]))
        return Line(text, phrases, keys)

    def button(self, meaning: str) -> str:
        """Return the button that means something."""
        for key, means in self.keys.items():
            if key.startswith("`") and means.startswith(meaning):
                return key.strip("`")
        raise Puzzled(f"which button is {meaning!r}? {self.text}")

    def gesture(self, meaning: str) -> str:
        """Return the button that is held and the one that is pressed meanwhile, for what they mean."""
        keys = [key.strip("`") for key, means in self.keys.items() if key.startswith("`") and means.startswith(meaning)]
        if len(keys) != 2:
            raise Puzzled(f"how does one {meaning}? {self.text}")
        return "+".join(keys)

    def number(self, meaning: str) -> int:
        for key, means in self.keys.items():
            if key.isdigit() and means == meaning:
                return int(key)
        raise Puzzled(f"which number is {meaning!r}? {self.text}")

    def colour(self, meaning: str) -> str:
        for key, means in self.keys.items():
            if key in FAMILIES and means == meaning:
                return key
        raise Puzzled(f"which colour is {meaning!r}? {self.text}")


def lines(path: Path) -> list[str]:
    """Return the lines of a document's sheet."""
    section = path.read_text(encoding="utf-8").partition(f"## {SECTION}\n")[2].partition("\n## ")[0]
    found: list[str] = []
    for line in section.splitlines():
        if line.startswith("* "):
            found.append(line)
        elif line.strip():
            found[-1] += " " + line.strip()
    return found


def sheet_of(game: str) -> list[str]:
    """Return all lines of a game's sheet: those of every table first."""
    return [*lines(COMMON), *lines(GAMES / FOLDERS[game] / "README.md")]


class Sheet:
    """A sheet, as people have read it."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._lines = [Line.read(text) for text in texts]
        self._named = {phrase: line for line in reversed(self._lines) for phrase in line.phrases}

    def about(self, name: str) -> Line:
        """Return the line about something that has this name."""
        if name not in self._named:
            raise Puzzled(f"no line says what {name!r} is")
        return self._named[name]

    def heard(self, text: str) -> Line:
        """Return the line about a question."""
        fits = [(len(phrase), n) for n, line in enumerate(self._lines) for phrase in line.phrases if phrase in text]
        if not fits:
            raise Puzzled(f"no line tells how to answer {text!r}")
        return self._lines[max(fits)[1]]


@cache
def family(pixel: str) -> str:
    """Return the word for a pixel's colour, whatever its brightness; empty where it is dark."""
    seen = bytes.fromhex(pixel)
    if max(seen) <= _FAINT:
        return ""
    apart: dict[str, float] = {}
    for word, names in FAMILIES.items():
        for name in names:
            full = colours.PALETTE[getattr(colours, name)]
            scale = max(seen) / max(full)
            apart[word] = min(apart.get(word, 999.0), sum(abs(a - b * scale) for a, b in zip(seen, full, strict=True)))
    return min(apart, key=lambda word: apart[word] / max(seen))


def own_light(pixel: str) -> str:
    """Return the word for what the table itself shows at a place."""
    red, green, blue = bytes.fromhex(pixel)
    if red == green == blue:
        return "white" if red else ""
    return "amber" if blue == 0 and red > green > 0 else family(pixel)


@dataclass
class Person:
    """Somebody at a place. :meth:`press` is a function of the sheet and of all that was seen so far."""

    sheet: Sheet
    seat: int
    name: str
    slips: list[str] = field(default_factory=list)
    """Phrases of questions that are answered wrongly, once each."""
    _question: int = 0
    _die: int = 0
    _told: set[int] = field(default_factory=set)
    _looked: bool = False
    _entered: int = 0
    _ply: int = -1

    def press(self, sight: dict[str, Any]) -> str | None:
        """Return the button that is pressed now, if any; leave the sight as it is. Raise :class:`Puzzled`."""
        if sight["ply"] != self._ply:
            self._ply, self._told = sight["ply"], set()
        self._see(sight)
        if sight["stops"]:
            return self.sheet.about("a call").gesture("stop play")
        meaning = self.sheet.about("your light").keys.get(own_light(sight["light"]), "")
        if not meaning and own_light(sight["light"]) in ("white", "amber", "green"):
            raise Puzzled(f"what does {own_light(sight['light'])} say?")
        if meaning != "you are asked" or not sight["mine"]:
            return None
        if sight["question"] != self._question:
            self._question, self._die, self._entered = sight["question"], 0, 0
        return self._answer(self.sheet.heard(sight["heard"]), sight)

    def _see(self, sight: dict[str, Any]) -> None:
        """Ask oneself what each light of the ring and of the places means."""
        for pixels, name in ((sight["ring"], "the ring"), (sight["public"], "lights of places")):
            line = None
            for word in sorted({family(pixel) for pixel in pixels} - {""}):
                line = line or self.sheet.about(name)
                if word not in line.keys:
                    other = self.sheet.about("a roll" if name == "the ring" else "your light")
                    if word in other.keys:
                        continue
                    raise Puzzled(f"{word} on {name} is not explained")

        if sight.get("arrived"):
            self._read_end(sight)

    def _read_end(self, sight: dict[str, Any]) -> None:
        """Read the order of arrival off the ring."""
        places, figures = self.sheet.about("the end").keys, self.sheet.about("a figure").keys
        seen = {}
        for word, same in groupby(map(family, sight["ring"])):
            if word:
                count = ("one light", "two", "three", "four", "five")[len(list(same)) - 1]
                seen[places.get(count, "").rpartition(" ")[2]] = figures[word]
        assert seen == dict(zip("ABCDE", sight["arrived"], strict=True))

    # -- what is meant, by the words of the sheet ----------------------------------------------------------------------

    def _slip(self, phrase: str) -> bool:
        if phrase in self.slips:
            self.slips.remove(phrase)
            return True
        return False

    def _answer(self, line: Line, sight: dict[str, Any]) -> str | None:
        heard, move = sight["heard"], (sight["intent"] or "").split()
        phrase = next((each for each in line.phrases if each in heard), line.phrases[0])
        if phrase in (
            "which creature in field",
            "which creature in the outer field",
            "which colour will win?",
            "which colour next?",
        ):
            return self._pick_colour(line, sight)
        if phrase == "throw!":
            missed = any(how == "outside" for _, how in self._mine(sight))
            return line.button("I throw no more, and" if missed else "I throw no more")
        if phrase == "Peace or conflict?":
            return self._duel(line, sight)
        if phrase == "mark what you keep":
            return self._mark(line, sight)
        if phrase == "what had you entered, and what did you draw?":
            both = [next(m for m in sight["mistake"] if line.keys[key].startswith(m)) for key in ("one light", "two")]
            return self._enter(
                self.sheet.about("enter"), {**sight, "thrown": [sight["mistake"][each] for each in both]}
            )
        if phrase == "enter":
            return self._enter(line, sight)
        if "number" in line.keys or any(key.isdigit() for key in line.keys):
            if sight["peeks"] and not self._looked:
                return self._look(next(iter(sight["peeks"])), sight)
            return self._walk(line, sight, self._number(phrase, line, sight, move))
        meant = self._words(phrase, sight, move)
        return None if meant is None else line.button(meant)

    def _words(self, phrase: str, sight: dict[str, Any], move: list[str]) -> str | None:
        """Return what is meant by a button."""
        heard = sight["heard"]
        if phrase == "who threw it?":
            card = self._card(sight)
            if card is None or card["name"] != self.name:
                return "not I"
            return "not I" if self._slip(phrase) else "I did"
        if phrase == "without being reported?":
            left = [rank for rank, how in self._mine(sight) if how == "outside" and rank not in self._told]
            return "mine" if left else "not mine"
        if phrase == "Does everybody agree?":
            wrong = self._wrong(sight) is not None
            return "something is wrong" if wrong else "yes"
        plain = {
            "an alliance with": "yes" if move[:1] == ["yes"] else "no",
            "to join?": "yes" if move[:1] == ["ally"] else "no",
            "Was that bad luck, so that it counts?": "yes" if sight["lucky"] else "no",
            "back in the hand?": "I have it",
            "Is it there?": "it is there",
            "rolls.": "throw",
            "is that right?": "yes",
            "Do you agree?": "yes",
            "That is the end.": "seen",
            "throw all five dice again?": "no" if self._slip(phrase) else "yes",
        }
        if phrase not in plain:
            raise Puzzled(f"what to say to {heard!r}?")
        return plain[phrase]

    def _number(self, phrase: str, line: Line, sight: dict[str, Any], move: list[str]) -> int:
        """Return the number that is meant."""
        heard = sight["heard"]
        card = self._card(sight)
        if phrase == "which of":
            assert card is not None
            return (
                self._other(sight, card["rank"]) if self._slip(phrase) else self._ruled(line, "its rank", card["rank"])
            )
        if phrase == "which card missed the arena?":
            left = [rank for rank, how in self._mine(sight) if how == "outside" and rank not in self._told]
            if not left:
                return line.number("none")
            self._told.add(left[0])
            return self._ruled(line, "its rank", left[0])
        if phrase == "how does it lie?":
            assert card is not None
            return line.number(LIES.get(card["how"], card["how"]))
        if phrase in ("what is wrong?", "where in the pile does it lie?"):
            return self._read_out(line, sight, self._wrong(sight) or "nothing")
        if phrase == "you stopped play":
            return line.number("go on as before")
        if phrase == "which card is on offer?":
            return self._ruled(line, "the card's rank", int(move[1]))
        if phrase == "what do you do?":
            return line.number({"bet": "stake", "roll": "throw", "ally": "seek an alliance"}[move[0]])
        if phrase == "stake how many units?":
            return self._ruled(line, "the units", int(move[1]))
        if phrase == "throw how many dice?":
            return self._ruled(line, "the dice", int(move[1]))
        if phrase == "which pawn moves":
            number = ("first", "second", "third", "fourth", "fifth").index(
                heard.split("which pawn moves ")[1].split("?")[0]
            )
            return line.number(move[1 + number].partition("+")[0])
        if phrase == "with aces?":
            pawn = {"king": "K", "queen": "Q", "jack": "J", "ten": "10", "nine": "9"}
            figure = pawn[heard.split("does the ")[1].split(" go")[0]]
            return self._ruled(
                line, "spaces", next(int(word.split("+")[1]) for word in move if word.startswith(figure))
            )
        if phrase == "your turn":
            return line.number({"play none": "nothing to play"}.get(" ".join(move), " ".join(move)))
        if phrase == "which die?":
            origin = move[0].partition("-")[0]
            if " to " in sight["options"]:
                raise Puzzled("a range")
            return self._ruled(line, "your dice that can move", sight["origins"].index(origin) + 1)
        if phrase == "which way?":
            return line.number(sight["way"])
        if phrase == "how far?":
            return self._ruled(line, "spaces", sight["distance"])
        if phrase == "in which field?":
            return self._ruled(line, "the field's", sight["fields"].index(move[2].partition(":")[0]) + 1)
        if phrase in ("where in field", "where in the outer field"):
            _, _, crossing = move[2].partition(":")
            return self._read_out(line, sight, f"at crossing {crossing}," if crossing else "in the middle")
        raise Puzzled(f"which number for {heard!r}?")

    @staticmethod
    def _ruled(line: Line, rule: str, number: int) -> int:
        if not line.keys.get("number", "").startswith(rule):
            raise Puzzled(f"what do the numbers mean? {line.text}")
        return number

    @staticmethod
    def _read_out(line: Line, sight: dict[str, Any], words: str) -> int:
        """Return the number of an option that is read out."""
        if not line.keys.get("number", "").startswith("as it is read out"):
            raise Puzzled(f"what do the numbers mean? {line.text}")
        for option in sight["options"].split(" · "):
            number, _, text = option.partition(": ")
            if text.startswith(words):
                return int(number)
        raise Puzzled(f"{words!r} is not among {sight['options']!r}")

    def _walk(self, line: Line, sight: dict[str, Any], wanted: int) -> str:
        """Return the button that leads to a number, or takes it."""
        lit = [family(pixel) for pixel in sight["hood"] if family(pixel)]
        if not lit:
            return self.sheet.about("any list of numbers").button("the next number")
        keys = self.sheet.about("a number under the hood").keys
        word = lit[0]
        more = {"as many as are lit": 0, "as many, and five more": 5, "as many, and ten more": 10}.get(
            keys.get(word, "").partition(":")[0]
        )
        if more is None:
            raise Puzzled(f"which number is {len(lit)} times {word}?")
        if more + len(lit) == wanted:
            if "`b`" not in line.keys:
                raise Puzzled(f"how is it taken? {line.text}")
            return "b"
        return self.sheet.about("any list of numbers").button("the next number")

    def _pick_colour(self, line: Line, sight: dict[str, Any]) -> str:
        move = (sight["intent"] or "").split()
        creatures = self.sheet.about("a creature")
        if move[0] == "pass":
            wanted = line.colour("none")
        else:
            colour = move[1]
            wanted = creatures.colour(colour)
        if family(sight["hood"][0]) == wanted:
            return "b" if "`b`" in line.keys else self._puzzle(line)
        return self.sheet.about("any list of numbers").button("the next number")

    @staticmethod
    def _puzzle(line: Line) -> str:
        raise Puzzled(line.text)

    def _look(self, what: str, sight: dict[str, Any]) -> str:
        """Look under one's hood, and read what is there."""
        line = self.sheet.about(what)
        if not self._die:
            self._die = 1
            if "`a`" not in line.keys:
                raise Puzzled(f"how is it looked at? {line.text}")
            return "a"
        names = {"your objective": "a figure", "your fist": "a creature", "your hood": what}
        figures = self.sheet.about(names[what])
        seen = [figures.keys[family(pixel)] for pixel in sight["hood"] if family(pixel)]
        assert seen == sight["peeks"][what], (seen, sight["peeks"][what])
        self._looked, self._die = True, 0
        return "a"  # ends it

    def _duel(self, line: Line, sight: dict[str, Any]) -> str:
        hood, wanted = [family(pixel) for pixel in sight["hood"]], (sight["intent"] or "").split()[1]
        for word in set(hood) - {""}:
            if word not in line.keys:
                raise Puzzled(f"{word} under the hood in a duel is not explained")
        if hood[4]:
            return line.button("lock it")
        colour = line.colour(wanted)
        if hood[1] == colour:
            return line.button("what the second light is")
        return line.button("what the fourth light is")

    def _enter(self, line: Line, sight: dict[str, Any]) -> str | None:
        """Enter what was thrown or drawn, ``sight["thrown"]``, die by die."""
        if self._entered >= len(sight["thrown"]):
            return line.button("the next")
        pixel = sight["hood"][sight["given"] + self._entered]
        if not family(pixel):
            return None
        wanted = self.sheet.about(sight["faces"]).colour(sight["thrown"][self._entered])
        if family(pixel) == wanted:
            self._entered += 1
            return line.button("the next")
        return line.button("change it")

    def _mark(self, line: Line, sight: dict[str, Any]) -> str | None:
        """Mark what is kept, all to play; ``None`` while the die at hand is dark."""
        verb, *kept = (sight["intent"] or "").split()
        figures = self.sheet.about("a figure").keys
        pixel = sight["hood"][self._die]
        if not family(pixel):
            return None
        faces = [figures.get(family(each), "") for each in sight["steady"]]
        if "" in faces:
            raise Puzzled(f"which figure is {sight['steady']}?")
        wanted = []
        for face in faces:
            wanted.append(verb == "play" or face in kept)
            if wanted[-1] and verb == "keep":
                kept.remove(face)
        bright = max(bytes.fromhex(pixel)) > 100 or (family(pixel) == "green" and max(bytes.fromhex(pixel)) > 50)
        if bright != wanted[self._die]:
            return line.button("mark it")
        if self._die == len(faces) - 1:
            return line.button("throw the others again")
        self._die += 1
        return line.button("another die")

    # -- cards ------------------------------------------------------------------------------------------

    def _mine(self, sight: dict[str, Any]) -> list[tuple[int, str]]:
        return [(card["rank"], card["how"]) for card in sight["pile"] if card["name"] == self.name]

    def _card(self, sight: dict[str, Any]) -> dict[str, Any] | None:
        """Return the card that was named, by its number from the bottom."""
        felt = [card for card in sight["pile"] if card["how"] != "outside"]
        for number, word in enumerate(_ORDINALS):
            if word in sight["heard"]:
                at = number - sight["below"]
                return felt[at] if 0 <= at < len(felt) else None
        return None

    def _other(self, sight: dict[str, Any], rank: int) -> int:
        numbers = [int(option.partition(":")[0]) for option in sight["options"].split(" · ")]
        return next(number for number in numbers if number not in (rank, 12))

    def _wrong(self, sight: dict[str, Any]) -> str | None:
        """Return what of the list that was read out is wrong about this person's cards, in the words of the options."""
        heard = sight["reviewed"]
        felt = [card for card in sight["pile"] if card["how"] != "outside"]
        listed = heard.split(". Does")[0].rpartition(": ")[2].split(", ")
        listed = [each for part in listed for each in part.split(" and ")]
        for at, card in enumerate(felt):
            told = f"{card['name']}'s {card['rank']} {LIES.get(card['how'], card['how'])}"
            if card["name"] == self.name and told not in listed:
                if "where in the pile" in sight["heard"] or (at < len(listed) and self.name in listed[at]):
                    return _ORDINALS[at + int(sight["below"])]
                return "a card that is not listed"
        return None


def explained(texts: Sequence[str]) -> Iterator[str]:
    """Yield the keys that the lines of a sheet explain."""
    for text in texts:
        yield from Line.read(text).keys


__all__ = ["COMMON", "FAMILIES", "FOLDERS", "Line", "Person", "Puzzled", "Sheet", "family", "lines", "sheet_of"]

"""The words of the pages themselves. What games and the keeper say comes as texts of theirs.

A page gets the words that its script needs in one catalogue, by their keys here; ``say`` of ``pages/words.js`` fills in
the arguments.
"""

from __future__ import annotations

from collections.abc import Mapping

from tablier.screens import phrases
from tablier.texts import Text

COMMON: Mapping[str, Text] = {
    "somebody_leans": Text("Somebody leans over the hood of place {place}."),
    "gone": Text("The keeper is gone. This page waits for it."),
    "lost": phrases.LOST,
    "wins": phrases.WINS,
    "story": phrases.WHAT_HAPPENED,
    "players": phrases.PLAYERS,
    "games": phrases.GAMES,
    "board": Text("The board"),
    "thinks": Text("thinks"),
    "is_asked": Text("is asked"),
    "answered": Text("has answered"),
    "to_move": Text("can move"),
    "seconds": Text("{count} s"),
    "and": Text("{some} and {last}"),
    "comma": Text("{some}, {next}"),
    "no_phones": Text("These pages are for this computer alone; 'tablier web --lan' serves them to phones."),
}
"""Words that several pages need."""

DISPLAY: Mapping[str, Text] = {
    "nobody": Text("No game is open."),
    "begin": Text("Begin one at {address}"),
    "game": Text("{title} · game {game} · move {ply}"),
    "evening": phrases.EVENING,
    "evening_over": Text("The evening is over."),
    "standings": Text("Evening {evening}: games won, of {count}"),
    "results": Text("Results"),
    "here": Text("There: {names}"),
    "next": Text("Next: {title}"),
    "turning": Text("Turning points"),
    "turning_of": Text("Turning points, by {what}"),
    "curve": Text("The course of the points"),
    "come_in_by": Text("Come in at {address} with the code"),
    "read_aloud": Text("Read aloud"),
    "silent": Text("Stop reading"),
    "no_voice": Text("This browser has no voice of its own."),
    "tone": Text("Sound"),
    "full_screen": Text("Full screen"),
    "scan": Text("Scan to join as {name}, or type the code {code} at {address}"),
    "code": Text("{name}: code {code}."),
    "join": Text("Join with a phone"),
}
"""Words of the display."""

TABLE: Mapping[str, Text] = {
    "table": Text("The table"),
    "places": Text("Places"),
    "own": Text("The place before you"),
    "place": phrases.PLACE,
    "place_of": Text("{place}: {name}"),
    "elsewhere": Text("{name} does not play at the table; this hood stays dark."),
    "sit": Text("Play at the table as {name}"),
    "free": Text("Nobody sits here."),
    "lean": Text("Lean over the hood"),
    "lean_back": Text("Lean back"),
    "you_lean": Text("You lean over the hood of place {place}. Everybody sees that you do."),
    "no_table": Text("No open game is played at a table."),
    "cable": phrases.TABLE_SILENT,
    "reconstruction": Text(
        "A reconstruction: what ring and public pixels of the real table were last asked to show, and who is awaited."
        " What is under its hoods is never shown here."
    ),
    "cards": Text("Cards"),
    "hand": Text("Cards of {name}"),
    "throw_hint": Text("Drag a card into the arena and let go of it in the swing; or choose one, and how it lands."),
    "land": Text("It lands"),
    "flat": Text("flat"),
    "leaning": Text("leaning"),
    "rim": Text("on the rim"),
    "outside": Text("outside"),
    "sweep": Text("Take all cards away"),
    "take": Text("Take away: {card}"),
    "card": Text("Card {rank} of {name}"),
    "lies": Text("{card}: {how}"),
    "pile": Text("Cards in and beside the arena"),
    "keys": Text("Keys"),
    "keys_said": Text(
        "1 to 6: a place. ← minus, → plus, N no, Y yes: hold and let go as with a finger. L: lean over the hood, or"
        " back."
    ),
    "own_dice": Text("Dice and creatures of your own"),
    "own_said": Text("The table cannot see them. Roll or draw here, then enter at your place what you see."),
    "roll": Text("Roll {count} dice"),
    "count": Text("Dice"),
    "draw": Text("Draw a creature"),
    "put_back": Text("Put all back"),
    "left": Text("{count} left in the bag"),
    "white": Text("white"),
    "red": Text("red"),
    "blue": Text("blue"),
    "green": Text("green"),
    "yellow": Text("yellow"),
    "die": Text("a die that shows {face}"),
    "workbench": Text("Workbench"),
    "time": Text("Time"),
    "pace": Text("{percent} % of life's pace"),
    "pull": Text("Pull the cable"),
    "plug": Text("Plug it in again"),
    "reset": Text("Reset button"),
    "power": Text("Cut the power for a moment"),
    "bump": Text("Knock against the table"),
    "hand_over": Text("Hold a hand over the arena"),
    "break": Text("Break"),
    "impact": Text("the impact sensor"),
    "chain": Text("the cable to the buttons"),
    "beam": Text("beam {number}"),
    "floor": Text("floor sensor {number}"),
    "pixel": Text("the public pixel of place {place}"),
    "button": Text("the yes button of place {place}"),
    "mend": Text("Mend everything"),
    "noise": Text("Spoil the line"),
    "clean": Text("Mend the line"),
    "line": Text("Watch the line"),
    "line_said": Text("Frames by their names, the latest last; what they hold is not shown."),
    "from_table": Text("table → host"),
    "from_host": Text("host → table"),
    "done": Text("Done."),
    "guide": Text("The first three minutes"),
    "guide_look": Text("Look: lean over the hood of a place that is awaited."),
    "guide_throw": Text("Throw: drag a card into the arena while the window is open."),
    "guide_duel": Text("A duel: choose under the hood, and lock with plus."),
    "now": Text("Now"),
    "now_menu": Text(
        "{name} picks something: lean over the hood of place {place}, turn the number with minus and plus, press yes."
    ),
    "now_window": Text(
        "The window is open: throw cards, or press no at a place that throws no more. No button is needed to throw."
    ),
    "now_poll": Text("{name} is asked: press yes or no at place {place}."),
    "now_choice": Text(
        "{name} chooses in secret. Lean over the hood of place {place}: the left light is what no chooses now, the"
        " right one yes. Press one of them, then plus to lock."
    ),
    "now_tally": Text(
        "{name} enters what dice show: lean over the hood of place {place}; minus and plus turn a die, yes is next."
    ),
    "now_roll": Text("The table rolls."),
    "now_screen": Text(
        "{name} is asked at a screen, and can answer there, or play at this table from now on: the button at place"
        " {place}."
    ),
    "now_other": Text("Waiting for {name} …"),
    "begin_title": Text("Begin a game at a simulated table"),
    "begin_said": Text("You sit at place 1, simulated people at the others; or you press all buttons."),
    "begin_people": Text("with simulated people"),
    "begin_alone": Text("I play all places"),
    "begin_game": Text("Game"),
    "begin_count": phrases.PLAYERS,
    "begin_how": Text("Who plays"),
    "begin": phrases.BEGIN,
    "another": Text("Begin another game"),
}
"""Words of the table page."""
LOOK: Mapping[str, Text] = {
    "story": phrases.WHAT_HAPPENED,
    "verify": Text("Verify the log"),
    "archive": Text("The archive of many logs"),
    "record": Text("Record of the game"),
    "evening": Text("The evening"),
    "save": Text("Save as a file"),
    "running": Text("This game is running: what is secret in it is left out."),
    "secret": Text("A move that is secret still."),
    "slider": Text("Move"),
    "first": Text("To the beginning"),
    "back": Text("One move back"),
    "on": Text("One move on"),
    "last": Text("To the end"),
    "where": phrases.AT_OF,
    "as_seen": Text("As seen by"),
    "everybody": Text("everybody"),
    "lost": phrases.LOST,
}
"""Words of the pages that look back."""


SEAT: Mapping[str, Text] = {
    "title": Text("{title}: {name}"),
    "no_seat": Text("This browser has no seat."),
    "seats": Text("Your seats"),
    "asked": Text("What is asked"),
    "hand": Text("What you hold"),
    "choose": Text("Your choice"),
    "more": Text("More"),
    "keep_open": Text("The choices are being opened. Keep this page open."),
    "touch": Text("Touch what is lit."),
    "not_possible": Text("That is not possible now."),
    "confirm": Text("Confirm: {move}"),
    "confirm_none": Text("Confirm"),
    "undo": Text("Undo"),
    "pass": Text("Pass"),
    "done": Text("No more"),
    "yes": Text("Yes"),
    "no": Text("No"),
    "as_list": Text("As a list"),
    "bound_to": Text("You have chosen:"),
    "hold": Text("Hold to see"),
    "hint": Text("Hint"),
    "hint_is": phrases.HINT,
    "thinking": phrases.THINKING,
    "back": Text("Take back"),
    "pause": Text("Pause"),
    "call": Text("Stop the game"),
    "dispute": Text("Dispute"),
    "what_is_wrong": Text("What is wrong with the last move?"),
    "note_it": Text("Note it"),
    "leave": Text("Leave it to a bot"),
    "return": Text("Play again yourself"),
    "rules": Text("Rules"),
    "close": Text("Close"),
    "tone": Text("Sound"),
    "awake": Text("Stay awake"),
    "unprotected": Text(
        "This page came without https. This phone will fall asleep while you wait, and neighbours on the network can"
        " read along."
    ),
    "join": Text("Join a game"),
    "how_to_join": Text("Scan the code on the display, or type it here. It holds for two minutes, once."),
    "code": Text("Code"),
    "sit_down": Text("Sit down"),
    "host": Text("For the operator: phones"),
    "game": Text("Game"),
    "people": Text("Names, with commas"),
    "begin": Text("Begin on phones"),
    "code_for": Text("Code for {name}"),
    "qr": Text("QR code of {address}"),
}
"""Words of a seat."""

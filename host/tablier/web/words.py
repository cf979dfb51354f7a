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
    "next": phrases.NEXT_GAME,
    "turning": Text("Turning points"),
    "turning_of": Text("Turning points, by {what}"),
    "curve": Text("The course of the points"),
    "come_in_by": Text("Come in at {address} with the code"),
    "read_aloud": Text("Read aloud"),
    "silent": Text("Stop reading"),
    "no_voice": Text("This browser has no voice of its own."),
    "tone": Text("Sound"),
    "full_screen": Text("Full screen"),
}
"""Words of the display."""

HOSTING: Mapping[str, Text] = {
    "title": Text("Host"),
    "evening": phrases.EVENING,
    "closed": Text(
        "This page is for the organisers of an evening. The operator names them; the operator's own address is the one"
        " that 'tablier' says in the terminal."
    ),
    "door": Text("The door"),
    "come_in_by": Text("Come in at {address} with this code."),
    "qr": Text("QR code of {address}"),
    "qr_code": Text("QR code"),
    "door_closed": Text("The door is closed: nobody comes in by a code."),
    "open_door": Text("Open the door"),
    "close_door": Text("Close the door"),
    "wish_device": Text("{name} asks to come in by another device."),
    "wish_screen": Text("A screen, {name}, asks to show the code."),
    "let_in": Text("Let in"),
    "refuse": Text("Refuse"),
    "people": Text("Who is there"),
    "nobody_here": Text("Nobody has come in yet."),
    "plays": Text("{name} plays"),
    "by_place": Text("place {place}"),
    "by_phone": Text("phone"),
    "by_terminal": Text("terminal"),
    "by_": Text("away"),
    "organiser": Text("organiser"),
    "change": Text("Change {name}"),
    "place": Text("Place"),
    "no_place": Text("none"),
    "name": Text("Name"),
    "rename": Text("Rename"),
    "make_organiser": Text("Make an organiser"),
    "no_organiser": Text("No organiser any longer"),
    "sign_out": Text("Sign out the devices"),
    "show_out": Text("Show out"),
    "sure_show_out": Text("Show {name} out? A bot can play on in a game that is open."),
    "new_person": Text("Somebody else"),
    "come": Text("Is here"),
    "play": Text("Play"),
    "again": phrases.AGAIN,
    "next_of_series": phrases.NEXT_OF_SERIES,
    "choose": Text("Choose above who plays."),
    "none_fits": Text("No game is for so many ({count})."),
    "other_game": Text("Another game"),
    "players": phrases.PLAYERS,
    "with_bots": Text("{count}: {names}"),
    "bots_play": Text("How the bots play"),
    "simulated": Text("Bots sit at the table, as simulated people"),
    "begin": phrases.BEGIN,
    "begin_game": Text("Begin {title}"),
    "runs": Text("{title}, move {ply}"),
    "at_place": Text("at place {place}"),
    "at_screen": Text("at a screen"),
    "a_bot": Text("a bot"),
    "waits": Text("is asked"),
    "leave_to_bot": Text("A bot takes over"),
    "leave_seat": Text("A bot takes over for {name}"),
    "give_back": Text("Give back to {name}"),
    "give_to": Text("Give {seat}'s seat to"),
    "give": Text("Give"),
    "pause": Text("Pause"),
    "hurry": Text("Bots decide at once"),
    "stop": Text("Stop the game"),
    "sure_stop": Text("Stop {title}? It can be resumed later."),
    "series": Text("A series"),
    "series_runs": Text("{said}. Played: {played}."),
    "series_wins": Text("wins"),
    "series_count": Text("games"),
    "series_first": Text("The first to win"),
    "series_of": Text("As many as"),
    "series_games": Text("Games, in turn"),
    "begin_series": Text("Begin the series"),
    "table": Text("Light and sound of the table"),
    "volume": Text("Sound"),
    "mute": Text("silent"),
    "light": Text("Light"),
    "percent": Text("{percent} %"),
    "left": Text("Not finished"),
    "resume": Text("Go on with {title}, game {game}"),
    "resume_game": Text("Go on with game {game}"),
    "look": Text("look"),
    "new_evening": Text("Begin an evening"),
    "new_said": Text("People come in by its code, on phones or at places, and play as many games as they like."),
    "at_table": Text("Table"),
    "table_none": Text("none: everybody has a screen"),
    "table_simulated": Text("a simulated table on the page Table"),
    "begin_evening": Text("Begin the evening"),
    "end": Text("End of the evening"),
    "end_evening": Text("End the evening"),
    "sure_end": Text("End evening {evening}? All keys end with it."),
    "sure_end_game": Text("End evening {evening}, and stop {title}? All keys end with it."),
    "yes": Text("Yes"),
    "no": Text("No"),
    "evenings": Text("Evening"),
}
"""Words of the organiser's page."""

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
    "begin_game": Text("Begin a game"),
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


BETWEEN: Mapping[str, Text] = {
    "own_rank": Text("{name} is number {rank} of {count} this evening. Games won: {wins}."),
    "series_rank": Text("{name} is number {rank} in the series. Games won: {wins}."),
    "again": phrases.AGAIN,
    "next_of_series": phrases.NEXT_OF_SERIES,
    "next": phrases.NEXT_GAME,
    "others_play": Text("Others are playing. The display shows it."),
    "run_evening": Text("Run the evening"),
}
"""Words of a seat's page between games."""

SEAT: Mapping[str, Text] = {
    "title": Text("{title}: {name}"),
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
    "here_as": Text("You are here as {names}."),
    "next_game": Text("The next game finds you here by itself."),
}
"""Words of a seat."""

JOINING: Mapping[str, Text] = {
    "come_in": Text("Come in"),
    "not_in": Text("You are in no evening that is open."),
    "which_code": Text("Which four letters does the television or the terminal show?"),
    "code": Text("Code"),
    "go_on": Text("Go on"),
    "who": Text("Who are you?"),
    "name": Text("Another name"),
    "only_watch": Text("I only watch"),
    "for_all": Text("This screen is for all"),
    "for_all_said": Text("It shows the game and the code, once somebody who organises the evening lets it in."),
    "a_screen": Text("A screen"),
    "asked": Text(
        "{name} is here by another device. Somebody who organises the evening is asked to let you in by this one."
    ),
    "asked_screen": Text("Somebody who organises the evening is asked to let this screen in."),
    "leave_it": Text("Leave it"),
    "is_in": Text("You are here as {names}."),
    "to_seat": Text("To your seat"),
    "another_one": Text("Somebody else plays here, too"),
    "other_code": Text("Another code"),
    "unprotected": Text(
        "This page came without https. This phone will fall asleep while you wait, and neighbours on the network can"
        " read along."
    ),
}
"""Words of coming in."""

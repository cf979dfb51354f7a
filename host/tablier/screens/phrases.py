"""Sentences that several screens say: line, full screen, evening and pages. Each stands here once, as a template."""

from __future__ import annotations

from collections.abc import Callable

from tablier.texts import Text

Say = Callable[..., None]
"""Prints texts, each on lines of its own."""

YOUR_TURN = Text("Your turn")
YOUR_TURN_TOO = Text("Your turn, together with {names}")
YOU_ASKED = Text("You are asked")
WAITING = Text("Waiting for {names} …")
YOU_CHOSE = Text("You have chosen. Waiting for {names} …")
ALL_CHOSE = Text("All have chosen; waiting for {names} …")
NOTHING_ASKED = Text("Nothing is asked now.")
OVER = Text("The game is over.")
STOPPED = Text("The game was stopped; it can be resumed.")
NOW_ABANDONED = Text("Game {game} is abandoned: it counts nowhere, and cannot be resumed.")
BY_MISTAKE = Text("Begun by mistake? 'tablier log abandon {game}{log}' has it count nowhere.")
WINNER = Text("winner")

THINKING = Text("Hint: thinking …")
HINT = Text("Hint: {move}")
NOBODY_HERE = Text("Nobody plays at this screen.")
THIS_IS_FOR = Text("This is for {name}, who types that name.")
TYPE_THESE = Text("{seen} is not possible now; type {lines}")

IN_BROWSER = Text("In a browser: {address}")
COME_IN = Text("On a phone: {address} and the code {code}")
ONLY_HERE = Text(
    "These pages are for this computer alone. ':door lan' in an evening, or 'tablier web --lan{log}', serves them to"
    " phones of this network, too: without a certificate, neighbours can read and change what goes over it."
)
COME_IN_HERE = Text("In a browser of this computer: {address} and the code {code}")
LOGGED = Text("Logged as game {game} in {path}.")
EVENING = Text("Evening {evening}")
EVENING_OVER = Text("Evening {evening} is over.")
TABLE_SILENT = Text("The table does not answer.")
LOST = Text("The connection is lost. This page tries again.")
NO_KEEPER = Text("{path}: no keeper runs")
KEEPER_GONE = Text("The keeper is gone.")
GAME_LEFT = Text("Game {game}, {about}")
RUNS = Text("Game {game} is played at another screen.")
NOT_RUNNING = Text("game {game} does not run; games that do: {games}")
WHAT_HAPPENED = Text("What happened")
GAMES = Text("Games")
PLAYERS = Text("Players")
NOT_PLAYED = Text("No game was played yet.")
WITH = Text("with {names}")
AT_OF = Text("{at} of {last}")
PLACE = Text("Place {place}")
DOOR_CLOSED = Text("The door is closed: nobody comes in by the code.")
HERE = Text("Here: {names}")
A_SCREEN = Text("A screen")
YOUR_NAME = Text("Your name")
AN_EVENING = Text("An evening")
LOOK_BACK = Text("Look back")
TABLE_TITLE = Text("The table")
BEGIN = Text("Begin")
AGAIN = Text("Begin {title} again now, for all")
NEXT_OF_SERIES = Text("Next of the series: {title}")
NEXT_GAME = Text("Next: {title}")


def way_in(address: str, code: str | None) -> Text | None:
    """Return how others come in: where pages are served, if they are, and by which code, if the door is open."""
    if not address:
        return None
    if code is None:
        return IN_BROWSER.of(address=address)
    near = address.startswith("http://127.")
    return (COME_IN_HERE if near else COME_IN).of(address=f"{address}in", code=code)

"""The meaning of the wire's messages, in words. For host, document and tests; not put on a Pico."""

ABILITIES = (
    ("service mode", "it has a service mode"),
    ("choice", "secret choices"),
    ("window", "windows: it feels landings"),
    ("poll", "polls"),
    ("menu", "menus"),
    ("tally", "tallies"),
    ("watch", "presses are watched"),
    ("check", "its sensors can be examined"),
    ("tone", "it has a buzzer"),
    ("peek", "what the host paints under a hood is shown when its place asks for it, and only then"),
    ("call", "a place may call"),
    ("secret menu", "menus whose walk is not reported"),
    ("roll", "chance that neither side can bend"),
    ("given tally", "tallies of which some dice are given, and secret ones"),
    ("tumbling roll", "rolls that no host can throw again unseen: they tumble, stand, and are counted"),
)
"""What a table can do, as the bits of its hello mean it, from bit 0."""

NEEDED = {
    "peek": "a hood's `scene` that only its place may see",
    "call": "bit 0 of a question's `flags`",
    "secret menu": "bits 1 and 2 of `flags` in `menu`",
    "given tally": "`given`, and bit 2 of `flags`, in `tally`",
}
"""What an ability is needed for but whole messages, by its name."""

WIDENED = {("tally", "flags"): "given tally", ("roll", "colours"): "tumbling roll"}
"""What a minor version has changed of what a table takes but by fields at the end, and the ability that tells it: by
the names of message and field, a range that grew or a last field that is gone."""

REASONS = (
    ("", ""),
    ("short", "the payload ends before or within this field"),
    ("range", "this field is out of its range"),
    ("rule", "this field does not go with the others"),
    ("old", "a newer question was asked already"),
    ("unknown", "there is no such state message"),
    ("undue", "the open question does not wait for it"),
)
"""Why a message is refused, as ``refused`` says it; 0 is not used."""

DOUBTS = (
    ("unseen", "no beam was broken on its way: a knock, or a card that slipped through"),
    ("unfelt", "no impact of its own was felt"),
    ("half", "one tier only saw it: it may have struck the rim and gone outside"),
    ("both", "both tiers stay broken: it leans out over the rim, or hangs in from it"),
    ("masked", "some beams could not tell: broken already, or lit from elsewhere"),
    ("crowded", "another one came in at the same time: what is whose is a guess"),
    ("hand", "something that is no card was in the beams"),
    ("restless", "it was still moving when it was told"),
    ("empty", "the floor is empty"),
)
"""What may speak against a landing's class, as the bits of its `doubts` mean it, from bit 0."""

MESSAGES = {
    "host_hello": (
        "The host is there. Every version understands it: these fields never change. `challenge` is that of the"
        " latest `table_hello`, or zeros; `log` says whose ids the questions of this host carry."
    ),
    "table_hello": (
        "The table is there; sent at boot, then once a second until a host is adopted, and as the answer to every"
        " hello of a host. Every version understands it: these fields never change. `lost` is how many events of"
        " boots before this one no host has called durable, all ones where nobody knows; `last` is the number of"
        " this boot's latest event, `acked` that of the last one that a host has called durable."
    ),
    "service": (
        "Restarts the table into its service mode: the prompt of its MicroPython, to put other firmware on it."
        " Taken from any run that names the challenge of the latest `table_hello`, unless the table has another host;"
        " answered by `serving`. Every version understands it."
    ),
    "serving": (
        "The answer to `service`. Without a refusal the table listens to nothing any more and leaves the line"
        " soon; what it had not sent then is lost. Every version understands it."
    ),
    "ack": "Every event up to this number is durable in the log.",
    "locked": "A place has locked its choice.",
    "opened": "What a place had locked; sent when every commitment of the question is there and durable.",
    "landed": (
        "A landing, counted from 0 in its window: when (time of impact), the proposed class, the beams of each"
        " tier that it broke and that stayed broken (bit 0 is the first), impacts felt: more than one when the card"
        " bounced. `confidence` is how likely it is, in percent, that this is one card and lies so; `doubts` is"
        " what speaks against it."
    ),
    "done": "A place throws no more in this window; with `missed` set, a card of its missed the arena.",
    "closed": "The window is closed; `landings` is the number of landings felt in it.",
    "answered": "A place said yes or no.",
    "picked": "A place confirmed an option of its menu, counted from 0.",
    "tallied": (
        "The faces (from 0) that a place entered, die by die; bit d of `kept` is set when die d is to be kept."
    ),
    "pressed": "A press, while presses are watched.",
    "moved": ("A landing of this window lies otherwise than it was told: the beams that it stayed in are clear again."),
    "called": "A place calls: `plus` was pressed while `minus` was held, and the open question allows it.",
    "committed": (
        "The table has committed to a nonce for a roll; `place` is the one that started it, 0 where nobody did;"
        " `roll` is the number of the roll in its boot, from 1."
    ),
    "revealed": "The nonce of a roll; sent when the commitment is durable and the host has contributed.",
    "scene": (
        "What a group of pixels shows: for each of its pixels colour (an index into the palette), brightness, effect."
        " `light` dims all that the group shows, also what the table itself shows there."
    ),
    "idle": "No question is open. `game` says whether a game is open all the same: the next question is to come.",
    "choice": (
        "These places choose in secret; places in `outside` are committed by the host. Byte p-1 of `allowed` is"
        " the set of options open to place p (bit 0 is the first option), of `seats` what the host calls the seat"
        " of place p: the table puts it into the commitment; `colours` has a colour for each option."
    ),
    "window": (
        "Landings are reported while these places may throw; the host speaks for those in `outside`. Closes when"
        " all are done or `quiet` ms after the last landing, never within `guard` ms of one. `seen` landings of"
        " this window were logged before a restart of the table. `first` is the pixel of the ring that the first one"
        " lights."
    ),
    "poll": (
        "These places are asked a question that they answer with yes or no. Bit 1 of `flags`: the first yes ends it."
    ),
    "menu": (
        "One place picks one of the options that are set in `open` (bit 0 is the first option). `labels` has for"
        " each option the number that the hood shows. Bit 1 of `flags`: the menu is secret; `labels` are colours"
        " then, the table begins at an option of its own choice, and the walk is not reported. Bit 2: the walk is"
        " not reported."
    ),
    "tally": (
        "One place enters this number of dice; `colours` has a colour for each face. The first dice have the faces"
        " `given` and are not entered. Bit 1 of `flags`: it marks dice, too. Bit 2: the tally is"
        " secret; dice begin at random faces."
    ),
    "watch": "Every press at these places is reported; buttons count from 0: minus, plus, a, b.",
    "outside": (
        "The host speaks for a place whose source is not at the table: its seat and its commitment in a choice; in"
        " a window, that it is done (the commitment is then zero)."
    ),
    "tone": "A tune to play once: for each note Hz (0 is a rest) and ms. `volume`: 1 is soft, 3 is loud.",
    "check": (
        "The table tells by `sensed` what its sensors feel; nobody is asked. Bit 1 of `flags`: it first measures"
        " them, by dimming their lights, and feels nothing meanwhile."
    ),
    "roll": (
        "The table and the host roll together: for each of `ranges` a number from 0 and below it. `place` starts it,"
        " 0: it starts at once. `audience` is where the table shows what was rolled: 0 nowhere, 1–6 under the hood of"
        " that place, 7 on the ring; that it rolls is always shown on the ring."
    ),
    "contribution": (
        "What the host adds to a roll whose commitment it has made durable: 16 random bytes. Names that commitment."
    ),
    "status": (
        "What the table holds (the revision of each slot), and how it is: five times a second, and when a slot changes."
        " `begun`, `revealed`, `acknowledged` and `abandoned` count the rolls of this boot. `told` is the number of the"
        " last event that a host with this host's log has called durable, as far as the table remembers: of the latest"
        " four logs. `places` are those that are there, `ring` is how many pixels of the ring are, and `arena` is 0"
        " where there is none."
    ),
    "ping": "Asks for the table's clock.",
    "pong": "The answer to a ping.",
    "cursor": "Where a place stands in its menu.",
    "keep": "Keeps a result of the self-test in place of the one that is kept; empty, it only asks for that one.",
    "kept": "The answer to `keep`: the result that is kept now; empty where there is none.",
    "sensed": (
        "What the sensors feel, while a `check` is open: five times a second. `broken` are the beams that are"
        " broken now, `seen` those that were since it was asked; `impacts` are counted since then. Once `measured`"
        " is set, `margins` says of each beam how much of its light it can do without, and `blinded` for how much"
        " of the time it saw light from elsewhere, both in percent. `offer` and `pile` are the reflections of the"
        " floor; `held` are the buttons that count as pressed, four bits a place; bit 0 of `faults` says that the"
        " button chain does not answer, bit 1 that no sample of it has come for a second,"
        " bit 2 that there is no 5 V."
    ),
    "refused": (
        "A message that was meant for this table, but is not what its declaration says, changed nothing: its code;"
        " the slot that it was to fill (255: none, or none that is there); the revision that its payload would have"
        " there; the first field that is wrong, counted from 0 (255: none); why."
    ),
}
"""By the name of the message."""

RULES = {
    ("scene", "pixels"): "there is one unit for each pixel of the group",
    ("choice", "outside"): "a place is not both asked and outside",
    ("choice", "allowed"): "each place that is asked, and no other, has options, and all of them have a colour",
    ("window", "outside"): "a place is not both asked and outside",
    ("window", "places"): "there is a place, asked or outside",
    ("tally", "given"): "these are faces; there is a die to enter, or dice are marked",
    ("menu", "start"): "it is one of the options; in a secret menu it is 0",
    ("menu", "open"): "these are options that are there, and no others",
    ("menu", "labels"): "if the menu is not secret they are numbers up to 12",
}
"""What must hold for a field that the others limit, by the names of message and field."""

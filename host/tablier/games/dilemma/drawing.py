"""Dilemma: the arena from above with the pile in it, the seats around it with hands, lives and gained cards."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.cells import cell_len
from rich.text import Text as Styled

from tablier.games.core import GAME_OVER, Move, Rules, points_text, seat_name
from tablier.games.core.drawing import (
    CANVAS,
    DARK,
    HAND,
    HEIGHT,
    HOT,
    INK,
    LAST,
    LETTERS,
    LINE,
    LIT,
    MOVES,
    PAPER,
    SEATS,
    SEATS_DARK,
    SOFT,
    WON,
    Canvas,
    Drawing,
    Note,
    Surface,
    Svg,
    button,
    column,
    fitted,
    seat_part,
    short,
    won_with,
)
from tablier.games.dilemma.rules import CHOICES, CHOSEN, DUEL, OFFER, OVER, RANKS, WINDOW, duel_card
from tablier.games.dilemma.words import part
from tablier.texts import Json, Text, all_of, counted, in_turn

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_NAME = 14  # columns for a name
_LABEL = Text("card {rank} of {name}")


def status(view: Json, names: Sequence[str]) -> Text:
    """Return what the game waits for, in one line."""
    turn, phase = names[_index(view["turn"])], view["phase"]
    if phase == OVER:
        scores = _scores(view)
        winners = [name for name, score in zip(names, scores, strict=True) if score == max(scores)]
        return won_with(winners, max(scores))
    if phase == OFFER:
        return Text("{who} makes an offer", {"who": turn})
    if phase == WINDOW:
        throwers = [name for seat, name in enumerate(names) if seat in _moving(view)]
        about = {"names": all_of(throwers) if throwers else Text("Nobody"), "who": turn, "offer": view["offer"]}
        if not view["fresh"] and (view["pile"] or view["beside"]):
            return Text("{names} may throw again at {who}'s {offer}", about)
        return Text("{names} may throw at {who}'s {offer}", about)
    choosing = all_of([names[seat] for seat in sorted(_moving(view))])
    return Text("{names} must choose: peace or conflict", {"names": choosing})


def _index(seat: str) -> int:
    return int(seat[1:]) - 1


def _scores(view: Json) -> list[int]:
    return [sum(cards) for cards in view["gained"].values()]


def _moving(view: Json) -> set[int]:
    """Return the indices of the seats that can move."""
    phase, turn = view["phase"], _index(view["turn"])
    if phase == OFFER:
        return {turn}
    if phase == WINDOW:
        return {_index(seat) for seat, hand in view["hands"].items() if hand} - {turn}
    if phase == DUEL:
        return {_index(seat) for seat, choice in view["choices"].items() if not choice}
    return set()


def _pile(view: Json) -> list[tuple[int, int, str]]:
    """Return the cards in the arena from the offer upwards: index of the owner, rank, and what the card is."""
    if view["phase"] not in (WINDOW, DUEL):
        return []
    offer = view["offer"]
    flat = [(_index(seat), rank) for seat, rank in view["pile"]]
    duel = duel_card(offer, flat)
    kinds = [
        "duel" if card == duel else "invalid" if duel is None or flat.index(duel) > height else "above"
        for height, card in enumerate(flat)
    ]
    cards = [(seat, rank, kind) for (seat, rank), kind in zip(flat, kinds, strict=True)]
    return [(_index(view["turn"]), offer, "offer"), *cards]


# -- terminal --------------------------------------------------------------------------------------------

_COLOURS = ("dodger_blue1", "red1", "green3", "dark_orange", "medium_purple1")
_GAINED = 25  # columns for gained cards
_LIVES, _HAND = Text("lives", context="column"), Text("hand", context="column")
_HEAD, _POINTS = Text("gained", context="column"), Text("points", context="column")
_MARKS = {"duel": Text("◀ duel card"), "invalid": Text("not valid", context="card")}


def text(rules: Rules[Any], view: Json, names: Sequence[str], canvas: Canvas = CANVAS) -> Styled:
    """Return a board for a terminal. Cards that were thrown while a window is open have left their hand."""
    names = [short(name, _NAME) for name in names]
    thrown = [(seat - 1, rank) for seat, rank in canvas.thrown if view["phase"] == WINDOW]
    picture = Styled(no_wrap=True)
    picture.append(f"{rules.shown_title()}  ", "bold").append(short(str(status(view, names)), canvas.columns - 9))
    picture.append("\n")
    for line in _arena(view, names, thrown, canvas):
        picture.append("\n").append_text(line)
    picture.append(f"\n\n  {'':{_NAME}} {_LIVES!s:6} {_HAND!s:21} {_HEAD!s:{_GAINED}} {_POINTS}", "dim")
    moving, best = _moving(view), max(_scores(view))
    for seat, (name, score) in enumerate(zip(names, _scores(view), strict=True)):
        key = f"p{seat + 1}"
        won = view["phase"] == OVER and score == best
        style = "bold" if seat in moving or won else ""
        last = canvas.last is not None and canvas.last.actor == seat + 1
        picture.append(f"\n{'▶' if seat in moving else '★' if won else LAST if last else ' '} ", style)
        picture.append(column(name, _NAME), f"{style} {_COLOURS[seat]}")
        picture.append(" " + column("♥" * view["lives"][key], 6), "red1")
        held = [rank for rank in view["hands"][key] if (seat, rank) not in thrown]
        for rank in RANKS:
            lit = part(seat + 1, rank) in canvas.lit
            shown = f"{rank}" if rank in held else "·"
            picture.append(LIT if lit else " ").append(shown, "bold reverse" if lit else "" if rank in held else "dim")
        picture.append(" " * (2 if RANKS[-1] in held else 3))
        gained = " ".join(map(str, sorted(view["gained"][key], reverse=True)))
        picture.append(column(gained or "–", _GAINED), "" if gained else "dim")
        picture.append(f"{score:>6}", "bold")
    return picture


def _arena(view: Json, names: Sequence[str], thrown: Sequence[tuple[int, int]], canvas: Canvas) -> list[Styled]:
    """Return the pile from the offer upwards, what landed beside it or is in the air, and the choices of a duel."""
    if view["phase"] not in (WINDOW, DUEL):
        return [Styled(str(Text("The arena is empty.")), "dim")]
    more = canvas.lines - HEIGHT
    last = canvas.last
    newest = (last.actor - 1, last.args[0]) if last and last.verb in ("offer", "throw") else None

    def card(seat: int, rank: int, kind: str) -> Styled:
        mark = f" {_MARKS[kind]}" if kind in _MARKS else ""
        return _card(seat, rank, names, mark, kind == "above", LAST if (seat, rank) == newest else "")

    pile = [card(*each) for each in _pile(view)]
    beside = [card(_index(seat), rank, "above") for seat, rank in view["beside"]]
    flying = [card(seat, rank, "thrown") for seat, rank in thrown]
    if canvas.lines >= _TALL and len(pile) <= 3 + more:
        lines = _stack(f" {_OFFER}", pile)
    else:
        lines = _flow(f" {_OFFER}", pile, 3 + more, canvas.columns)
    if beside:
        lines += _flow(str(Text("beside", context="cards")), beside, 2, canvas.columns)
    if flying:
        lines += _flow(str(Text("thrown", context="cards")), flying, 1 if beside else 2, canvas.columns)
    if view["phase"] == DUEL:
        duel = Styled.assemble((f"  {Text('duel', context='cards')}  ", "dim"))
        for seat, choice in view["choices"].items():
            duel.append(f"{Text('{name}:', {'name': names[_index(seat)]})} ", _COLOURS[_index(seat)])
            duel.append("…" if choice is None else str(_CHOICES[choice]), "bold").append("   ")
        lines.append(duel)
    return lines


_OFFER = Text("offer", context="cards")
_CHOICES = {"made": Text("has chosen", context="duellist"), **CHOSEN}
"""By choice, as a view has it: what is said of it."""


def _card(seat: int, rank: int, names: Sequence[str], mark: str, dim: bool, before: str) -> Styled:
    style = "dim " if dim else ""
    card = Styled.assemble(
        (before, "bold"), (f" {rank} ", f"{style}reverse {_COLOURS[seat]}"), (f" {names[seat]}", f"{style}")
    )
    return card.append(mark, "bold" if mark == f" {_MARKS['duel']}" else "dim")


_TALL = 22
"""Lines of a terminal from which on the cards of a pile lie on each other."""


def _stack(label: str, cards: list[Styled]) -> list[Styled]:
    """Cards one above another, the first one at the bottom."""
    bottom, *others = [Styled("  ") + card for card in cards]
    return [
        *(Styled(" " * cell_len(label)) + card for card in reversed(others)),
        Styled.assemble((label, "dim"), bottom),
    ]


def _flow(label: str, cards: list[Styled], most: int, columns: int) -> list[Styled]:
    """Return cards one after another in at most `most` lines; those that do not fit are counted."""
    lines = [Styled.assemble((label, "dim"))]
    for number, card in enumerate(cards):
        room = columns - (12 if len(lines) == most else 0)  # the last line may have to count what is left
        if cell_len(lines[-1].plain) + 2 + cell_len(card.plain) > room:
            if len(lines) == most:
                more = counted(len(cards) - number, "+ {count} more", "+ {count} more")
                lines[-1].append(f"  {more}", "dim")
                break
            lines.append(Styled(" " * len(label)))
        lines[-1].append("  ").append_text(card)
    return lines


# -- read aloud ----------------------------------------------------------------------------------------


_CARD = Text("{who}'s {rank}")
_KINDS = {
    "offer": Text("{who}'s {rank}, the offer"),
    "duel": Text("{who}'s {rank}, the duel card"),
    "invalid": Text("{who}'s {rank}, not valid"),
    "above": _CARD,
}


def spoken(rules: Rules[Any], view: Json, names: Sequence[str]) -> list[Text]:
    """Return the board in sentences: the arena, then each player."""
    said = [Text("{status}.", {"status": status(view, names)})]
    if pile := _pile(view):
        cards = [_KINDS[kind].of(who=names[seat], rank=rank) for seat, rank, kind in pile]
        said.append(Text("In the arena, from the bottom: {cards}.", {"cards": in_turn(cards)}))
    if pile and view["beside"]:
        beside = [_CARD.of(who=names[_index(seat)], rank=rank) for seat, rank in view["beside"]]
        said.append(Text("Beside it: {cards}.", {"cards": all_of(beside)}))
    if view["phase"] == DUEL:
        for seat, choice in view["choices"].items():
            chosen = {"who": names[_index(seat)], "choice": _CHOICES[choice] if choice else Text("has not chosen")}
            said.append(Text("{who}: {choice}.", chosen))
    for seat, (name, score) in enumerate(zip(names, _scores(view), strict=True)):
        key = f"p{seat + 1}"
        held, gained = list(view["hands"][key]), sorted(view["gained"][key], reverse=True)
        about: dict[str, Any] = {
            "who": name,
            "lives": counted(view["lives"][key], "{count} life", "{count} lives"),
            "held": all_of(held) if held else Text("no cards"),
            "gained": all_of(gained) if gained else Text("nothing"),
            "points": points_text(score),
        }
        said.append(Text("{who}: {lives}, holds {held}, has gained {gained}, {points}.", about))
    return said


# -- SVG -------------------------------------------------------------------------------------------------

_WIDTH = 980.0
_HEIGHTS = {3: 700.0, 4: 580.0, 5: 700.0}
_PANEL = (276.0, 152.0)
_PLACES = {  # the upper left corners of the panels, clockwise from the first seat
    3: [(352, 530), (18, 214), (686, 214)],
    4: [(18, 400), (18, 120), (686, 120), (686, 400)],
    5: [(352, 530), (18, 340), (18, 100), (686, 100), (686, 340)],
}


class _Tray(NamedTuple):
    """Where the arena lies in the document, and what lies in it."""

    middle: tuple[float, float]
    width: float
    height: float
    edge: float
    """The width of its edge, in which the ring of pixels lies."""
    card: tuple[float, float]
    pile: float
    """The top of the offer, from the top of the tray."""
    letters: float
    """Of words."""
    names: float
    """Of the name on a card."""

    @property
    def corner(self) -> tuple[float, float]:
        return self.middle[0] - self.width / 2, self.middle[1] - self.height / 2


_TRAY = _Tray((490.0, 296.0), 356.0, 400.0, 24.0, (88.0, 124.0), 72.0, 13.0, 11.0)
_ON_PHONE = _Tray((HAND / 2, 145.0), HAND - 2, 288.0, 14.0, (76.0, 106.0), 60.0, LETTERS, LETTERS)
_PHONE_HEIGHT = 292.0
_PIXELS = 32
_DULL, _DULL_INK, _PEACE, _CONFLICT, _GONE = "#e3e0d8", "#74716b", "#dff0e2", "#f8dcd8", "#ddd6c8"
_SHOWN = 9  # cards of a pile; of more, the number is told


def svg(rules: Rules[Any], view: Json, names: Sequence[str], surface: Surface = Surface.PAPER) -> str:
    """Return an SVG document; on a phone the arena alone."""
    names = [short(name, _NAME) for name in names]
    phone = surface == Surface.PHONE
    tray = _ON_PHONE if phone else _TRAY
    picture = Svg(HAND, _PHONE_HEIGHT) if phone else Svg(_WIDTH, _HEIGHTS[len(names)])
    if not phone:
        picture.text(24, 40, "DILEMMA", size=24, font_weight="bold", letter_spacing="4", fill=INK)
        picture.text(_WIDTH - 24, 40, short(str(status(view, names)), 78), anchor="end", size=16, fill=INK)
    _draw_tray(picture, tray, view["phase"] == WINDOW and not phone)  # there what is lit can be touched
    _draw_pile(picture, tray, view, names)
    _draw_beside(picture, tray, view, names)
    if view["phase"] == DUEL:
        _choices(picture, tray, view, names)
    for seat, place in enumerate(() if phone else _PLACES[len(names)]):
        _panel(picture, view, names, seat, *place)
    return picture.dumps()


def beside(rules: Rules[Any], view: Json, names: Sequence[str]) -> list[Note]:
    """Return what stands beside the board: each player's lives, points and cards."""
    scores, lines = _scores(view), [Note(text=Text("♥ is a life"))]
    for seat, name in enumerate(names):
        key = f"p{seat + 1}"
        gained = " ".join(map(str, sorted(view["gained"][key], reverse=True)))
        about = {
            "who": name,
            "lives": "♥" * view["lives"][key] or Text("no ♥ left,"),
            "points": points_text(scores[seat]),
            "cards": " ".join(map(str, view["hands"][key])) or "–",
            "gained": gained,
        }
        text = Text("{who} {lives} {points}, holds {cards}", about)
        if gained:
            text = Text("{who} {lives} {points}, holds {cards}, gained {gained}", about)
        lines.append(Note(text=text, seat=seat + 1, part=seat_part(seat + 1), sign=_sign(view, seat)))
    if out := view.get("beside", ()):
        cards = [_CARD.of(who=names[_index(seat)], rank=rank) for seat, rank in out]
        lines.append(Note(text=Text("Out of play: {cards}", {"cards": all_of(cards)})))
    return lines


def _sign(view: Json, seat: int) -> str:
    """Return the sign of who is to move, or has won; empty for others."""
    if view["phase"] == OVER:
        scores = _scores(view)
        return WON if scores[seat] == max(scores) else ""
    return MOVES if seat in _moving(view) else ""


def last(rules: Rules[Any], view: Json, move: Move) -> Sequence[str]:
    """Return the card as long as it lies in the arena, else its seat."""
    lies = [(seat + 1, rank) for seat, rank, _ in _pile(view)[:_SHOWN]]
    lies += [(_index(seat) + 1, rank) for seat, rank in view.get("beside", ())]
    if move.args and (move.actor, move.args[0]) in lies:
        return (part(move.actor, move.args[0]),)
    return (seat_part(move.actor),)


_HAND_CARD = (68.0, 76.0)
_RINGS, _CROSS = "#2f66c4", "#c35a00"


def hand(rules: Rules[Any], view: Json, names: Sequence[str], seat: int) -> str:
    """Return an SVG document of a seat's cards, and in a duel of what it can choose."""
    key = f"p{seat}"
    duels = view["phase"] == DUEL and key in view["choices"]
    width, height = _HAND_CARD
    picture = Svg(HAND, 74.0 if duels else 8 + 2 * (height + 8))
    if duels:
        for number, choice in enumerate(CHOICES):
            group = button(picture, part(seat, choice), CHOSEN[choice], (8.0 + 191 * number, 8.0, 183.0, 58.0))
            _stone(picture, group, 40.0 + 191 * number, 37.0, choice)
    for number, rank in enumerate(() if duels else RANKS):
        x, y = 8 + (number % 5) * (width + 8.5), 8 + (number // 5) * (height + 8)
        box = {"x": x, "y": y, "width": width, "height": height, "rx": 9.0}
        if rank not in view["hands"][key]:
            picture.add("rect", fill=LINE, opacity=0.35, **box)
            continue
        group = picture.part(part(seat, rank), Text("card {rank}", {"rank": rank}))
        picture.add("rect", group, fill=PAPER, stroke=SEATS[seat - 1], stroke_width=2, **box)
        middle: dict[str, float | str] = {"anchor": "middle", "size": 36.0, "font_weight": "bold"}
        picture.text(x + width / 2, y + height / 2 + 13, str(rank), group, fill=SEATS[seat - 1], **middle)
    return picture.dumps()


def _stone(picture: Svg, group: Element, x: float, y: float, choice: str) -> None:
    """The sign of a choice: two circles that meet, or two lines that cross."""
    if choice == "peace":
        for aside in (-6, 6):
            picture.add("circle", group, cx=x + aside, cy=y, r=10, fill="none", stroke=_RINGS, stroke_width=4)
    else:
        path = f"M{x - 10:g} {y - 10:g} L{x + 10:g} {y + 10:g} M{x + 10:g} {y - 10:g} L{x - 10:g} {y + 10:g}"
        picture.add("path", group, d=path, fill="none", stroke=_CROSS, stroke_width=5, stroke_linecap="round")


def _draw_tray(picture: Svg, tray: _Tray, lit: bool) -> None:
    """The arena: floor, edge, and the ring of pixels around it, which is lit while a window is open."""
    (left, top), width, height, edge = tray.corner, tray.width, tray.height, tray.edge
    round_ = 1.4 * edge
    picture.add("rect", x=left + 1, y=top + 5, width=width, height=height, rx=round_, fill="#000000", opacity=0.14)
    picture.add("rect", x=left, y=top, width=width, height=height, rx=round_, fill="#7c5a3c", stroke="#5b4029")
    floor = {"x": left + edge, "y": top + edge, "width": width - 2 * edge, "height": height - 2 * edge}
    picture.add("rect", rx=0.75 * edge, fill="#2f5d50", **floor)
    half = edge / 2
    right, bottom, left, top = left + width - half, top + height - half, left + half, top + half
    corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
    each = _PIXELS // 4
    for (ax, ay), (bx, by) in pairwise(corners):
        for pixel in range(each):
            share = (pixel + 0.5) / each
            px, py = ax + (bx - ax) * share, ay + (by - ay) * share
            fill, opacity = ("#ffd45e", 1.0) if lit else ("#a98a6a", 0.6)
            picture.add("circle", cx=px, cy=py, r=0.175 * edge, fill=fill, opacity=opacity)


def _draw_pile(picture: Svg, tray: _Tray, view: Json, names: Sequence[str]) -> None:
    """The offer, and each thrown card further to the right: beside the one below it, or on it where many lie there."""
    (x, y), letters, (card_width, card_height) = tray.middle, tray.letters, tray.card
    pile = _pile(view)
    if not pile:
        none = GAME_OVER if view["phase"] == OVER else Text("no offer yet")
        picture.text(x, y + 5, str(none), anchor="middle", size=LETTERS, fill="#cfe3da")
        return
    shown = pile[:_SHOWN]
    room = tray.width - 2 * tray.edge - 28 - card_width
    step = min(1.08 * card_width, room / max(1, len(shown) - 1))
    left, top = x - (step * (len(shown) - 1) + card_width) / 2, tray.corner[1] + tray.pile
    for number, (seat, rank, kind) in enumerate(shown):
        turn = 0 if kind == "offer" else (seat * 5 + rank * 3) % 7 - 3
        cx, cy = left + number * step, top + (0 if kind == "offer" else 10 + 9 * (number % 2))
        label = _LABEL.of(rank=rank, name=names[seat])
        turned = f"rotate({turn} {cx + card_width / 2:.1f} {cy + card_height / 2:.1f})"
        name = part(seat + 1, rank)
        group = picture.part(name, label, picture.thing(name), transform=turned)
        seen = min(step, card_width) if number < len(shown) - 1 else card_width
        _big_card(picture, group, tray, cx, cy, seat, rank, names[seat], kind, seen)
    picture.text(left + 4, top - 10, f"↓ {_OFFER}", size=letters, fill="#cfe3da")
    for number, (_, _, kind) in enumerate(shown):
        if kind == "duel":
            clear = number * step >= 3.4 * letters
            above = 10 if clear else 10 + 1.1 * letters  # clear of the word above the offer
            word = f"↓ {Text('duel card')}"
            picture.text(left + number * step + 6, top - above, word, size=letters, fill="#ffd45e", font_weight="bold")
    low = top + card_height + 1.55 * letters
    if len(pile) > len(shown):
        more = counted(len(pile) - len(shown), "and {count} more on top", "and {count} more on top")
        right = left + step * (len(shown) - 1) + card_width
        picture.text(right, top - 10, str(more), anchor="end", size=letters, fill="#cfe3da")
    if view["phase"] == WINDOW and any(kind == "invalid" for _, _, kind in shown):
        low += 1.9 * letters
        at = tray.corner[0] + tray.edge + 16
        picture.text(at, low, "✗", size=letters, fill="#ffb3a8", font_weight="bold")
        word = str(Text("the rank of the offer: not valid"))
        picture.text(at + 1.2 * letters, low, word, size=letters, fill="#cfe3da")


def _big_card(
    picture: Svg,
    group: Element,
    tray: _Tray,
    x: float,
    y: float,
    seat: int,
    rank: int,
    name: str,
    kind: str,
    seen: float,
) -> None:
    """A card in the arena. Rank and owner stand at its left edge, which the card on it leaves free; the rank stands in
    large figures where ``seen``, the width that it leaves free, has room for them."""
    width, height = tray.card
    dull = kind in ("invalid", "above")
    ink, paper = (_DULL_INK, _DULL) if dull else (SEATS[seat], PAPER)
    edge, thick = ("#ffd45e", 4) if kind == "duel" else (ink, 2)
    picture.reach(group, "rect", x=x - 6, y=y - 6, width=width + 12, height=height + 12, rx=14)
    picture.add("rect", group, x=x + 2, y=y + 3, width=width, height=height, rx=9, fill="#000000", opacity=0.22)
    picture.add("rect", group, x=x, y=y, width=width, height=height, rx=9, fill=paper, stroke=edge, stroke_width=thick)
    picture.text(x + 5, y + 22, str(rank), group, size=19, fill=ink, font_weight="bold")
    upright = picture.add("g", group, transform=f"rotate(-90 {x + 19:.1f} {y + height - 8:.1f})")
    written, fit = fitted(name, height - 34, tray.names)
    picture.text(x + 19, y + height - 8, written, upright, fill=SEATS[seat], **fit)
    if seen >= 0.95 * width:
        middle: dict[str, float | str] = {
            "anchor": "middle",
            "size": (0.31 if rank > 9 else 0.37) * height,
            "font_weight": "bold",
        }
        picture.text(x + 0.64 * width, y + 0.65 * height, str(rank), group, fill=ink, **middle)
    if kind == "invalid":
        picture.text(x + 6, y + 25 + tray.letters, "✗", group, size=tray.letters, fill=HOT, font_weight="bold")


def _draw_beside(picture: Svg, tray: _Tray, view: Json, names: Sequence[str]) -> None:
    """The cards thrown in this turn that did not land flat."""
    beside = view.get("beside", ())
    if not beside:
        return
    (x, y), phone = tray.middle, tray is _ON_PHONE
    base, room = y + tray.height / 2 - tray.edge - (39 if phone else 68), tray.width - 2 * tray.edge - 36
    if phone:  # below what the duellists choose
        word = str(Text("out of play"))
        picture.text(tray.corner[0] + tray.edge + 10, base + 25, word, size=tray.letters, fill="#cfe3da")
        room -= 110
        x += 55
    else:
        word = str(Text("did not land flat: out of play"))
        picture.text(x, base - 8, word, anchor="middle", size=12, fill="#cfe3da")
    step = min(34.0, room / max(1, len(beside)))
    left = x - step * len(beside) / 2
    for number, (seat, rank) in enumerate(beside):
        at = left + number * step
        label = _LABEL.of(rank=rank, name=names[_index(seat)])
        card = part(_index(seat) + 1, rank)
        group = picture.part(card, label, picture.thing(card))
        left_edge = at + (step - 28) / 2
        picture.reach(group, "rect", x=left_edge - 4, y=base - 4, width=36, height=46, rx=7)
        _mini(picture, left_edge, base, 28, 38, rank, SEATS[_index(seat)], faded=True, parent=group)
        if step > 30 and not phone:
            name = short(names[_index(seat)], 5)
            picture.text(at + step / 2, base + 50, name, anchor="middle", size=9.5, fill="#cfe3da")


def _choices(picture: Svg, tray: _Tray, view: Json, names: Sequence[str]) -> None:
    """The stones of the two duellists: still to choose, chosen and hidden, or what the viewer chose."""
    phone, x = tray is _ON_PHONE, tray.middle[0]
    width, y, size = (176.0, tray.middle[1] + 44, LETTERS) if phone else (136.0, tray.middle[1] + 28, 15.0)
    step = width + (10 if phone else 16)
    for number, (seat, choice) in enumerate(view["choices"].items()):
        cx, ink = x + (number - 0.5) * step, SEATS[_index(seat)]
        word = Text("chooses …", context="duellist") if choice is None else _CHOICES[choice]
        box = {"x": cx - width / 2, "y": y, "width": width, "height": 48.0, "rx": 24.0}
        fill = {None: _DULL, "peace": _PEACE, "conflict": _CONFLICT}.get(choice, PAPER)
        name = short(names[_index(seat)], 12)
        if phone and choice not in CHOICES:  # nothing that could be touched: it is said on the floor
            picture.text(cx, y + 16, name, anchor="middle", size=size, fill="#ffffff", font_weight="bold")
            picture.text(cx, y + 37, str(word), anchor="middle", size=size, fill="#cfe3da")
            continue
        picture.add("rect", fill=fill, stroke=ink, stroke_width=3, **box)
        picture.text(cx, y + 20, name, anchor="middle", size=LETTERS if phone else 12, fill=ink)
        picture.text(cx, y + 39, str(word), anchor="middle", size=size, fill=INK, font_weight="bold")


def _panel(picture: Svg, view: Json, names: Sequence[str], seat: int, x: float, y: float) -> None:
    """One seat: name, lives, hand, gained cards, score; whether it moves, and who has the initiative."""
    width, height = _PANEL
    key, ink = f"p{seat + 1}", SEATS[seat]
    scores, over = _scores(view), view["phase"] == OVER
    sign = _sign(view, seat)
    edge, thick = (HOT, 3.5) if sign else (LINE, 1.5)
    group = picture.part(seat_part(seat + 1), Text("{name}", {"name": names[seat]}))
    picture.reach(group, "rect", x=x - 6, y=y - 6, width=width + 12, height=height + 12, rx=19)
    picture.add("rect", x=x + 1, y=y + 3, width=width, height=height, rx=14, fill="#000000", opacity=0.10)
    picture.add("rect", x=x, y=y, width=width, height=height, rx=14, fill=PAPER, stroke=edge, stroke_width=thick)
    name = f"{sign} {names[seat]}" if sign else names[seat]
    size = 17.0 if cell_len(names[seat]) < 12 else 14.0
    picture.text(x + 14, y + 27, name, size=size, fill=ink, font_weight="bold")
    for life in range(view["lives"][key]):
        _heart(picture, x + width - 24 - life * 20, y + 20)
    if key == view["turn"] and not over:
        picture.text(x + 14, y + 44, str(Text("has the initiative", context="seat")), size=11, fill=SOFT)
    held = view["hands"][key]
    for number, rank in enumerate(RANKS):
        left = x + 14 + number * 25
        if rank in held:
            _mini(picture, left, y + 53, 22, 30, rank, ink, parent=picture.thing(part(seat + 1, rank)))
        else:
            picture.add(
                "rect",
                x=left,
                y=y + 53,
                width=22,
                height=30,
                rx=4,
                fill="none",
                stroke=_GONE,
                stroke_dasharray="3 3",
            )
    gained = sorted(view["gained"][key], reverse=True)
    picture.text(x + 14, y + 100, str(_HEAD if gained else Text("nothing gained")), size=11, fill=SOFT)
    step = min(22.0, (width - 28 - 66 - 20) / max(1, len(gained) - 1))
    for number, rank in enumerate(gained):
        _mini(picture, x + 14 + number * step, y + 107, 20, 28, rank, SOFT)
    picture.text(x + width - 14, y + 131, str(scores[seat]), anchor="end", size=30, fill=INK, font_weight="bold")
    picture.text(x + width - 14, y + 145, str(_POINTS), anchor="end", size=11, fill=SOFT)


def _mini(
    picture: Svg,
    x: float,
    y: float,
    width: float,
    height: float,
    rank: int,
    ink: str,
    faded: bool = False,
    parent: Element | None = None,
) -> None:
    """A small card; its rank stands far to the left, so that it shows when the next one lies on it."""
    group = picture.add("g", parent, opacity=0.75 if faded else 1)
    picture.add("rect", group, x=x, y=y, width=width, height=height, rx=4, fill=PAPER, stroke=ink, stroke_width=1.5)
    size = width * (0.65 if rank > 9 else 0.72)
    picture.text(x + width / 2, y + height / 2 + size * 0.36, str(rank), group, anchor="middle", size=size, fill=ink)


def _heart(picture: Svg, x: float, y: float) -> None:
    path = f"M{x:g} {y + 8:g} C{x - 16:g} {y - 3:g} {x - 6:g} {y - 13:g} {x:g} {y - 4:g} "
    picture.add("path", d=path + f"C{x + 6:g} {y - 13:g} {x + 16:g} {y - 3:g} {x:g} {y + 8:g} Z", fill="#d1413a")


_DARK = {
    **DARK,
    **SEATS_DARK,
    f"edge {_RINGS}": "#7db8f5",
    f"edge {_CROSS}": "#ffa25c",
    _DULL: "#4a463f",
    _DULL_INK: "#b5b0a7",
    _PEACE: "#20402b",
    _CONFLICT: "#4d261f",
    _GONE: "#554d42",
}


def cards(view: Json, seat: int) -> list[int]:
    """Return the cards that a seat holds: all have seen which of them were played."""
    return list(view["hands"][seat_name(seat)])


DRAWING = Drawing(text=text, spoken=spoken, svg=svg, beside=beside, hand=hand, last=last, cards=cards, dark=_DARK)

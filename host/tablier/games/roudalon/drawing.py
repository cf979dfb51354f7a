"""Le Roudalon: the pot in the middle, the seats around it with their dice and stakes, the alliance as a band."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import cos, hypot, pi, sin, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from rich.cells import cell_len
from rich.text import Text as Styled

from tablier.games.core import Move, Rules, dice_text, seat_name
from tablier.games.core.drawing import (
    CANVAS,
    DARK,
    HAND,
    HOT,
    INK,
    LAST,
    LETTERS,
    LINE,
    LIT,
    MOVES,
    PAPER,
    SOFT,
    WHO_BEGINS,
    WON,
    Canvas,
    Drawing,
    Note,
    Surface,
    Svg,
    button,
    column,
    die_lines,
    die_sign,
    seat_part,
    short,
)
from tablier.games.roudalon.dice import MOST_DICE
from tablier.games.roudalon.rolloff import BEGIN
from tablier.games.roudalon.rules import ASKED, CHAIN, DICE, OVER, THROW, TURN, UNITS, Roudalon
from tablier.texts import Json, Text, all_of, counted, number_text, word_list

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_NAME = 15  # columns for a name


def _seat(view: Json, names: Sequence[str], steps: int) -> int:
    """Return the index of the seat that sits ``steps`` seats to the left of the one whose turn it is."""
    return (int(view["turn"][1:]) - 1 + steps) % len(names)


def _thrown(view: Json, names: Sequence[str]) -> dict[int, list[int]]:
    """Return what was thrown for the pot, or for who begins, by the index of the seat."""
    if view["phase"] == BEGIN:
        return {seat: faces for seat, faces in enumerate(view["throws"].values()) if faces}
    return {_seat(view, names, steps): faces for steps, faces in enumerate(view["thrown"])}


def status(view: Json, names: Sequence[str]) -> Text:
    """Return what the game waits for, in one line."""
    phase, allies = view["phase"], len(view["allies"])
    turn = {"who": names[_seat(view, names, 0)]}
    if phase == OVER:
        scores = _scores(view, names)
        winners = [name for name, score in zip(names, scores, strict=True) if score == max(scores)]
        one, many = "{winners} wins with {score}", "{winners} win with {score}"
        wins = counted(len(winners), one, many, winners=all_of(winners), score=number_text(max(scores)))
        return wins if view["thrown"] else Text("Nobody can reach the pot: {wins}", {"wins": wins})
    if phase == BEGIN:
        waited = Text("{who} throws two dice: the highest throw begins", turn)
        return waited if view["waited"] else WHO_BEGINS.of(**turn)
    if phase in (ASKED, CHAIN):
        about = {"who": names[_seat(view, names, allies - 1)], "asked": names[_seat(view, names, allies)]}
        asks = Text("{who} asks {asked} for an alliance", about)
        return asks if phase == ASKED else Text("{who} asks another player, or is done", about)
    throws = {"who": names[_seat(view, names, len(view["thrown"]))]}
    if phase == THROW:
        return Text("{who} throws next for the alliance", throws)
    if phase == DICE:
        return Text("{who} throws a die", throws) if view["rolling"] == 1 else Text("{who} throws two dice", throws)
    if not view["pot"]:
        return Text("{who} begins with a stake", turn)
    if not view["dice"][view["turn"]]:
        return Text("{who} stakes", turn)
    if view["refused"] or not list(view["dice"].values())[_seat(view, names, 1)]:
        return Text("{who} stakes or throws", turn)
    return Text("{who} stakes, throws or asks for an alliance", turn)


def _scores(view: Json, names: Sequence[str]) -> list[int]:
    taken = _thrown(view, names) if view["phase"] == OVER else {}
    return [sum(taken.get(seat, ())) - paid for seat, paid in enumerate(view["staked"].values())]


# -- terminal --------------------------------------------------------------------------------------------


_COINS = 60
_BIG = 20
"""Lines of a terminal from which on the dice on the table are drawn with their pips."""


def text(rules: Rules[Any], view: Json, names: Sequence[str], canvas: Canvas = CANVAS) -> Styled:
    """Return a board for a terminal."""
    names = [short(name, _NAME) for name in names]
    thrown, scores = _thrown(view, names), _scores(view, names)
    total = sum(map(sum, view["thrown"]))
    picture = Styled(no_wrap=True)
    picture.append(f"{rules.shown_title()}  ", "bold")
    picture.append(short(str(status(view, names)), 64) + "\n\n")
    picture.append(f"{Text('pot', context='column')!s:>6} ", "dim").append(f"{view['pot']:>2}", "bold black on yellow3")
    picture.append_text(_coins(view, canvas)).append("\n")
    picture.append(f"{Text('thrown', context='column')!s:>6} ", "dim").append(f"{total or '–':>2}", "bold")
    picture.append(f" {'■' * min(total, _COINS)}\n", "cyan")
    on_table = _on_table(view, names, canvas)
    what = Text("to begin", context="column") if view["phase"] == BEGIN else Text("for the pot", context="column")
    picture.append(f"\n  {'':{_NAME}} {_HEADS[0]!s:5} {_HEADS[1]}{_HEADS[2]!s:>8}{_HEADS[3]!s:>8}   {what}", "dim")
    allies = {_seat(view, names, steps) for steps in range(len(view["allies"]))}
    moving = _mover(view, names)
    for seat, (name, held) in enumerate(zip(names, view["dice"].values(), strict=True)):
        allied = seat in allies and len(allies) > 1
        won = view["phase"] == OVER and scores[seat] == max(scores)
        style = "bold" if seat == moving or won else ""
        last = canvas.last is not None and canvas.last.actor == seat + 1
        mark = "▶" if seat == moving else "★" if won else LAST if last else " "
        picture.append(f"\n{mark} {column(name, _NAME)} ", style)
        picture.append("■ " * held + "□ " * (MOST_DICE - held))
        picture.append("   ∞  " if allied else "      ", "bold green")
        picture.append(f"{list(view['staked'].values())[seat]:>8}{number_text(scores[seat]):>8}   ", style)
        if seat in on_table:
            faces = [die_sign(face, ascii=canvas.ascii) if face else "?" for face in on_table[seat]]
            picture.append("  ".join(faces), "bold cyan")
            if seat not in thrown and None not in on_table[seat]:
                picture.append(f"  {_MISSED}", "dim")
    if canvas.lines >= _BIG:
        picture.append("\n").append_text(_big_dice(names, on_table, canvas))
    return picture


_MISSED = Text("missed, dice lost", context="throw")


def _coins(view: Json, canvas: Canvas) -> Styled:
    """Return a coin for each unit in the pot; those of the last stake look otherwise."""
    pot = min(view["pot"], _COINS)
    new = canvas.last.args[0] if canvas.last and canvas.last.verb == "bet" else 0
    old = max(0, pot - new)
    coins = Styled.assemble((f" {'●' * old}", "yellow3"), (LIT * (pot - old), "bold yellow1"))
    return coins.append(f"  +{new}", "bold") if new else coins


def _on_table(view: Json, names: Sequence[str], canvas: Canvas) -> dict[int, list[int | None]]:
    """Return the dice that lie on the table by the index of the seat: thrown for the pot or to begin, in the air, or
    the last throw, which missed the pot."""
    dice: dict[int, list[int | None]] = {seat: list(faces) for seat, faces in _thrown(view, names).items()}
    if view["phase"] == DICE:
        dice[_seat(view, names, len(dice))] = [None] * view["rolling"]
    elif view["phase"] != BEGIN and canvas.last and canvas.last.verb == "roll":
        for move in canvas.fell:
            dice.setdefault(canvas.last.actor - 1, list(move.args))
    return dice


def _big_dice(names: Sequence[str], on_table: Mapping[int, Sequence[int | None]], canvas: Canvas) -> Styled:
    """Return the dice on the table with their pips, side by side, under the names of those who threw them."""
    rows = [Styled("\n  ") for _ in range(4)]
    for seat, faces in on_table.items():
        drawn = list(zip(*map(die_lines, faces), strict=True))
        wide = max(7 * len(faces), cell_len(names[seat]) + 2)
        if rows[0].cell_len + wide > canvas.columns:
            break
        rows[0].append(column(names[seat], wide), "bold")
        for row, parts in zip(rows[1:], drawn, strict=True):
            for part in parts:
                row.append(part, "black on white").append("  ")
            row.append(" " * (wide - 7 * len(parts)))
    return Styled("").join(rows)


_HEADS = word_list("dice", "ally", "staked", "score", context="column")


def _mover(view: Json, names: Sequence[str]) -> int | None:
    """Return the index of the seat that moves, or whose dice fall; ``None`` after the end."""
    steps = {ASKED: len(view["allies"]), CHAIN: len(view["allies"]) - 1, THROW: len(view["thrown"])}
    steps[DICE] = steps[THROW]
    return None if view["phase"] == OVER else _seat(view, names, steps.get(view["phase"], 0))


# -- read aloud ----------------------------------------------------------------------------------------


def spoken(rules: Rules[Any], view: Json, names: Sequence[str]) -> list[Text]:
    """Return the board in sentences: the pot, then each player."""
    thrown, scores = _thrown(view, names), _scores(view, names)
    about = {"status": status(view, names), "pot": view["pot"], "total": sum(map(sum, view["thrown"]))}
    said = [Text("{status}.", about), Text("In the pot: {pot}. Thrown for it: {total}.", about)]
    allies = {_seat(view, names, steps) for steps in range(len(view["allies"]))}
    for seat, (name, held) in enumerate(zip(names, view["dice"].values(), strict=True)):
        about = {
            "who": name,
            "dice": dice_text(held),
            "staked": list(view["staked"].values())[seat],
            "score": number_text(scores[seat]),
        }
        said.append(Text("{who}: {dice}, staked {staked}, score {score}.", about))
        if seat in allies and len(allies) > 1:
            said.append(Text("{who} is in the alliance.", about))
        if seat in thrown:
            said.append(Text("{who} has thrown {faces}.", {**about, "faces": all_of(thrown[seat])}))
    return said


# -- SVG -------------------------------------------------------------------------------------------------

_WIDTH, _HEIGHT = 860.0, 640.0


class _Frame(NamedTuple):
    """Where pot and seats lie in the document, and how large they are."""

    middle: tuple[float, float]
    radii: tuple[float, float]
    """Of the ellipse on which the seats sit."""
    panel: tuple[float, float]
    """The width and height of a seat's."""
    pot: float
    badge: float
    """The radius of what stands in the middle of the pot."""
    coin: float
    band: float

    def at(self, names: Sequence[str], seat: float, share: float = 1.0) -> tuple[float, float]:
        """Return a point on the way from the pot to a seat; the first seat is at the bottom, the others follow
        clockwise."""
        turn = pi / 2 + 2 * pi * seat / len(names)
        return self.middle[0] + share * self.radii[0] * cos(turn), self.middle[1] + share * self.radii[1] * sin(turn)

    def before(self, names: Sequence[str], seat: int) -> tuple[float, float]:
        """Return the middle of the gap between the pot and the panel of a seat: where its dice fall."""
        x, y = self.at(names, seat)
        dx, dy = x - self.middle[0], y - self.middle[1]
        away = hypot(dx, dy)
        gap = min(side / 2 * away / abs(part) for side, part in zip(self.panel, (dx, dy), strict=True) if abs(part) > 1)
        share = (self.pot + away - gap) / 2 / away
        return self.middle[0] + share * dx, self.middle[1] + share * dy


_ON_PAPER = _Frame((430.0, 348.0), (318.0, 212.0), (176.0, 104.0), 84.0, 36.0, 6.5, 16.0)
_ON_PHONE = _Frame((195.0, 172.0), (131.0, 131.0), (112.0, 66.0), 66.0, 27.0, 5.0, 9.0)
_PHONE_HEIGHT, _PHONE_NAME = 344.0, 9
_COIN, _BAND = "#e2b33c", "#7fb069"
_FELT, _FELT_EDGE, _BOWL, _BOWL_EDGE = "#e9efe2", "#cdd8c0", "#f6f2e8", "#b9a36a"
_ALLY, _THROWN, _AWAY = "#5f8f49", "#0d6b75", "#c4bcae"


def svg(rules: Rules[Any], view: Json, names: Sequence[str], surface: Surface = Surface.PAPER) -> str:
    """Return an SVG document; on a phone seats with their names and dice alone."""
    names = [short(name, _NAME) for name in names]
    phone = surface == Surface.PHONE
    frame, size = (_ON_PHONE, (HAND, _PHONE_HEIGHT)) if phone else (_ON_PAPER, (_WIDTH, _HEIGHT))
    picture = Svg(*size)
    if not phone:
        picture.text(24, 36, "LE ROUDALON", size=22, font_weight="bold", letter_spacing="3", fill=INK)
        picture.text(_WIDTH - 24, 36, short(str(status(view, names)), 62), anchor="end", size=15, fill=INK)
    (x, y), (rx, ry) = frame.middle, frame.radii
    picture.add("ellipse", cx=x, cy=y, rx=rx, ry=ry, fill=_FELT, stroke=_FELT_EDGE, stroke_width=2)
    _band(picture, view, names, frame)
    _pot(picture, view, frame, phone)
    thrown = _thrown(view, names)
    on_table: dict[int, Sequence[int | None]] = dict(thrown.items())
    if view["phase"] == DICE:
        on_table[_seat(view, names, len(thrown))] = [None] * view["rolling"]
    for seat in range(len(names)):
        faces = on_table.get(seat, ())
        draw = _small_panel if phone else _panel
        draw(picture, view, names, seat, frame.at(names, seat), faces)
        if faces and not phone:
            x, y = frame.before(names, seat)
            _draw_dice(picture, names, seat, faces, x, y, 36.0)
    return picture.dumps()


def _draw_dice(
    picture: Svg, names: Sequence[str], seat: int, faces: Sequence[int | None], x: float, y: float, size: float
) -> None:
    """The dice that a seat has thrown, in the middle of a place."""
    step = size + 6
    group = picture.part(_dice_part(seat + 1), Text("dice of {name}", {"name": names[seat]}))
    width = step * len(faces)
    picture.reach(group, "rect", x=x - width / 2 - 3, y=y - size / 2 - 6, width=width + 6, height=size + 12, rx=10)
    for number, face in enumerate(faces):
        _die(picture, x + (number - len(faces) / 2) * step + 3, y - size / 2, size, face, parent=group)


def beside(rules: Rules[Any], view: Json, names: Sequence[str]) -> list[Note]:
    """Return what stands beside the board: how each player stands."""
    scores, lines = _scores(view, names), []
    for seat, (key, name) in enumerate(zip(view["dice"], names, strict=True)):
        points = counted(scores[seat], "{score} point", "{score} points", score=number_text(scores[seat]))
        about = {"who": name, "points": points, "staked": view["staked"][key]}
        took = view["staked"][key] + scores[seat]
        text = Text("{who}: {points}, staked {staked}", about)
        if view["phase"] == OVER and view["thrown"] and took:
            text = Text("{who}: {points}, staked {staked}, took {took}", {**about, "took": took})
        lines.append(Note(text=text, seat=seat + 1, sign=_sign(view, names, seat)))
    if view["thrown"]:
        about = {"total": sum(map(sum, view["thrown"])), "pot": view["pot"]}
        lines.append(Note(text=Text("Thrown so far: a total of {total}, for the {pot} in the pot", about)))
    elif view["phase"] != OVER:
        lines.insert(0, Note(text=Text("In the pot: {pot}", {"pot": view["pot"]})))
    return lines


def _sign(view: Json, names: Sequence[str], seat: int) -> str:
    """Return the sign of who is to move, or has won; empty for others."""
    if view["phase"] == OVER:
        scores = _scores(view, names)
        return WON if scores[seat] == max(scores) else ""
    return MOVES if seat == _mover(view, names) else ""


def last(rules: Rules[Any], view: Json, move: Move) -> Sequence[str]:
    """Return the seat, and what it has staked or thrown."""
    parts = [seat_part(move.actor)]
    if move.verb == "bet":
        parts += (_coin_part(coin) for coin in range(view["pot"] - move.args[0], view["pot"]))
    elif move.verb == "roll" and (move.actor - 1 in _thrown(view, list(view["dice"])) or view["phase"] == DICE):
        parts.append(_dice_part(move.actor))
    return parts


def _coin_part(coin: int) -> str:
    return f"coin {coin + 1}"


def _dice_part(seat: int) -> str:
    return f"dice {seat_name(seat)}"


_SAID = {
    "yes": Text("join"),
    "no": Text("do not join"),
    "done": Text("ask nobody else"),
}
"""By answer: how it is said."""


def hand(rules: Rules[Any], view: Json, names: Sequence[str], seat: int) -> str:
    """Return an SVG document of what a seat can do: stake, throw, ask and answer."""
    names = [short(name, _NAME) for name in names]
    phase, mover = view["phase"], _mover(view, names) == seat - 1
    verbs = {move.verb for move in rules.legal(rules.read(view))} if mover and isinstance(rules, Roudalon) else set()
    answers = [each for each in ("yes", "no", "ally", "done") if each in verbs]
    held = view["dice"][seat_name(seat)]
    stakes = mover and phase == TURN
    columns = max(1, len(answers))
    rows = bool(answers)
    low = 0 if stakes and "roll" not in verbs else 76
    picture = Svg(HAND, 8.0 + 80 * bool(stakes) + 66 * rows + low)
    y = 8.0
    for count in UNITS if stakes else ():
        x = 8 + (count - 1) * 63.0
        group = picture.part(f"bet {count}", counted(count, "stake {count} unit", "stake {count} units"))
        picture.add("rect", group, x=x, y=y, width=58, height=72, rx=12, fill=PAPER, stroke=LINE, stroke_width=2)
        picture.text(x + 29, y + 31, str(count), group, anchor="middle", size=26, fill=INK, font_weight="bold")
        for coin in range(count):
            cx = x + 29 + (coin % 3 - (min(count - coin // 3 * 3, 3) - 1) / 2) * 15
            cy = y + 46 + coin // 3 * 15
            picture.add("circle", group, cx=cx, cy=cy, r=6.5, fill=_COIN, stroke="#a87f1d", stroke_width=1.5)
    y += 80 * stakes
    asked = names[_seat(view, names, len(view["allies"]))] if answers else ""
    said = {"ally": Text("ask {asked} to join", {"asked": asked}), **_SAID}
    width = (HAND - 8) / columns - 8
    for number, answer in enumerate(answers):
        box = (8 + number % columns * (width + 8), y + number // columns * 66, width, 58.0)
        button(picture, answer, said[answer], box, LETTERS)
    y += 66 * rows
    for count in range(1, held + 1) if "roll" in verbs else ():
        x = 8 + (count - 1) * 189.0
        label = counted(count, "throw {count} die", "throw {count} dice")
        group = picture.part(f"roll {count}", label)
        picture.add("rect", group, x=x, y=y, width=185, height=68, rx=12, fill=PAPER, stroke=LINE, stroke_width=2)
        picture.text(x + 92, y + 25, str(label), group, anchor="middle", size=LETTERS, fill=INK)
        for die in range(count):
            _die(picture, x + 92 - count * 15 + die * 30 + 2, y + 35, 26, None, parent=group)
    if not stakes and "roll" not in verbs:
        for die in range(MOST_DICE):
            _die(picture, 8 + die * 56, y + 12, 44, None, outline=die >= held)
        has = counted(held, "you have {count} die", "you have {count} dice")
        picture.text(8 + MOST_DICE * 56, y + 40, str(has), size=LETTERS, fill=INK)
    return picture.dumps()


def _band(picture: Svg, view: Json, names: Sequence[str], frame: _Frame) -> None:
    """The alliance, and the request that is being made."""
    first, allies = _seat(view, names, 0), len(view["allies"])

    def arc(start: float, end: float, **attributes: str | float) -> None:
        steps = max(2, round((end - start) * 40))
        dots = (frame.at(names, start + (end - start) * n / steps) for n in range(steps + 1))
        path = "M" + " L".join(f"{px:.1f} {py:.1f}" for px, py in dots)
        picture.add(
            "path", d=path, fill="none", stroke=_BAND, stroke_linecap="round", stroke_linejoin="round", **attributes
        )

    if allies > 1:
        arc(first, first + allies - 1, stroke_width=frame.band)
    if view["phase"] == ASKED:
        arc(first + allies - 1, first + allies, stroke_width=frame.band / 2, stroke_dasharray=f"1 {frame.band:g}")
        x, y = frame.at(names, first + allies - 0.5)
        picture.add("circle", cx=x, cy=y, r=17, fill=PAPER, stroke=_BAND, stroke_width=4)
        picture.text(x, y + 8, "?", anchor="middle", size=22, fill=INK, font_weight="bold")


def _pot(picture: Svg, view: Json, frame: _Frame, phone: bool) -> None:
    """A coin for each unit, and how many there are; what was thrown stands beside it on a phone."""
    x, y = frame.middle
    pot, total = view["pot"], sum(map(sum, view["thrown"]))
    inner = frame.badge + 1.4 * frame.coin
    picture.add("circle", cx=x, cy=y, r=frame.pot, fill=_BOWL, stroke=_BOWL_EDGE, stroke_width=5)
    for coin in range(pot):  # from the number outwards, each at the golden angle from the one before
        away = min(hypot(inner, sqrt(1.2 * coin) * frame.coin), frame.pot - 1.2 * frame.coin)
        turn = coin * pi * (3 - sqrt(5))
        group = picture.part(_coin_part(coin), Text("unit {number}", {"number": coin + 1}))
        at = {"cx": x + away * cos(turn), "cy": y + away * sin(turn)}
        picture.reach(group, "circle", r=1.46 * frame.coin, **at)
        thing = picture.thing(_coin_part(coin), group)
        picture.add("circle", thing, r=frame.coin, fill=_COIN, stroke="#a87f1d", **at)
    picture.add("circle", cx=x, cy=y, r=frame.badge, fill=PAPER, stroke=_BOWL_EDGE, stroke_width=2)
    below = view["thrown"] and not phone
    low = 5 if below else 0.36 * frame.badge
    picture.text(x, y + low, str(pot), anchor="middle", size=frame.badge, fill=INK, font_weight="bold")
    if below:
        picture.text(
            x,
            y + 19,
            str(Text("thrown {total}", {"total": total})),
            anchor="middle",
            size=9,
            fill=_THROWN,
            font_weight="bold",
        )


def _box(
    picture: Svg, view: Json, names: Sequence[str], seat: int, at: tuple[float, float], size: tuple[float, float]
) -> tuple[float, float]:
    """Draw the edge of a seat's panel, its middle at a point; return its upper left corner."""
    width, height = size
    x, y = at[0] - width / 2, at[1] - height / 2
    allied = list(view["dice"])[seat] in view["allies"] and len(view["allies"]) > 1
    edge, thick = (HOT, 3.5) if _sign(view, names, seat) else (_ALLY, 3) if allied else (LINE, 1.5)
    group = picture.part(seat_part(seat + 1), Text("{name}", {"name": names[seat]}))
    picture.reach(group, "rect", x=x - 7, y=y - 7, width=width + 14, height=height + 14, rx=20)
    picture.add("rect", x=x + 1, y=y + 3, width=width, height=height, rx=14, fill="#000000", opacity=0.10)
    picture.add("rect", x=x, y=y, width=width, height=height, rx=14, fill=PAPER, stroke=edge, stroke_width=thick)
    return x, y


def _small_panel(
    picture: Svg, view: Json, names: Sequence[str], seat: int, at: tuple[float, float], faces: Sequence[int | None]
) -> None:
    """One seat on a phone: its name, and its dice, in hand or thrown."""
    _, y = _box(picture, view, names, seat, at, _ON_PHONE.panel)
    sign = _sign(view, names, seat)
    name = short(names[seat], _PHONE_NAME - 2 * bool(sign))
    weight = "bold" if sign else "normal"
    shown = f"{sign} {name}" if sign else name
    picture.text(at[0], y + 24, shown, anchor="middle", size=LETTERS, fill=HOT if sign else INK, font_weight=weight)
    if faces:
        _draw_dice(picture, names, seat, faces, at[0], y + 47, 26.0)
        return
    held = view["dice"][list(view["dice"])[seat]]
    said = str(dice_text(held))
    picture.text(at[0], y + 52, said, anchor="middle", size=LETTERS, fill=INK)


def _panel(
    picture: Svg, view: Json, names: Sequence[str], seat: int, at: tuple[float, float], faces: Sequence[int | None]
) -> None:
    """One seat: name, dice in hand but those on the table, what it has paid and stands at."""
    width, score, sign = _ON_PAPER.panel[0], _scores(view, names)[seat], _sign(view, names, seat)
    x, y = _box(picture, view, names, seat, at, _ON_PAPER.panel)
    key = list(view["dice"])[seat]
    held, paid = view["dice"][key], view["staked"][key]
    name = f"{sign} {names[seat]}" if sign else names[seat]
    weight = "bold" if sign else "normal"
    picture.text(x + 14, y + 26, name, size=17, fill=HOT if sign else INK, font_weight=weight)
    for number in range(MOST_DICE):
        _die(picture, x + 14 + number * 36, y + 40, 30, None, outline=number >= held - len(faces))
    picture.text(x + width - 14, y + 66, number_text(score), anchor="end", size=26, fill=INK, font_weight="bold")
    about = {"staked": paid, "took": paid + score}
    paid_text = Text("staked {staked}", about)
    if view["phase"] == OVER and view["thrown"] and paid + score:
        paid_text = Text("staked {staked}, took {took}", about)
    picture.text(x + 14, y + 92, str(paid_text), size=13, fill=SOFT)
    if key == view["turn"] and view["phase"] != OVER:
        picture.text(x + width - 14, y + 92, str(Text("turn", context="seat")), anchor="end", size=13, fill=SOFT)


_PIPS = {
    1: [(0, 0)], 2: [(-1, -1), (1, 1)], 3: [(-1, -1), (0, 0), (1, 1)], 4: [(-1, -1), (-1, 1), (1, -1), (1, 1)],
    5: [(-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)], 6: [(-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)],
}  # fmt: skip


def _die(
    picture: Svg,
    x: float,
    y: float,
    size: float,
    face: int | None,
    outline: bool = False,
    parent: Element | None = None,
) -> None:
    """A die with its pips; before it has fallen its shape alone, which is no button; as an outline, one that is not
    there."""
    group = picture.add("g", parent)
    edge = {"width": size, "height": size, "rx": size / 5}
    if outline:
        picture.add(
            "rect", group, x=x, y=y, fill="none", stroke=_AWAY, stroke_width=1.5, stroke_dasharray="4 3", **edge
        )
        return
    if face is None:
        picture.add("rect", group, x=x, y=y, fill=_AWAY, **edge)
        return
    picture.add("rect", group, x=x + 1, y=y + 2, fill="#000000", opacity=0.15, **edge)
    picture.add("rect", group, x=x, y=y, fill=PAPER, stroke="#8d8577", stroke_width=1.5, **edge)
    for dx, dy in _PIPS[face]:
        picture.add(
            "circle", group, cx=x + size / 2 + dx * size / 4, cy=y + size / 2 + dy * size / 4, r=size / 10, fill=INK
        )


_DARK = {
    **DARK,
    _FELT: "#232b1e",
    _FELT_EDGE: "#3f4d35",
    _BOWL: "#332e24",
    _THROWN: "#7fdbe5",
    _AWAY: "#6b645a",
}
DRAWING = Drawing(text=text, spoken=spoken, svg=svg, beside=beside, hand=hand, last=last, dark=_DARK)

"""The arena's sensors: cards that fall, lean, lie on the rim and slide, hands, knocks, and light.

One model for the simulated table and for the tests of the classifier. Its assumptions are listed in :class:`Arena` and
in ``firmware/LANDINGS.md``; all chance comes from the given generator, so a seed repeats everything.

Lengths are in mm, from the middle of the tray's floor: x to the east, y to the north, z up. Times are in ms, so
speeds are in mm/ms, which is m/s. The model returns :data:`Happening` tuples, and :class:`Senses` turns them into the
edges that a board hands to the firmware.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import cos, pi, radians, sin, sqrt, tan
from random import Random

LOW, RIM, IMPACT, FLOOR, LIGHT = 0, 4, 8, 9, 16
"""The first line of each kind of sensor: low tier 0–3, rim tier 4–7, impact 8, floor 9 (offer) and 10 (pile), light
from elsewhere on the receiver of beam n 16 + n."""
BEAMS = 8
_FLOOR = (FLOOR, FLOOR + 1)

Happening = tuple[float, int, int]
"""(ms, line, change): how many things more, or fewer, are in a beam, on a floor sensor, or shine on a receiver; an
impact has change 1."""
Edge = tuple[int, int, int]
"""(µs, line, level), as the firmware takes it."""


@dataclass(frozen=True)
class Arena:
    """All numbers of the model. Unless noted, they are assumptions that no real table has confirmed."""

    # -- tray, beams and cards: as ``hardware/arena.toml`` has them ----------------------------------------------
    half: float = 56.0
    """mm from the middle to a wall, inside. So small that two flat cards always overlap."""
    wall: float = 32.0
    """mm from the floor to the rim."""
    low: float = 22.0
    """mm from the floor to the low tier: above the tallest pile."""
    rim: float = 37.24
    """mm from the floor to the rim tier."""
    across: float = 25.4
    """mm from the middle to the two beams of each direction: nearer to each other than a card is wide."""
    towers: float = 71.0
    """mm from the middle to the towers, between which the rim tier runs over the rim's frame."""
    tower: float = 40.0
    """mm from the floor to the tops of the towers."""
    hole: float = 4.0
    """mm of height that a receiver sees of its beam."""
    length: float = 92.0
    width: float = 59.0
    thick: float = 0.32
    """mm of a card."""
    layer: float = 0.48
    """mm that a card adds to the pile."""
    covered: float = 0.5
    """The share of a beam that must be covered to break it: where the trimmers are set."""
    bow: tuple[float, float] = (0.3, 3.0)
    """mm by which a used card is bent, from … to."""

    # -- the fall ----------------------------------------------------------------------------------------------
    speed: tuple[float, float, float] = (1.5, 0.45, 0.5)
    """m/s downwards at the rim, mean, deviation and least: thrown, or dropped from 3 to 25 cm."""
    gravity: float = 0.006
    """mm/ms²; air takes a part of the 0.0098."""
    tilt: tuple[float, float] = (20.0, 70.0)
    """Degrees between a falling card and the horizontal: deviation, and most."""
    drift: float = 0.25
    """m/s sideways, deviation each way."""
    slap: tuple[float, float] = (0.7, 1.3)
    """The time the raised side of a card takes to come down, as a multiple of a free fall."""

    # -- impacts -----------------------------------------------------------------------------------------------
    touch: float = 1.0
    """Strength of the first touch at 1 m/s, where 1 is what the comparator just feels."""
    blow: float = 2.2
    """Strength of the card's face, or of a leaning card's upper edge, likewise."""
    frame: float = 0.7
    """The part of a blow on the rim's frame that reaches the piezo disc, which is under the tray."""
    spread: float = 0.5
    """Deviation of the logarithm of a strength: edge, corner or face, pile or bare floor."""
    rebound: tuple[float, float, float, float] = (0.35, 0.35, 15.0, 70.0)
    """Share of cards that touch once more, strength of that in terms of the blow, and after how many ms, from … to."""
    stretch: float = 9.0
    """ms for which the comparator is held after a knock: its ringing is one (``hardware/wiring/impact.yml``)."""

    # -- leaning, rim, glancing ----------------------------------------------------------------------------------
    lean: tuple[float, float] = (12.0, 75.0)
    """Degrees at which a leaning card stands; flatter ones slide down."""
    skew: float = 12.0
    """Degrees of deviation from square to the wall."""
    dip: tuple[float, float] = (0.0, 30.0)
    """Degrees by which a card on the rim hangs into the tray: the towers stand higher than the rim and are wider than
    what lies between them and the pillars, so whatever lies on the rim lies on a tower too."""
    balance: tuple[float, float] = (-12.0, 3.0)
    """mm from the inner edge of that tower to the middle of the card, outwards."""
    turn: float = 12.0
    """Degrees, and …"""
    shift: float = 6.0
    """… mm by which a card that will lean, or lie on the rim, comes in otherwise than it lies then, deviation."""

    # -- everything else -----------------------------------------------------------------------------------------
    hand_stays: tuple[float, float] = (180.0, 2500.0)
    """ms for which a hand breaks a beam."""
    hand_spreads: float = 120.0
    """ms within which it reaches the beams that it breaks."""
    floor_lag: tuple[float, float] = (5.0, 60.0)
    """ms until a change on the floor is measured."""
    floor_pile: float = 0.4
    """The share of flat cards that cover the floor sensor beside the offer; the one under it all do."""


@dataclass(frozen=True)
class Pose:
    """A card's pose in space: its middle, the direction of its long side, and how far it is tilted upwards, and
    which way. Angles in radians."""

    x: float
    y: float
    yaw: float
    tilt: float = 0.0
    rises: float = 0.0

    def corners(self, arena: Arena) -> list[tuple[float, float, float]]:
        """Return its corners, in order; heights are relative to its middle."""
        found = []
        for along, across in ((1, 1), (1, -1), (-1, -1), (-1, 1)):
            u, v = along * arena.length / 2, across * arena.width / 2
            dx, dy = u * cos(self.yaw) - v * sin(self.yaw), u * sin(self.yaw) + v * cos(self.yaw)
            uphill = dx * cos(self.rises) + dy * sin(self.rises)
            shorter = uphill * (cos(self.tilt) - 1)
            found.append(
                (
                    self.x + dx + shorter * cos(self.rises),
                    self.y + dy + shorter * sin(self.rises),
                    uphill * sin(self.tilt),
                )
            )
        return found

    def shadow(self, arena: Arena, line: int) -> tuple[float, float] | None:
        """Return the range in which it covers a beam, in mm above its lowest corner; ``None`` if it is beside it."""
        corners = self.corners(arena)
        # Seen from the tray, a side has its low receiver at the right and its rim receiver at the left.
        across, at = line % 2, arena.across if line in (0, 3, 5, 6) else -arena.across
        reach = arena.half if line < RIM else arena.towers
        heights = []
        for one, other in zip(corners, corners[1:] + corners[:1], strict=True):
            if (one[across] - at) * (other[across] - at) < 0:
                share = (at - one[across]) / (other[across] - one[across])
                along = one[1 - across] + share * (other[1 - across] - one[1 - across])
                heights.append((along, one[2] + share * (other[2] - one[2])))
        if len(heights) < 2:
            return None
        (a, low), (b, high) = sorted(heights)
        begin, end = max(a, -reach), min(b, reach)
        if begin >= end:
            return None
        slope = (high - low) / (b - a) if b > a else 0.0
        found = sorted((low + (begin - a) * slope, low + (end - a) * slope))
        lowest = min(corner[2] for corner in corners)
        return found[0] - lowest, found[1] - lowest

    def rise(self, arena: Arena) -> float:
        """Return the mm from its lowest corner to its highest."""
        heights = [corner[2] for corner in self.corners(arena)]
        return max(heights) - min(heights)


@dataclass
class Fall:
    """A card's fall into the arena: how it lies in the end, and what the sensors feel."""

    how: str
    time: float
    """ms: when it is felt first, or would be."""
    happenings: list[Happening]
    stays: tuple[int, ...]
    """The beams that it stays in."""
    felt: bool
    """True if its impact is strong enough."""
    floor: tuple[int, ...] = ()
    """The floor sensors that it covers."""

    @property
    def shown(self) -> bool:
        """Return whether the beams show how it lies: none stays broken if it is flat, at least one if not."""
        if self.how == "flat":
            return not self.stays
        return any((line >= RIM) == (self.how == "rim") for line in self.stays)


@dataclass
class Model:
    """The arena. Each method returns what happens from a time on, in ms; the only state is the height of the pile,
    :attr:`cards`."""

    random: Random = field(default_factory=Random)
    arena: Arena = field(default_factory=Arena)
    cards: int = 1
    """Cards that lie flat, the offer among them."""

    # -- cards ---------------------------------------------------------------------------------------------------

    def throw(self, how: str, at: float) -> Fall:
        """Return a random fall that ends ``flat``, ``leaning`` or on the ``rim``; ``glance`` strikes the rim and goes
        outside."""
        arena, random = self.arena, self.random
        pile = arena.layer * self.cards
        bow = random.uniform(*arena.bow)
        rest, ground = self._resting(how, pile)
        stays = self._stays(rest, ground, bow) if rest else ()
        pose = self._about(rest) if rest else self._falling(how)
        speed = max(arena.speed[2], random.gauss(*arena.speed[:2]))
        start = arena.rim + arena.hole  # the height that it has at the time `at`
        contact = at + self._fall_ms(start - ground, speed)
        down = self._fall_ms(pose.rise(arena), speed) * random.uniform(*arena.slap) + 1
        spans: dict[int, tuple[float, float]] = {}
        for line in range(BEAMS):
            height = arena.low if line < RIM else arena.rim
            away = random.gauss(0, arena.drift) * self._fall_ms(start - height, speed) / 2
            moved = Pose(pose.x + away, pose.y - away, pose.yaw, pose.tilt, pose.rises)
            span = self._passing(moved, line, height, ground, bow, at, start, speed, contact, down, rest is not None)
            if span:
                spans[line] = span
        happenings: list[Happening] = []
        for line in range(BEAMS):
            begin, end = spans.get(line, (contact + down / 2, contact + down / 2))
            if line in stays:
                happenings.append((begin, line, 1))
            elif end > begin:
                happenings += [(begin, line, 1), (end, line, -1)]
        impacts = self._impacts(how, contact, contact + down, speed)
        happenings += [(ms, IMPACT, 1) for ms in impacts]
        floor: tuple[int, ...] = ()
        if how == "flat":
            floor = _FLOOR if random.random() < arena.floor_pile else _FLOOR[:1]
            lag = random.uniform(*arena.floor_lag)
            happenings += [(contact + down + lag, line, 1) for line in floor]
            self.cards += 1
        return Fall(how, min(impacts, default=contact), sorted(happenings), stays, bool(impacts), floor)

    def plain(self, how: str, at: float, column: int) -> Fall:
        """Return the plainest fall, always the same: through one beam of each tier, felt once."""
        low, impact = at + 20.0, at + 40.0
        stays = {"flat": (), "leaning": (LOW + column,), "rim": (RIM + column,)}[how]
        happenings: list[Happening] = [(at, RIM + column, 1), (impact, IMPACT, 1)]
        if how == "flat":
            self.cards += 1
        if how != "rim":
            happenings += [(at + 12.0, RIM + column, -1), (low, LOW + column, 1)]
        if how == "flat":
            happenings += [(low + 12.0, LOW + column, -1), *((impact + 30.0, line, 1) for line in _FLOOR)]
        return Fall(how, impact, sorted(happenings), stays, True, _FLOOR if how == "flat" else ())

    def slide(self, card: Fall, at: float) -> list[Happening]:
        """Return how a leaning card slides down and lies flat, or one on the rim falls in."""
        arena, random = self.arena, self.random
        takes = random.uniform(8, 40)
        found: list[Happening] = []
        for line in card.stays:
            found.append((at + random.uniform(0.2, 1.0) * takes, line, -1))
        if card.how == "rim":
            inside = at + takes
            takes += self._fall_ms(arena.rim - arena.layer * self.cards, 0.2)
            for beam in range(4):
                if random.random() < 0.6:
                    begin = inside + random.uniform(0.4, 0.6) * (at + takes - inside)
                    found += [(begin, LOW + beam, 1), (begin + random.uniform(3, 25), LOW + beam, -1)]
        if self._strength(arena.blow * random.uniform(0.3, 1.0)) > 1:
            found.append((at + takes, IMPACT, 1))
        self.cards += 1
        return sorted(found)

    # -- everything else -------------------------------------------------------------------------------------------

    def bump(self, at: float) -> list[Happening]:
        """Return a knock against the table: one impact, or a few."""
        found: list[Happening] = [(at, IMPACT, 1)]
        while self.random.random() < 0.4:
            at += self.random.uniform(12, 60)
            found.append((at, IMPACT, 1))
        return found

    def hand(self, at: float, *, reaching: bool = False, knocking: bool = False) -> list[Happening]:
        """Return a hand over the arena, or reaching into it, with or without a knock."""
        arena, random = self.arena, self.random
        lines = random.sample(range(RIM, RIM + 4), random.randint(1, 4))
        if reaching:
            lines += random.sample(range(LOW, LOW + 4), random.randint(1, 3))
        found: list[Happening] = []
        stays = random.uniform(*arena.hand_stays)
        for line in lines:
            begin = at + random.uniform(0, arena.hand_spreads) + (line < RIM) * random.uniform(60, 200)
            end = begin + max(arena.hand_stays[0], stays * random.uniform(0.6, 1.0))
            found += [(begin, line, 1), (end, line, -1)]
        if knocking:
            found += self.bump(at + random.uniform(0, stays))
        return sorted(found)

    def take(self, stays: Iterable[int], at: float) -> list[Happening]:
        """Return a hand that takes a card out of these beams."""
        freed = at + self.random.uniform(250, 600)
        return sorted([*self.hand(at), *((freed, line, -1) for line in stays)])

    def light(self, beam: int, at: float, ms: float) -> list[Happening]:
        """Return stray light on a receiver for some time."""
        return [(at, LIGHT + beam, 1), (at + ms, LIGHT + beam, -1)]

    # -- how a card falls --------------------------------------------------------------------------------------------

    def _falling(self, how: str) -> Pose:
        """Return a pose for falling between the walls, or, to strike the rim, mostly outside a wall."""
        arena, random = self.arena, self.random
        tilt = radians(min(arena.tilt[1], abs(random.gauss(0, arena.tilt[0]))))
        yaw, rises = random.uniform(0, 2 * pi), random.uniform(0, 2 * pi)
        pose = Pose(0, 0, yaw, tilt, rises)
        corners = pose.corners(arena)
        half_x, half_y = max(corner[0] for corner in corners), max(corner[1] for corner in corners)
        if how == "glance":
            return self._turned(arena.half + random.uniform(0.2, 0.9) * half_x, random.uniform(-50, 50), pose)
        x, y = max(0.0, arena.half - half_x), max(0.0, arena.half - half_y)
        return Pose(random.uniform(-x, x), random.uniform(-y, y), yaw, tilt, rises)

    def _about(self, rest: Pose) -> Pose:
        """Return a pose close to the final one."""
        arena, random = self.arena, self.random
        tilt = min(radians(arena.tilt[1]), max(0.0, rest.tilt + radians(random.gauss(0, arena.turn))))
        turn = radians(random.gauss(0, arena.turn))
        x, y = rest.x + random.gauss(0, arena.shift), rest.y + random.gauss(0, arena.shift)
        return Pose(x, y, rest.yaw + turn, tilt, rest.rises + turn)

    def _fall_ms(self, depth: float, speed: float) -> float:
        """Return the ms that a fall of this depth takes."""
        gravity = self.arena.gravity
        return (sqrt(speed * speed + 2 * gravity * max(0.0, depth)) - speed) / gravity

    def _passing(
        self,
        pose: Pose,
        line: int,
        height: float,
        ground: float,
        bow: float,
        at: float,
        start: float,
        speed: float,
        contact: float,
        down: float,
        settles: bool,
    ) -> tuple[float, float] | None:
        """Return the times between which it breaks a beam: while its lowest corner falls to the ground, and while the
        rest comes down or settles."""
        arena = self.arena
        shadow = pose.shadow(arena, line)
        if shadow is None:
            return None
        low, high = shadow[0], shadow[1] + arena.thick + bow * self.random.random()
        least = arena.covered * arena.hole
        if high - low < least:
            return None
        top, bottom = height + arena.hole / 2 - least, height - arena.hole / 2 + least
        begin, end = top - low, bottom - high  # heights of its lowest corner
        times = []
        if begin > ground:
            times += [at + self._fall_ms(start - begin, speed), at + self._fall_ms(start - max(end, ground), speed)]
        if end < ground and settles:
            times += [contact, contact + down * self.random.random()]
        elif end < ground:  # the part that comes down last: what is left of its heights, from 1 to 0
            last = max((bottom - ground) / high, least / (high - low))
            first = min(1.0, (top - ground) / low) if low > 0 else 1.0
            if last < first:
                times += [contact + down * (1 - first), contact + down * (1 - last)]
        return (min(times), max(times)) if times else None

    def _strength(self, mean: float) -> float:
        return mean * self.random.lognormvariate(0, self.arena.spread)

    def _impacts(self, how: str, touch: float, blow: float, speed: float) -> list[float]:
        """Return the times (ms) of the impacts that are felt."""
        arena, random = self.arena, self.random
        part = arena.frame if how in ("rim", "glance") else 1.0
        again, weaker, soonest, latest = arena.rebound
        blows = [(touch, self._strength(arena.touch * speed * part)), (blow, self._strength(arena.blow * speed * part))]
        if how == "glance":
            del blows[1]
        elif random.random() < again:
            blows.append((blow + random.uniform(soonest, latest), self._strength(weaker * arena.blow * speed * part)))
        return [ms for ms, strength in blows if strength > 1]

    # -- how it lies in the end ----------------------------------------------------------------------------------------

    def _resting(self, how: str, pile: float) -> tuple[Pose | None, float]:
        """Return its final pose and the height of its lowest corner; no pose if it lies flat or goes outside."""
        if how == "leaning":
            return self._leaning(pile), pile
        if how == "rim":
            return self._on_rim()
        return None, pile if how == "flat" else self.arena.wall

    def _leaning(self, ground: float) -> Pose:
        arena, random = self.arena, self.random
        tilt = radians(random.uniform(*arena.lean))
        turned = random.choice((0.0, pi / 2)) + radians(random.gauss(0, arena.skew))
        pose = Pose(0, 0, turned, tilt, 0.0)
        corners = pose.corners(arena)
        foot, depth = min(corner[0] for corner in corners), max(corner[0] for corner in corners)
        rests = foot + (arena.wall - ground) / tan(tilt)  # where it is as high as the wall
        play = max(0.0, arena.half - max(corner[1] for corner in corners))
        return self._turned(arena.half - min(depth, rests), random.uniform(-play, play), pose)

    def _on_rim(self) -> tuple[Pose, float]:
        arena, random = self.arena, self.random
        pose = Pose(0, 0, random.uniform(0, pi), radians(random.uniform(*arena.dip)), 0.0)
        out = random.uniform(*arena.balance)
        lowest = arena.tower + out * sin(pose.tilt) + min(corner[2] for corner in pose.corners(arena))
        return self._turned(arena.towers + out * cos(pose.tilt), random.uniform(-40, 40), pose), lowest

    def _turned(self, x: float, y: float, pose: Pose) -> Pose:
        """Return a pose turned to one of the four walls."""
        for _ in range(self.random.randrange(4)):
            x, y = y, -x
            pose = Pose(0, 0, pose.yaw - pi / 2, pose.tilt, pose.rises - pi / 2)
        return Pose(x, y, pose.yaw, pose.tilt, pose.rises)

    def _stays(self, rest: Pose, lowest: float, bow: float) -> tuple[int, ...]:
        """Return the beams that a card stays in."""
        arena = self.arena
        found = []
        for line in range(BEAMS):
            height = arena.low if line < RIM else arena.rim
            shadow = rest.shadow(arena, line)
            if shadow is None:
                continue
            bottom = lowest + shadow[0]
            top = lowest + shadow[1] + arena.thick + bow * self.random.random()
            covers = min(top, height + arena.hole / 2) - max(bottom, height - arena.hole / 2)
            if covers >= arena.covered * arena.hole:
                found.append(line)
        return tuple(found)


class Senses:
    """The edges that a board reports: the first thing in a beam and the last out of it, and each knock once."""

    def __init__(self, stretch: float = Arena.stretch) -> None:
        self._counts = [0] * (LIGHT + BEAMS)
        self._stretch = round(stretch * 1000)
        self._quiet_from = -1
        self._told = 0  # beams that were told to be broken

    def feel(self, us: int, line: int, change: int) -> list[Edge]:
        """Return the edges of a happening, in order."""
        if not self.count(us, line, change):
            return []
        if line < BEAMS:
            return self._beam(us, line)
        edges = [(us, line, int(change > 0))]
        return edges + self._beam(us, line - LIGHT) if line >= LIGHT else edges

    def count(self, us: int, line: int, change: int) -> bool:
        """Count a thing in or out; return whether it is the first or the last there, or, for an impact, whether the
        comparator is ready."""
        if line == IMPACT:
            felt = us >= self._quiet_from
            self._quiet_from = us + self._stretch
            return felt
        before = self._counts[line]
        self._counts[line] += change
        return (before > 0) != (self._counts[line] > 0)

    def there(self, line: int) -> bool:
        """Return whether anything is there."""
        return self._counts[line] > 0

    def count_in(self, line: int) -> int:
        """Return how many things are there."""
        return self._counts[line]

    def _beam(self, us: int, line: int) -> list[Edge]:
        """Return the edge of a beam, if any: under stray light a beam never reads broken."""
        broken = int(self._counts[line] > 0 and not self._counts[LIGHT + line])
        if broken == self._told >> line & 1:
            return []
        self._told ^= 1 << line
        return [(us, line, broken)]

    def standing(self, us: int) -> list[Edge]:
        """Return the edges that a board reports at its start."""
        lines = [line for line, count in enumerate(self._counts) if count > 0 and line != IMPACT]
        told = [line for line in lines if line >= BEAMS or self._told >> line & 1]
        return [(us, line, 1) for line in sorted(told, reverse=True)]

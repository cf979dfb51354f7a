"""A router for two layers: A* on a grid with 45° steps, and rip-up until no two nets want the same place.

Each net may cross others at first, at a price; the price of a contested place rises from round to round until all nets
but one have found another way (McMurchie and Ebeling, PathFinder, 1995). Lengths are millimetres, y upwards.

A node of the grid is blocked for a track if a foreign pad is nearer than clearance and half a track. Tracks of
different widths are told apart by *classes*; a net has a class, and one to neck down to where the first does not fit.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numba import njit

from hardware.boards.model import Fault

GRID = 0.3175
"""An eighth of an inch's tenth: legs of sockets and headers, and the middle between them, fall on it."""
FREE, BLOCKED = -1, -2
_DX = np.array([1, 1, 0, -1, -1, -1, 0, 1], dtype=np.int64)
_DY = np.array([0, 1, 1, 1, 0, -1, -1, -1], dtype=np.int64)


class Unroutable(Fault):
    """A connection has no way at all, or some places stay contested."""


@dataclass(frozen=True)
class Pad:
    """A pad on both layers; ``net`` is empty for a hole and for a leg that is left free."""

    x: float
    y: float
    width: float
    height: float
    round: bool
    turn: float
    net: str
    plated: bool = True

    def distance(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Return the distances from the pad's copper, 0 inside."""
        angle = math.radians(self.turn)
        dx, dy = x - self.x, y - self.y
        u = np.abs(dx * math.cos(angle) + dy * math.sin(angle))
        v = np.abs(dy * math.cos(angle) - dx * math.sin(angle))
        if not self.round:
            return np.hypot(np.maximum(u - self.width / 2, 0), np.maximum(v - self.height / 2, 0))
        radius = min(self.width, self.height) / 2
        u, v = np.maximum(u - self.width / 2 + radius, 0), np.maximum(v - self.height / 2 + radius, 0)
        return np.maximum(np.hypot(u, v) - radius, 0)


@dataclass(frozen=True)
class Rules:
    clearance: float
    edge: float
    via: float
    """Diameter."""
    via_cost: float = 12.0
    """In steps of the grid."""


@dataclass
class Routed:
    """One routed net: segments by layer as (start, end, width), and vias."""

    segments: list[tuple[int, tuple[float, float], tuple[float, float], float]] = field(default_factory=list)
    vias: list[tuple[float, float]] = field(default_factory=list)


def route(
    size: tuple[float, float],
    pads: Sequence[Pad],
    widths: Mapping[str, tuple[float, float]],
    rules: Rules,
    keep: Sequence[tuple[float, float, float]] = (),
    rounds: int = 80,
    report: Callable[[str], None] | None = None,
) -> dict[str, Routed]:
    """Return the tracks of all nets with two pads or more.

    ``widths`` gives a net's width and the one to neck down to. ``keep`` are discs without copper: x, y, radius.
    Raise `Unroutable` with the names of the nets that are in each other's way.
    """
    return _Router(size, pads, widths, rules, keep).run(rounds, report)


class _Router:
    def __init__(
        self,
        size: tuple[float, float],
        pads: Sequence[Pad],
        widths: Mapping[str, tuple[float, float]],
        rules: Rules,
        keep: Sequence[tuple[float, float, float]],
    ) -> None:
        self.size, self.rules = size, rules
        self.nx, self.ny = (2 * math.floor(length / 2 / GRID) + 1 for length in size)
        self.names = sorted(widths)
        ids = {name: number for number, name in enumerate(self.names)}
        self.track_widths = sorted({width for pair in widths.values() for width in pair})
        self.classes = {width: number for number, width in enumerate(self.track_widths)}
        half = np.array([width / 2 for width in self.track_widths] + [rules.via / 2])
        self.via_class = len(self.track_widths)
        self.net_class = [tuple(self.classes[width] for width in widths[name]) for name in self.names]
        per_layer = self.nx * self.ny
        self.static = np.full((len(half), 2 * per_layer), FREE, dtype=np.int32)
        self.occupied = np.zeros((len(half), 2 * per_layer), dtype=np.int32)
        self.mark = np.zeros((len(half), 2 * per_layer), dtype=np.int32)
        self.history = np.zeros(2 * per_layer, dtype=np.float64)
        self.pad_net = np.full(per_layer, FREE, dtype=np.int32)
        self.token = 0
        self._block(pads, ids, half, keep)
        reach = [
            [math.sqrt((one + other + rules.clearance) ** 2 + GRID * GRID / 2) / GRID for other in half] for one in half
        ]
        self.discs, self.disc_ends = _discs(reach)
        self.legs: list[list[tuple[int, Pad]]] = [[] for _ in self.names]
        for pad in pads:
            if pad.net in ids:
                self.legs[ids[pad.net]].append((self._node(pad.x, pad.y), pad))
        self.cost = np.zeros(2 * per_layer, dtype=np.float64)
        self.parent = np.zeros(2 * per_layer, dtype=np.int64)
        self.seen = np.zeros(2 * per_layer, dtype=np.int32)
        self.no_via = np.zeros(per_layer, dtype=np.int32)
        self.version = 0

    def _node(self, x: float, y: float) -> int:
        column = round(x / GRID) + self.nx // 2
        row = round(y / GRID) + self.ny // 2
        return row * self.nx + column

    def _at(self, node: int) -> tuple[float, float]:
        node %= self.nx * self.ny
        return (node % self.nx - self.nx // 2) * GRID, (node // self.nx - self.ny // 2) * GRID

    def _block(
        self, pads: Sequence[Pad], ids: Mapping[str, int], half: np.ndarray, keep: Sequence[tuple[float, float, float]]
    ) -> None:
        xs = (np.arange(self.nx) - self.nx // 2) * GRID
        ys = (np.arange(self.ny) - self.ny // 2) * GRID
        x, y = (it.ravel() for it in np.meshgrid(xs, ys))
        inside = np.minimum(self.size[0] / 2 - np.abs(x), self.size[1] / 2 - np.abs(y))
        # Between two nodes a track may come nearer to a round pad than at either.
        slack = 0.025
        for number, width in enumerate(half):
            owner = np.full(len(x), FREE, dtype=np.int32)
            for pad in pads:
                distance = pad.distance(x, y)
                near = distance < width + slack + (self.rules.clearance if pad.plated else self.rules.edge)
                mine = ids.get(pad.net, BLOCKED)
                owner[near] = np.where((owner[near] == FREE) | (owner[near] == mine), mine, BLOCKED)
                if number == self.via_class:
                    owner[distance < width + 0.15] = BLOCKED
            owner[inside < width + self.rules.edge] = BLOCKED
            for at_x, at_y, radius in keep:
                owner[np.hypot(x - at_x, y - at_y) < radius + width] = BLOCKED
            self.static[number] = np.concatenate([owner, owner])
        for pad in pads:
            if pad.net in ids:
                self.pad_net[self._node(pad.x, pad.y)] = ids[pad.net]

    # -- rounds ------------------------------------------------------------------------------------------------

    def run(self, rounds: int, report: Callable[[str], None] | None) -> dict[str, Routed]:
        order = sorted(
            (net for net in range(len(self.names)) if len(self.legs[net]) > 1), key=lambda net: self._extent(net)
        )
        paths: dict[int, list[np.ndarray]] = {net: [] for net in order}
        waiting, pressure = list(order), 0.4
        for number in range(rounds):
            for net in waiting:
                self._stamp(net, paths[net], -1)
                paths[net] = self._route_net(net, pressure)
                self._stamp(net, paths[net], 1)
            waiting = [net for net in order if self._contested(net, paths[net])]
            if report:
                report(f"round {number + 1}: {len(waiting)} nets in each other's way")
            if not waiting:
                return {self.names[net]: self._drawn(net, paths[net]) for net in order}
            pressure = min(pressure * 1.35, 1000.0)
        raise Unroutable("these nets stay in each other's way: " + ", ".join(self.names[net] for net in waiting))

    def _extent(self, net: int) -> tuple[bool, float, float, int]:
        xs, ys = zip(*((pad.x, pad.y) for _, pad in self.legs[net]), strict=True)
        return len(xs) > 12, -self.track_widths[self.net_class[net][0]], max(xs) - min(xs) + max(ys) - min(ys), net

    def _route_net(self, net: int, pressure: float) -> list[np.ndarray]:
        """Return the paths of a net, each an array of (node, class); the class is that of the via where layers meet."""
        legs = [node for node, _ in self.legs[net]]
        per_layer = self.nx * self.ny
        wide, neck = self.net_class[net]
        tree = {legs[0], legs[0] + per_layer}
        missing = list(dict.fromkeys(leg for leg in legs[1:] if leg != legs[0]))
        reached = [legs[0]]
        paths = []
        self.no_via[:] = 0
        while missing:
            target = min(missing, key=lambda leg: min(self._steps(leg, other) for other in reached))
            self.version += 1
            path = _search(
                np.array(sorted(tree), dtype=np.int64),
                target,
                net,
                wide,
                neck,
                self.via_class,
                self.nx,
                self.ny,
                self.static,
                self.occupied,
                self.history,
                self.pad_net,
                self.no_via,
                self.cost,
                self.parent,
                self.seen,
                self.version,
                pressure,
                self.rules.via_cost,
            )
            if not len(path):
                raise Unroutable(f"{self.names[net]}: no way to {self._at(target)}")
            paths.append(path)
            tree.update(int(node) for node in path[:, 0])
            for node, kind in path:
                if kind == self.via_class:
                    _forbid(self.no_via, int(node) % per_layer, self.nx, self.ny, math.ceil(0.75 / GRID))
            tree |= {target, target + per_layer}
            for leg in missing:
                if leg in tree or leg + per_layer in tree:
                    tree |= {leg, leg + per_layer}
            missing = [leg for leg in missing if leg not in tree]
            reached.append(target)
        return paths

    def _steps(self, one: int, other: int) -> float:
        dx, dy = abs(one % self.nx - other % self.nx), abs(one // self.nx - other // self.nx)
        return max(dx, dy) + 0.414 * min(dx, dy)

    def _stamp(self, net: int, paths: list[np.ndarray], sign: int) -> None:
        self.token += 1
        for path in paths:
            _stamp(
                path,
                sign,
                self.token,
                self.mark,
                self.occupied,
                self.discs,
                self.disc_ends,
                self.nx,
                self.ny,
                self.via_class,
            )

    def _contested(self, net: int, paths: list[np.ndarray]) -> bool:
        # All of them, because each raises the price of its own places.
        found = [_contested(path, self.occupied, self.history, self.nx * self.ny, self.via_class) for path in paths]
        return any(found)

    # -- drawing -----------------------------------------------------------------------------------------------

    def _drawn(self, net: int, paths: list[np.ndarray]) -> Routed:
        out, per_layer = Routed(), self.nx * self.ny
        centres = {node: (pad.x, pad.y) for node, pad in self.legs[net]}
        stubs = set()
        for path in paths:
            # A via stands twice in a path, once on each layer.
            rows = [(int(node), int(kind)) for node, kind in path]
            run: list[tuple[int, int]] = []
            for index, (node, kind) in enumerate(rows):
                if run and node // per_layer != run[-1][0] // per_layer:
                    self._draw_run(run, out, net)
                    run = []
                    if self.pad_net[node % per_layer] != net:
                        out.vias.append(self._at(node))
                run.append((node, kind))
                leg = node % per_layer
                if leg in centres and (node // per_layer, leg) not in stubs and len(rows) > 1:
                    stubs.add((node // per_layer, leg))
                    end, start = centres[leg], self._at(leg)
                    if math.dist(start, end) > 1e-4:
                        neighbour = rows[index - 1] if index else rows[1]
                        if neighbour[0] // per_layer == node // per_layer:
                            width = self.track_widths[self.net_class[net][1]]
                            out.segments.append((node // per_layer, start, end, width))
            self._draw_run(run, out, net)
        out.vias = list(dict.fromkeys(out.vias))
        return out

    def _draw_run(self, run: list[tuple[int, int]], out: Routed, net: int) -> None:
        neck = self.net_class[net][1]
        layer = run[0][0] // (self.nx * self.ny)
        points = [(self._at(node), neck if kind == self.via_class else kind) for node, kind in run]
        start = 0
        while start < len(points) - 1:
            width = min(points[start][1], points[start + 1][1])
            step = _difference(points[start][0], points[start + 1][0])
            end = start + 1
            while (
                end < len(points) - 1
                and _difference(points[end][0], points[end + 1][0]) == step
                and min(points[end][1], points[end + 1][1]) == width
            ):
                end += 1
            out.segments.append((layer, points[start][0], points[end][0], self.track_widths[width]))
            start = end


def _difference(one: tuple[float, float], other: tuple[float, float]) -> tuple[int, int]:
    return round((other[0] - one[0]) / GRID), round((other[1] - one[1]) / GRID)


def _discs(reach: list[list[float]]) -> tuple[np.ndarray, np.ndarray]:
    """Offsets within reach of each pair of classes, one after the other, and where each pair's begin and end."""
    offsets: list[tuple[int, int]] = []
    ends = np.zeros((len(reach), len(reach), 2), dtype=np.int64)
    for one, row in enumerate(reach):
        for other, radius in enumerate(row):
            first, span = len(offsets), math.ceil(radius)
            offsets += [
                (dx, dy)
                for dy in range(-span, span + 1)
                for dx in range(-span, span + 1)
                if math.hypot(dx, dy) < radius - 1e-6
            ]
            ends[one, other] = first, len(offsets)
    return np.array(offsets, dtype=np.int64), ends


@njit(cache=True)
def _search(
    sources: np.ndarray, target: int, net: int, wide: int, neck: int, via_class: int, nx: int, ny: int,
    static: np.ndarray, occupied: np.ndarray, history: np.ndarray, pad_net: np.ndarray, no_via: np.ndarray,
    cost: np.ndarray, parent: np.ndarray, seen: np.ndarray, version: int, pressure: float, via_cost: float,
) -> np.ndarray:  # fmt: skip
    """Return the cheapest path from any source to the target as rows of (node, class); empty if there is none."""
    per_layer = nx * ny
    target_x, target_y = target % nx, target // nx
    heap = [(0.0, np.int64(0))]
    heap.pop()
    for source in sources:
        cost[source] = 0.0
        parent[source] = -1
        seen[source] = version
        place = source % per_layer
        dx, dy = abs(place % nx - target_x), abs(place // nx - target_y)
        heapq.heappush(heap, (max(dx, dy) + 0.41421 * min(dx, dy), source))
    found = np.int64(-1)
    while len(heap) > 0:
        estimate, node = heapq.heappop(heap)
        layer = node // per_layer
        place = node - layer * per_layer
        x, y = place % nx, place // nx
        dx, dy = abs(x - target_x), abs(y - target_y)
        if estimate > cost[node] + max(dx, dy) + 0.41421 * min(dx, dy) + 1e-6:
            continue
        if place == target:
            found = node
            break
        before = parent[node]
        last = -1
        if before >= 0 and before // per_layer == layer:
            bx, by = x - (before % per_layer) % nx, y - (before % per_layer) // nx
            for turn in range(8):
                if _DX[turn] == bx and _DY[turn] == by:
                    last = turn
        for turn in range(8):
            bend = 0
            if last >= 0:
                bend = abs(turn - last)
                if bend > 4:
                    bend = 8 - bend
                if bend > 2:
                    continue
            to_x, to_y = x + _DX[turn], y + _DY[turn]
            if to_x < 0 or to_y < 0 or to_x >= nx or to_y >= ny:
                continue
            to = layer * per_layer + to_y * nx + to_x
            kind, price = wide, 1.0
            owner = static[wide, to]
            if owner != -1 and owner != net:
                owner = static[neck, to]
                if owner != -1 and owner != net:
                    continue
                kind, price = neck, 3.0
            # One layer prefers to run along, the other across: fewer knots.
            length = 1.0 if turn % 2 == 0 else 1.41421
            if (layer == 0 and turn % 4 == 2) or (layer == 1 and turn % 4 == 0):
                price *= 1.25
            new = cost[node] + length * price * (1.0 + history[to]) * (1.0 + pressure * occupied[kind, to]) + 0.1 * bend
            if seen[to] != version or new < cost[to] - 1e-9:
                seen[to] = version
                cost[to] = new
                parent[to] = node
                dx, dy = abs(to_x - target_x), abs(to_y - target_y)
                heapq.heappush(heap, (new + max(dx, dy) + 0.41421 * min(dx, dy), to))
        to = place + (1 - layer) * per_layer
        if pad_net[place] == net:
            new = cost[node]
        else:
            owner = static[via_class, node]
            if (owner != -1 and owner != net) or no_via[place]:
                continue
            crowd = occupied[via_class, node] + occupied[via_class, to]
            new = cost[node] + via_cost * (1.0 + history[node] + history[to]) * (1.0 + pressure * crowd)
        if seen[to] != version or new < cost[to] - 1e-9:
            seen[to] = version
            cost[to] = new
            parent[to] = node
            dx, dy = abs(x - target_x), abs(y - target_y)
            heapq.heappush(heap, (new + max(dx, dy) + 0.41421 * min(dx, dy), to))
    count = 0
    node = found
    while node >= 0:
        count += 1
        node = parent[node]
    path = np.zeros((count, 2), dtype=np.int64)
    node = found
    for index in range(count - 1, -1, -1):
        path[index, 0] = node
        owner = static[wide, node]
        path[index, 1] = wide if owner == -1 or owner == net else neck
        node = parent[node]
    for index in range(count - 1):
        one, other = path[index, 0], path[index + 1, 0]
        if one // per_layer != other // per_layer and pad_net[one % per_layer] != net:
            path[index, 1] = via_class
            path[index + 1, 1] = via_class
    return path


@njit(cache=True)
def _forbid(no_via: np.ndarray, place: int, nx: int, ny: int, span: int) -> None:
    """No via so near to another of the same net that the drill would break through, except that one itself."""
    x, y = place % nx, place // nx
    for dy in range(-span, span + 1):
        for dx in range(-span, span + 1):
            if 0 <= x + dx < nx and 0 <= y + dy < ny and (dx or dy) and dx * dx + dy * dy <= span * span:
                no_via[(y + dy) * nx + x + dx] = 1


@njit(cache=True)
def _stamp(
    path: np.ndarray,
    sign: int,
    token: int,
    mark: np.ndarray,
    occupied: np.ndarray,
    discs: np.ndarray,
    ends: np.ndarray,
    nx: int,
    ny: int,
    via_class: int,
) -> None:
    per_layer = nx * ny
    for row in range(len(path)):
        node, kind = path[row, 0], path[row, 1]
        layer = node // per_layer
        place = node - layer * per_layer
        x, y = place % nx, place // nx
        for other in range(len(mark)):
            for index in range(ends[kind, other, 0], ends[kind, other, 1]):
                at_x, at_y = x + discs[index, 0], y + discs[index, 1]
                if 0 <= at_x < nx and 0 <= at_y < ny:
                    at = layer * per_layer + at_y * nx + at_x
                    if mark[other, at] != token:
                        mark[other, at] = token
                        occupied[other, at] += sign


@njit(cache=True)
def _contested(path: np.ndarray, occupied: np.ndarray, history: np.ndarray, per_layer: int, via_class: int) -> bool:
    """Raise the price where another net is too near; return True if there is such a place."""
    any_contested = False
    for row in range(len(path)):
        node, kind = path[row, 0], path[row, 1]
        if occupied[kind, node] > 1:
            history[node] += 0.3 * (occupied[kind, node] - 1)
            any_contested = True
    return any_contested

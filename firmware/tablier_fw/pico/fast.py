"""Fast functions, in viper code. Each has a plain twin, in ``plain`` or ``scene``; a test compares them."""

import micropython

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    ptr8 = Any
    ptr16 = Any
    ptr32 = Any


@micropython.viper
def paint(base: ptr8, over: ptr8, frame: ptr8, look: ptr16) -> int:
    phase = look[0]
    signs = look[1]
    peeked = look[2] << 11
    swell = phase
    blink = 256
    if phase >= 512:
        swell = 1024 - phase
        blink = 0
    pulse = 32 + ((swell >> 1) * 224 >> 8)
    animated = signs >> 1
    if phase >= 512:
        signs &= 1
    source = 0
    target = 0
    for group in range(9, 17):
        count = look[group]
        around = count
        if group == 9:
            around = look[25]
        head = phase * around >> 10
        light = look[group + 8]
        for pixel in range(count):
            pixels = base
            if over[source] != 255 and peeked >> group & 1 == 0:
                pixels = over
            effect = pixels[source]
            level = 256
            if effect != 0:
                animated = 1
                if effect == 1:
                    level = blink
                elif effect == 2:
                    level = pulse
                else:
                    behind = head - pixel
                    if behind < 0:
                        behind += around
                    level = 0
                    if behind < 4:
                        level = 256 >> behind
            level = level * light >> 8
            sign = (pixel & 2) >> 1
            covers = 0
            if group == 9 and pixel & 1 == 0 and signs >> sign & 1 != 0:
                covers = 1
                if sign == 0 and over[source] != 255:
                    covers = 0
            if covers != 0:
                frame[target] = look[3 + 3 * sign] * light >> 8
                frame[target + 1] = look[4 + 3 * sign] * light >> 8
                frame[target + 2] = look[5 + 3 * sign] * light >> 8
            else:
                frame[target] = pixels[source + 1] * level >> 8
                frame[target + 1] = pixels[source + 2] * level >> 8
                frame[target + 2] = pixels[source + 3] * level >> 8
            target += 3
            source += 4
    return animated


@micropython.viper
def tint(base: ptr8, where: int, pixels: object, palette: ptr8) -> int:
    size = int(len(pixels))  # type: ignore[arg-type]  # noqa: RUF046  (viper needs its own kind of number)
    source = ptr8(pixels)
    at = 0
    while at < size:
        colour = 3 * source[at]
        level = source[at + 1]
        base[where] = source[at + 2]
        base[where + 1] = palette[colour] * level // 255
        base[where + 2] = palette[colour + 1] * level // 255
        base[where + 3] = palette[colour + 2] * level // 255
        where += 4
        at += 3
    return where


@micropython.viper
def pack(frame: ptr8, words: ptr32, groups: ptr16, count: int) -> int:
    source = 0
    target = 0
    dimmed = 0
    for group in range(count):
        pixels = groups[3 * group]
        most = groups[3 * group + 2]
        total = 0
        end = source + 3 * pixels
        at = source
        while at < end:
            total += frame[at]
            at += 1
        scale = 256
        if total > most:
            scale = (most << 8) // total
            dimmed += 1
        while source < end:
            red = frame[source] * scale >> 8
            green = frame[source + 1] * scale >> 8
            blue = frame[source + 2] * scale >> 8
            words[target] = green << 24 | red << 16 | blue << 8
            source += 3
            target += 1
        source += 3 * groups[3 * group + 1]
    return dimmed


@micropython.viper
def scan(ring: ptr32, state: ptr32, head: int, good: int) -> int:
    tail = state[0]
    stable = state[2]
    c0 = state[4]
    c1 = state[5]
    c2 = state[6]
    c3 = state[7]
    c4 = state[8]
    pressed = 0
    while tail != head and pressed == 0:
        word = ring[tail]
        tail = (tail + 1) & state[1]
        if word >> 24 & 0xFF != good:
            state[10] = 1
            continue
        state[10] = 0
        differs = (~word ^ stable) & state[3]
        if differs != 0:
            c4 = (c4 ^ (c3 & c2 & c1 & c0)) & differs
            c3 = (c3 ^ (c2 & c1 & c0)) & differs
            c2 = (c2 ^ (c1 & c0)) & differs
            c1 = (c1 ^ c0) & differs
            c0 = ~c0 & differs
            changed = c1 & c0 & ~(c2 | c3 | c4) & ~stable | c4 & c0 & ~(c1 | c2 | c3) & stable
            if changed != 0:
                pressed = changed & ~stable
                stable ^= changed
                differs &= ~changed
                c0 &= differs
                c1 &= differs
                c2 &= differs
                c3 &= differs
                c4 &= differs
        else:
            c0 = c1 = c2 = c3 = c4 = 0
        state[9] = differs
    state[0] = tail
    state[2] = stable
    state[4] = c0
    state[5] = c1
    state[6] = c2
    state[7] = c3
    state[8] = c4
    return pressed


@micropython.viper
def within(data: ptr8, where: int, records: ptr8, size: int) -> int:
    first = where & 0xFF
    stride = where >> 16
    end = first + stride * (where >> 8 & 0xFF)
    record = 0
    while record < size:
        width = records[record + 2]
        low = records[record + 3]
        high = records[record + 4] | records[record + 5] << 8 | records[record + 6] << 16 | records[record + 7] << 24
        at = first + records[record + 1]
        while at < end:
            value = data[at]
            if width > 1:
                value |= data[at + 1] << 8
                if width > 2:
                    if data[at + 3] > 0x3F:
                        return records[record]
                    value |= data[at + 2] << 16 | data[at + 3] << 24
            if value < low or value > high:
                return records[record]
            at += stride
        record += 8
    return -1


@micropython.viper
def peek(words: ptr32, index: int) -> int:
    return words[index] & 0x3FFFFFFF

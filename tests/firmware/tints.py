"""Colours as an eye tells them apart."""

from __future__ import annotations

from collections.abc import Sequence


def tint(colour: Sequence[int], gamma: float) -> tuple[float, float]:
    """Return where a colour stands in OKLab's plane of hues, whatever its brightness: white in the middle, red at 0.41
    from it."""
    red, green, blue = ((channel / 255) ** gamma for channel in colour)
    long = (0.4122 * red + 0.5363 * green + 0.0514 * blue) ** (1 / 3)
    middle = (0.2119 * red + 0.6807 * green + 0.1074 * blue) ** (1 / 3)
    short = (0.0883 * red + 0.2817 * green + 0.6300 * blue) ** (1 / 3)
    lightness = 0.2105 * long + 0.7936 * middle - 0.0041 * short
    a = 1.9780 * long - 2.4286 * middle + 0.4506 * short
    b = 0.0259 * long + 0.7828 * middle - 0.8087 * short
    return a / lightness, b / lightness

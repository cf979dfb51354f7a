"""Parts of the simulator Wokwi, as far as they are used."""

PINS_OF = {
    "wokwi-pi-pico": {*(f"GP{n}" for n in (*range(23), 26, 27, 28)), "3V3", "VBUS", "VSYS"}
    | {f"GND.{n}" for n in range(1, 9)},
    "wokwi-74hc165": {*(f"D{n}" for n in range(8)), "PL", "CP", "CE", "Q7", "Q7_N", "DS", "GND", "VCC"},
    "wokwi-led-ring": {"GND", "VCC", "DIN", "DOUT"},
    "wokwi-led-strip": {"VDD", "DIN", "VSS", "VDD.2", "DOUT", "VSS.2"},
    "wokwi-neopixel": {"VDD", "DOUT", "VSS", "DIN"},
    "wokwi-pushbutton": {"1.l", "1.r", "2.l", "2.r"},
    "wokwi-slide-switch": {"1", "2", "3"},
    "wokwi-gate-nand-2": {"A", "B", "OUT"},
    "wokwi-flip-flop-dsr": {"D", "CLK", "S", "R", "Q", "NOTQ"},
    "wokwi-resistor": {"1", "2"},
    "wokwi-buzzer": {"1", "2"},
    "wokwi-led": {"A", "C"},
    "wokwi-potentiometer": {"GND", "SIG", "VCC"},
}
"""Pins of the simulator's parts, from its reference."""

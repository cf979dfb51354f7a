"""The programs of the PIO state machines, in the names of the assembler."""

import rp2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rp2.asm_pio import (
        in_,
        isr,
        jmp,
        label,
        mov,
        nop,
        null,
        out,
        pin,
        pins,
        push,
        set,
        wrap,
        wrap_target,
        x,
        x_dec,
        x_not_y,
        y,
        y_dec,
    )

PIXELS_HZ = 6_400_000


@rp2.asm_pio(
    set_init=rp2.PIO.OUT_LOW,
    out_init=rp2.PIO.OUT_LOW,
    out_shiftdir=rp2.PIO.SHIFT_LEFT,
    autopull=True,
    pull_thresh=24,
)
def pixels() -> None:
    """WS2812: eight cycles of 156 ns a bit, of which two (0) or five (1) high. Without data it stops while low."""
    wrap_target()
    out(x, 1)
    set(pins, 1)[1]
    mov(pins, x)[2]
    set(pins, 0)[1]
    wrap()


BUTTONS_HZ = 400_000


@rp2.asm_pio(
    sideset_init=[rp2.PIO.OUT_LOW, rp2.PIO.OUT_HIGH],
    in_shiftdir=rp2.PIO.SHIFT_RIGHT,
    autopush=True,
    push_thresh=32,
)
def buttons() -> None:
    """Four 74HC165: a word of 32 inputs every 100 cycles, the first input lowest. Side-set: clock 1, load 2."""
    wrap_target()
    nop().side(0)[1]  # load is low: the inputs are taken
    set(x, 31).side(2)
    label("bit")
    in_(pins, 1).side(2)
    jmp(x_dec, "bit").side(3)  # the rising clock brings the next input
    set(y, 3).side(2)
    label("rest")
    jmp(y_dec, "rest").side(2)[7]
    wrap()


@rp2.asm_pio(in_shiftdir=rp2.PIO.SHIFT_RIGHT, autopush=True, push_thresh=32)
def starter_buttons() -> None:
    """Eight pins: a word every 100 cycles, as the chain gives it; y holds the 24 bits above the pins."""
    wrap_target()
    in_(pins, 8)
    in_(y, 24)
    set(x, 7)
    label("rest")
    jmp(x_dec, "rest")[10]
    set(x, 0)[8]
    wrap()


SENSORS_HZ = 1_000_000


@rp2.asm_pio(
    set_init=[rp2.PIO.OUT_LOW, rp2.PIO.OUT_LOW, rp2.PIO.OUT_LOW],
    in_shiftdir=rp2.PIO.SHIFT_LEFT,
)
def sensors() -> None:
    """Beams and impact latch: a word of 18 bits whenever it differs from the one before.

    The upper nine are the inputs with the emitters on, the lower nine with the emitters off; each lasts 36 µs. The
    latch is cleared after it was read. It is asked before it is read, so what it tells between the two is read but not
    cleared, and told once more instead of never. Set pins: clear 1, emitters 6.
    """
    wrap_target()
    label("lit")
    set(pins, 6)[31]
    mov(isr, null)
    jmp(pin, "impact")
    in_(pins, 9)
    jmp("dark")
    label("impact")
    in_(pins, 9)
    set(pins, 7)[7]
    label("dark")
    set(pins, 0)[31]
    in_(pins, 9)
    mov(y, isr)
    jmp(x_not_y, "changed")
    jmp("lit")
    label("changed")
    mov(x, y)
    push()
    wrap()

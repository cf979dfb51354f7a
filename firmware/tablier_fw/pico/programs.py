"""The programs of the PIO state machines. The names in them are the assembler's."""

import rp2

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rp2.asm_pio import in_, jmp, label, mov, nop, out, pins, set, wrap, wrap_target, x, x_dec, y, y_dec

PIXELS_HZ = 6_400_000


@rp2.asm_pio(
    set_init=rp2.PIO.OUT_LOW,
    out_init=rp2.PIO.OUT_LOW,
    out_shiftdir=rp2.PIO.SHIFT_LEFT,
    autopull=True,
    pull_thresh=24,
)
def pixels():  # type: ignore[no-untyped-def]
    """WS2812: eight cycles of 156 ns a bit, of which two (0) or five (1) high. Without data it stops while low."""
    wrap_target()
    out(x, 1)
    set(pins, 1)[1]
    mov(pins, x)[2]
    set(pins, 0)[1]
    wrap()


BUTTONS_HZ = 100_000


@rp2.asm_pio(
    sideset_init=(rp2.PIO.OUT_LOW, rp2.PIO.OUT_HIGH),
    in_shiftdir=rp2.PIO.SHIFT_RIGHT,
    autopush=True,
    push_thresh=32,
)
def buttons():  # type: ignore[no-untyped-def]
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

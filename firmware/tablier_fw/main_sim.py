"""Start the firmware at the simulated table.

The loop stands at the top of the module on purpose. The garbage collector of this VM (MicroPython compiled to
WebAssembly) does not see pointers that live only in WebAssembly's own variables, such as those to the frames of larger
functions that are running. So nothing is collected automatically, and the explicit collection happens here, where no
such frame is on the stack.
"""

import gc

gc.disable()
# What compiling a module leaves behind is collected before the next, the largest first: the heap is a Pico's.
import tablier_fw.wire  # noqa: E402, F401

gc.collect()

from tablier_fw.board_sim import Board  # noqa: E402

gc.collect()

from tablier_fw.table import Table  # noqa: E402

gc.collect()
table = Table(Board())
while True:
    if table.collection_due:
        gc.collect()
        table.note_collection(0)  # table time stands still meanwhile
    table.board.wait(table.pause())
    table.tick()

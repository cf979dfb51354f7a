"""Starts the firmware on a Raspberry Pi Pico: ``main.py`` on the board is ``import tablier_fw.main_rp2``."""

import gc

from tablier_fw.board_rp2 import Board
from tablier_fw.table import Table

gc.collect()
table = Table(Board())
while True:
    if table.collection_due:
        gc.collect()
        table.collected()
    table.board.wait(table.pause())
    table.tick()

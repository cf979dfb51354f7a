# The board's main.py: it lies at the root of its file system, and MicroPython runs it when the Pico starts.
import tablier_fw.pico.start  # noqa: F401

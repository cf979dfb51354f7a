# The board's main.py: it lies at the root of its file system, and MicroPython runs it when the Pico starts.
import micropython

micropython.kbd_intr(-1)  # before anything slow: a tool that looks for the prompt sends Ctrl-C
import tablier_fw.pico.start  # noqa: E402, F401

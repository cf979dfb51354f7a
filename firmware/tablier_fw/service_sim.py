"""The service mode of the simulated table: the prompt of its MicroPython, friendly and raw, until the next reset.

``host.call("hear", "")`` hands what was printed to the port and returns what has come from it, in hexadecimal;
``host.call("reset", "")`` resets the board. As on a Pico, Ctrl-A enters the raw prompt, Ctrl-B leaves it, Ctrl-C drops
the line, and Ctrl-D runs what was entered raw, or else starts the prompt anew. Nothing interrupts what runs.

It stands at the top of the module on purpose: see ``main_sim``.
"""

import gc
import sys
from binascii import unhexlify

import host

_RAW, _FRIENDLY, _DROP, _END, _PASTE = b"\x01", b"\x02", b"\x03", b"\x04", b"\x05A\x01"
_BANNER = sys.version.split("; ")[1] + '; the simulated table\nType "help()" for more information.\n>>> '
_RAW_BANNER = "raw REPL; CTRL-B to exit\n>"
_RUBOUT = b"\x08\x7f"


class _Machine:
    """The part of ``machine`` that is here."""

    @staticmethod
    def reset() -> None:
        host.call("reset", "")


def _execute(code: bytes, mode: str) -> "BaseException | None":
    """Run code; return how it failed, if it did."""
    try:
        exec(compile(code, "<stdin>", mode), _scope)
    except BaseException as error:
        return error
    return None


def _start_over(raw: bool) -> None:
    """Forget what the prompt knows, and greet."""
    _scope.clear()
    _scope["__name__"] = "__main__"
    gc.collect()
    _say(_RAW_BANNER if raw else "tablier: service mode; the table is started by the next reset\n" + _BANNER)


sys.modules["machine"] = _Machine  # type: ignore[assignment]
_scope: dict = {}
_say = sys.stdout.write
_start_over(False)
_line, _block, _raw, _heard = b"", b"", False, b""
while True:
    if not _heard:
        _heard = unhexlify(host.call("hear", ""))
        continue
    _byte, _heard = _heard[:1], _heard[1:]
    if _byte == _RAW:
        _line, _block, _raw = b"", b"", True
        _say(_RAW_BANNER)
    elif _byte == _FRIENDLY:
        _line, _block, _raw = b"", b"", False
        _say("\n" + _BANNER)
    elif _byte == _DROP:
        _line, _block = b"", b""
        _say("" if _raw else "\n>>> ")
    elif _byte == _END and not _line:
        _say(("OK\n" if _raw else "") + "MPY: soft reboot\n")
        _start_over(_raw)
    elif _byte == _END and _raw:
        _say("OK")
        _failed = _execute(_line, "exec")
        _say("\x04")
        if _failed:
            sys.print_exception(_failed)
        _say("\x04>")
        _line, _failed = b"", None
        gc.collect()
    elif _raw:
        _line += _byte
        if _line == _PASTE:  # understood, and not to be had
            _line = b""
            _say("R\x00")
    elif _byte in _RUBOUT:
        if _line:
            _line = _line[:-1]
            _say("\x08 \x08")
    elif _byte == b"\r":
        _say("\n")
        _block += _line + b"\n"
        if _line.strip() and (_line.rstrip()[-1:] == b":" or _line[:1] == b" "):
            _say("... ")
        else:
            _failed = _execute(_block, "single") if _block.strip() else None
            if _failed:
                sys.print_exception(_failed)
            _block, _failed = b"", None
            gc.collect()
            _say(">>> ")
        _line = b""
    elif _byte >= b" ":
        _line += _byte
        sys.stdout.buffer.write(_byte)

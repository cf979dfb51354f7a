"""Run the cases of a module in the MicroPython VM."""

from __future__ import annotations

from collections.abc import Sequence

from tablier.simulation.vm import Vm

_IN_VM = """
import io, sys
for name in CASES:
    try:
        globals()[name]()
    except Exception as error:
        text = io.StringIO()
        sys.print_exception(error, text)
        print(name, "failed", repr(text.getvalue()))
    else:
        print(name, "passed")
for name in VALUES:
    print(name, repr(globals()[name]()))
"""


def verdicts(source: str, values: Sequence[str] = ()) -> dict[str, str]:
    """Run a source in the VM. Return by name "passed" or why it failed for each of its ``CASES``, and the ``repr`` of
    what each function named in ``values`` returns.
    """
    printed = Vm({}, heap="8m").run(f"{source}\nVALUES = {list(values)!r}\n{_IN_VM}")
    return dict(line.split(" ", 1) for line in printed.splitlines())

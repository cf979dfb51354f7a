"""Run a command while no other holds a file: ``python waiting.py FILE WHAT COMMAND …``; say WHAT while waiting.

The lock goes with the command and all that it starts, whatever ends them.
"""

import fcntl
import os
import sys


def main() -> None:
    file, what, *command = sys.argv[1:]
    held = os.open(file, os.O_RDWR)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.stderr.write(what + "\n")
        sys.stderr.flush()
        fcntl.flock(held, fcntl.LOCK_EX)
    os.set_inheritable(held, True)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()

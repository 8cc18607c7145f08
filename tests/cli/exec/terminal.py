"""Starts a command at a terminal of its own and types: what it prints is passed on, its code is ours.

terminal.py ROWS COLUMNS TYPED... -- COMMAND: each TYPED ("\\x03" is Ctrl-C) is typed when the next
"ready" has come.
"""

import fcntl
import os
import pty
import struct
import sys
import termios


def main():
    rows, columns, *typed = sys.argv[1 : sys.argv.index("--")]
    command = sys.argv[sys.argv.index("--") + 1 :]
    child, terminal = pty.fork()
    if child == 0:
        size = struct.pack("4H", int(rows), int(columns), 0, 0)
        fcntl.ioctl(0, termios.TIOCSWINSZ, size)
        os.execvp(command[0], command)
    seen = b""
    while True:
        try:
            chunk = os.read(terminal, 4096)
        except OSError:  # EIO: nobody has the other end any more
            break
        if not chunk:
            break
        os.write(1, chunk)
        seen += chunk
        while typed and b"ready" in seen:
            seen = seen[seen.index(b"ready") + len("ready") :]
            os.write(terminal, typed.pop(0).encode().decode("unicode_escape").encode())
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


main()

"""An HTTP/1.1 server in Python that receives without copies: answers each upload with its SHA-256.

NETIF, ZCRX_QUEUE and ZCRX_PORT are as "zcrxlab exec" sets them.
"""

import hashlib
import os
import signal
import sys

from zero_copy import Receiver


class Upload:
    """One connection: requests one after another."""

    def __init__(self):
        self.head = b""
        self.left = None  # bytes of the body that are to come; None: still in the head

    def take(self, connection, piece):
        while len(piece):
            if self.left is None:
                self.head += bytes(piece)
                end = self.head.find(b"\r\n\r\n")
                if end < 0:
                    return
                piece = self.head[end + 4 :]
                self.begin(connection, self.head[:end].decode("latin-1"))
                self.head = b""
            body, piece = piece[: self.left], piece[self.left :]
            self.hash.update(body)
            self.left -= len(body)
            if self.left == 0:
                text = self.hash.hexdigest() + "\n"
                answer = f"HTTP/1.1 200 OK\r\nContent-Length: {len(text)}\r\n\r\n{text}"
                connection.sendall(answer.encode())
                self.left = None

    def begin(self, connection, head):
        fields = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:])
        self.left = int(fields.get("content-length", 0))
        self.hash = hashlib.sha256()
        if fields.get("expect") == "100-continue":
            connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    environment = os.environ
    receiver = Receiver(
        environment["NETIF"], int(environment["ZCRX_QUEUE"]), int(environment["ZCRX_PORT"])
    )
    uploads = {}
    for connection, piece in receiver.events():
        if len(piece):
            uploads.setdefault(connection.fileno(), Upload()).take(connection, piece)
        else:
            uploads.pop(connection.fileno(), None)


main()

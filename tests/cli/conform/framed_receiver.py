"""A receiver in Python with a protocol of its own, which framed_client.py speaks: each request is
its length in four bytes, big-endian, and so many bytes; each is answered with their SHA-256 in hex.

NETIF, ZCRX_QUEUE and ZCRX_PORT are as "zcrxlab conform" sets them. Its CQ is small, so that it can
get full. With an argument it makes that mistake:
  headers   takes it for granted that a length lies in one piece
  rearms    never arms a request again
  keeps     gives nothing back
  open      never closes a connection
  ordinary  receives by ordinary calls
"""

import hashlib
import os
import pathlib
import signal
import socket
import socketserver
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "exec"))
from zero_copy import RECV_ZC, Receiver  # noqa: E402

COMPLETIONS = 64
mistake = sys.argv[1] if len(sys.argv) > 1 else ""


class Requests:
    """What comes on one connection, piece by piece."""

    def __init__(self):
        self.header, self.missing, self.body = b"", 0, None

    def answers(self, piece):
        """To each request that ends in this piece."""
        answers = b""
        while len(piece):
            if self.body is None:
                wanted = 4 - len(self.header)
                self.header += bytes(piece[:wanted])
                piece = piece[wanted:]
                if len(self.header) < 4 and mistake != "headers":
                    break
                self.missing, self.body = int.from_bytes(self.header, "big"), hashlib.sha256()
                self.header = b""
            part = piece[: self.missing]
            self.body.update(part)
            self.missing -= len(part)
            piece = piece[len(part) :]
            if self.missing == 0:
                answers += self.body.hexdigest().encode()
                self.body = None
        return answers


class Wrong(Receiver):
    armed = set()

    def submit(self, opcode, fd, *others):
        if mistake == "rearms" and opcode == RECV_ZC:
            if fd in self.armed:
                return
            self.armed.add(fd)
        super().submit(opcode, fd, *others)

    def give_back(self, *piece):
        if mistake != "keeps":
            super().give_back(*piece)


class Ordinary(socketserver.BaseRequestHandler):
    def handle(self):
        requests = Requests()
        while piece := self.request.recv(65536):
            self.request.sendall(requests.answers(piece))


class Server(socketserver.ThreadingTCPServer):
    address_family = socket.AF_INET6
    allow_reuse_address = True


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    environment = os.environ
    port = int(environment["ZCRX_PORT"])
    if mistake == "ordinary":
        Server(("::", port), Ordinary).serve_forever()
    of_queue = environment["NETIF"], int(environment["ZCRX_QUEUE"]), port
    receiver = (Wrong if mistake else Receiver)(*of_queue, completions=COMPLETIONS)
    requests, left_open = {}, []
    for connection, piece in receiver.events():
        if len(piece):
            answers = requests.setdefault(connection.fileno(), Requests()).answers(piece)
            connection.sendall(answers)
            continue
        requests.pop(connection.fileno(), None)
        if mistake == "open":
            left_open.append(connection.dup())


main()

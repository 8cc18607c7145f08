"""A receiver in Python that answers each connection with the SHA-256 of what came.

NETIF, ZCRX_QUEUE and ZCRX_PORT are as "zcrxlab conform" sets them. With "--loses" as its argument
it forgets the last byte of each tenth piece, with "--forgets_offset" that a piece may begin in the
midst of its buffer.
"""

import hashlib
import os
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "exec"))
from zero_copy import PAGE, Receiver, address  # noqa: E402


def from_start_of_buffer(receiver, piece):
    place = address(piece) - address(receiver.area)
    return memoryview(receiver.area)[place - place % PAGE :][: len(piece)]


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    loses = sys.argv[1:] == ["--loses"]
    forgets_offset = sys.argv[1:] == ["--forgets_offset"]
    environment = os.environ
    receiver = Receiver(
        environment["NETIF"], int(environment["ZCRX_QUEUE"]), int(environment["ZCRX_PORT"])
    )
    hashes, pieces = {}, 0
    for connection, piece in receiver.events():
        hash_of_it = hashes.setdefault(connection.fileno(), hashlib.sha256())
        pieces += 1
        if forgets_offset and len(piece):
            piece = from_start_of_buffer(receiver, piece)
        hash_of_it.update(piece[:-1] if loses and len(piece) and pieces % 10 == 0 else piece)
        if not len(piece):
            connection.sendall(hash_of_it.hexdigest().encode())
            del hashes[connection.fileno()]


main()

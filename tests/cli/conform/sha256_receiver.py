"""A receiver in Python that answers each connection with the SHA-256 of what came.

NETIF, ZCRX_QUEUE and ZCRX_PORT are as "zcrxlab conform" sets them. With "--loses" as its argument it
forgets the last byte of each tenth piece.
"""

import hashlib
import os
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "exec"))
from zero_copy import Receiver  # noqa: E402


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    loses = sys.argv[1:] == ["--loses"]
    environment = os.environ
    receiver = Receiver(
        environment["NETIF"], int(environment["ZCRX_QUEUE"]), int(environment["ZCRX_PORT"])
    )
    hashes, pieces = {}, 0
    for connection, piece in receiver.events():
        hash_of_it = hashes.setdefault(connection.fileno(), hashlib.sha256())
        pieces += 1
        hash_of_it.update(piece[:-1] if loses and len(piece) and pieces % 10 == 0 else piece)
        if not len(piece):
            connection.sendall(hash_of_it.hexdigest().encode())
            del hashes[connection.fileno()]


main()

"""A receiver that counts for itself, to be held against what `zcrxlab exec` has counted of it.

counting_receiver.py HOLDING CONNECTIONS: receives until so many connections have ended, prints its
counts, and keeps its ring until it is killed, so that no other ring gets its place. HOLDING:

at_once    gives each piece back as it comes
batch      64 at a time, and what is left at the end
newest     holds 32, and gives the newest back when there is one more
flush      at once, and has the kernel take the entries up after every 50
flush_end  at the end, with a flush
late       all of them at the end
small      at once, through a refill ring of 64 entries
half       every second one, and the others never
all        none
"""

import os
import signal
import struct
import sys

from zero_copy import REGISTER, Receiver, address, call

REGISTER_ZCRX_CTRL, FLUSH_REFILL_RING = 36, 0


class CountingReceiver(Receiver):
    def __init__(self, holding):
        self.holding = holding
        self.pieces = self.bytes = self.returned = self.flushes = self.most_held = 0
        self.held = []
        environment = os.environ
        super().__init__(
            environment["NETIF"],
            int(environment["ZCRX_QUEUE"]),
            int(environment["ZCRX_PORT"]),
            entries=64 if holding == "small" else None,
        )

    def give_back(self, offset, length):
        """Called for each piece once it was looked at."""
        self.pieces += 1
        self.bytes += length
        self.held.append((offset, length))
        self.most_held = max(self.most_held, len(self.held) + len(self.waiting))
        if self.holding in ("at_once", "flush", "small"):
            self.put(len(self.held))
        if self.holding == "flush" and self.pieces % 50 == 0:
            self.flush()
        if self.holding == "batch" and len(self.held) == 64:
            self.put(64)
        if self.holding == "newest" and len(self.held) > 32:
            self.put(1)
        if self.holding == "half" and self.pieces % 2 == 0:
            self.put(1)

    def put(self, count):
        """Puts so many entries into the refill ring, the newest first, or keeps them waiting."""
        for _ in range(count):
            offset, length = self.held.pop()
            left = len(self.waiting) + 1
            super().give_back(offset, length)
            self.returned += left - len(self.waiting)

    def flush(self):
        control = bytearray(struct.pack("<2I64x", self.zcrx_id, FLUSH_REFILL_RING))
        call("flush", REGISTER, self.ring, REGISTER_ZCRX_CTRL, address(control), 0)
        self.flushes += 1

    def end(self):
        if self.holding in ("batch", "newest", "flush_end", "late"):
            self.put(len(self.held))
        if self.holding == "flush_end":
            self.flush()


def main():
    receiver = CountingReceiver(sys.argv[1])
    left = int(sys.argv[2])
    for _, piece in receiver.events():
        left -= len(piece) == 0
        if left == 0:
            break
    receiver.end()
    for connection in receiver.sockets.values():  # the last one: the sender waits for it
        connection.close()
    print(
        "counts", receiver.holding, os.getpid(), os.environ["ZCRX_QUEUE"], receiver.bytes,
        receiver.pieces, receiver.returned, receiver.flushes, receiver.most_held, flush=True,
    )  # fmt: skip
    signal.pause()


main()

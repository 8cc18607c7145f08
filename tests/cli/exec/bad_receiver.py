"""Receivers that do something wrong, which the report has to find out without their help.

bad_receiver.py greedy: 64 buffers, of which it gives none back
bad_receiver.py slow:   a CQ of 16 entries, and 20 ms for each piece
bad_receiver.py twice:  registers its queue once more, which is refused
bad_receiver.py leaves: ends, and leaves a process behind that has the ring
"""

import copy
import os
import sys
import time

from zero_copy import Receiver


def main():
    environment = os.environ
    what = sys.argv[1]
    receiver = Receiver(
        environment["NETIF"],
        int(environment["ZCRX_QUEUE"]),
        int(environment["ZCRX_PORT"]),
        buffers=64 if what == "greedy" else 4096,
        completions=16 if what == "slow" else 4096,
    )
    if what == "greedy":
        receiver.give_back = lambda offset, length: None
    if what == "leaves" and os.fork() == 0:
        time.sleep(1000)
    if what == "twice":
        try:
            copy.copy(receiver).register(environment["NETIF"], int(environment["ZCRX_QUEUE"]))
        except OSError as refused:
            print(refused)
    received = 0
    for _, piece in receiver.events():
        received += len(piece)
        if what == "slow":
            time.sleep(0.02)
        if what == "leaves":
            return
    print("received", received, "bytes")


main()

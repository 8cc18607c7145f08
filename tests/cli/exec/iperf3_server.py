"""The receiving side of iperf3 in Python, without copies: one test, then it ends.

NETIF, ZCRX_QUEUE and ZCRX_PORT are as "zcrxlab exec" sets them. What comes through a zero-copy queue
is in memory that the kernel cannot read, so the control connection is received in the same way.
"""

import json
import os
import struct

from zero_copy import Receiver

COOKIE = 37  # bytes that each connection begins with
# What one side tells the other, a byte each.
START, RUNNING, END, PARAMETERS, STREAMS, RESULTS, SHOW, DONE = 1, 2, 4, 9, 10, 13, 14, 16


class Test:
    def __init__(self):
        self.control = None
        self.heard = {}  # by connection: its first bytes, or of the control connection what is new
        self.bytes = {}  # of each stream
        self.expects = None  # of the control connection
        self.streams = 1
        self.done = False

    def take(self, connection, piece):
        if connection in self.bytes:
            self.bytes[connection] += len(piece)
            return
        heard = self.heard.setdefault(connection, bytearray())
        heard += piece
        if connection is self.control:
            while self.understands(heard):
                pass
        elif len(heard) >= COOKIE and self.control is None:
            self.control = connection
            del heard[:COOKIE]
            self.tell(PARAMETERS, expects=PARAMETERS)
        elif len(heard) >= COOKIE:
            self.bytes[connection] = len(heard) - COOKIE
            if len(self.bytes) == self.streams:
                self.tell(START, RUNNING, expects=END)

    def tell(self, *words, expects):
        self.control.sendall(bytes(words))
        self.expects = expects

    def understands(self, heard):
        """Takes one message off; whether there was one."""
        if self.expects in (PARAMETERS, RESULTS):
            length = struct.unpack_from("!I", heard)[0] if len(heard) >= 4 else 0
            if not length or len(heard) < 4 + length:
                return False
            said = json.loads(heard[4 : 4 + length])
            del heard[: 4 + length]
            if self.expects == PARAMETERS:
                self.streams = said.get("parallel", 1)
                self.tell(STREAMS, expects=None)
            else:
                self.answer(said)
                self.tell(SHOW, expects=DONE)
            return True
        if not heard or self.expects is None:
            return False
        word = heard.pop(0)
        if self.expects == END and word == END:
            self.tell(RESULTS, expects=RESULTS)
        elif word == DONE:
            self.done = True
        return True

    def answer(self, said):
        streams = [
            {**{"retransmits": -1, "jitter": 0, "errors": 0, "packets": 0, "start_time": 0},
             "id": theirs["id"], "bytes": count, "end_time": theirs["end_time"]}
            for theirs, count in zip(said["streams"], self.bytes.values())
        ]  # fmt: skip
        nothing = {"cpu_util_total": 0, "cpu_util_user": 0, "cpu_util_system": 0}
        text = json.dumps({**nothing, "sender_has_retransmits": 0, "streams": streams}).encode()
        self.control.sendall(struct.pack("!I", len(text)) + text)


def main():
    environment = os.environ
    receiver = Receiver(
        environment["NETIF"], int(environment["ZCRX_QUEUE"]), int(environment["ZCRX_PORT"])
    )
    test = Test()
    for connection, piece in receiver.events():
        if len(piece):
            test.take(connection, piece)
        if test.done:
            print("received", sum(test.bytes.values()), "bytes")
            return


main()

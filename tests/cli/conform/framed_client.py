"""The client of framed_receiver.py: sends requests of many sizes on several connections, without
waiting for answers, and then compares each answer. It ends with 1 if one is wrong or missing.

LOCAL_V4 and ZCRX_PORT are as "zcrxlab conform" sets them.
"""

import hashlib
import os
import random
import socket
import sys

CONNECTIONS, REQUESTS, LARGEST = 4, 12, 60000
# In seconds, for one call.
PATIENCE = 20


def bodies(seed):
    source = random.Random(seed)
    return [source.randbytes(source.randint(1, LARGEST)) for _ in range(REQUESTS)]


def send(connection, body):
    length = len(body).to_bytes(4, "big")
    # In two packets, as any network may bring it.
    connection.sendall(length[:3])
    connection.sendall(length[3:] + body)


def answer(connection):
    text = b""
    while len(text) < 64:
        piece = connection.recv(64 - len(text))
        if not piece:
            sys.exit(f"the connection ended after {len(text)} of 64 bytes of an answer")
        text += piece
    return text.decode(errors="replace")


def run():
    address = os.environ["LOCAL_V4"], int(os.environ["ZCRX_PORT"])
    connections = []
    for _ in range(CONNECTIONS):
        connections.append(socket.create_connection(address, PATIENCE))
        connections[-1].setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    requests = [bodies(seed) for seed in range(CONNECTIONS)]
    for number in range(REQUESTS):
        for connection, list_of_it in zip(connections, requests):
            send(connection, list_of_it[number])
    for connection, list_of_it in zip(connections, requests):
        for number, body in enumerate(list_of_it):
            if answer(connection) != hashlib.sha256(body).hexdigest():
                sys.exit(f"the answer to request {number} of {len(body)} bytes is wrong")
    print(f"{CONNECTIONS * REQUESTS} answers are right")


def main():
    try:
        run()
    except OSError as error:
        sys.exit(f"a connection failed: {error}")


main()

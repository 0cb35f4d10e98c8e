#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A network simulator with the native protocol that says once what links are like, and nothing more: 40 ms each, and
the first robot does not reach the last."""

import pathlib
import socket
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/native-peer"))
from peer import receive, send  # noqa: E402

from physics_link.native.native_pb2 import Hello, Message  # noqa: E402

DELAY_NS = 40_000_000


def links(end, robots):
    for sender in range(robots):
        for receiver in range(robots):
            link = end.links.add(sender=sender, receiver=receiver, delay_ns=DELAY_NS)
            link.unreachable = sender == receiver or (sender == 0 and receiver == robots - 1)


def main():
    connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    send(connection, Message(hello=Hello(version=1, role=Hello.NETWORK, name="links")))
    robots = 0
    while True:
        message = receive(connection)
        if message.HasField("hello"):
            robots = len(message.hello.robots)
        elif message.HasField("begin"):
            answer = Message()
            answer.end.window = message.begin.window
            links(answer.end, robots)
            robots = 0  # once
            send(connection, answer)
        elif message.HasField("close"):
            return


if __name__ == "__main__":
    main()

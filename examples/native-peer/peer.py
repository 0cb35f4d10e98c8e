#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A minimal network simulator for hilgate's native protocol: every packet arrives 5 ms later, 1 in 10 is lost.

    protoc --proto_path=../.. --python_out=. physics_link/native/native.proto     (Debian: protobuf-compiler)
    python3 peer.py /run/hilgate/native/netsim.sock                         (Debian: python3-protobuf)

The protocol is described in docs/reference/native-protocol.md.
"""
import random
import socket
import struct
import sys

from physics_link.native.native_pb2 import Hello, Message, Verdict

DELAY_NS = 5_000_000
LOSS = 0.1


def send(sock, message):
    body = message.SerializeToString()
    sock.sendall(struct.pack(">I", len(body)) + body)


def receive_exactly(sock, size):
    chunks = b""
    while len(chunks) < size:
        chunk = sock.recv(size - len(chunks))
        if not chunk:
            sys.exit("the gateway closed the connection")
        chunks += chunk
    return chunks


def receive(sock):
    (size,) = struct.unpack(">I", receive_exactly(sock, 4))
    return Message.FromString(receive_exactly(sock, size))


def receivers(packet, robots):
    if packet.receiver >= 0:
        return [packet.receiver]
    return [robot for robot in range(robots) if robot != packet.sender]


def answer(begin, robots, dice):
    message = Message()
    message.end.window = begin.window
    for packet in begin.packets:
        for receiver in receivers(packet, robots):
            verdict = message.end.verdicts.add(id=packet.id, receiver=receiver)
            verdict.release_ns = packet.captured_ns + DELAY_NS
            if dice.random() < LOSS:
                verdict.drop = Verdict.OUT_OF_RANGE
        message.end.forget.append(packet.id)
    return message


def main():
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.connect(sys.argv[1] if len(sys.argv) > 1 else "/run/hilgate/native/netsim.sock")
    send(sock, Message(hello=Hello(version=1, role=Hello.NETWORK, name="peer.py")))
    robots = 0
    dice = random.Random(1)
    while True:
        message = receive(sock)
        kind = message.WhichOneof("kind")
        if kind == "hello":
            robots = len(message.hello.robots)
            print("robots:", ", ".join(message.hello.robots), flush=True)
        elif kind == "begin":
            send(sock, answer(message.begin, robots, dice))
        elif kind == "close":
            print("closed:", message.close.why)
            return


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A network simulator with ROS-NetSim's protocol that knows IPv4 alone, as the reference's dummy: it lets each packet
pass to the address that the packet is for, and has no answer to broadcasts. Reads and writes protobuf by hand."""

import argparse
import gzip
import os
import socket
import struct
import time

END = b"\x08\x01"  # msg_type
TIME_VAL, PACKET_IDS, SOURCES, DESTINATIONS, RECEIVERS, ERROR_RATES = 2, 3, 4, 5, 7, 8
LENGTH_DELIMITED = 2
BROADCAST = b"\xff\xff\xff\xff"


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def read_varint(data, at):
    number, shift = 0, 0
    while True:
        byte = data[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at


def fields(data):
    """Field numbers of a message with their values, bytes or whole numbers."""
    found, at = {}, 0
    while at < len(data):
        tag, at = read_varint(data, at)
        value, at = read_varint(data, at)
        if tag & 7 == LENGTH_DELIMITED:
            value, at = data[at : at + value], at + value
        found[tag >> 3] = value
    return found


def packed(field, content):
    return varint(field << 3 | LENGTH_DELIMITED) + varint(len(content)) + content if content else b""


def answer(begin, time_val):
    receivers = begin.get(DESTINATIONS, b"")
    rates = struct.pack("<d", 0) * (len(receivers) // 4)
    number = begin.get(TIME_VAL, 0) if time_val is None else time_val
    body = END + (b"\x10" + varint(number) if number > 0 else b"")
    for field, content in (
        (PACKET_IDS, begin.get(PACKET_IDS, b"")),
        (SOURCES, begin.get(SOURCES, b"")),
        (DESTINATIONS, receivers),
        (RECEIVERS, receivers),
        (ERROR_RATES, rates),
    ):
        body += packed(field, content)
    return body


def receive(connection, count):
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            raise SystemExit("the coordinator went")
        data += part
    return data


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("socket")
    parser.add_argument("--compute", type=float, default=0, help="seconds for each step")
    parser.add_argument("--time-val", type=int, help="what each END says instead of its window")
    options = parser.parse_args()
    if os.path.exists(options.socket):
        os.unlink(options.socket)
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(options.socket)
    server.listen(1)
    connection, _ = server.accept()
    while True:
        (length,) = struct.unpack("!I", receive(connection, 4))
        begin = fields(gzip.decompress(receive(connection, length)))
        if BROADCAST in begin.get(DESTINATIONS, b""):
            print("offered a broadcast", flush=True)
        time.sleep(options.compute)
        body = gzip.compress(answer(begin, options.time_val), 1)
        connection.sendall(struct.pack("!I", len(body)) + body)  # a broken pipe ends it with a traceback


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A robot that tells a message broker where it is: MQTT 3.1.1, quality of service 0, a message each EVERY_S seconds.

usage: mqtt.py ADDRESS NAME EVERY_S SECONDS"""

import socket
import sys
import time

POSITION = b'{"x": 0.0, "y": 0.0, "theta": 0.0, "v": 0.0, "battery": 1.0, "state": "moving"}'


def text(value):
    data = value.encode()
    return len(data).to_bytes(2, "big") + data


def packet(kind, body):
    assert len(body) < 128  # longer lengths take another byte
    return bytes([kind, len(body)]) + body


def main():
    address, name, every_s, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
    broker = socket.create_connection((address, 1883), timeout=60)
    broker.sendall(packet(0x10, text("MQTT") + bytes([4, 2]) + (60).to_bytes(2, "big") + text(name)))
    if broker.recv(4) != b"\x20\x02\x00\x00":
        sys.exit(f"{name}: the broker refused")
    begin, sent = time.monotonic(), 0
    while time.monotonic() < begin + seconds:
        broker.sendall(packet(0x30, text(f"robots/{name}") + POSITION))
        sent += 1
        time.sleep(max(0.0, begin + sent * every_s - time.monotonic()))
    broker.sendall(packet(0xe0, b""))
    print(sent)


main()

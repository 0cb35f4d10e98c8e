#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Robots of a warehouse and the operator who drives them, over UDP.

usage: teleoperated.py robot NAME OPERATOR SPEED_M_S SECONDS SOCKET FILE | operator SECONDS FILE NAME=ADDRESS...

A robot moves on along its aisle (y) as the newest command says and stops when none has come for STALE_S. It tells the
simulator where it is (CORNET's socket of positions), and sends the operator pictures of its camera. The operator sends
each robot a command 20 times a second, whatever comes of it."""

import json
import socket
import struct
import sys
import time

STALE_S, TICK_S, PICTURE_EVERY_S, PICTURE_BYTES, COMMAND_EVERY_S = 0.5, 0.02, 0.04, 1200, 0.05
COMMAND_PORT, CAMERA_PORT = 5200, 5201
COMMAND, PICTURE = struct.Struct("!Id"), struct.Struct("!16sI")


def sockets(port):
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 21)
    link.bind(("", port))
    link.setblocking(False)
    return link


def arrived(link):
    while True:
        try:
            yield link.recv(2048)
        except OSError:
            return


def robot(name, operator, speed, seconds, path, file):
    simulator = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    simulator.connect(path)
    lane, y = {"racks": 5.0, "aisle": 15.0}[name], 2.0
    link, rows, number, last = sockets(COMMAND_PORT), [], 0, None
    begin = next_picture = now = time.monotonic()
    heard, command = -1e9, 0.0
    while now < begin + seconds:
        time.sleep(TICK_S)
        before, now = now, time.monotonic()
        for data in arrived(link):
            heard, command = now, COMMAND.unpack_from(data)[1]
        drives = now - heard < STALE_S
        y = max(2.0, y + (command * speed * min(now - before, 0.1) if drives else 0.0))
        simulator.sendall(json.dumps({"name": name, "x": lane, "y": y, "z": 1.0}).encode() + b"\n")
        while now >= next_picture:
            try:
                link.sendto(PICTURE.pack(name.encode(), number) + bytes(PICTURE_BYTES - PICTURE.size),
                            (operator, CAMERA_PORT))
            except OSError:
                pass
            number, next_picture = number + 1, next_picture + PICTURE_EVERY_S
        state = (round(y, 3), drives)
        if state != last:
            rows.append((now, y, int(drives), number))
            last = state
    rows.append((now, y, int(drives), number))
    with open(file, "w", encoding="ascii") as out:
        out.writelines(f"{at:.6f} {where:.3f} {moves} {sent}\n" for at, where, moves, sent in rows)


def operator(seconds, file, robots):
    addresses = dict(each.split("=") for each in robots)
    link, camera = sockets(COMMAND_PORT), sockets(CAMERA_PORT)
    begin = time.monotonic()
    number = 0
    with open(file, "w", encoding="ascii") as out:
        while time.monotonic() < begin + seconds:
            for address in addresses.values():
                try:
                    link.sendto(COMMAND.pack(number, 1.0), (address, COMMAND_PORT))
                except OSError:
                    pass
            number += 1
            time.sleep(max(0.0, begin + number * COMMAND_EVERY_S - time.monotonic()))
            now = time.monotonic()
            for data in arrived(camera):
                name, picture = PICTURE.unpack_from(data)
                out.write(f"{now:.6f} {name.rstrip(bytes(1)).decode()} {picture}\n")


if __name__ == "__main__":
    if sys.argv[1] == "robot":
        robot(sys.argv[2], sys.argv[3], float(sys.argv[4]), float(sys.argv[5]), sys.argv[6], sys.argv[7])
    else:
        operator(float(sys.argv[2]), sys.argv[3], sys.argv[4:])

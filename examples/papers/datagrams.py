#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Numbered UDP datagrams from one robot to another, and which of them arrived when: hilgate probe for payloads of any
size from 12 bytes on. Times are CLOCK_MONOTONIC.

usage: datagrams.py send ADDRESS PORT INTERVAL_S COUNT BYTES FILE | receive PORT FILE
A COUNT of 0: until it is ended."""

import itertools
import os
import socket
import struct
import sys
import time

FORMAT = struct.Struct("!Iq")  # number, when it was sent in ns


class Stream:
    """From one robot to another while the `with` lasts. The receiver listens before the sender begins. One that is open
    before its gateway runs misses nothing of the run, however slow this machine is."""

    def __init__(self, run, lab, source, target, interval_s, size, count=0, port=5000, label=""):
        self._lab, self._source, self._target = lab, source, target
        name = f"{label}{source}-{target}-{port}"
        self.sent_file, self.heard_file = (run.folder / f"{name}.{end}" for end in ("sent", "heard"))
        for file in (self.sent_file, self.heard_file):
            file.unlink(missing_ok=True)
        self._address, self._port = address_of(lab, target), port
        self._send = [self._address, port, interval_s, count, size, self.sent_file]

    def __enter__(self):
        self._receiver = self._start(self._target, "receive", [self._port, self.heard_file])
        deadline = time.monotonic() + 60
        while not self.heard_file.exists():
            if time.monotonic() > deadline or self._receiver.poll() is not None:
                raise RuntimeError(f"{self._target}: no process listens to port {self._port}")
            time.sleep(0.01)
        self._sender = self._start(self._source, "send", self._send)
        return self

    def __exit__(self, *_):
        for process in (self._sender, self._receiver):
            if process.poll() is None:
                process.terminate()
            process.wait()

    def wait(self):
        """Until all of `count` is sent."""
        if self._sender.wait() != 0:
            raise RuntimeError(f"{self._source}: sending failed")

    def rows(self):
        """[(number, sent_s, arrived_s or None)]; of duplicates the first."""
        heard = {}
        for number, at in lines(self.heard_file):
            heard.setdefault(int(number), at)
        return [(int(number), at, heard.get(int(number))) for number, at in lines(self.sent_file)]

    def _start(self, robot, what, arguments):
        return self._lab.start(robot, [sys.executable, "-B", __file__, what, *map(str, arguments)])


def address_of(lab, robot):
    import yaml
    with open(lab.file, encoding="utf-8") as file:
        return yaml.safe_load(file)["robots"][robot]["ip"]


def lines(file):
    with open(file, encoding="ascii") as text:
        for line in text:
            if line.endswith("\n"):
                number, at = line.split()
                yield number, float(at)


def send(address, port, interval_s, count, size, log):
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    out.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    rest = bytes(size - FORMAT.size)
    begin = time.monotonic()
    with open(log, "w", encoding="ascii", buffering=1) as file:
        for number in range(count) if count else itertools.count():
            time.sleep(max(0.0, begin + number * interval_s - time.monotonic()))
            now = time.monotonic_ns()
            try:
                out.sendto(FORMAT.pack(number, now) + rest, (address, port))
            except OSError:  # the kernel's queue is full: as good as lost
                pass
            file.write(f"{number} {now / 1e9:.9f}\n")


def receive(port, log):
    heard = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    heard.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    heard.bind(("", port))
    with open(log + ".new", "w", encoding="ascii", buffering=1) as file:
        os.rename(log + ".new", log)
        while True:
            data = heard.recv(65536)
            number, _ = FORMAT.unpack_from(data)
            file.write(f"{number} {time.monotonic_ns() / 1e9:.9f}\n")


def main():
    if sys.argv[1] == "send":
        address, port, interval, count, size, log = sys.argv[2:]
        send(address, int(port), float(interval), int(count), int(size), log)
    else:
        receive(int(sys.argv[2]), sys.argv[3])


if __name__ == "__main__":
    main()

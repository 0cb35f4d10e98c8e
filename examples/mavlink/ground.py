#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A ground station: counts what it hears, answers with heartbeats and TIMESYNC requests, for some seconds.

usage: ground.py SECONDS"""

import socket
import sys
import time

import mavlink


def main():
    end = time.monotonic() + float(sys.argv[1])
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.bind(("10.81.0.2", 14550))
    link.settimeout(0.2)
    speaker = mavlink.Speaker(255)
    vehicle, beat, positions, radio, trips = None, 0.0, 0, 0, []
    while (now := time.monotonic()) < end:
        if vehicle and now >= beat:
            link.sendto(speaker.frame(mavlink.HEARTBEAT, 0, 6, 8, 0, 4, 3), vehicle)
            link.sendto(speaker.frame(mavlink.TIMESYNC, 0, time.monotonic_ns()), vehicle)
            beat = now + 1
        try:
            datagram, sender = link.recvfrom(2048)
        except TimeoutError:
            continue
        frame = mavlink.read(datagram)
        if not frame:
            continue
        if frame[1] == mavlink.GLOBAL_POSITION_INT:
            vehicle, positions = sender, positions + 1
        elif frame[1] == mavlink.TIMESYNC and frame[2][0] != 0:
            trips.append(time.monotonic_ns() - frame[2][1])
        elif frame[1] == mavlink.RADIO_STATUS:
            radio += 1
            print(f"ground station: RADIO_STATUS: {mavlink.radio_text(frame[2])}", flush=True)
    middle = f"{sorted(trips)[len(trips) // 2] / 1e6:.1f} ms" if trips else "none"
    print(f"ground station: {positions} positions, {radio} RADIO_STATUS, TIMESYNC round trip {middle}", flush=True)
    return 0 if positions > 0 and radio > 0 else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A vehicle that flies east for some seconds and says so by MAVLink; prints what it is told of its radio.

usage: vehicle.py SECONDS"""

import json
import select
import socket
import sys
import time

import mavlink

HOME = (47.3977418, 8.5455939, 488.0)  # degrees, degrees, metres
METRES_A_DEGREE = 75_500               # of longitude, there
FARTHEST_M = 120
GROUND = ("10.81.0.2", 14550)


def main():
    seconds = float(sys.argv[1])
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.bind(("10.81.0.1", 14555))
    feed = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    feed.bind(("10.81.0.1", 5005))
    speaker = mavlink.Speaker(1)
    start = time.monotonic()
    radio, told = 0, 0
    beat = start
    while (now := time.monotonic()) < start + seconds:
        east = FARTHEST_M * (now - start) / seconds
        lon = round((HOME[1] + east / METRES_A_DEGREE) * 1e7)
        link.sendto(speaker.frame(mavlink.GLOBAL_POSITION_INT, int((now - start) * 1000), round(HOME[0] * 1e7), lon,
                                  round(HOME[2] * 1e3), 0, 0, 0, 0, 9000), GROUND)
        if now >= beat:
            link.sendto(speaker.frame(mavlink.HEARTBEAT, 0, 2, 3, 0, 4, 3), GROUND)
            beat += 1
        for ready in select.select([link, feed], [], [], 0.1)[0]:
            datagram = ready.recv(2048)
            if ready is feed:
                told += 1
                rx = json.loads(datagram)["links"][0]["rx"]
                if told % 4 == 1 and "rssi_dbm" in rx:
                    print(f"vehicle at {east:5.1f} m: feed reports {rx['rssi_dbm']:.1f} dBm, {rx['snr_db']:.1f} dB, "
                          f"{rx['rate_mbps']:.1f} Mbit/s, loss {100 * rx['loss']:.1f} %", flush=True)
                continue
            frame = mavlink.read(datagram)
            if frame and frame[1] == mavlink.TIMESYNC and frame[2][0] == 0:
                link.sendto(speaker.frame(mavlink.TIMESYNC, time.monotonic_ns(), frame[2][1]), GROUND)
            elif frame and frame[1] == mavlink.RADIO_STATUS:
                radio += 1
                print(f"vehicle at {east:5.1f} m: RADIO_STATUS: {mavlink.radio_text(frame[2])}", flush=True)
    print(f"vehicle: {radio} RADIO_STATUS, {told} datagrams of the feed", flush=True)
    return 0 if radio > 0 and told > 0 else 1


if __name__ == "__main__":
    sys.exit(main())

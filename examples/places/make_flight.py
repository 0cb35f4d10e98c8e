#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_flight.py FILE: the flight of the example as ULog, the format of PX4's logs. No vehicle flew it: it is computed
here, over the yard of site.osm and dem.tif. A multicopter takes off 8 m east of the origin, flies along the south side
of the hall, stops behind it, 5 m high, and returns along its north side. The log has PX4's topics
vehicle_global_position, 5 times a second, and vehicle_gps_position, once a second, which has the time in UTC. With the
standard library alone, so that the file can be made anew anywhere."""
import math
import struct
import sys

LATITUDE, LONGITUDE, GROUND = 47.0, 11.0, 500.0  # degrees; metres above sea at the origin
METRES_NORTH = 111_170  # in a degree of latitude there
METRES_EAST = METRES_NORTH * math.cos(math.radians(LATITUDE)) * 1.0034  # in a degree of longitude
POINTS = [  # seconds; metres east, north and up of the origin
    (0, 8, 0, 0.3), (4, 8, 0, 0.3), (8, 8, 0, 5), (14, 30, -26, 5), (24, 88, -26, 5), (30, 88, 0, 5), (38, 88, 0, 5),
    (44, 88, 28, 5), (56, 22, 28, 5), (62, 8, 0, 5), (66, 8, 0, 0.3), (68, 8, 0, 0.3),
]
BOOT, GNSS_FIX = 12.0, 2.5  # seconds from boot to POINTS' 0 s, and from the log's beginning to the first fix
LOG_BEGINS = BOOT - 3
BOOT_UTC = 1_788_249_588  # seconds since 1970: 2026-09-01T07:59:48Z
LAYOUTS = {  # of the messages, by topic: the first fields of PX4's vehicle_global_position and sensor_gps
    "vehicle_global_position": "uint64_t timestamp;uint64_t timestamp_sample;double lat;double lon;float alt;"
                               "float eph;float epv;bool dead_reckoning;",
    "vehicle_gps_position": "uint64_t timestamp;uint64_t time_utc_usec;double latitude_deg;double longitude_deg;"
                            "double altitude_msl_m;float eph;float epv;uint8_t fix_type;uint8_t satellites_used;",
}
PACKED = {"vehicle_global_position": "<QQddfff?", "vehicle_gps_position": "<QQdddffBB"}


def on_lines(second):
    for (begin, *start), (end, *stop) in zip(POINTS, POINTS[1:]):
        if second <= end:
            share = (max(second, begin) - begin) / (end - begin)
            return [a + share * (b - a) for a, b in zip(start, stop)]
    return POINTS[-1][1:]


def place(second):
    """Latitude, longitude and altitude: corners are rounded over a second, and gusts move it by 0.2 m in the air."""
    near = [on_lines(second + step / 10) for step in range(-5, 6)]
    east, north, up = (sum(axis) / len(near) for axis in zip(*near))
    gust = 0.2 * min(1, (up - 0.3) / 4.7)
    east += gust * math.sin(second * 1.7)
    north += gust * math.cos(second * 1.3)
    up += gust * math.sin(second * 0.9)
    return (round(LATITUDE + north / METRES_NORTH, 8), round(LONGITUDE + east / METRES_EAST, 8), round(GROUND + up, 3))


def message(kind, body):
    return struct.pack("<Hc", len(body), kind) + body


def information(key, text):
    name = f"char[{len(text)}] {key}".encode()
    return message(b"I", bytes([len(name)]) + name + text.encode())


def ulog():
    """The ULog file format, version 1 (docs.px4.io, "ULog File Format"): definitions, then data in order of time."""
    parts = [b"ULog\x01\x12\x35\x01", struct.pack("<Q", round(LOG_BEGINS * 1e6)), message(b"B", bytes(40)),
             information("sys_name", "example"), information("ver_sw", "hilgate examples/places/make_flight.py")]
    parts += [message(b"F", f"{topic}:{fields}".encode()) for topic, fields in LAYOUTS.items()]
    topics = {topic: number for number, topic in enumerate(LAYOUTS)}
    parts += [message(b"A", struct.pack("<BH", 0, number) + topic.encode()) for topic, number in topics.items()]

    def data(topic, *values):
        parts.append(message(b"D", struct.pack("<H", topics[topic]) + struct.pack(PACKED[topic], *values)))

    for step in range(round((BOOT - LOG_BEGINS + POINTS[-1][0]) * 5) + 1):
        seconds = LOG_BEGINS + step / 5  # since boot
        now = round(seconds * 1e6)
        latitude, longitude, altitude = place(seconds - BOOT)
        has_fix = seconds - LOG_BEGINS >= GNSS_FIX
        if step % 5 == 0:
            fix = (latitude, longitude, altitude, 0.8, 1.2, 3, 14) if has_fix else (0, 0, 0, 99, 99, 0, 3)
            data("vehicle_gps_position", now, BOOT_UTC * 1_000_000 + now if has_fix else 0, *fix)
        if seconds >= BOOT:
            data("vehicle_global_position", now, now - 8000, latitude, longitude, altitude, 0.4, 0.6, False)
    return b"".join(parts)


if __name__ == "__main__":
    with open(sys.argv[1], "wb") as file:
        file.write(ulog())

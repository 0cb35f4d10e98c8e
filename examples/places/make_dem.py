#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_dem.py FILE [hole]: the heights of the example as GeoTIFF, 64 x 64 pixels of float32 in WGS 84: a plain 500 m
above sea that rises by 1 m in 100 m to the east, and a ridge 20 m high along 47.0015 north. `hole`: one height is
missing. With the standard library alone, so that the file can be made anew anywhere."""
import math
import struct
import sys

SIDE, STEP = 64, 0.0001  # pixels, degrees
WEST, NORTH = 10.9980, 47.0032  # corner of the first pixel
METRES = 111_170  # in a degree of latitude at 47 degrees
NO_DATA = -9999


def height(latitude, longitude):
    east = (longitude - 11) * METRES * math.cos(math.radians(47)) * 1.0034
    from_ridge = (latitude - 47.0015) * METRES
    return 500 + 0.01 * east + 20 * math.exp(-(from_ridge / 30) ** 2)


def image(hole):
    rows = []
    for row in range(SIDE):
        for column in range(SIDE):
            rows.append(height(NORTH - (row + 0.5) * STEP, WEST + (column + 0.5) * STEP))
    if hole:
        rows[SIDE * SIDE // 2 + SIDE // 2] = NO_DATA
    return struct.pack(f"<{SIDE * SIDE}f", *rows)


def geotiff(pixels):
    """TIFF 6.0 with the tags of GeoTIFF 1.1 (OGC 19-008r4): one strip, geographic coordinates, EPSG:4326."""
    scale = struct.pack("<3d", STEP, STEP, 0)
    tie = struct.pack("<6d", 0, 0, 0, WEST, NORTH, 0)
    keys = struct.pack("<16H", 1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, 1, 2048, 0, 1, 4326)
    no_data = f"{NO_DATA}\0".encode()
    short, long, double, text = 3, 4, 12, 2
    entries = [
        (256, short, 1, SIDE), (257, short, 1, SIDE), (258, short, 1, 32), (259, short, 1, 1), (262, short, 1, 1),
        (273, long, 1, None), (277, short, 1, 1), (278, short, 1, SIDE), (279, long, 1, len(pixels)),
        (339, short, 1, 3), (33550, double, 3, scale), (33922, double, 6, tie), (34735, short, 16, keys),
        (42113, text, len(no_data), no_data),
    ]
    place = 8 + 2 + 12 * len(entries) + 4  # of what does not fit into the directory
    directory, data = b"", b""
    for tag, kind, count, value in entries:
        if isinstance(value, bytes):
            field = struct.pack("<I", place + len(data))
            data += value + bytes(len(value) % 2)
        elif tag == 273:
            field = None
        else:
            field = struct.pack("<I", value)
        directory += struct.pack("<HHI", tag, kind, count) + (field or b"strip")[:5]
    directory = directory.replace(b"strip", struct.pack("<I", place + len(data)))
    return b"II*\0" + struct.pack("<IH", 8, len(entries)) + directory + bytes(4) + data + pixels


def main(arguments):
    with open(arguments[0], "wb") as file:
        file.write(geotiff(image("hole" in arguments[1:])))


if __name__ == "__main__":
    main(sys.argv[1:])

# SPDX-License-Identifier: Apache-2.0
"""PMTiles archives, version 3, of tiles that others made."""
import gzip
import json
import math
import struct


def varint(value):
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def number_of(zoom, x, y):
    """The specification's place on the Hilbert curves, by turning whole coordinates."""
    number, side = (4**zoom - 1) // 3, 2**zoom
    while side > 1:
        side //= 2
        right, below = int(x & side > 0), int(y & side > 0)
        number += side * side * ((3 * right) ^ below)
        if not below:
            if right:
                x, y = 2**zoom - 1 - x, 2**zoom - 1 - y
            x, y = y, x
    return number


def place_in_tiles(zoom, latitude, longitude):
    return ((longitude + 180) / 360 * 2**zoom,
            (1 - math.asinh(math.tan(math.radians(latitude))) / math.pi) / 2 * 2**zoom)


def archive_of(tiles, kind, packing=1, metadata=None):
    """Of tiles by zoom, x, y. `kind` and `packing` are of the header: 1 vector tiles, 2 PNG; 1 plain, 2 gzip."""
    order = sorted(tiles, key=lambda tile: number_of(*tile))
    numbers, contents = [number_of(*tile) for tile in order], [tiles[tile] for tile in order]
    steps = [number - before for number, before in zip(numbers, [0, *numbers])]
    root = gzip.compress(b"".join([
        varint(len(order)), *map(varint, steps), b"\1" * len(order), *(varint(len(each)) for each in contents),
        varint(1), b"\0" * (len(order) - 1)]))
    about = gzip.compress(json.dumps(metadata or {}).encode())
    lengths = [len(root), len(about), 0, sum(map(len, contents))]
    header, at = b"PMTiles\3", 127
    for length in lengths:
        header, at = header + struct.pack("<QQ", at, length), at + length
    zooms = [zoom for zoom, _, _ in tiles]
    header += struct.pack("<QQQBBBBBB", len(order), len(order), len(order), 1, 2, packing, kind, min(zooms), max(zooms))
    return header.ljust(127, b"\0") + root + about + b"".join(contents)

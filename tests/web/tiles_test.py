# SPDX-License-Identifier: Apache-2.0
"""Pictures of the ground below the map, from an archive on this machine."""
import json
import math
import re
import struct
import subprocess
import urllib.request
import zlib

import pytest

from conftest import YARD, keep, yard
from hilgate.run import program
from map_test import show

ORIGIN = (47.3769, 8.5417)  # degrees, latitude and longitude
ZOOMS = (16, 17, 18, 19)


def png(colour, side=64):
    """A square of one colour with a dark edge."""
    edge, row = b"\x20\x20\x20" * side, b"\x20\x20\x20" + bytes(colour) * (side - 2) + b"\x20\x20\x20"
    lines = b"".join(b"\0" + line for line in [edge, *[row] * (side - 2), edge])
    chunk = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


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


def archive(kind=2, metadata=None):
    """PMTiles 3 of some squares of tiles around the origin, and their pictures by zoom, x, y."""
    tiles = {}
    for zoom in ZOOMS:
        column, row = (int(each) for each in place_in_tiles(zoom, *ORIGIN))
        for x in range(column - 4, column + 5):
            for y in range(row - 4, row + 5):
                tiles[zoom, x, y] = png((120 + 60 * (x % 2), 150 + 60 * (y % 2), 130 + 20 * (zoom % 3)))
    order = sorted(tiles, key=lambda tile: number_of(*tile))
    numbers, pictures = [number_of(*tile) for tile in order], [tiles[tile] for tile in order]
    steps = [number - before for number, before in zip(numbers, [0, *numbers])]
    root = zlib.compressobj(wbits=31)
    parts = [varint(len(order)), *map(varint, steps), b"\1" * len(order), *(varint(len(each)) for each in pictures),
             varint(1), b"\0" * (len(order) - 1)]
    root = root.compress(b"".join(parts)) + root.flush()
    about = zlib.compressobj(wbits=31)
    about = about.compress(json.dumps(metadata or {}).encode()) + about.flush()
    lengths = [len(root), len(about), 0, sum(map(len, pictures))]
    header, at = b"PMTiles\3", 127
    for length in lengths:
        header, at = header + struct.pack("<QQ", at, length), at + length
    header += struct.pack("<QQQBBBBBB", len(order), len(order), len(order), 1, 2, 1, kind, ZOOMS[0], ZOOMS[-1])
    return header.ljust(127, b"\0") + root + about + b"".join(pictures), tiles


def configuration(folder):
    text = re.sub(r"^name: .*$", "name: tiles", YARD.read_text(), flags=re.MULTILINE)
    text = re.sub(r"^  type: trajectory$", "  type: trajectory\n"
                  f"  origin: {{latitude: {ORIGIN[0]}, longitude: {ORIGIN[1]}, altitude: 408m}}", text,
                  flags=re.MULTILINE)
    text = text.replace('web: {listen: "127.0.0.1:0"}', 'web: {listen: "127.0.0.1:0", tiles: site.pmtiles}')
    file = folder / "tiles.yaml"
    file.write_text(text)
    return file


@pytest.fixture(scope="module")
def grounded(tmp_path_factory):
    """(run, pictures of its archive)"""
    folder = tmp_path_factory.mktemp("tiles")
    bytes_, tiles = archive(metadata={"attribution": "<a href='https://example.org'>&copy; Surveyors</a>"})
    (folder / "site.pmtiles").write_bytes(bytes_)
    with yard(configuration(folder), traffic=[]) as running:
        yield running, tiles


def test_the_map_shows_the_ground_of_the_archive(grounded, browser):
    running, tiles = grounded
    show(browser, running.page)
    browser.wait("document.querySelectorAll('#map image.ground').length > 5")
    assert "© Surveyors" in browser.text("#map")
    assert "example.org" not in browser.text("#map")
    shown = browser.evaluate("""(async () => {
        const robot = document.querySelector("#map [data-thing='robot base'] circle");
        const images = [...document.querySelectorAll("#map image.ground")];
        const of = (element, names) => names.map((name) => Number(element.getAttribute(name)));
        const [x, y] = of(robot, ["cx", "cy"]);
        const boxes = images.map((image) => of(image, ["x", "y", "width", "height"]));
        const isIn = (at, begin, length) => at >= begin && at < begin + length - 0.5;
        return boxes.filter((box) => isIn(x, box[0], box[2]) && isIn(y, box[1], box[3]))
            .map((box) => [(x - box[0]) / (box[2] - 0.5), (y - box[1]) / (box[3] - 0.5)]);
    })()""")
    assert len(shown) == 1, shown
    # A robot stands at the origin: within its tile that is where Web Mercator has it, at the zoom that was chosen.
    shares = [[place % 1 for place in place_in_tiles(zoom, *ORIGIN)] for zoom in ZOOMS]
    assert any(share == pytest.approx(shown[0], abs=0.01) for share in shares), (shown, shares)
    keep(browser, "tiles")
    browser.click("#map input[name=ground]")
    browser.wait("!document.querySelector('#map image.ground')")
    assert "Surveyors" not in browser.text("#map")
    browser.click("#map input[name=ground]")
    browser.wait("document.querySelector('#map image.ground')")
    browser.evaluate("localStorage.clear()")
    assert browser.errors == []


def test_the_server_hands_out_the_pictures_of_the_archive(grounded):
    running, tiles = grounded
    ask = lambda path: urllib.request.urlopen(running.page.rstrip("/") + path)
    about = json.load(ask("/tiles"))
    assert about == {"least_zoom": 16, "most_zoom": 19, "attribution": "© Surveyors"}
    for (zoom, x, y), picture in list(tiles.items())[::40]:
        answer = ask(f"/tiles/{zoom}/{x}/{y}")
        assert answer.headers["Content-Type"] == "image/png" and answer.read() == picture
    for beside in ("/tiles/16/0/0", "/tiles/3/9/9", "/tiles/27/1/1"):
        assert ask(beside).status == 204
    for wrong in ("/tiles/", "/tiles/1/2", "/tiles/1/2/3/4", "/tiles/a/b/c", "/tiles/1/-2/3", "/tiles/99999999999/1/1",
                  "/tiles/../site.pmtiles", "/tilesx"):
        with pytest.raises(urllib.error.HTTPError) as refused:
            ask(wrong)
        assert refused.value.code == 404, wrong


@pytest.mark.parametrize("damage, reason", [
    (lambda _: None, "No such file"),
    (lambda _: b"a picture", "is not a PMTiles archive"),
    (lambda good: good[:-1], "is cut off: the pictures"),
    (lambda _: archive(kind=1)[0], "has tiles of type vector (MVT); pictures are drawn: PNG, JPEG or WebP"),
])
def test_an_archive_that_cannot_be_drawn_is_refused(tmp_path, damage, reason):
    content = damage(archive()[0])
    if content is not None:
        (tmp_path / "site.pmtiles").write_bytes(content)
    for command in ("check", "run"):
        done = subprocess.run([program(), command, configuration(tmp_path)], capture_output=True, text=True, timeout=60)
        said = done.stdout + done.stderr
        assert done.returncode != 0 and "web.tiles" in said and "site.pmtiles" in said and reason in said, said

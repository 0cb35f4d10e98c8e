# SPDX-License-Identifier: Apache-2.0
"""Pictures of the ground below the map, from an archive on this machine."""
import json
import re
import struct
import subprocess
import urllib.request
import zlib

import pytest

from conftest import YARD, keep, yard
from hilgate.run import program
from map_test import show
from tile_archive import archive_of, place_in_tiles

ORIGIN = (47.3769, 8.5417)  # degrees, latitude and longitude
ZOOMS = (16, 17, 18, 19)


def png(colour, side=64):
    """A square of one colour with a dark edge."""
    edge, row = b"\x20\x20\x20" * side, b"\x20\x20\x20" + bytes(colour) * (side - 2) + b"\x20\x20\x20"
    lines = b"".join(b"\0" + line for line in [edge, *[row] * (side - 2), edge])
    chunk = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def archive(kind=2, metadata=None):
    """Some squares of tiles around the origin, and their pictures by zoom, x, y."""
    tiles = {}
    for zoom in ZOOMS:
        column, row = (int(each) for each in place_in_tiles(zoom, *ORIGIN))
        for x in range(column - 4, column + 5):
            for y in range(row - 4, row + 5):
                tiles[zoom, x, y] = png((120 + 60 * (x % 2), 150 + 60 * (y % 2), 130 + 20 * (zoom % 3)))
    return archive_of(tiles, kind, metadata=metadata), tiles


def configuration(folder, more=""):
    """The yard at the origin with the archive site.pmtiles, and `more` keys of its page."""
    text = re.sub(r"^name: .*$", "name: tiles", YARD.read_text(), flags=re.MULTILINE)
    text = re.sub(r"^  type: trajectory$", "  type: trajectory\n"
                  f"  origin: {{latitude: {ORIGIN[0]}, longitude: {ORIGIN[1]}, altitude: 408m}}", text,
                  flags=re.MULTILINE)
    text = text.replace('web: {listen: "127.0.0.1:0"}', f'web: {{listen: "127.0.0.1:0", tiles: site.pmtiles{more}}}')
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
    assert about == {"type": "image/png", "least_zoom": 16, "most_zoom": 19, "attribution": "© Surveyors"}
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
    (lambda good: good[:-1], "is cut off: the tiles"),
    (lambda _: archive(kind=5)[0], "has tiles of type AVIF; drawn are vector tiles (MVT), PNG, JPEG and WebP"),
])
def test_an_archive_that_cannot_be_drawn_is_refused(tmp_path, damage, reason):
    content = damage(archive()[0])
    if content is not None:
        (tmp_path / "site.pmtiles").write_bytes(content)
    for command in ("check", "run"):
        done = subprocess.run([program(), command, configuration(tmp_path)], capture_output=True, text=True, timeout=60)
        said = done.stdout + done.stderr
        assert done.returncode != 0 and "web.tiles" in said and "site.pmtiles" in said and reason in said, said

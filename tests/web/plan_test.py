# SPDX-License-Identifier: Apache-2.0
"""An image of the floor plan below the map."""
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
from vector_tiles_test import pixels

RED, GREEN, BLUE, YELLOW = (200, 60, 60), (60, 170, 60), (60, 60, 200), (220, 210, 60)
LIMIT = 16 << 20  # bytes


def picture(width=80, height=40):
    """PNG: blue and yellow in the north, red and green in the south."""
    halves = [[north[0]] * (width // 2) + [north[1]] * (width // 2) for north in ((BLUE, YELLOW), (RED, GREEN))]
    lines = b"".join(b"\0" + b"".join(map(bytes, halves[2 * row // height])) for row in range(height))
    chunk = lambda name, data: struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def configuration(folder, keys):
    text = re.sub(r"^name: .*$", "name: hall", YARD.read_text(), flags=re.MULTILINE)
    file = folder / "hall.yaml"
    file.write_text(text.replace('web: {listen: "127.0.0.1:0"}',
                                 f'web: {{listen: "127.0.0.1:0", plan: {{image: hall.png, {keys}}}}}'))
    return file


def look(browser, page):
    browser.prefer("light")
    show(browser, page)
    browser.wait("document.querySelector('#map image.plan')")
    browser.evaluate("window.scrollTo(0, 0)")


@pytest.mark.parametrize("keys, rotation, places", [
    # 40 m x 20 m with the south-west corner at -45, -30
    ("origin: [-45m, -30m], width: 40m", 0, {RED: [-40, -27], GREEN: [-10, -27], BLUE: [-40, -13], YELLOW: [-10, -13]}),
    # east of the picture is north
    ("origin: [-10m, -5m], width: 40m, rotation: 90deg", 90,
     {RED: [-13, 2], GREEN: [-13, 30], BLUE: [-27, 2], YELLOW: [-27, 30]}),
    ("width: 40m, origin: [-45m, -30m], rotation: -30 deg", -30,
     {RED: [-39.2, -30.4], GREEN: [-13.2, -45.4], BLUE: [-32.2, -18.3], YELLOW: [-6.2, -33.3]}),
])
def test_the_image_lies_where_the_configuration_has_it(browser, tmp_path, keys, rotation, places):
    (tmp_path / "hall.png").write_bytes(picture())
    with yard(configuration(tmp_path, keys), traffic=[]) as running:
        look(browser, running.page)
        found = pixels(browser, list(places.values()))
        for colour, expected in zip(found, places, strict=True):
            assert colour == pytest.approx(expected, abs=6), (found, places)
        keep(browser, "plan")
        browser.click("#map input[name=plan]")
        browser.wait("!document.querySelector('#map image.plan')")
        browser.click("#map input[name=plan]")
        browser.wait("document.querySelector('#map image.plan')")
        ask = lambda path: urllib.request.urlopen(running.page.rstrip("/") + path)
        about = json.load(ask("/plan"))
        assert about["width_m"] == 40 and about["rotation_deg"] == pytest.approx(rotation)
        answer = ask("/plan/image")
        assert answer.headers["Content-Type"] == "image/png" and answer.read() == picture()
        browser.evaluate("localStorage.clear()")
        assert browser.errors == []


def test_an_image_that_browsers_cannot_read_is_reported_on_the_page(browser, tmp_path):
    (tmp_path / "hall.png").write_bytes(picture()[:40])
    with yard(configuration(tmp_path, "width: 40m"), traffic=[]) as running:
        show(browser, running.page)
        browser.wait("document.querySelector('#map').innerText.includes('no image of the plan: ')")
        assert browser.evaluate("document.querySelector('#map input[name=plan]').parentNode.hidden")


@pytest.mark.parametrize("content, reason", [
    (None, "no such file"),
    (b"GIF89a", "is no picture by its first bytes; PNG, JPEG and WebP are shown"),
    (b"", "is no picture by its first bytes"),
    (b"RIFF\4\0\0\0WAVE", "is no picture by its first bytes"),
    (b"\xff\xd8\xff" + bytes(LIMIT), f"has {LIMIT + 3} bytes; at most {LIMIT} are shown: make it smaller"),
], ids=["absent", "gif", "empty", "wave", "long"])
def test_an_image_that_cannot_be_shown_is_refused(tmp_path, content, reason):
    if content is not None:
        (tmp_path / "hall.png").write_bytes(content)
    for command in ("check", "run"):
        done = subprocess.run([program(), command, configuration(tmp_path, "width: 40m")], capture_output=True,
                              text=True, timeout=60)
        said = done.stdout + done.stderr
        assert done.returncode != 0 and "web.plan: " in said and "hall.png: " + reason in said, said


@pytest.mark.parametrize("head", [b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", b"RIFF\x04\0\0\0WEBP"],
                         ids=["png", "jpeg", "webp"])
def test_a_picture_of_each_kind_is_accepted(tmp_path, head):
    (tmp_path / "hall.png").write_bytes(head)
    done = subprocess.run([program(), "check", configuration(tmp_path, "width: 40m")], capture_output=True, text=True,
                          timeout=60)
    assert done.returncode == 0, done.stderr

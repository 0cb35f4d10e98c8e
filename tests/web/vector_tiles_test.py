# SPDX-License-Identifier: Apache-2.0
"""Vector tiles below the map: tiles that GDAL writes (ogr2ogr -f MVT), their reader in the page, and how they look."""
import gzip
import json
import math
import subprocess
import urllib.error
import urllib.request

import pytest

from conftest import keep, yard
from map_test import GREEN, position, show, wait_until
from requests_test import web_of
from tile_archive import archive_of, place_in_tiles
from tiles_test import ORIGIN, configuration

LAND, WATER, ROAD, BUILDING = (242, 239, 230), (169, 207, 230), (251, 231, 161), (216, 207, 196)
LEAST, MOST = 12, 14  # zooms of the archive; the map of the yard is at 18
# Metres east and north of the origin, and what is there: by schema the layer and its properties.
SHAPES = [
    ("Polygon", [[[-500, -500], [600, -500], [600, 500], [-500, 500], [-500, -500]]],
     ("earth", {"kind": "earth"}), ("landcover", {"class": "grass"})),
    ("Polygon", [[[84, -3], [100, -3], [100, 4], [84, 4], [84, -3]], [[88, -1], [92, -1], [92, 2], [88, 2], [88, -1]]],
     ("water", {"kind": "lake"}), ("water", {"class": "lake"})),
    ("LineString", [[-300, 8], [400, 8]], ("roads", {"kind": "major_road", "lanes": 2, "width": 3.5, "oneway": True}),
     ("transportation", {"class": "secondary", "lanes": 2, "width": 3.5, "oneway": True})),
    ("Polygon", [[[-1, 34], [8, 34], [8, 41], [-1, 41], [-1, 34]]],
     ("buildings", {"kind": "building", "below": -7}), ("building", {"below": -7})),
    ("Point", [50, 20], ("places", {"kind": "locality", "name": "Zürich"}),
     ("place", {"class": "town", "name": "Zürich"})),
]
EARTH, ECCENTRICITY_2 = 6378137, 0.00669437999014  # WGS 84: m at the equator; squared


def degrees(point):
    """[longitude, latitude] of metres near the origin."""
    latitude = math.radians(ORIGIN[0])
    bend = 1 - ECCENTRICITY_2 * math.sin(latitude)**2
    return [ORIGIN[1] + math.degrees(point[0] * bend**0.5 / EARTH / math.cos(latitude)),
            ORIGIN[0] + math.degrees(point[1] * bend**1.5 / EARTH / (1 - ECCENTRICITY_2))]


def mapped(coordinates):
    return degrees(coordinates) if isinstance(coordinates[0], (int, float)) else [mapped(each) for each in coordinates]


def tiles_of_gdal(folder, schema):
    """By zoom, x, y, packed with gzip; `schema` is 0 for Protomaps, 1 for OpenMapTiles."""
    layers = {}
    for kind, coordinates, *names in SHAPES:
        name, properties = names[schema]
        layers.setdefault(name, []).append({"type": "Feature", "properties": properties,
                                            "geometry": {"type": kind, "coordinates": mapped(coordinates)}})
    for number, (name, features) in enumerate(layers.items()):
        file = folder / f"{name}.geojson"
        file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
        update = ["-update"] if number else []
        subprocess.run(["ogr2ogr", "-f", "GPKG", *update, folder / "all.gpkg", file, "-nln", name], check=True)
    subprocess.run(["ogr2ogr", "-f", "MVT", folder / "out", folder / "all.gpkg", "-dsco", f"MINZOOM={LEAST}", "-dsco",
                    f"MAXZOOM={MOST}"], check=True)
    return {tuple(map(int, (file.parts[-3], file.parts[-2], file.stem))): file.read_bytes()
            for file in folder.glob("out/*/*/*.pbf")}


@pytest.fixture(scope="module", params=[0, 1], ids=["protomaps", "openmaptiles"])
def grounded(request, tmp_path_factory):
    """(run, its tiles, schema)"""
    folder = tmp_path_factory.mktemp("vector")
    tiles = tiles_of_gdal(folder, request.param)
    (folder / "site.pmtiles").write_bytes(archive_of(tiles, 1, 2, {"attribution": "© Surveyors"}))
    with yard(configuration(folder), traffic=[]) as running:
        yield running, tiles, request.param


def read(browser, address, names):
    """What the page's reader finds in a tile that the page's server has: {layers, fault}."""
    return browser.evaluate(f"""(async () => {{
        const {{ readVectorTile }} = await import("/vector_tile.js");
        const bytes = new Uint8Array(await (await fetch("{address}")).arrayBuffer());
        return JSON.parse(JSON.stringify(readVectorTile(bytes, new Set({json.dumps(names)})),
            (name, value) => value instanceof Map ? Object.fromEntries(value) : value));
    }})()""")


def middle(zoom=MOST):
    return [zoom, *(int(each) for each in place_in_tiles(zoom, *ORIGIN))]


def test_the_reader_finds_what_gdal_has_written(grounded, browser):
    running, tiles, schema = grounded
    show(browser, running.page)
    for zoom in range(LEAST, MOST + 1):
        _, column, row = middle(zoom)
        found = read(browser, f"/tiles/{zoom}/{column}/{row}", [names[schema][0] for _, _, *names in SHAPES])
        assert found["fault"] == ""
        layers = {layer["name"]: layer for layer in found["layers"]}
        for kind, coordinates, *names in SHAPES[1:]:  # the first is cut at the edges of tiles
            name, properties = names[schema]
            layer = layers[name]
            assert len(layer["features"]) == 1
            feature = layer["features"][0]
            assert feature["properties"] == properties
            assert feature["shape"] == {"Polygon": "polygon", "LineString": "line", "Point": "point"}[kind]
            rings = coordinates if kind == "Polygon" else [coordinates] if kind == "LineString" else [[coordinates]]
            if zoom < MOST and kind == "Polygon":
                continue  # a metre is less than a unit, so that corners go
            expected = [{tuple((each - whole) * layer["extent"] for each, whole in zip(
                place_in_tiles(zoom, *reversed(degrees(point))), (column, row))) for point in ring} for ring in rings]
            for line, points in zip(feature["lines"], expected, strict=True):
                there = list(zip(line[::2], line[1::2]))
                assert len(there) == len(points)
                for x, y in points:
                    assert any(abs(x - at) <= 1 and abs(y - down) <= 1 for at, down in there), (name, there, points)
    assert browser.errors == []


def pixels(browser, metres):
    """Colours of a picture of the window at places on the map, [red, green, blue] each."""
    places = browser.evaluate(f"""(() => {{
        const at = (robot) => {{
            const box = document.querySelector(`#map [data-thing='robot ${{robot}}'] circle`).getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }};
        const [base, blue] = [at("base"), at("blue")];  // at 0, 0 and 92, 40
        return {json.dumps(metres)}.map(([x, y]) => [base[0] + (blue[0] - base[0]) * x / 92,
                                                    base[1] + (blue[1] - base[1]) * y / 40]);
    }})()""")
    picture = browser.call("Page.captureScreenshot", format="png")["data"]
    return browser.evaluate(f"""(async () => {{
        const image = new Image();
        image.src = "data:image/png;base64,{picture}";
        await image.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width, image.height];
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const colour = ([x, y]) => [...context.getImageData(Math.round(x), Math.round(y), 1, 1).data].slice(0, 3);
        return {json.dumps(places)}.map(colour);
    }})()""")


def test_roads_water_and_buildings_are_drawn_where_they_are(grounded, browser):
    running, _, schema = grounded
    browser.prefer("light")
    show(browser, running.page)
    browser.wait("document.querySelectorAll('#map image.ground').length > 5")
    assert "© Surveyors" in browser.text("#map")
    land = LAND if schema == 0 else (214, 232, 195)  # grass
    look = lambda: pixels(browser, [[80, 8], [-3, 8], [86, -2], [90, 0.5], [3, 38], [-3, 20]])
    expected = [ROAD, ROAD, WATER, land, BUILDING, land]
    browser.evaluate("window.scrollTo(0, 0)")
    browser.wait("[...document.querySelectorAll('#map image.ground')].length > 5")
    for found, colour in zip(look(), expected, strict=True):
        assert found == pytest.approx(colour, abs=6), (look(), expected)
    keep(browser, "openmaptiles" if schema else "vector-tiles")
    # What is on the map can be moved as before, and the road stays.
    before = position(running.gateway, "green")
    browser.wait("document.querySelector('#map .robot.movable')")
    browser.drag(GREEN, [60, 0])
    wait_until(lambda: position(running.gateway, "green") != before)
    browser.wait("!document.querySelector('#map .moving')")
    for found, colour in zip(look(), expected, strict=True):
        assert found == pytest.approx(colour, abs=6)
    browser.press("u")
    wait_until(lambda: position(running.gateway, "green") == before)
    browser.click("#map input[name=ground]")
    browser.wait("!document.querySelector('#map image.ground')")
    assert look()[0] != pytest.approx(ROAD, abs=6)
    browser.click("#map input[name=ground]")
    browser.evaluate("localStorage.clear()")
    assert browser.errors == []


def test_the_server_hands_out_tiles_unpacked(grounded):
    running, tiles, _ = grounded
    ask = lambda path: urllib.request.urlopen(running.page.rstrip("/") + path)
    assert json.load(ask("/tiles")) == {"type": "application/vnd.mapbox-vector-tile", "least_zoom": LEAST,
                                        "most_zoom": MOST, "attribution": "© Surveyors"}
    answer = ask("/tiles/" + "/".join(map(str, middle())))
    assert answer.headers["Content-Type"] == "application/vnd.mapbox-vector-tile"
    assert answer.read() == gzip.decompress(tiles[tuple(middle())])


def test_a_damaged_tile_never_throws(grounded, browser):
    """All lengths of a tile, and every bit of it the other way round; where a fault is found, there is nothing else."""
    running, _, schema = grounded
    show(browser, running.page)
    seen = browser.evaluate(f"""(async () => {{
        const {{ readVectorTile }} = await import("/vector_tile.js");
        const {{ drawTile, kDrawnLayers }} = await import("/tile_style.js");
        const tile = "/tiles/{'/'.join(map(str, middle()))}";
        const whole = new Uint8Array(await (await fetch(tile)).arrayBuffer());
        const context = document.createElement("canvas").getContext("2d");
        const seen = {{ tiles: 0, faults: 0, drawn: 0 }};
        const take = (bytes) => {{
            const {{ layers, fault }} = readVectorTile(bytes, kDrawnLayers);
            seen.tiles += 1;
            seen.faults += fault !== "";
            if (fault && layers.length > 0) throw new Error("layers of a damaged tile");
            drawTile(context, layers, {{ side: 64, part: {{ zoom: 0, x: 0, y: 0 }}, scale: 0.1 }});
            seen.drawn += layers.length > 0;
        }};
        for (let length = 0; length <= whole.length; length += 1) take(whole.slice(0, length));
        for (let bit = 0; bit < 8 * whole.length; bit += 1) {{
            const bytes = whole.slice();
            bytes[bit >> 3] ^= 1 << (bit & 7);
            take(bytes);
        }}
        return seen;
    }})()""")
    assert seen["tiles"] > 1000 and seen["faults"] > seen["tiles"] / 4 and seen["drawn"] > 10, seen
    assert browser.errors == []


@pytest.mark.parametrize("damage, why, is_known_to_server", [
    (lambda tile: gzip.compress(gzip.decompress(tile)[:-20]), "has a part of", False),
    (lambda tile: tile[:-9], "the archive has a tile that cannot be unpacked: ", True),
])
def test_damaged_tiles_stay_empty_and_are_reported_once(grounded, browser, tmp_path, damage, why, is_known_to_server):
    _, tiles, _ = grounded
    tile = tuple(middle())
    file = tmp_path / "damaged.pmtiles"
    file.write_bytes(archive_of(tiles | {tile: damage(tiles[tile])}, 1, 2))
    process, output = web_of("tiles", "--listen", "127.0.0.1:0", "--tiles", file)
    try:
        page = output.split()[-1]
        show(browser, page)
        browser.wait("document.querySelector('#map').innerText.includes('cannot be drawn')")
        name = "/".join(map(str, tile))
        assert f"a map tile cannot be drawn; the first: tile {name}: {why}" in browser.text("#map")
        assert browser.evaluate("document.querySelector('#map image.ground') === null")
        assert all("/tiles/" in error for error in browser.errors)  # the browser's own lines about a refusal
        for _ in range(3 if is_known_to_server else 0):
            with pytest.raises(urllib.error.HTTPError):
                urllib.request.urlopen(f"{page.rstrip('/')}/tiles/{name}")
    finally:
        browser.errors.clear()
        process.terminate()
        said, _ = process.communicate(timeout=60)
    assert said.count("cannot be unpacked") == (1 if is_known_to_server else 0), said

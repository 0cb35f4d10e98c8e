# SPDX-License-Identifier: Apache-2.0
"""Layers of the map: terrain, buildings, trails, coverage of a radio."""
import pathlib
import re
import threading

import pytest
import yaml

from conftest import keep, yard
from hilgate.control import GatewayError, request
from map_test import show

PLACES = pathlib.Path(__file__).parents[2] / "examples/places"
GRID = {"position_m": [0, 0, 4], "height_m": 1, "west_m": -50, "south_m": -50, "cell_m": 10, "columns": 10, "rows": 10}
MANY = {"cell_m": 1, "columns": 100, "rows": 100}
LEGEND = "document.querySelector('#map div .layers + .layers').innerText"


def choose(page, name):
    page.evaluate(f"(() => {{ const from = document.querySelector('#map select[name=coverage]'); from.value = '{name}';"
                  "from.dispatchEvent(new Event('change')); })()")


@pytest.fixture
def page(running, browser):
    show(browser, running.page)
    browser.wait("document.querySelector('#map .robot.movable')")
    yield browser
    browser.evaluate("localStorage.clear()")
    assert browser.errors == []


def test_the_coverage_of_a_robot_is_drawn_with_its_units(page, running):
    page.wait("document.querySelectorAll('#map select[name=coverage] option').length === 5")
    choose(page, "base")
    page.wait("document.querySelector('#map image.coverage')")
    said = page.evaluate(LEGEND)
    assert "SNR of base (wifi_11n_2g4_adhoc), 1 m above ground, cells of" in said
    assert "≥ 30 dB" in said and "out of reach" in said
    keep(page, "coverage")
    before = page.evaluate("document.querySelector('#map image.coverage').getAttribute('href')")
    page.drag("#map [data-thing='robot base'] circle", [90, -40])  # and the coverage follows
    page.wait(f"document.querySelector('#map image.coverage').getAttribute('href') !== '{before}'")
    page.wait("!document.querySelector('#map .moving') && !document.querySelector('#undo').disabled")
    page.press("u")
    page.wait("document.querySelector('#undo').disabled")
    choose(page, "")
    page.wait("!document.querySelector('#map image.coverage')")


def test_layers_are_switched_and_stay_so(page, running):
    page.wait("document.querySelector('#map .trail')")
    for name, part in (("links", ".link"), ("trails", ".trail"), ("tracks", "polyline.track")):
        assert page.evaluate(f"document.querySelector('#map {part}') !== null"), name
        page.click(f"#map input[name={name}]")
        page.wait(f"!document.querySelector('#map {part}')")
    page.open("about:blank")
    show(page, running.page)
    page.wait("document.querySelector('#map .robot.movable')")
    assert page.evaluate("document.querySelector('#map .link') === null")
    page.click("#map input[name=links]")
    page.wait("document.querySelector('#map .link')")
    assert page.evaluate("document.querySelector('#map input[name=terrain]').parentNode.hidden")  # there is no ground


def test_a_coverage_agrees_with_the_run_and_a_new_one_ends_the_one_before(running):
    green = next(each for each in running.gateway.status().raw["robots"] if each["name"] == "green")["position"]
    link = next(each for each in running.gateway.status().raw["links"]
                if (each["from"], each["to"]) == ("base", "green"))
    here = GRID | {"west_m": green[0] - 0.5, "south_m": green[1] - 0.5, "cell_m": 1, "columns": 1, "rows": 1}
    said = request("yard", "coverage", **{"from": "base"} | here)
    assert said["snr_db"][0] == pytest.approx(link["snr_db"], abs=6)  # the run has shadowing, a coverage is the mean
    assert said["radio"] == "wifi_11n_2g4_adhoc"

    def ask(name, ended):
        try:
            ended.append(len(request("yard", "coverage", **{"from": name} | GRID | MANY)["snr_db"]))
        except GatewayError as error:
            ended.append(str(error))

    for _ in range(20):  # the first may be done before the second is asked
        ended = []
        threads = [threading.Thread(target=ask, args=(name, ended)) for name in ("base", "red")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert 10_000 in ended
        if "another coverage was requested meanwhile" in ended:
            break
    assert "another coverage was requested meanwhile" in ended


@pytest.mark.parametrize("change, says", [
    ({"from": "nobody"}, "'nobody' is no robot and no access point with a radio"),
    ({"columns": 1000, "rows": 1000}, "1000 x 1000 cells are more than 10000"),
    ({"cell_m": 0}, "cell_m is 0; allowed: 0.01 to 1e+07"),
    ({"height_m": -1}, "height_m is -1"),
    ({"position_m": [0]}, "out of range"),
    ({"position_m": "here"}, "type"),
])
def test_a_coverage_that_cannot_be_says_why(running, change, says):
    with pytest.raises(GatewayError, match=re.escape(says)):
        request("yard", "coverage", **{"from": "base"} | GRID | change)


def test_ground_and_buildings_of_a_place(browser, tmp_path):
    place = yaml.safe_load((PLACES / "yard.yaml").read_text())
    for key in ("osm", "terrain"):
        place["physics"]["scene"][key] = str(PLACES / place["physics"]["scene"][key])
    file = tmp_path / "place.yaml"
    file.write_text(yaml.safe_dump(place | {"name": "place", "web": {"listen": "127.0.0.1:0"}}))
    with yard(file, traffic=[]) as running:
        show(browser, running.page)
        browser.wait("document.querySelector('#map image.terrain') && document.querySelector('#map .buildings')")
        browser.wait("document.querySelectorAll('#map select[name=coverage] option').length === 3")
        assert "m above the origin, lit from the north-west" in browser.evaluate(LEGEND)
        choose(browser, "red")
        browser.wait("document.querySelector('#map image.coverage')")
        keep(browser, "layers")
        for name, part in (("terrain", "image.terrain"), ("buildings", ".buildings")):
            browser.click(f"#map input[name={name}]")
            browser.wait(f"!document.querySelector('#map {part}')")
        browser.evaluate("localStorage.clear()")
        assert browser.errors == []

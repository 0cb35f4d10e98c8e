# SPDX-License-Identifier: Apache-2.0
"""Scenarios that are started, watched and stopped in the page."""
import json
import subprocess

import pytest

from conftest import keep, page_of
from hilgate.control import GatewayError, request
from hilgate.run import program

CUT = """
end: 60s
steps:
  - {at: 200ms, mark: cut, set: {links.green.base.loss: 100 %}}
  - {at: 50s, ramp: {links.green.base.delay: {from: 0 ms, to: 10 ms}}, for: 1s}
expect:
  - {loss: {at_least: 100 %}, from: green, to: base, during: [cut + 500ms, cut + 1500ms]}
  - {loss: {at_most: 1 %}, from: green, to: base, during: [cut + 500ms, cut + 2s]}
  - {reachable: always, from: green, to: base}
"""


@pytest.fixture
def page(running, browser):
    browser.resize(1280, 1000)
    browser.prefer("light")
    browser.errors.clear()
    browser.open("about:blank")
    browser.open(running.page)
    browser.wait("document.querySelector('#headline')?.className !== 'waiting'")
    browser.wait("document.querySelectorAll('#matrix td button').length === 12")
    yield browser
    assert browser.errors == []


def start(page, text):
    page.evaluate(f"document.querySelector('#scenario textarea').value = {json.dumps(text)}")
    page.click("#scenario form button")


def stop_what_goes_on(run):
    try:
        request(run, "scenario", stop=True)
    except GatewayError:
        pass


@pytest.fixture(autouse=True)
def nothing_goes_on(running):
    yield
    stop_what_goes_on("yard")


def test_a_scenario_is_started_watched_and_undone(page, running):
    page.wait("document.querySelector('#scenario').innerText.includes('No scenario is played.')")
    start(page, CUT)
    page.wait("document.querySelector('#scenario .sentence').innerText.startsWith('scenario: 00:0')")
    page.wait("document.querySelector('#matrix button[data-link=\"green → base\"]').matches('.q4')")
    page.wait("document.querySelectorAll('#scenario td.good').length === 1")
    page.wait("document.querySelectorAll('#scenario td.bad').length === 1")
    said = page.text("#scenario")
    assert "mark cut; links.green.base.loss=100 %" in said and "loss was 100 %" in said and "one fault" in said
    page.wait("document.querySelector('#events').innerText.includes('as expected: loss of green > base')")
    page.evaluate("document.querySelector('#scenario').scrollIntoView()")
    keep(page, "scenario", scroll=False)
    assert running.gateway.get("links.green.base.loss") == "100 %"
    page.press("u")
    page.wait("document.querySelector('#scenario').innerText.includes('No scenario is played.')")
    assert running.gateway.get("links.green.base.loss") is None
    page.wait("document.querySelector('#undo').disabled")
    page.wait("document.querySelector('#events').innerText.includes('scenario scenario: stopped')")


def test_stop_takes_back_and_needs_no_undo(page, running):
    start(page, CUT)
    page.wait("document.querySelector('#matrix button[data-link=\"green → base\"]').matches('.q4')")
    page.evaluate("[...document.querySelectorAll('#scenario button')].find((each) => each.innerText.startsWith('Stop'))"
                  ".click()")
    page.wait("document.querySelector('#scenario').innerText.includes('No scenario is played.')")
    assert running.gateway.get("links.green.base.loss") is None
    page.wait("document.querySelector('#undo').disabled")


def test_a_scenario_that_ends_leaves_the_run_going(page, running):
    start(page, "end: 500ms\nsteps: [{at: 100ms, set: {links.green.base.delay: 1ms}}]\n")
    page.wait("document.querySelector('#scenario .sentence').innerText.includes('is over: all went as expected')")
    assert running.gateway.get("links.green.base.delay") == "1ms"
    assert running.gateway.status().raw["scenario"]["steps"][0]["done"] == 1
    start(page, CUT)
    page.wait("document.querySelector('#matrix button[data-link=\"green → base\"]').matches('.q4')")
    request("yard", "scenario", stop=True)
    assert running.gateway.get("links.green.base.delay") is None, "taken back as well"
    assert "scenario" not in running.gateway.status().raw


@pytest.mark.parametrize("text, says", [
    ("steps: [{at: 1s, set: {links.green.base.los: 5 %}}]", "line 1: links.green.base.los: unknown key 'los'"),
    ("steps: [{at: 1s, set: {seed: 5}}]", "seed cannot change at run time"),
    ("steps: [{at: 1, mark: x}]", "needs one of"),
    ("end: 1s\nexpect: [{reachable: always, to: nobody}]", "'nobody' is not a robot"),
    ("[", "is not valid YAML"),
    ("", "no end"),
])
def test_a_scenario_that_is_wrong_says_why_and_changes_nothing(page, running, text, says):
    start(page, text)
    page.wait("document.querySelector('#controls .answer').className.includes('bad')")
    assert says in page.text("#controls .answer")
    assert "scenario" not in running.gateway.status().raw
    assert page.evaluate("document.querySelector('#undo').disabled")


def test_requests_that_cannot_be_carried_out(running):
    for fields, says in ({"stop": True}, "no scenario was started"), ({}, "text"), ({"text": 5}, "type"), \
            ({"text": "end: 1s\nsteps:\n" + "  - {at: 1s, set: {links.green.base.delay: 1ms}, for: 1ms}\n" * 40},
             "has 80 changes"):
        with pytest.raises(GatewayError, match=says):
            request("yard", "scenario", **fields)
    request("yard", "scenario", text="end: 60s\n", name="long.yaml")
    with pytest.raises(GatewayError, match="the scenario long.yaml is running; stop it first"):
        request("yard", "scenario", text="end: 1s\n")


def test_the_run_s_own_scenario_is_shown_and_is_not_stopped(browser, tmp_path):
    file = tmp_path / "own.yaml"
    file.write_text("name: own\nnetsim: {type: wire}\nports: {red: {interface: own-r, fail: none}}\n"
                    "robots: {red: {port: red, mac: '02:68:67:00:00:01'}}\nweb: {listen: '127.0.0.1:0'}\n"
                    "scenario: {end: 12s, steps: [{at: 1s, mark: half}]}\n")
    log = (tmp_path / "log").open("w+")
    process = subprocess.Popen([program(), "run", str(file)], stdout=log, stderr=subprocess.STDOUT)
    browser.open(page_of(type("Own", (), {"log": lambda _: (tmp_path / "log").read_text()})()))
    browser.wait("document.querySelector('#scenario .sentence')?.innerText.includes('the run ends with it')")
    browser.wait("document.querySelector('#scenario tr.done')?.innerText.includes('mark half')")
    assert not browser.evaluate("document.querySelector('#scenario form').checkVisibility()")
    for fields, says in ({"stop": True}, "stop the run instead"), ({"text": "end: 1s"}, "which ends with it"):
        with pytest.raises(GatewayError, match=says):
            request("own", "scenario", **fields)
    browser.open("about:blank")
    assert process.wait(60) == 0, (tmp_path / "log").read_text()

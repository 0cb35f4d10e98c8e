# SPDX-License-Identifier: Apache-2.0
"""`hilgate edit`: a configuration file on the map, in forms and as text."""
import contextlib
import json
import pathlib
import re
import shutil
import signal
import subprocess
import urllib.error
import urllib.request

import pytest
import yaml

from conftest import PATIENCE, YARD, keep
from hilgate.run import program

GREEN = "#map [data-thing='robot green'] circle"
HOUSE = "#map [data-thing='obstacle house'] rect"
OBJECTION = "document.querySelector('#objection').innerText"
HEADLINE = "document.querySelector('#headline').innerText"


class Editor:
    def __init__(self, process, address, file):
        self.process, self.address, self.file = process, address, file

    @property
    def text(self):
        return self.file.read_text()

    def check(self):
        return subprocess.run([program(), "check", str(self.file)], capture_output=True, text=True)


@contextlib.contextmanager
def editor(file):
    process = subprocess.Popen([program(), "edit", str(file)], text=True, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    try:
        found = re.search(r"http://127\.0\.0\.1:\d+/#token=[0-9a-f]{48}", process.stdout.readline())
        assert found, process.stderr.read()
        yield Editor(process, found.group(0), file)
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE)


def show(browser, address):
    browser.resize(1400, 1100)
    browser.errors.clear()
    browser.open("about:blank")
    browser.open(address)
    browser.wait("document.querySelector('#map [data-robot]') && document.querySelector('#form details')")


@pytest.fixture
def edited(browser, tmp_path):
    file = tmp_path / "yard.yaml"
    shutil.copy(YARD, file)
    with editor(file) as it:
        show(browser, it.address)
        yield it
        browser.evaluate("window.addEventListener('beforeunload', (event) => event.stopImmediatePropagation(), true)")
        browser.open("about:blank")


def put(browser, path, value):
    """As typed into the field of a key."""
    field = f"document.querySelector('#form [data-path=\"{path}\"]:not(summary)')"
    unfold(browser, path)
    browser.evaluate(f"{field}.value = {json.dumps(value)}; {field}.dispatchEvent(new Event('change'))")


def unfold(browser, path):
    steps = path.split(".")
    for end in range(1, len(steps)):
        node = f"document.querySelector('#form details[data-node=\"{'.'.join(steps[:end])}\"]')"
        browser.wait(node)
        browser.evaluate(f"{node}.open = true")
    browser.wait(f"document.querySelector('#form [data-path=\"{path}\"]')")


def save(browser):
    browser.wait("!document.querySelector('#save').disabled")
    browser.click("#save")


def test_a_robot_is_moved_a_radio_changed_and_both_saved(edited, browser):
    before = edited.text
    browser.drag(GREEN, [60, -40])
    browser.wait(f"{HEADLINE}.includes('not saved')")
    assert edited.text == before  # until it is saved
    put(browser, "robots.green.radio", "wifi_11ac_80")
    browser.wait("document.querySelector('#text textarea').value.includes('wifi_11ac_80')")
    keep(browser, "edit")
    save(browser)
    browser.wait(f"{HEADLINE}.includes('valid, and saved')")
    now, then = yaml.safe_load(edited.text), yaml.safe_load(before)
    x, y, z = (float(each[:-1]) for each in now["physics"]["tracks"]["green"][0]["position"])
    assert x > 46 and y > 9 and z == 1
    assert now["robots"]["green"] == then["robots"]["green"] | {"radio": "wifi_11ac_80"}
    changed = [old for old, new in zip(before.splitlines(), edited.text.splitlines(), strict=True) if old != new]
    assert [line.split(":")[0].strip() for line in changed] == ["green", "green"]  # and comments stay
    assert edited.check().returncode == 0, edited.check().stderr
    assert browser.errors == []


def test_an_obstacle_and_a_way_are_moved(edited, browser):
    browser.drag(HOUSE, [0, 60])
    browser.wait(f"{HEADLINE}.includes('not saved')")
    browser.wait("!document.querySelector('#map .moving')")
    browser.drag("#map [data-thing='robot red'] circle", [30, 0])
    browser.wait("!document.querySelector('#text textarea').value.includes('red: [{at: 0s, position: [18m')")
    save(browser)
    browser.wait(f"{HEADLINE}.includes('valid, and saved')")
    physics = yaml.safe_load(edited.text)["physics"]
    assert [float(each[:-1]) for each in physics["obstacles"][0]["box"]["min"]][1] < 14
    track = [[float(each[:-1]) for each in point["position"]] for point in physics["tracks"]["red"]]
    assert [round(one[0] - other[0]) for one, other in zip(track[1:], track)] == [42, 0] and track[0][0] > 18


def test_an_invalid_value_is_shown_at_its_line_and_not_saved(edited, browser):
    before = edited.text
    put(browser, "robots.blue.radio", "wifi_11z")
    browser.wait(f"{HEADLINE}.includes('one fault: cannot be saved')")
    line = next(i for i, each in enumerate(before.splitlines(), 1) if "  blue: {port: blue" in each)
    assert f"line {line}" in browser.text("#text .faults") and "wifi_11z" in browser.text("#text .faults")
    assert f"line {line}" in browser.text("#form .field.faulty")
    assert browser.text("#text .numbers .bad") == str(line)
    assert browser.evaluate("document.querySelector('#save').disabled")
    keep(browser, "edit-fault")
    browser.evaluate("document.dispatchEvent(new KeyboardEvent('keydown', {key: 's', ctrlKey: true}))")
    browser.wait(f"{OBJECTION}.includes('wifi_11z')")
    assert edited.text == before
    browser.press("u")
    browser.wait(f"{HEADLINE}.includes('valid, and saved')")


def test_text_is_edited_and_its_faults_are_at_their_lines(edited, browser):
    browser.evaluate("""(() => {
        const area = document.querySelector('#text textarea');
        area.value = area.value.replace('window: 10ms', 'window: 10m');
        area.dispatchEvent(new Event('input'));
    })()""")
    browser.wait("document.querySelector('#text .faults').innerText.includes('line 4')")
    assert "10m" in browser.text("#text .faults")
    browser.evaluate("""(() => {
        const area = document.querySelector('#text textarea');
        area.value = area.value.replace('window: 10m', 'window: [');
        area.dispatchEvent(new Event('input'));
    })()""")
    browser.wait("document.querySelector('#text .faults').innerText.includes('YAML')")
    browser.evaluate("""(() => {
        const area = document.querySelector('#text textarea');
        area.value = area.value.replace('window: [', 'window: 20ms');
        area.dispatchEvent(new Event('input'));
    })()""")
    browser.wait(f"{HEADLINE}.includes('valid, and not saved')")
    save(browser)
    browser.wait(f"{HEADLINE}.includes('valid, and saved')")
    assert "window: 20ms" in edited.text and edited.check().returncode == 0


def test_a_file_that_was_changed_meanwhile_is_not_overwritten(edited, browser):
    put(browser, "name", "field")
    browser.wait(f"{HEADLINE}.includes('not saved')")
    by_others = edited.text.replace("seed: 7", "seed: 8")
    edited.file.write_text(by_others)
    save(browser)
    browser.wait(f"{OBJECTION}.includes('has changed since it was read here: nothing was saved')")
    assert edited.text == by_others
    browser.click("#read")
    browser.wait("document.querySelector('#text textarea').value.includes('seed: 8')")
    assert browser.evaluate(f"{HEADLINE}.includes('valid, and saved')")


def test_robots_are_added_and_removed_and_comments_need_consent(edited, browser):
    edited.file.write_text(edited.text.replace("  blue: {port: blue,", "  blue: {port: blue,   # the last\n    "))
    browser.click("#read")
    browser.wait("document.querySelector('#text textarea').value.includes('# the last')")
    browser.evaluate("window.confirm = (text) => { window.asked = text; return false; }")
    unfold(browser, "robots.blue")
    browser.click("#form [aria-label='Remove robots.blue']")
    browser.wait("window.asked && window.asked.includes('# the last')")
    browser.wait(f"{OBJECTION}.includes('comments stay')")
    browser.evaluate("window.confirm = () => true")
    browser.click("#form [aria-label='Remove robots.blue']")
    browser.wait("!document.querySelector('#text textarea').value.includes('# the last')")
    browser.wait(f"{HEADLINE}.includes('fault')")  # its way and its port are there yet
    unfold(browser, "physics.tracks.blue")
    browser.click("#form [aria-label='Remove physics.tracks.blue']")
    browser.wait("!document.querySelector('#text textarea').value.includes('92m')")
    unfold(browser, "ports.blue")
    browser.click("#form [aria-label='Remove ports.blue']")
    browser.wait(f"{HEADLINE}.includes('valid, and not saved')")
    save(browser)
    browser.wait(f"{HEADLINE}.includes('valid, and saved')")
    assert edited.check().returncode == 0 and "blue" not in yaml.safe_load(edited.text)["robots"]


def request(editor, path, token=True, **options):
    address, given = editor.address.split("#token=")
    headers = {"Authorization": f"Bearer {given}"} if token else {}
    asked = urllib.request.Request(address.rstrip("/") + path, headers=headers | options.pop("headers", {}), **options)
    try:
        with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_only_who_has_the_token_is_answered(edited):
    assert request(edited, "/draft")[0] == 200
    assert request(edited, "/draft", token=False)[0] == 401
    asked = {"data": b'{"text": "x"}', "headers": {"Content-Type": "application/json"}}
    assert request(edited, "/text", token=False, **asked)[0] == 401
    assert request(edited, "/text", **asked | {"headers": {"Content-Type": "text/plain"}})[0] == 415
    assert request(edited, "/draft", headers={"Origin": "http://elsewhere.example"})[0] == 403
    assert request(edited, "/text", data=b"[", headers=asked["headers"])[0] == 400
    assert request(edited, "/change", data=b'{"changes": [{"path": ["name", -1], "value": "x"}]}',
                   headers=asked["headers"])[0] in (400, 409)
    assert request(edited, "/nothing")[0] == 404


def test_it_ends_by_the_page_and_by_a_signal(browser, tmp_path):
    file = tmp_path / "yard.yaml"
    shutil.copy(YARD, file)
    with editor(file) as it:
        show(browser, it.address)
        browser.click("#end")
        assert it.process.wait(PATIENCE) == 0
        browser.wait(f"{HEADLINE}.includes('ended')")
    with editor(file) as it:
        show(browser, it.address)
        put(browser, "name", "field")
        browser.wait(f"{HEADLINE}.includes('not saved')")
        it.process.send_signal(signal.SIGINT)
        assert it.process.wait(PATIENCE) == 0
        assert "changes since the last save are not in" in it.process.stderr.read()
    browser.evaluate("window.addEventListener('beforeunload', (event) => event.stopImmediatePropagation(), true)")


def test_what_is_no_file_is_refused_and_what_is_no_configuration_can_be_mended(tmp_path):
    file = tmp_path / "none.yaml"
    done = subprocess.run([program(), "edit", str(file)], capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2 and "No such file" in done.stderr and str(file) in done.stderr
    file.write_text("name: x\nrobots: [\n")
    with editor(file) as it:
        report = json.loads(request(it, "/draft")[1])
        assert report["tree"] is None and report["faults"][0]["line"] > 0 and report["world"] is None
        body = json.dumps({"text": YARD.read_text()}).encode()
        mended = request(it, "/text", data=body, headers={"Content-Type": "application/json"})
        assert json.loads(mended[1])["faults"] == []

# SPDX-License-Identifier: Apache-2.0
"""A record in the page: a run that is written down, ended or killed, and opened again."""
import contextlib
import http.client
import json
import re
import shutil
import subprocess

import pytest

from conftest import PATIENCE, YARD, keep, let_pass, yard
from hilgate.run import program

WALL = ("physics.obstacles=[{name: wall, box: {min: [30m, -10m, 0m], max: [31m, 60m, 20m]}, material: metal}]")


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    """Of ten seconds, with a wall that comes in the middle and goes."""
    folder = tmp_path_factory.mktemp("record")
    file = folder / "yard.yaml"
    file.write_text(YARD.read_text() + "record: {folder: runs}\n")
    with yard(file) as running:
        let_pass(running.gateway, 4)
        with running.gateway.set({"physics.obstacles": WALL.partition("=")[2]}):
            let_pass(running.gateway, 4)
        let_pass(running.gateway, 3)
    return next((folder / "runs").iterdir())


@contextlib.contextmanager
def page_of_record(record):
    """The address of a page that shows it."""
    process = subprocess.Popen([program(), "web", "--record", str(record), "--listen", "127.0.0.1:0"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        said = process.stdout.readline()
        yield re.search(r"http://\S+", said).group(0)
    finally:
        process.terminate()
        assert process.wait(PATIENCE) == 0


@pytest.fixture
def page(record, browser):
    with page_of_record(record) as address:
        browser.resize(1280, 1000)
        browser.prefer("light")
        browser.errors.clear()
        browser.open("about:blank")
        browser.open(address)
        browser.wait("document.querySelectorAll('#matrix td button').length === 12")
        yield browser
        browser.open("about:blank")  # before its server goes
    assert browser.errors == []


def line(key):
    return f"document.querySelector('#map g[data-link=\"{key}\"]')"


def look_at_event(page, text):
    page.evaluate(f"[...document.querySelectorAll('#events li')].find((each) => each.innerText.includes('{text}'))"
                  ".querySelector('button').click()")


def test_a_record_says_what_it_is_of_and_can_only_be_looked_at(page, record):
    said = page.text("#recordline")
    assert record.name in said and "of run yard" in said and "long" in said
    assert "End" == page.text("#strip button")
    for hidden in "#controls", "#undo", "#pause", "#link .change":
        assert page.evaluate(f"document.querySelector('{hidden}').checkVisibility()") is False, hidden
    assert "all is well" not in page.text("#headline"), "conditions are not in records"
    assert "Records do not have ports." in page.text("#ports")
    assert page.text("#time").startswith("Windows and clock")
    page.wait("document.querySelectorAll('#map .robot').length === 4")
    page.wait("document.querySelector('#radio .sentence').innerText.includes('of tries would be lost')")
    page.wait("document.querySelector('#drops svg polygon')")


def test_all_of_it_can_be_looked_at(page):
    page.click('#matrix button[data-link="green → base"]')
    look_at_event(page, "name: wall")
    page.press_until("ArrowRight", f"{line('green → base')}.matches('.q4')")
    page.wait("/wall \\(metal\\) stands between them/.test(document.querySelector('#link').innerText)")
    page.wait("document.querySelectorAll('#map .obstacle').length === 1")
    assert page.text("#headline").find("hardly anything arrives") > 0
    keep(page, "record")
    look_at_event(page, "name: wall")
    page.press_until("ArrowLeft", f"{line('green → base')}.matches('.q0')")
    page.wait("document.querySelectorAll('#map .obstacle').length === 2")
    assert re.search(r"\(00:0[0-9] of 00:1[0-9]\)", page.text("#strip output")), page.text("#strip output")
    page.press("Escape")  # to the end; what was lost in its last second is the machine's
    page.wait("/\\((..:..) of \\1\\)/.test(document.querySelector('#strip output').innerText)")
    page.press("/")
    page.type("the run ended")
    page.wait("document.querySelectorAll('#events li').length === 1")


def test_an_address_says_where_to_look(record, browser):
    with page_of_record(record) as address:
        for place, begins, says in ("at=5", "00:05 of", ""), ("at=1e9", "", "is outside of the record"), \
                ("at=-3", "00:00 of", "is outside of the record"), ("at=soon", "", "is no number of seconds"):
            browser.open("about:blank")
            browser.open(f"{address}#{place}")
            browser.wait("document.querySelector('#recordline')?.innerText")
            browser.wait("document.querySelector('#strip output')?.innerText")
            assert says in browser.text("#recordline")
            assert begins in browser.text("#strip output"), place
        browser.open("about:blank")


def ask(address, method, path, body=None):
    connection = http.client.HTTPConnection(address.split("/")[2], timeout=PATIENCE)
    try:
        connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
        response = connection.getresponse()
        return response.status, response.read().decode()
    finally:
        connection.close()


def test_its_server_answers_what_a_record_can(record):
    with page_of_record(record) as address:
        assert json.loads(ask(address, "GET", "/rights")[1]) == {"change": False}
        about = json.loads(ask(address, "GET", "/record")[1])
        assert about["run"] == "yard" and about["end"] == "" and len(about["worlds"]) == 3
        reports = [json.loads(each) for each in ask(address, "GET", "/history")[1].splitlines()]
        assert 9 <= len(reports) <= 20 and all(each["answer"]["ok"] for each in reports)
        for method, path, body in ("GET", "/events", None), ("GET", "/world", None), \
                ("POST", "/control", '{"command": "reload"}'), ("POST", "/capture", '{"seconds": 1}'):
            status, text = ask(address, method, path, body)
            assert (status, "shows a record" in text) == (409, True), path
        assert ask(address, "GET", "/nothing")[0] == 404


def test_of_a_run_that_was_killed_is_shown_what_was_written(record, browser, tmp_path):
    shutil.copytree(record, tmp_path / "killed")
    whole = (tmp_path / "killed/run.mcap").read_bytes()
    (tmp_path / "killed/run.mcap").write_bytes(whole[:len(whole) * 6 // 10])
    with page_of_record(tmp_path / "killed") as address:
        browser.open(address)
        browser.wait("document.querySelector('#recordline')?.innerText.includes('has no end')")
        browser.wait("document.querySelectorAll('#matrix td button').length === 12")
        browser.open("about:blank")


def refusal(*arguments):
    done = subprocess.run([program(), "web", *arguments, "--listen", "127.0.0.1:0"], capture_output=True, text=True,
                          timeout=PATIENCE)
    return done.returncode, done.stdout + done.stderr


def test_what_is_no_record_is_refused(record, tmp_path):
    assert refusal("--record", str(tmp_path))[0] == 1 and "is no record" in refusal("--record", str(tmp_path))[1]
    assert "is no record" in refusal("--record", str(tmp_path / "nothing"))[1]
    (tmp_path / "run.mcap").write_text("name: a configuration\n")
    status, said = refusal("--record", str(tmp_path))
    assert status == 1 and "MCAP" in said, said
    (tmp_path / "run.mcap").write_bytes((record / "run.mcap").read_bytes()[:100])
    status, said = refusal("--record", str(tmp_path))
    assert status == 1 and "has nothing to show" in said, said
    assert refusal("yard", "--record", str(record))[0] == 2

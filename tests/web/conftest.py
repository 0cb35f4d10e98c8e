# SPDX-License-Identifier: Apache-2.0
import contextlib
import os
import pathlib
import re
import time

import pytest

from browser import Browser
from hilgate.run import Lab, Run

YARD = pathlib.Path(__file__).with_name("yard.yaml")
PATIENCE = 60.0  # s
TRAFFIC = [("red", "10.78.0.1"), ("green", "10.78.0.1"), ("blue", "10.78.0.1"), ("red", "10.78.0.4")]


def page_of(run):
    """The address at which a run says that its page is."""
    deadline = time.monotonic() + PATIENCE
    while not (found := re.search(r"web page at (http://\S+?)(?:#|\s)", run.log())):
        assert time.monotonic() < deadline, run.log()
        time.sleep(0.05)
    return found.group(1)


def let_pass(run, seconds):
    """Returns when so much more of a run's simulation time has passed."""
    end = run.status().sim_time_s + seconds
    deadline = time.monotonic() + seconds + PATIENCE
    while (now := run.status().sim_time_s) < end:
        assert time.monotonic() < deadline, f"{now} s of the run, {end} s expected"
        time.sleep(0.05)


def keep(browser, name, scroll=True):
    """A picture for the documents, where somebody wants them; of the top of the page."""
    if folder := os.environ.get("HILGATE_SCREENSHOTS"):
        if scroll:
            browser.evaluate("window.scrollTo(0, 0)")
        browser.screenshot(pathlib.Path(folder, f"{name}.png"))


class Yard:
    def __init__(self, lab, gateway):
        self.lab, self.gateway, self.page = lab, gateway, page_of(gateway)
        self.port = int(self.page.rstrip("/").rsplit(":", 1)[1])


@contextlib.contextmanager
def yard(file=YARD, traffic=TRAFFIC):
    with Lab(file) as lab, Run(file) as gateway, contextlib.ExitStack() as senders:
        for robot, to in traffic:
            sender = lab.start(robot, ["ping", "-q", "-i", "0.02", "-s", "1000", to], stdout=-3, stderr=-3)
            senders.callback(sender.wait, PATIENCE)
            senders.callback(sender.terminate)
        yield Yard(lab, gateway)
    assert gateway.status_at_end == 0, gateway.log()


@pytest.fixture(scope="module")
def running():
    with yard() as it:
        yield it


@pytest.fixture(scope="module")
def browser():
    it = Browser()
    yield it
    it.close()

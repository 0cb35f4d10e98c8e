# SPDX-License-Identifier: Apache-2.0
"""pytest: the fixture `hilgate_lab`, a lab and its gateway for one test. Needs root; without, such tests are skipped.

    pytest_plugins = ["hilgate.pytest_plugin"]      # in conftest.py

Without a marker there are two robots, red and blue, on a cable that can be cut; @pytest.mark.hilgate(FILE) takes a
configuration file. What the gateway said, and its last status, are in the report of a test that fails.
"""
from __future__ import annotations

import json
import os
import pathlib
from dataclasses import dataclass

import pytest

from hilgate.run import Lab, Run

TWO_ROBOTS = """\
name: {name}
netsim: {{type: wire}}
lab: {{}}
ports:
  red: {{interface: {name}-r}}
  blue: {{interface: {name}-b}}
robots:
  red: {{port: red, mac: "02:68:67:00:00:01", ip: [10.77.0.1]}}
  blue: {{port: blue, mac: "02:68:67:00:00:02", ip: [10.77.0.2]}}
"""


@dataclass
class HilgateLab:
    lab: Lab
    gateway: Run

    def exec(self, robot: str, *command: str, **options):
        return self.lab.exec(robot, command, **options)

    def cut(self, one: str, other: str):
        """For the time of a `with`, nothing passes between two robots."""
        return self.gateway.set({f"links.{one}.{other}.loss": "100 %", f"links.{other}.{one}.loss": "100 %"})


def pytest_configure(config):
    config.addinivalue_line("markers", "hilgate(file): the configuration of the test's lab and gateway")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    lab = getattr(item, "funcargs", {}).get("hilgate_lab")
    if call.when == "call" and report.failed and lab is not None:
        report.sections.append(("hilgate's log", lab.gateway.log()))
        report.sections.append(("hilgate's status", json.dumps(lab.gateway.status().raw, indent=1)))


@pytest.fixture
def hilgate_lab(request, tmp_path):
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    marker = request.node.get_closest_marker("hilgate")
    if marker is None:
        file = tmp_path / "lab.yaml"
        file.write_text(TWO_ROBOTS.format(name=f"t{os.getpid()}"))
    else:
        file = pathlib.Path(marker.args[0])
    with Lab(file) as lab, Run(file) as gateway:
        yield HilgateLab(lab, gateway)

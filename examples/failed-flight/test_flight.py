# SPDX-License-Identifier: Apache-2.0
# What is to be seen before the next flight, as a test: python3 -m pytest examples/failed-flight
import pathlib

import pytest

FLIGHT = str(pathlib.Path(__file__).with_name("flight.yaml"))


@pytest.mark.hilgate(FLIGHT)
def test_the_uav_is_heard_behind_the_warehouse(hilgate_lab):
    with hilgate_lab.gateway.set({"physics.tracks.uav": "[{at: 0s, position: [80m, 40m, 8m]}]",
                                  "physics.tracks.ground": "[{at: 0s, position: [75m, -10m, 2m]}]"}):
        with hilgate_lab.gateway.expect("uav", "ground", loss={"at_most": "10 %"}):
            hilgate_lab.lab.exec("uav", ["ping", "-q", "-c", "20", "-i", "0.1", "-s", "40", "10.85.0.1"])

# SPDX-License-Identifier: Apache-2.0
"""The patrol as data: its phases, its block, and how it is laid out in a run's folder."""

import csv
import dataclasses
import pathlib
import re
import shutil

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROBOTS = {"red": ("10.77.0.1", "02:68:67:00:00:01"), "blue": ("10.77.0.2", "02:68:67:00:00:02")}  # as in patrol.yaml
PATROL_S = 130.0  # as tracks.csv has it
LEAD_IN_S = 6.0  # both are at their first point while traffic starts


@dataclasses.dataclass(frozen=True)
class Phase:
    key: str
    title: str
    begin: float  # as parts of the patrol, 0 to 1
    end: float


PHASES = tuple(Phase(key, title, begin / PATROL_S, end / PATROL_S) for key, title, begin, end in (
    ("los", "line of sight", 0, 15),
    ("apart", "around the corner", 15, 20),
    ("behind", "behind a building", 20, 30),
    ("again", "in sight again", 30, 82),
    ("far", "far, several buildings", 82, 98),
    ("back", "back to the start", 98, PATROL_S),
))


def phase_at(part):
    """The phase at a part of the patrol; the ends belong to the first and the last."""
    for phase in PHASES:
        if part < phase.end:
            return phase
    return PHASES[-1]


@dataclasses.dataclass(frozen=True)
class Building:
    name: str
    material: str
    x_m: float
    y_m: float
    width_m: float
    depth_m: float


def metres(text):
    found = re.fullmatch(r"\s*(-?[0-9.]+)\s*m\s*", text)
    if not found:
        raise ValueError(f"patrol.yaml: '{text}' is no length in metres, such as 15m")
    return float(found.group(1))


def configuration():
    """patrol.yaml as it is."""
    return yaml.safe_load((HERE / "patrol.yaml").read_text())


def tracks():
    """{robot: [(t in s, x, y, z in m)]}, as long as PATROL_S."""
    found = {name: [] for name in ROBOTS}
    with open(HERE / "tracks.csv", newline="", encoding="ascii") as file:
        for row in csv.DictReader(file):
            found[row["robot"]].append(tuple(float(row[key]) for key in ("t_s", "x_m", "y_m", "z_m")))
    return found


def buildings():
    """The block as seen from above, trees included."""
    seen = []
    for obstacle in configuration()["physics"]["obstacles"]:
        low = [metres(value) for value in obstacle["box"]["min"]]
        high = [metres(value) for value in obstacle["box"]["max"]]
        seen.append(Building(obstacle["name"], obstacle["material"],
                             low[0], low[1], high[0] - low[0], high[1] - low[1]))
    return seen


# The simulators of a run. The network simulator replaces `netsim: {type: embedded}` in patrol.yaml; {folder} is the
# run's. With gz the robots are models of a Gazebo world, whose buildings are those of patrol.yaml.
EMBEDDED = "  type: embedded\n"
NS3 = "  type: native\n  address: unix:{folder}/netsim.sock\n"
NETSIMS = {"embedded": EMBEDDED, "ns3": NS3, "gz": NS3}
NETSIM_TITLES = {
    "embedded": "its embedded 802.11n model",
    "ns3": "ns-3 as its network simulator",
    "gz": "ns-3 as its network simulator and a Gazebo world as its physics",
}
GZ_PHYSICS = ("physics: {{type: native, address: 'unix:{folder}/physics.sock', role: listen, patience: 0s, "
              "timeout: 0s}}\n")


def world():
    """The block as an SDF world: its static models block sight."""
    models = ""
    for obstacle in configuration()["physics"]["obstacles"]:
        low, high = ([metres(value) for value in obstacle["box"][end]] for end in ("min", "max"))
        centre = " ".join(f"{(a + b) / 2:g}" for a, b in zip(low, high))
        size = " ".join(f"{b - a:g}" for a, b in zip(low, high))
        models += (
            f'<model name="{obstacle["name"]}"><static>true</static><pose>{centre} 0 0 0</pose><link name="l">'
            f'<collision name="c"><geometry><box><size>{size}</size></box></geometry></collision></link></model>\n'
        )
    step = '<physics name="fast" type="ignored"><max_step_size>0.001</max_step_size></physics>'
    return f'<?xml version="1.0"?>\n<sdf version="1.9"><world name="block">{step}\n{models}</world></sdf>\n'


def lay_out(folder, seconds, netsim="embedded"):
    """Writes the configuration of a run of `seconds` into `folder`: the patrol's tracks, compressed or stretched,
    behind the lead-in, and its air, and physics, as NETSIMS says."""
    folder = pathlib.Path(folder)
    config = (HERE / "patrol.yaml").read_text()
    if EMBEDDED not in config:
        raise ValueError("patrol.yaml: its netsim is not embedded")
    (folder / "netsim").write_text(netsim)
    shutil.copytree(HERE / "radios", folder / "radios", dirs_exist_ok=True)
    config = config.replace(EMBEDDED, NETSIMS[netsim].format(folder=folder))
    if netsim == "gz":
        (folder / "block.sdf").write_text(world())
        config = re.sub(r"(?ms)^physics:\n.*?(?=^netsim:)", GZ_PHYSICS.format(folder=folder) + "\n", config)
    (folder / "patrol.yaml").write_text(config)
    with open(folder / "tracks.csv", "w", newline="", encoding="ascii") as target:
        rows = csv.writer(target, lineterminator="\n")
        rows.writerow(["t_s", "robot", "x_m", "y_m", "z_m"])
        for name, track in tracks().items():
            rows.writerows([f"{LEAD_IN_S + at * seconds / PATROL_S:.4f}", name, *place] for at, *place in track)
    return folder / "patrol.yaml"

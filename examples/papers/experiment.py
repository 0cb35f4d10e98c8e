# SPDX-License-Identifier: Apache-2.0
"""What the experiments of this folder share: their command line, the lab and gateway they run in, how pictures look,
and the statements of a paper that they judge.

A statement says what the paper says, whether it holds here, and what was found. One that needs a longer run, or a
machine that has nothing else to do, says so (`needs`): the shortest form prints it and does not insist on it. One that
is known not to hold says why (`because`), and is never counted as a success."""

import argparse
import contextlib
import csv
import dataclasses
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import time

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402
import yaml  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import hilgate  # noqa: E402

TICK = os.sysconf("SC_CLK_TCK")
LENGTHS = ("shortest", "short", "full")
INK, MUTED, GRID, GOOD, BAD = "#1c2733", "#66717d", "#e4e8ec", "#2c8a4b", "#b3202c"
plt.rcParams.update({
    "font.size": 9, "axes.edgecolor": GRID, "axes.labelcolor": MUTED, "axes.grid": True, "grid.color": GRID,
    "grid.linewidth": 0.7, "axes.axisbelow": True, "xtick.color": MUTED, "ytick.color": MUTED,
    "axes.spines.top": False, "axes.spines.right": False, "text.color": INK, "axes.titlesize": 10,
    "figure.constrained_layout.use": True, "legend.frameon": False, "legend.fontsize": 8,
})


@dataclasses.dataclass
class Statement:
    figure: str
    text: str
    holds: bool
    found: str
    needs: str = ""    # what it needs beyond the shortest form
    because: str = ""  # why it does not hold, where that is known


class Experiment:
    """One script's run: `with Experiment(__file__, "CORNET 2.0", __doc__) as experiment`."""

    def __init__(self, script, paper, text):
        self.name, self.paper, self.text = pathlib.Path(script).stem, paper, text.strip().splitlines()[0]
        options = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
        options.add_argument("--length", choices=LENGTHS, default="full", help="how long it takes [full]")
        options.add_argument("--output", type=pathlib.Path, default=ROOT / "report/papers", help="[report/papers]")
        options.add_argument("--hilgate", type=pathlib.Path, help="[$HILGATE or build/release/bin/hilgate]")
        self._options = options.parse_args()
        self.length = self._options.length
        self.hilgate = self._options.hilgate or pathlib.Path(
            os.environ.get("HILGATE", ROOT / "build/release/bin/hilgate"))
        os.environ["HILGATE"] = str(self.hilgate)
        self.output = self._options.output.resolve()
        self.folder = self.output / self.name  # configurations, records, data
        self.statements, self.pictures, self._configurations = [], [], 0
        self._began = time.monotonic()

    def __enter__(self):
        if not self.hilgate.is_file():
            sys.exit(f"{self.hilgate} is not there: build it (cmake --build --preset release -t hilgate), or name it "
                     "with --hilgate")
        self.folder.mkdir(parents=True, exist_ok=True)
        print(f"{self.paper}: {self.text}", flush=True)
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self._end()

    def by_length(self, shortest, short, full):
        return {"shortest": shortest, "short": short, "full": full}[self.length]

    def program(self, name):
        """A program that is built next to hilgate."""
        file = self.hilgate.parent / name
        if not file.is_file():
            sys.exit(f"{file} is not there: cmake --build --preset release -t {name}")
        return str(file)

    def says(self, figure, text, holds, found, needs="", because=""):
        statement = Statement(figure, text, bool(holds), found, needs, because)
        self.statements.append(statement)
        word = "holds" if statement.holds else "DIFFERS" if because else "FAILS"
        print(f"{word:8}{figure}: {text}: {found}" + (f"; {because}" if because and not statement.holds else ""),
              flush=True)

    def picture(self, figure, drawing, caption):
        """Keeps a drawing as NAME.png, and a small one for the page."""
        stem = f"{self.name}-{figure.split()[-1].lower()}"
        file = self.output / f"{stem}.png"
        drawing.savefig(file, dpi=110)
        plt.close(drawing)
        pixels = plt.imread(file)[..., :3]
        every = max(1, round(pixels.shape[1] / 260))
        height, width = (size // every for size in pixels.shape[:2])
        small = pixels[:height * every, :width * every].reshape(height, every, width, every, 3).mean(axis=(1, 3))
        plt.imsave(self.output / f"{stem}-small.png", small)
        self.pictures.append({"figure": figure, "file": file.name, "small": f"{stem}-small.png", "caption": caption})

    def _end(self):
        seconds = time.monotonic() - self._began
        (self.output / f"{self.name}.json").write_text(json.dumps({
            "name": self.name, "paper": self.paper, "text": self.text, "length": self.length,
            "seconds": round(seconds, 1), "pictures": self.pictures,
            "statements": [dataclasses.asdict(each) for each in self.statements]}, indent=1) + "\n")
        failed = [each for each in self.statements if not each.holds and not each.because
                  and (self.length != "shortest" or not each.needs)]
        print(f"{self.name}: {seconds:.0f} s, {len(failed)} statements failed, pictures in {self.output}")
        if failed:
            sys.exit(1)

    # ---- the gateway ----

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return self.folder / name

    def configuration(self, run, robots, **rest):
        """A file with robots {name: {radio: ..., ...}} on a port each, 10.90.0.1 on. `rest` is the rest of it."""
        self._configurations += 1  # several may run at a time
        config = {"name": run, "ports": {}, "robots": {}}
        for number, (name, keys) in enumerate(robots.items(), 1):
            config["ports"][f"p{number}"] = {"interface": f"hp{self._configurations}-{number}"}
            config["robots"][name] = {"port": f"p{number}", "mac": f"02:68:67:90:00:{number:02x}",
                                      "ip": f"10.90.0.{number}", **keys}
        return self.write(f"{run}.yaml", yaml.safe_dump({**config, **rest, "lab": {}}, sort_keys=False))

    def radio(self, name, base, library=ROOT / "rf_profiles/profiles", **parts):
        """Writes radios/NAME.yaml: a profile of the library with other keys in some of its parts, and what has no
        value is taken out. Returns its id."""
        profile = yaml.safe_load((library / f"{base}.yaml").read_text())
        profile["id"] = name.replace("-", "_")
        del profile["provenance"]  # it would be that of other values
        for part, keys in parts.items():
            profile[part] = {key: value for key, value in {**profile[part], **keys}.items() if value is not None}
        (self.folder / "radios").mkdir(exist_ok=True)
        self.write(f"radios/{profile['id']}.yaml", yaml.safe_dump(profile, sort_keys=False))
        return profile["id"]

    @contextlib.contextmanager
    def lab(self, file):
        """The robots of a configuration, who know one another, as long as the `with`."""
        with hilgate.Lab(file) as lab:
            introduce(lab, yaml.safe_load(pathlib.Path(file).read_text())["robots"])
            yield lab

    @contextlib.contextmanager
    def gateway(self, file):
        """(lab, gateway) of a configuration, as long as the `with`."""
        with self.lab(file) as lab, hilgate.Run(file) as gateway:
            yield lab, gateway

    def tables(self, file):
        """The newest record of a run as {table: rows}; numbers are numbers."""
        return self.record(max((self.folder / "records").glob(f"{hilgate.run.name_of(file)}-*"),
                               key=lambda each: each.name))

    def record(self, folder):
        """A record as {table: rows}."""
        target = folder / "tables"
        subprocess.run([self.hilgate, "record", "export", folder, "-o", target], check=True, capture_output=True)
        return {each.stem: read(each) for each in target.glob("*.csv")}

    def sweep(self, file, *options):
        """The records of copies that `hilgate sweep` runs in simulated time, and the processor time they took, s."""
        target = self.folder / "copies"
        shutil.rmtree(target, ignore_errors=True)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([self.hilgate, "sweep", file, *options, "--json", "-o", target], check=True,
                              stdout=subprocess.PIPE)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return ([pathlib.Path(copy["record"]) for copy in json.loads(done.stdout)["copies"]],
                after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def introduce(lab, robots):
    """Fixed neighbour entries everywhere, since an air with losses takes ARP as well."""
    for name in robots:
        batch = "".join(f"neigh replace {robot['ip']} lladdr {robot['mac']} dev eth0 nud permanent\n"
                        for other, robot in robots.items() if other != name)
        done = lab.exec(name, ["ip", "-batch", "-"], input=batch)
        if done.returncode != 0:
            raise RuntimeError(f"{name}: neighbours: {done.stderr}")


def wait_until(at):
    """An instant of CLOCK_MONOTONIC, in s."""
    time.sleep(max(0.0, at - time.monotonic()))


def began(gateway):
    """When the simulation was at 0, on CLOCK_MONOTONIC; with pace wall."""
    asked = []
    for _ in range(10):
        before = time.monotonic()
        sim_time_s = gateway.status().sim_time_s
        asked.append((before + time.monotonic()) / 2 - sim_time_s)
    return min(asked)


def processor_time(process):
    """{thread: seconds of processor time so far} of a process, summed over threads of one name."""
    times = {}
    for task in pathlib.Path(f"/proc/{process}/task").iterdir():
        try:
            name, rest = (task / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
        except (FileNotFoundError, ProcessLookupError):
            continue
        fields = rest.split()
        times[name] = times.get(name, 0) + (int(fields[11]) + int(fields[12])) / TICK
    return times


def read(file):
    """Rows of a CSV file, as dicts; what looks like a number is one."""
    def value(text):
        try:
            return float(text)
        except ValueError:
            return {"true": True, "false": False}.get(text, text)
    with open(file, newline="") as lines:
        return [{key: value(text) for key, text in row.items()} for row in csv.DictReader(lines)]


def column(rows, name):
    return np.array([row[name] for row in rows])


def rank_correlation(x, y):
    """Spearman's; 0 when there is nothing to compare."""
    if len(x) < 3:
        return 0.0
    ranks = [np.argsort(np.argsort(values)) for values in (x, y)]
    coefficient = np.corrcoef(*ranks)[0, 1]
    return 0.0 if np.isnan(coefficient) else float(coefficient)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the compiler cannot see: which folder includes which, words with a better replacement, licence lines and
file sizes. Prints one line per fault, FILE:LINE: what is wrong and what would be right; exit status 1 if there is any.

usage: tidy.py ROOT
"""

import pathlib
import re
import sys

PRODUCT = ("clock", "config", "physics_link", "rf_profiles", "netsim_link", "gateway", "xdp")
SOURCE = (".h", ".cc", ".c")

# What each layer may include, beside itself. `config` reads quantities, durations among them, and so knows the clock's
# words. `core` is the library hilgate_core; what else lies in gateway/ is the daemon's and command line's side.
EDGES = {
    "clock": set(),
    "config": {"clock"},
    "physics_link": {"clock", "config"},
    "rf_profiles": {"physics_link", "clock", "config"},
    "netsim_link": {"rf_profiles", "physics_link", "clock", "config"},
    "core": {"clock", "netsim_link", "rf_profiles", "physics_link"},
    "xdp": {"core", "clock"},
    "gateway": set(PRODUCT) | {"core"},
}
# Of the folders below it, the core takes the words and not the models; and what ROS-NetSim's reference does to bytes.
CORE_TAKES = {"netsim_link/air_plan.h", "netsim_link/link_state.h", "netsim_link/rosnetsim/rosnetsim_compat.h", "rf_profiles/numeric/decibel.h", "rf_profiles/phy/phy_mode.h", "rf_profiles/numeric/random.h",
              "frame/id.h"}

BANNED = (
    (re.compile(r"\bsystem_clock\b"), "system_clock can be stepped: use HostTime, WallTime or SimTime of clock/time.h"),
    (re.compile(r"\bstd::s?rand\b|\brandom_device\b|\bmt19937"),
     "runs could not be replayed: use FrameRandom of rf_profiles/numeric/random.h"),
    (re.compile(r"\bstd::endl\b"), "std::endl flushes each line: use '\\n'"),
    (re.compile(r"\b(?:int|unsigned|long|auto|(?:std::)?u?int(?:8|16|32|64)_t|(?:std::)?size_t)\s+\w+_ms\b"),
     "a number does not know its unit: use Nanoseconds or another std::chrono duration"),
)
BANNED_IN_HEADERS = (
    (re.compile(r"^\s*using namespace\b"), "a header gives its names to all who include it: write the namespace out"),
)
RAW_NUMBERS = ("xdp/abi.h",)  # layouts shared with the kernel's side name units in their fields

LINES = 300


def layer_of(path, core):
    """The layer that a file belongs to; None when it is no product file."""
    if path in core:
        return "core"
    folder = path.split("/")[0]
    return folder if folder in PRODUCT else None


def core_files(root):
    text = (root / "gateway/CMakeLists.txt").read_text()
    block = re.search(r"hilgate_library\(hilgate_core\b(.*?)\)", text, re.S)
    return {"gateway/" + name for name in re.findall(r"[\w/]+\.(?:h|cc)\b", block.group(1))}


def include_fault(path, included, core):
    layer, target = layer_of(path, core), layer_of(included, core)
    if included.startswith("tests/"):
        return f'includes "{included}": nothing depends on tests'
    if target is None or target == layer:
        return None
    if path == "xdp/abi.h":
        return f'includes "{included}": the header shared with BPF includes nothing of ours'
    if target not in EDGES[layer]:
        return f'includes "{included}": {layer} may include {", ".join(sorted(EDGES[layer])) or "nothing of ours"}'
    if layer == "core" and target != "clock" and included not in CORE_TAKES:
        return f'includes "{included}": of {target} the core takes only ' + ", ".join(sorted(CORE_TAKES))
    return None


def check_product(path, lines, core):
    for number, line in enumerate(lines, 1):
        include = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if include and (fault := include_fault(path, include.group(1), core)):
            yield number, fault
        code = line.split("//")[0]
        rules = BANNED + (BANNED_IN_HEADERS if path.endswith(".h") else ())
        for pattern, text in rules:
            if pattern.search(code) and not (path in RAW_NUMBERS and "unit" in text):
                yield number, text
    if len(lines) > LINES:
        yield LINES, f"has {len(lines)} lines, {LINES} are allowed: split it"


def has_licence(lines):
    return any("SPDX-License-Identifier:" in line for line in lines[:2])


def check(root):
    """All faults below `root`, as lines of text."""
    faults = []
    core = core_files(root)
    for top in (*PRODUCT, "tests", "examples"):
        for file in sorted((root / top).rglob("*")):
            path = file.relative_to(root).as_posix()
            if file.suffix not in (*SOURCE, ".py", ".sh") or not file.is_file():
                continue
            lines = file.read_text().splitlines()
            if not has_licence(lines):
                faults.append(f"{path}:1: no SPDX-License-Identifier in the first two lines")
            if top in PRODUCT and file.suffix in SOURCE:
                faults += [f"{path}:{number}: {text}" for number, text in check_product(path, lines, core)]
    return faults


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip().splitlines()[-1], file=sys.stderr)
        return 2
    faults = check(pathlib.Path(sys.argv[1]))
    print("\n".join(faults) if faults else "tidy: no faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the compiler cannot see: which folder includes which, headers that include each other, folder sizes,
words with a better replacement, licence lines, lengths of lines and files. Prints one line per fault, FILE:LINE: what
is wrong and what would be right; exit status 1 if there is any.

usage: tidy.py ROOT
"""

import re
import sys

import checker

# What each top-level folder may include beside itself. Within them, folders are checked for cycles alone, at every
# level: ARCHITECTURE.md shows the order.
EDGES = {
    "host": set(),
    "clock": {"host"},
    "frame": {"host", "clock"},
    "config": {"clock", "host"},
    "physics_link": {"frame", "clock", "config", "host"},
    "rf_profiles": {"physics_link", "frame", "clock", "config", "host"},
    "netsim_link": {"rf_profiles", "physics_link", "frame", "clock", "config", "host"},
    "xdp": {"frame", "clock", "host"},
    "dpdk": {"frame", "clock", "host"},
    "serial": {"frame", "clock", "host"},
    "hw": {"frame", "host", "xdp", "dpdk", "clock"},
    "gateway": {"host", "clock", "frame", "config", "physics_link", "rf_profiles", "netsim_link", "xdp", "dpdk",
                "serial", "hw"},
}
SOURCE = (".h", ".cc", ".c")

# The header that user space shares with BPF: it includes nothing of ours, and its fields name their units.
SHARED_WITH_BPF = "xdp/abi.h"

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

LINES = 300    # of a product file
COLUMNS = 120  # of a line; .clang-format says the same for C and C++
SOURCES = 25   # .cc and .c files that lie in one folder of the product

INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')


def top_of(path):
    """The top-level folder that a file belongs to; None when it is no product file."""
    folder = path.split("/")[0]
    return folder if folder in EDGES else None


def include_fault(path, included):
    """What is wrong with a product file's include as far as the top-level folders say; None when nothing is."""
    top, target = top_of(path), top_of(included)
    if included.startswith("tests/"):
        return f'includes "{included}": nothing depends on tests'
    if path == SHARED_WITH_BPF and target is not None:
        return f'includes "{included}": the header shared with BPF includes nothing of ours'
    if target is None or target == top or target in EDGES[top]:
        return None
    return f'includes "{included}": {top} may include {", ".join(sorted(EDGES[top])) or "nothing of ours"}'


def check_lines(path, lines):
    for number, line in enumerate(lines, 1):
        include = INCLUDE.match(line)
        if include and (fault := include_fault(path, include.group(1))):
            yield number, fault
        code = line.split("//")[0]
        rules = BANNED + (BANNED_IN_HEADERS if path.endswith(".h") else ())
        for pattern, text in rules:
            if pattern.search(code) and not (path == SHARED_WITH_BPF and "unit" in text):
                yield number, text
    if len(lines) > LINES:
        yield LINES, f"has {len(lines)} lines, {LINES} are allowed: split it"


def long_lines(lines):
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS:
            yield number, f"has {len(line)} columns, {COLUMNS} are allowed: break the line"


def has_licence(lines):
    return any("SPDX-License-Identifier:" in line for line in lines[:2])


def siblings(path, included):
    """The two neighbouring folders that an include connects, and None when both files lie in one folder. The files that
    lie in a folder itself, beside its subfolders, count as a neighbour of these and are called FOLDER/*."""
    one, other = path.split("/"), included.split("/")
    depth = 0
    while depth < min(len(one), len(other)) - 1 and one[depth] == other[depth]:
        depth += 1

    def node(parts):
        here = parts[:depth]
        return "/".join(here + [parts[depth]]) if len(parts) > depth + 1 else "/".join(here + ["*"])

    ends = node(one), node(other)
    return ends if ends[0] != ends[1] else None


def folder_graph(includes):
    """{folder: {neighbour: (path, line, included)}} with one include as the example for each arrow."""
    graph = {}
    for path, line, included in includes:
        if top_of(included) and (ends := siblings(path, included)):
            graph.setdefault(ends[0], {}).setdefault(ends[1], (path, line, included))
    return graph


def header_graph(includes):
    """{header: {header of the same folder: (path, line, included)}}. Circles over several folders are circles of
    folders, too."""
    graph = {}
    for path, line, included in includes:
        if path.endswith(".h") and path.rsplit("/", 1)[0] == included.rsplit("/", 1)[0]:
            graph.setdefault(path, {}).setdefault(included, (path, line, included))
    return graph


def cycles(graph):
    """The arrows that close a circle: for each, the way back. A depth-first walk; each circle is found once."""
    state, way = {}, []

    def walk(node):
        state[node] = "open"
        way.append(node)
        for neighbour, example in sorted(graph.get(node, {}).items()):
            if state.get(neighbour) == "open":
                yield way[way.index(neighbour):] + [neighbour], example
            elif neighbour not in state:
                yield from walk(neighbour)
        way.pop()
        state[node] = "done"

    for node in sorted(graph):
        if node not in state:
            yield from walk(node)


def check_folders(root, sources):
    """Folders with too many files, and folders of tests/ that mirror nothing."""
    counts = {}
    for path in sources:
        if not path.endswith(".h"):
            folder = path.rsplit("/", 1)[0]
            counts[folder] = counts.get(folder, 0) + 1
    for folder, count in sorted(counts.items()):
        if count > SOURCES:
            yield f"{folder}:1: has {count} sources, {SOURCES} are allowed in one folder: split it by a noun"
    for top in EDGES:
        mirror = root / "tests" / top
        for file in sorted(mirror.rglob("*_test.cc")) if mirror.is_dir() else ():
            folder = file.parent.relative_to(root / "tests").as_posix()
            if not (root / folder).is_dir():
                yield f"tests/{folder}/{file.name}:1: there is no folder {folder} that it could test: move it"


def files(root):
    """The paths of the C, C++, Python and shell files of the product, its tests and its examples."""
    for top in (*EDGES, "tests", "examples"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix in (*SOURCE, ".py", ".sh") and file.is_file():
                yield file.relative_to(root).as_posix()


def check(root):
    """All faults below `root`, as lines of text."""
    faults, includes, sources = [], [], []
    for path in files(root):
        lines = (root / path).read_text().splitlines()
        if not has_licence(lines):
            faults.append(f"{path}:1: no SPDX-License-Identifier in the first two lines")
        faults += [f"{path}:{number}: {text}" for number, text in long_lines(lines)]
        if top_of(path) and path.endswith(SOURCE):
            sources.append(path)
            faults += [f"{path}:{number}: {text}" for number, text in check_lines(path, lines)]
            includes += [(path, number, match.group(1)) for number, line in enumerate(lines, 1)
                         if (match := INCLUDE.match(line))]
    for graph in folder_graph(includes), header_graph(includes):
        for circle, (path, number, included) in cycles(graph):
            faults.append(f'{path}:{number}: includes "{included}": that closes the circle ' + " -> ".join(circle))
    faults += check_folders(root, sources)
    return faults


if __name__ == "__main__":
    sys.exit(checker.main("tidy", __doc__, check))

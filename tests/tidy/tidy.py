#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks what the compiler cannot see: which folder includes which, headers that include each other, folder sizes,
words with a better replacement, licence lines, lengths of lines and files. Prints one line per fault, FILE:LINE: what
is wrong and what would be right; exit status 1 if there is any.

usage: tidy.py ROOT
"""

import fnmatch
import re
import sys

import checker
import plain_words

# The top-level folders of the product.
TOPS = ("host", "clock", "frame", "config", "physics_link", "rf_profiles", "netsim_link", "xdp", "dpdk", "serial", "hw",
        "path", "gateway", "bench")
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

LINES = 600         # of a product file: as many as a class may have
CLASS_LINES = 600   # of a class: its declaration and the members defined outside it
COLUMNS = 120       # of a line; .clang-format says the same for C and C++
FILES = 40          # sources and headers that lie in one folder of the product

INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')


# A member that is defined outside its class: at the margin, after its return type.
MEMBER = re.compile(r"(?! )(?:[\w:<>,&*\[\] ]+ [&*]?)?(?<![\w:])((?!std::)\w+)(?:<[\w, ]+>)?::~?\w+"
                    r"(?: ?[^\w\s;(]+)?\(")
CLASS = re.compile(r"(?:template <[^>]*> ?)?(?:class|struct) (?:alignas\([^)]*\) )?(\w+)"
                   r"(?: final)?(?: :[^;]*)?(?: \{|$)")


def top_of(path):
    """The top-level folder that a file belongs to; None when it is no product file."""
    folder = path.split("/")[0]
    return folder if folder in TOPS else None


def dependency_order(architecture):
    """{folder: position} as the first table of the section Folders names them."""
    section = architecture.split("\n## Folders\n", 1)[-1].split("\n## ", 1)[0]
    table = section.split("\n| folder |", 2)[1] if "\n| folder |" in section else ""
    order = {}
    for line in table.splitlines():
        for folder in re.findall(r"`([\w./-]+)/`", line.split("|")[1] if line.startswith("|") else ""):
            order.setdefault(folder, len(order))
    return order


def include_fault(path, included, order):
    """What is wrong with a product file's include; None when nothing is."""
    if included.startswith("tests/"):
        return f'includes "{included}": nothing depends on tests'
    if path == SHARED_WITH_BPF and top_of(included) is not None:
        return f'includes "{included}": the header shared with BPF includes nothing of ours'
    if top_of(included) is None:
        return None
    folder, target = (each.rpartition("/")[0] for each in (path, included))
    for each in folder, target:
        if each not in order:
            return f"ARCHITECTURE.md, Folders: the table misses {each}/"
    if folder == target or order[target] < order[folder]:
        return None
    return f'includes "{included}": ARCHITECTURE.md, Folders names {target}/ after {folder}/'


def check_lines(path, lines, order):
    for number, line in enumerate(lines, 1):
        include = INCLUDE.match(line)
        if include and (fault := include_fault(path, include.group(1), order)):
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


def blocks(lines, start, end):
    """(match, number, lines) of each block that begins at the margin with `start` and ends at the margin with `end`."""
    number = 0
    while number < len(lines):
        match = start.match(lines[number])
        if not match or lines[number].rstrip().endswith(";"):
            number += 1
            continue
        last = number
        while last + 1 < len(lines) and not lines[last].startswith(end):
            last += 1
        yield match, number + 1, last - number + 1
        number = last + 1


def check_classes(sources):
    """Classes that are too large, and classes whose members are scattered over files."""
    size, places, where = {}, {}, {}
    for path, lines in sources:
        space = next((line.split()[1] for line in lines if re.match(r"namespace [\w:]+ \{", line)), "")
        for match, number, count in blocks(lines, CLASS, "};"):
            name = f"{space}::{match.group(1)}"
            if path.endswith(".h"):
                where[name] = (path, number)
                size[name] = size.get(name, 0) + count
        for match, number, count in blocks(lines, MEMBER, "}"):
            name = f"{space}::{match.group(1)}"
            size[name] = size.get(name, 0) + count
            if path.endswith(".cc"):
                places.setdefault(name, {}).setdefault(path, number)
    for name, (path, number) in sorted(where.items(), key=lambda item: item[1]):
        if size[name] > CLASS_LINES:
            yield f"{path}:{number}: {name} has {size[name]} lines, {CLASS_LINES} are allowed in a class: split it"
        if len(places.get(name, {})) > 1:
            yield (f"{path}:{number}: the members of {name} are defined in {', '.join(sorted(places[name]))}: "
                   "split the class, not its file")


def check_folders(root, sources):
    """Folders with too many files, and folders of tests/ that mirror nothing."""
    counts = {}
    for path in sources:
        folder = path.rsplit("/", 1)[0]
        counts[folder] = counts.get(folder, 0) + 1
    for folder, count in sorted(counts.items()):
        if count > FILES:
            yield f"{folder}:1: has {count} files, {FILES} are allowed in one folder: split it by a noun"
    for top in TOPS:
        mirror = root / "tests" / top
        for file in sorted(mirror.rglob("*_test.cc")) if mirror.is_dir() else ():
            folder = file.parent.relative_to(root / "tests").as_posix()
            if not (root / folder).is_dir() and top != "bench":
                yield f"tests/{folder}/{file.name}:1: there is no folder {folder} that it could test: move it"


def check_tests(root):
    """Tests that no program has. A CMakeLists.txt names them by path, by pattern or, in a list, without the suffix."""
    for file in sorted((root / "tests").rglob("*_test.cc")):
        path = file.relative_to(root).as_posix()
        for folder in file.parents[:len(file.relative_to(root / "tests").parents) - 1]:
            listed = folder / "CMakeLists.txt"
            words = re.split(r"[\s()]+", listed.read_text()) if listed.is_file() else ()
            own = file.relative_to(folder).as_posix()
            if any(fnmatch.fnmatch(own, word) or own == f"{word}.cc" for word in words):
                break
        else:
            yield f"{path}:1: is in no test: name it in a hilgate_test of the CMakeLists.txt above it"


def files(root):
    """The paths of the C, C++, Python and shell files of the product, its tests and its examples."""
    for top in (*TOPS, "tests", "examples"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix in (*SOURCE, ".py", ".sh") and file.is_file():
                yield file.relative_to(root).as_posix()


PROSE = (*SOURCE, ".md", ".py", ".js", ".sh", ".proto", ".cmake", ".html")


def documents(root):
    """Paths and lines of what people read, without tests, generated pages and the decisions' history."""
    for top in (*TOPS, "python", "packaging", "systemd", "examples", "docs", "cmake", "."):
        for file in sorted((root / top).glob("*" if top == "." else "**/*")):
            path = file.relative_to(root).as_posix()
            if file.suffix in PROSE and file.is_file() and not path.startswith(("docs/reference/", "DECISIONS.md")):
                yield path, file.read_text(errors="replace").splitlines()


def check(root):
    """All faults below `root`, as lines of text."""
    faults, includes, sources = [], [], []
    architecture = root / "ARCHITECTURE.md"
    order = dependency_order(architecture.read_text() if architecture.is_file() else "")
    for path in files(root):
        lines = (root / path).read_text().splitlines()
        if not has_licence(lines):
            faults.append(f"{path}:1: no SPDX-License-Identifier in the first two lines")
        faults += [f"{path}:{number}: {text}" for number, text in long_lines(lines)]
        if top_of(path) and path.endswith(SOURCE):
            sources.append((path, lines))
            faults += [f"{path}:{number}: {text}" for number, text in check_lines(path, lines, order)]
            includes += [(path, number, match.group(1)) for number, line in enumerate(lines, 1)
                         if (match := INCLUDE.match(line))]
    for circle, (path, number, included) in cycles(header_graph(includes)):
        faults.append(f'{path}:{number}: includes "{included}": that closes the circle ' + " -> ".join(circle))
    faults += plain_words.check_words(documents(root))
    faults += check_classes(sources)
    faults += check_folders(root, [path for path, _ in sources])
    faults += check_tests(root)
    return faults


if __name__ == "__main__":
    sys.exit(checker.main("tidy", __doc__, check))

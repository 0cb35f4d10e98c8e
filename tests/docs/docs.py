#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the documents against the tree: folders, links, commands, configuration keys, status keys.

usage: docs.py ROOT
"""

import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tidy"))
import checker

SKIPPED = {"build", "__pycache__"}
MADE = {"report"}  # by demo.sh, at the top
LINK = re.compile(r"\[[^\]]*\]\(([^)\s#]+)(?:#[^)]*)?\)")
HEADING = re.compile(r"^## `hilgate (.*?)`$", re.M)
READER = re.compile(r"(?:\b(?:required|optional|optional_child|child|choice|entries|items|list)(?:<[^;()]*?>)?"
                    r"\(\s*|\bkKey = )\"(\w+)\"")
KEY = re.compile(r"^\s*(?:- )?([a-z_][a-z0-9_]*):(?:\s|$)|[{,]\s*([a-z_][a-z0-9_]*):\s")
# A function that writes a part of the status document, up to its closing brace.


def subfolders(folder):
    return sorted(each for each in folder.iterdir()
                  if each.is_dir() and not each.name.startswith(".") and each.name not in SKIPPED)


def folders(root):
    """Top-level folders, with a slash at the end. tests/tidy checks the folders of sources."""
    for top in subfolders(root):
        if top.name not in MADE:
            yield f"{top.name}/"


def named_folders(text):
    """The folders that the table of the section Folders names: `a/`, and `b/` behind it for a/b/ where the row begins
    with a/."""
    section = text.split("\n## Folders\n", 1)[-1].split("\n## ", 1)[0]
    for line in section.splitlines():
        if line.startswith("| `"):
            yield from re.findall(r"`([\w.-]+(?:/[\w.-]+)*/)`", line.split("|")[1])


def check_folders(root):
    named = list(named_folders((root / "ARCHITECTURE.md").read_text()))
    for folder in named:
        if not (root / folder).is_dir():
            yield f"ARCHITECTURE.md: names the folder {folder}, which does not exist"
    for folder in folders(root):
        if folder not in named:
            yield f"ARCHITECTURE.md: the table of folders misses {folder}"


def documents(root):
    for file in sorted(root.rglob("*.md")):
        parts = file.relative_to(root).parts
        if parts[0] not in MADE and not any(part in SKIPPED or part.startswith(".") for part in parts):
            yield file


def check_links(root):
    for file in documents(root):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            for target in LINK.findall(line):
                if "://" not in target and not target.startswith("mailto:") and not (file.parent / target).exists():
                    yield f"{file.relative_to(root)}:{number}: the link {target} leads nowhere"


def check_files(root):
    """Source files that ARCHITECTURE.md and CONTRIBUTING.md name in code."""
    for name in ("ARCHITECTURE.md", "CONTRIBUTING.md"):
        for path in re.findall(r"`((?:[\w-]+/)+[\w.-]*\.(?:h|cc|py|sh|json|yaml|md))`", (root / name).read_text()):
            if "NAME" not in path and not (root / path).is_file():
                yield f"{name}: names the file {path}, which does not exist"


def known_commands(root):
    """{"bench hold": {"--frames", ...}} of the reference page, which a test compares with the program."""
    text = (root / "docs/reference/commands.md").read_text()
    known = {}
    for section in re.split(r"^(?=## )", text, flags=re.M):
        heading = HEADING.match(section)
        if heading:
            words = [word for word in heading.group(1).split() if re.fullmatch(r"[a-z][a-z0-9-]*", word)]
            known[" ".join(words)] = set(re.findall(r"--[a-z][a-z0-9-]*", section))
    return known


def command_lines(text):
    """(line, words) of each `hilgate ...` in code, with line continuations joined."""
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        fenced ^= line.startswith("```")
        for span in [line] if fenced or line.startswith("    ") else re.findall(r"`([^`]+)`", line):
            found = re.match(r"\s*(?:sudo )?hilgate ([a-z].*)", span)
            if found:
                yield number, found.group(1).split(" -- ")[0].replace("\\|", "|").split()


def command_of(words, known):
    """The longest known command that the words begin with; a|b stands for either."""
    for length in (2, 1):
        for first in words[0].split("|"):
            for second in words[1].split("|") if length == 2 and len(words) > 1 else [None]:
                name = first if second is None else f"{first} {second}"
                if name in known:
                    return name
    return None


def check_commands(root):
    known = known_commands(root)
    groups = {name.split()[0] for name in known}
    for file in documents(root):
        for number, words in command_lines(file.read_text()):
            where = f"{file.relative_to(root)}:{number}"
            name = command_of(words, known)
            if name is None:
                if words[0].split("|")[0] not in groups:
                    yield f"{where}: there is no command hilgate {words[0]}"
                continue
            for word in words[1:]:
                option = re.match(r"\[?(--[a-z][a-z0-9-]*)", word)
                if option and option.group(1) not in known[name]:
                    yield f"{where}: hilgate {name} has no option {option.group(1)}"


def schema_keys(node, keys):
    if isinstance(node, dict):
        keys.update(node.get("properties", {}))
        for value in node.values():
            schema_keys(value, keys)
    elif isinstance(node, list):
        for value in node:
            schema_keys(value, keys)
    return keys


def schemas(root):
    return sorted(file for top in ("gateway", "physics_link", "rf_profiles")
                  for file in (root / top).rglob("*.schema.json"))


def check_keys(root):
    keys = set()
    for file in schemas(root):
        schema_keys(json.loads(file.read_text()), keys)
    schema = "gateway/configuration/configuration.schema.json"
    configuration = schema_keys(json.loads((root / schema).read_text()), set())
    # Robots, their radios, access points and ports of the examples.
    names = {"red", "blue", "ground", "vehicle", "uav", "wifi", "sik", "lte", "lan", "mast", "deck"}
    for file in documents(root):
        for block in re.finditer(r"```yaml\n(.*?)```", file.read_text(), re.S):
            for line in block.group(1).splitlines():
                for first, second in KEY.findall(line.split(" #")[0]):
                    key = first or second
                    if key not in keys and key not in names and not key.endswith("port"):
                        yield f"{file.relative_to(root)}: the key {key} of an example is in no schema"
    readers = [*(file for file in sorted((root / "gateway/configuration").rglob("*.cc"))
                 if file.parent.name != "scenario"),
               *sorted((root / "netsim_link/impairments").glob("*.*"))]
    code = "\n".join(file.read_text() for file in readers)
    for key in sorted(set(READER.findall(code)) - configuration):
        yield f"{schema}: misses the key {key}, which gateway/configuration or an impairment reads"
    for key in sorted(configuration):
        if f'"{key}"' not in code:
            yield f"{schema}: has the key {key}, which neither gateway/configuration nor an impairment reads"
    yield from check_scenario_keys(root)


def check_scenario_keys(root):
    schema = "gateway/configuration/scenario/scenario.schema.json"
    code = "\n".join(file.read_text() for file in sorted((root / "gateway/configuration/scenario").glob("*.cc")))
    known = schema_keys(json.loads((root / schema).read_text()), set()) if (root / schema).is_file() else set()
    for key in sorted(set(READER.findall(code)) - known):
        yield f"{schema}: misses the key {key}, which gateway/configuration/scenario reads"
    for key in sorted(known):
        if f'"{key}"' not in code:
            yield f"{schema}: has the key {key}, which gateway/configuration/scenario does not read"


def check_descriptions(root):
    sys.path.insert(0, str(root / "docs/reference"))
    import generate
    for file in schemas(root):
        if file.name == "scene.schema.json":  # of no reference page
            continue
        for path, value in generate.unique_keys(json.loads(file.read_text())).items():
            if not value.get("description"):
                yield f"{file.relative_to(root)}: the key {path} has no description"


def check_conditions(root):
    """docs/reference/conditions.md has every condition that gateway/run/conditions/ finds, and no other."""
    known = set()
    for file in (root / "gateway/run/conditions").glob("*.cc"):
        known |= set(re.findall(r'\.name = "(\w+)"', file.read_text()))
    shown = set(re.findall(r"^\| `(\w+)` \|", (root / "docs/reference/conditions.md").read_text(), re.M))
    for name in sorted(known ^ shown):
        yield f"docs/reference/conditions.md: '{name}' " + ("is missing" if name in known else "is no condition")


def check_figures(root):
    """README.md's table is what docs/reference/figures.json says."""
    checked = subprocess.run([sys.executable, root / "tests/bench/figures.py", "--check"], capture_output=True,
                             text=True, check=False)
    yield from (checked.stdout + checked.stderr).splitlines()


def check_decisions(root):
    """DECISIONS.md is short, its index names each entry once, and whoever cites an entry cites one that is there."""
    text = (root / "DECISIONS.md").read_text()
    if len(text.encode()) > 50_000:
        yield f"DECISIONS.md: has {len(text.encode())} bytes, 50000 are allowed: delete what is not in force"
    entries = re.findall(r"^### (\d+)\.", text, re.M)
    index = re.findall(r"\d+", " ".join(re.findall(r"^\| \[.*?\| (.*) \|$", text, re.M)))
    for number in sorted({each for each in entries + index if entries.count(each) != 1 or index.count(each) != 1}):
        yield (f"DECISIONS.md: entry {number} is {entries.count(number)} times in the text and "
               f"{index.count(number)} times in the index")
    for file in documents(root):
        for number in re.findall(r"\bDECISIONS(?:\.md)?,? (\d+)", file.read_text()):
            if number not in entries:
                yield f"{file.relative_to(root)}: cites DECISIONS {number}, which does not exist"


def check(root):
    faults = []
    for each in (check_folders, check_figures, check_files, check_links, check_commands, check_keys,
                 check_descriptions, check_conditions, check_decisions):
        faults += each(root)
    return faults


if __name__ == "__main__":
    sys.exit(checker.main("docs", __doc__, check))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The include graph between folders, drawn as Mermaid from the real includes. ARCHITECTURE.md has it between markers.

usage: include_graph.py ROOT [--write]     prints the graphs; --write puts them into ARCHITECTURE.md
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tidy"))
import tidy

MARKED = re.compile(r"(<!-- include graph: (\w+) -->\n).*?(<!-- end -->)", re.S)


def top_level(path):
    return path.split("/")[0]


def in_gateway(path):
    """The folder in gateway/, daemon's own folders apart; None outside gateway/."""
    parts = path.split("/")
    if parts[0] != "gateway":
        return None
    return "/".join(parts[1:-1][:2]) if parts[1] == "daemon" else parts[1]


def edges(root, folder_of):
    found = set()
    for top in tidy.EDGES:
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in tidy.SOURCE:
                continue
            path = file.relative_to(root).as_posix()
            for line in file.read_text().splitlines():
                match = tidy.INCLUDE.match(line)
                if match and tidy.top_of(match.group(1)):
                    ends = folder_of(path), folder_of(match.group(1))
                    if None not in ends and ends[0] != ends[1]:
                        found.add(ends)
    return found


def reaches(arrows, start, end, without):
    seen, open_nodes = set(), [start]
    while open_nodes:
        node = open_nodes.pop()
        for arrow in arrows:
            if arrow[0] == node and arrow != without and arrow[1] not in seen:
                if arrow[1] == end:
                    return True
                seen.add(arrow[1])
                open_nodes.append(arrow[1])
    return False


def reduced(arrows):
    """The arrows that no way over other arrows replaces."""
    return {arrow for arrow in arrows if not reaches(arrows, arrow[0], arrow[1], arrow)}


def heights(arrows):
    """{folder: longest way down from it}; the arrows must have no circle, which tidy.py checks."""
    nodes = {node for arrow in arrows for node in arrow}
    height = {}

    def of(node):
        if node not in height:
            height[node] = 1 + max((of(end) for start, end in arrows if start == node), default=-1)
        return height[node]

    for node in nodes:
        of(node)
    return height


def drawing(arrows):
    height = heights(arrows)
    ordered = sorted(reduced(arrows), key=lambda arrow: (-height[arrow[0]], arrow[0], -height[arrow[1]], arrow[1]))
    lines = [f'  {start.replace("/", "_")}["{start}/"] --> {end.replace("/", "_")}["{end}/"]' for start, end in ordered]
    return "```mermaid\nflowchart TD\n" + "\n".join(lines) + "\n```\n"


def graphs(root):
    return {"folders": drawing(edges(root, top_level)), "gateway": drawing(edges(root, in_gateway))}


def replaced(root, text):
    """ARCHITECTURE.md with the graphs as they are now."""
    drawn = graphs(root)
    return MARKED.sub(lambda match: match.group(1) + drawn[match.group(2)] + match.group(3), text)


def main():
    words = [word for word in sys.argv[1:] if word != "--write"]
    if len(words) != 1:
        print(__doc__.strip().splitlines()[-1], file=sys.stderr)
        return 2
    root = pathlib.Path(words[0])
    if "--write" in sys.argv:
        page = root / "ARCHITECTURE.md"
        page.write_text(replaced(root, page.read_text()))
    else:
        print("\n".join(graphs(root).values()))
    return 0


if __name__ == "__main__":
    sys.exit(main())

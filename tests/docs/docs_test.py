#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each check of docs.py on documents that break it, and on some that do not."""

import json
import unittest

import docs

import checker  # docs has found its folder

FOLDERS = ("# Architecture\n\n## Folders\n\n| folder | holds |\n| --- | --- |\n{}\n\n"
           "## Next\n\n| `not/` | counted |\n")
COMMANDS = ("# Commands\n\n## `hilgate check FILE`\n\n| `--live` | x |\n\n"
            "## `hilgate bench hold`\n\n| `--frames` | x |\n")


class DocsTest(checker.TreeTest):
    def expect(self, found, *parts):
        faults = list(found)
        self.assertEqual(len(faults), len(parts), faults)
        for fault, part in zip(faults, parts):
            self.assertIn(part, fault)

    def test_folders_are_those_of_the_tree(self):
        self.write("frame/a.h", "")
        self.write("path/a.h", "")
        self.write("gateway/b.h", "")
        self.write("build/x", "")
        self.write(".git/x", "")
        self.write("ARCHITECTURE.md", FOLDERS.format("| `frame/` | x |\n"
                                                      "| `gateway/` `path/` | `other/` is text |"))
        self.expect(docs.check_folders(self.root))
        self.write("ARCHITECTURE.md", FOLDERS.format("| `frame/` | x |\n| `gateway/` `gone/` | x |"))
        self.expect(docs.check_folders(self.root), "names the folder gone/", "misses path/")

    def test_links_resolve(self):
        self.write("docs/a.md", "[b](b.md#part) [web](https://example.org/x) [up](../README.md)\n[lost](lost.md)\n")
        self.write("docs/b.md", "")
        self.write("README.md", "")
        self.expect(docs.check_links(self.root), "docs/a.md:2: the link lost.md")

    def test_files_named_in_code_exist(self):
        self.write("frame/a.h", "")
        self.write("ARCHITECTURE.md", "`frame/a.h` and `frame/NAME.h`")
        self.write("CONTRIBUTING.md", "`frame/b.h`")
        self.expect(docs.check_files(self.root), "CONTRIBUTING.md: names the file frame/b.h")

    def test_commands_and_options_exist(self):
        self.write("docs/reference/commands.md", COMMANDS)
        self.write("README.md", "`hilgate check FILE [--live]`\n```\nhilgate bench hold --frames 3 &\n```\n"
                                "hilgate is a gateway\n")
        self.expect(docs.check_commands(self.root))
        self.write("README.md", "`hilgate chekc FILE`, `hilgate bench hold --frame 3`\n")
        self.expect(docs.check_commands(self.root), "no command hilgate chekc",
                    "hilgate bench hold has no option --frame")

    def test_keys_of_examples_and_of_the_reader_are_in_the_schema(self):
        schema = {"properties": {"window": {"description": "x"},
                                 "robots": {"additionalProperties": {"properties": {"port": {}}}}}}
        self.write("gateway/configuration/configuration.schema.json", json.dumps(schema))
        code = 'map.required<Nanoseconds>("window"); x.entries("robots"); y.optional("port");'
        self.write("gateway/configuration/sections/a.cc", code)
        self.write("README.md", "```yaml\nwindow: 1ms\nrobots:\n  red: {port: p}   # comment: any\n```\n")
        self.expect(docs.check_keys(self.root))
        self.write("README.md", "```yaml\nwindw: 1ms\n```\n")
        self.write("gateway/configuration/sections/a.cc", code.replace("port", "pace"))
        self.expect(docs.check_keys(self.root), "the key windw", "misses the key pace", "has the key port")

    def test_keys_of_impairments_are_in_the_schema(self):
        schema = {"properties": {"drift": {"description": "x"}}}
        self.write("gateway/configuration/configuration.schema.json", json.dumps(schema))
        self.write("netsim_link/impairments/drift.h", 'static constexpr std::string_view kKey = "drift";')
        self.expect(docs.check_keys(self.root))
        self.write("netsim_link/impairments/drift.h", 'static constexpr std::string_view kKey = "slide";')
        self.expect(docs.check_keys(self.root), "misses the key slide", "has the key drift")

    def test_decisions_are_indexed_and_cited_by_number(self):
        head = "# Decisions\n\n| subject | entries |\n| --- | --- |\n| [Path](#path) | {} |\n\n## Path\n\n"
        entry = "### 6. One thread\nContext: x\n"
        self.write("DECISIONS.md", head.format("6") + entry)
        self.write("docs/a.md", "as chosen (DECISIONS 6)\n")
        self.expect(docs.check_decisions(self.root))
        self.write("DECISIONS.md", head.format("7") + entry)
        self.write("docs/a.md", "as chosen (DECISIONS.md 8)\n")
        self.expect(docs.check_decisions(self.root), "entry 6 is 1 times in the text and 0", "entry 7 is 0",
                    "cites DECISIONS 8")
        self.write("docs/a.md", "")
        self.write("DECISIONS.md", head.format("6") + entry + "x" * 50_000)
        self.expect(docs.check_decisions(self.root), "50000 are allowed")


if __name__ == "__main__":
    unittest.main()

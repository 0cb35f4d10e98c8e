#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule of tidy.py on a tree that breaks it, and on one that does not."""

import pathlib
import shutil
import unittest

import checker
import clang_tidy
import plain_words
import tidy

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
ARCHITECTURE = """
## Folders

| folder | holds |
| --- | --- |
| `host/` | a |
| `clock/` `clock/ptp/` | includes of `gateway/` here are text |
| `frame/` | b |
| `config/` | b |
| `netsim_link/` | b |
| `xdp/` `dpdk/` | c |
| `path/fate/` `path/hold/` `path/` | d |
| `gateway/run/planes/` `gateway/status/` `gateway/daemon/` `gateway/` | e |

| folder | holds |
| --- | --- |
| `tests/` | f |
"""


class TidyTest(checker.TreeTest):
    def setUp(self):
        super().setUp()
        self.write("ARCHITECTURE.md", ARCHITECTURE)

    def faults(self, path, code):
        self.write(path, SPDX + code)
        return tidy.check(self.root)

    def expect(self, path, code, part):
        faults = self.faults(path, code)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(f"{path}:", faults[0])
        self.assertIn(part, faults[0])

    def test_a_clean_tree_has_no_faults(self):
        includes = '#include "clock/time.h"\n#include "path/hold/hold.h"\n'
        self.assertEqual(self.faults("path/hold/hold.cc", includes), [])

    def test_includes_point_to_folders_named_before(self):
        for path, included, part in (
            ("host/a.h", "clock/b.h", "names clock/ after host/"),
            ("config/a.h", "gateway/b.h", "names gateway/ after config/"),
            ("netsim_link/a.h", "path/b.h", "names path/ after netsim_link/"),
            ("path/a.h", "gateway/run/planes/b.h", "names gateway/run/planes/ after path/"),
            ("path/fate/a.h", "path/hold/b.h", "names path/hold/ after path/fate/"),
            ("xdp/a.h", "dpdk/b.h", "names dpdk/ after xdp/"),
            ("xdp/abi.h", "clock/time.h", "shared with BPF"),
            ("gateway/daemon/a.cc", "tests/support/b.h", "nothing depends on tests"),
        ):
            with self.subTest(path=path, included=included):
                self.expect(path, f'#include "{included}"\n', part)
                (self.root / path).unlink()

    def test_folders_of_sources_are_in_the_table(self):
        faults = self.faults("path/new/a.h", '#include "clock/b.h"\n')
        self.assertEqual(faults, ["path/new/a.h:2: ARCHITECTURE.md, Folders: the table misses path/new/"])

    def test_each_test_is_in_a_program(self):
        self.write("clock/ptp/a.h", SPDX)
        for path, lists, named in (
            ("tests/clock/a_test.cc", "hilgate_test(a SOURCES b_test.cc DEPENDS c)", False),
            ("tests/clock/a_test.cc", "hilgate_test(a SOURCES b_test.cc a_test.cc)", True),
            ("tests/clock/a_test.cc", "foreach(test b_test a_test)", True),
            ("tests/clock/ptp/a_test.cc", "hilgate_test(a SOURCES a_test.cc)", False),
            ("tests/clock/ptp/a_test.cc", "hilgate_test(a SOURCES ptp/*_test.cc)", True),
        ):
            with self.subTest(path=path, lists=lists):
                self.write("tests/clock/CMakeLists.txt", lists)
                if named:
                    self.assertEqual(self.faults(path, ""), [])
                else:
                    self.expect(path, "", "is in no test")
                (self.root / path).unlink()

    def test_allowed_edges(self):
        for path, included in (
            ("gateway/run/planes/a.cc", "xdp/b.h"),
            ("xdp/a.h", "frame/frame.h"),
            ("path/hold/hold.h", "netsim_link/link_state.h"),
            ("tests/a.cc", "gateway/daemon/b.h"),
        ):
            with self.subTest(path=path):
                self.assertEqual(self.faults(path, f'#include "{included}"\n'), [])

    def test_a_circle_of_headers_inside_a_folder(self):
        self.write("path/one.h", SPDX + '#include "path/two.h"\n')
        self.write("path/two.h", SPDX + '#include "path/three.h"\n')
        faults = self.faults("path/three.h", '#include "path/one.h"\n')
        self.assertEqual(len(faults), 1, faults)
        self.assertIn("circle path/one.h -> path/two.h -> path/three.h -> path/one.h",
                      faults[0])

    def test_a_folder_holds_so_many_files(self):
        for number in range(tidy.FILES // 2 + 1):
            self.write(f"clock/ptp/f{number}.cc", SPDX)
            self.write(f"clock/ptp/f{number}.h", SPDX)
        self.assertEqual(tidy.check(self.root),
                         ["clock/ptp:1: has 42 files, 40 are allowed in one folder: split it by a noun"])

    def test_a_class_has_so_many_lines(self):
        self.write("clock/a.h", SPDX + "namespace hilgate {\nclass Long {\n" + "  int x();\n" * 200 + "};\n")
        self.write("clock/a.cc", SPDX + "namespace hilgate {\n" + "int Long::x() {\n  return 1;\n}\n" * 150)
        self.assertEqual(tidy.check(self.root),
                         ["clock/a.h:3: hilgate::Long has 652 lines, 600 are allowed in a class: split it"])

    def test_members_of_a_class_are_defined_in_one_source(self):
        self.write("clock/a.h", SPDX + "namespace hilgate {\nclass Torn {\n  int x();\n  int y();\n};\n")
        self.write("clock/a.cc", SPDX + "namespace hilgate {\nint Torn::x() {\n  return Other::y();\n}\n")
        self.assertEqual(tidy.check(self.root), [])
        self.write("clock/b.cc", SPDX + "namespace hilgate {\nint Torn::y() {\n  return 1;\n}\n")
        self.assertEqual(tidy.check(self.root), ["clock/a.h:3: the members of hilgate::Torn are defined in clock/a.cc, "
                                                 "clock/b.cc: split the class, not its file"])

    def test_tests_mirror_the_product(self):
        self.write("tests/clock/CMakeLists.txt", "hilgate_test(clock SOURCES nowhere/a_test.cc)\n")
        self.write("tests/clock/nowhere/a_test.cc", SPDX)
        self.assertEqual(tidy.check(self.root), ["tests/clock/nowhere/a_test.cc:1: there is no folder clock/nowhere "
                                                 "that it could test: move it"])

    def test_lines_have_so_many_columns(self):
        self.assertEqual(self.faults("clock/a.h", "// " + "x" * (tidy.COLUMNS - 3) + "\n"), [])
        self.expect("clock/a.h", "// " + "x" * (tidy.COLUMNS - 2) + "\n", "clock/a.h:2: has 121 columns")
        self.write("clock/a.h", SPDX)
        self.expect("tests/a.py", "#" * 121 + "\n", "break the line")

    def test_banned_words_name_their_replacement(self):
        for code, part in (
            ("std::chrono::system_clock::now();", "HostTime"),
            ("int x = std::rand();", "FrameRandom"),
            ("std::random_device d;", "FrameRandom"),
            ("out << std::endl;", "'\\n'"),
            ("std::uint32_t timeout_ms = 0;", "std::chrono"),
        ):
            with self.subTest(code=code):
                self.expect("gateway/a.cc", code + "\n", part)

    def test_comments_may_name_them(self):
        self.assertEqual(self.faults("gateway/a.cc", "// not system_clock\n"), [])

    def test_using_namespace_in_headers_alone(self):
        self.expect("gateway/a.h", "using namespace std;\n", "write the namespace out")
        (self.root / "gateway/a.h").unlink()
        self.assertEqual(self.faults("gateway/a.cc", "using namespace std::chrono_literals;\n"), [])

    def test_licence(self):
        self.write("clock/a.h", "#pragma once\n")
        self.assertEqual(tidy.check(self.root), ["clock/a.h:1: no SPDX-License-Identifier in the first two lines"])

    def test_length(self):
        self.expect("clock/a.h", "//\n" * tidy.LINES, f"has {tidy.LINES + 1} lines, {tidy.LINES} are allowed")

    def test_clang_tidy_reads_headers_and_sources_of_a_folder(self):
        shutil.copy(pathlib.Path(__file__).parents[2] / ".clang-tidy", self.root)
        self.write("host/a.h", "#pragma once\nint next(int number);\n")
        self.write("host/a.cc", '#include "host/a.h"\nint next(int number) { return number + 1; }\n')
        self.assertEqual(clang_tidy.check(self.root, "clang-tidy-14", "host", self.root), "")
        self.write("host/a.cc", '#include "host/a.h"\nint Next(int number) { return number + 1; }\n')
        self.assertIn("invalid case style for function 'Next'",
                      clang_tidy.check(self.root, "clang-tidy-14", "host", self.root))

    def test_words_that_stand_for_a_technical_term(self):
        self.assertEqual(self.faults("clock/a.h", "#pragma once\n" + "// It is said here.\n" * plain_words.MOST), [])
        found = self.faults("clock/a.h", "#pragma once\n" + "// It is said here.\n" * (plain_words.MOST + 1))
        self.assertEqual(len(found), 1)
        self.assertIn("for 'said' write: reports, sends", found[0])


if __name__ == "__main__":
    unittest.main()

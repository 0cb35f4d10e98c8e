#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule of tidy.py on a tree that breaks it, and on one that does not."""

import pathlib
import shutil
import unittest

import checker
import clang_tidy
import tidy

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"


class TidyTest(checker.TreeTest):
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

    def test_edges_between_top_level_folders(self):
        for path, included, part in (
            ("host/a.h", "clock/b.h", "host may include nothing of ours"),
            ("clock/a.h", "config/b.h", "clock may include host"),
            ("config/a.h", "gateway/b.h", "config may include clock"),
            ("netsim_link/a.h", "gateway/b.h", "netsim_link may include"),
            ("xdp/a.h", "gateway/daemon/b.h", "xdp may include clock, frame, host"),
            ("dpdk/a.h", "xdp/b.h", "dpdk may include clock, frame, host"),
            ("xdp/abi.h", "clock/time.h", "shared with BPF"),
            ("gateway/daemon/a.cc", "tests/support/b.h", "nothing depends on tests"),
        ):
            with self.subTest(path=path, included=included):
                self.expect(path, f'#include "{included}"\n', part)
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

    def test_a_circle_of_neighbouring_folders(self):
        self.write("path/a.h", SPDX + '#include "path/hold/b.h"\n')
        self.write("path/hold/b.h", SPDX + '#include "path/fate/c.h"\n')
        faults = self.faults("path/fate/c.h", '#include "path/a.h"\n')
        self.assertEqual(len(faults), 1, faults)
        self.assertIn("circle path/fate -> path -> path/hold -> path/fate", faults[0])

    def test_a_folder_and_the_files_beside_it_make_a_circle_too(self):
        self.write("clock/time.h", SPDX + '#include "clock/ptp/a.h"\n')
        self.expect("clock/ptp/a.h", '#include "clock/time.h"\n', "clock/* -> clock/ptp -> clock/*")

    def test_a_circle_of_headers_inside_a_folder(self):
        self.write("path/one.h", SPDX + '#include "path/two.h"\n')
        self.write("path/two.h", SPDX + '#include "path/three.h"\n')
        faults = self.faults("path/three.h", '#include "path/one.h"\n')
        self.assertEqual(len(faults), 1, faults)
        self.assertIn("circle path/one.h -> path/two.h -> path/three.h -> path/one.h",
                      faults[0])

    def test_a_circle_two_levels_down(self):
        self.write("gateway/status/a.h", SPDX + '#include "gateway/run/planes/b.h"\n')
        faults = self.faults("gateway/run/planes/b.h", '#include "gateway/status/a.h"\n')
        self.assertEqual(len(faults), 1, faults)
        self.assertIn("circle gateway/run/planes -> gateway/status -> gateway/run/planes", faults[0])

    def test_a_folder_holds_so_many_sources(self):
        for number in range(tidy.SOURCES + 1):
            self.write(f"clock/ptp/f{number}.cc", SPDX)
        self.assertEqual(tidy.check(self.root),
                         ["clock/ptp:1: has 26 sources, 25 are allowed in one folder: split it by a noun"])

    def test_tests_mirror_the_product(self):
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
        self.expect("clock/a.h", "//\n" * tidy.LINES, "has 301 lines, 300 are allowed")

    def test_clang_tidy_reads_headers_and_sources_of_a_folder(self):
        shutil.copy(pathlib.Path(__file__).parents[2] / ".clang-tidy", self.root)
        self.write("host/a.h", "#pragma once\nint next(int number);\n")
        self.write("host/a.cc", '#include "host/a.h"\nint next(int number) { return number + 1; }\n')
        self.assertEqual(clang_tidy.check(self.root, "clang-tidy-14", "host", self.root), "")
        self.write("host/a.cc", '#include "host/a.h"\nint Next(int number) { return number + 1; }\n')
        self.assertIn("invalid case style for function 'Next'",
                      clang_tidy.check(self.root, "clang-tidy-14", "host", self.root))


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule of tidy.py on a tree that breaks it, and on one that does not."""

import pathlib
import tempfile
import unittest

import tidy

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"


class TidyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("gateway/CMakeLists.txt", "hilgate_library(hilgate_core\n  HEADERS hold.h\n  SOURCES hold.cc)\n")

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def faults(self, path, code):
        self.write(path, SPDX + code)
        return tidy.check(self.root)

    def expect(self, path, code, part):
        faults = self.faults(path, code)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(f"{path}:", faults[0])
        self.assertIn(part, faults[0])

    def test_a_clean_tree_has_no_faults(self):
        self.assertEqual(self.faults("gateway/hold/hold.cc", '#include "clock/time.h"\n#include "gateway/hold/hold.h"\n'), [])

    def test_edges(self):
        for path, included, part in (
            ("clock/a.h", "config/b.h", "clock may include nothing of ours"),
            ("config/a.h", "gateway/b.h", "config may include clock"),
            ("netsim_link/a.h", "gateway/b.h", "netsim_link may include"),
            ("gateway/hold/hold.h", "gateway/daemon/b.h", "core may include"),
            ("gateway/hold/hold.h", "netsim_link/netsim.h", "the core takes only"),
            ("xdp/a.h", "gateway/daemon/b.h", "xdp may include"),
            ("xdp/abi.h", "clock/time.h", "shared with BPF"),
            ("gateway/daemon/a.cc", "tests/support/b.h", "nothing depends on tests"),
        ):
            with self.subTest(path=path, included=included):
                self.expect(path, f'#include "{included}"\n', part)
                (self.root / path).unlink()

    def test_allowed_edges(self):
        for path, included in (
            ("gateway/daemon/a.cc", "xdp/b.h"),
            ("xdp/a.h", "gateway/hold/hold.h"),
            ("gateway/hold/hold.h", "netsim_link/link_state.h"),
            ("tests/a.cc", "gateway/daemon/b.h"),
        ):
            with self.subTest(path=path):
                self.assertEqual(self.faults(path, f'#include "{included}"\n'), [])

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


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documentation builds as a site (mkdocs.yml) without a warning and without network; the site has every page.

usage: site_test.py ROOT
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
FETCHED = re.compile(r"<(?:link|script|img)\b[^>]*?(?:href|src)=[\"']?(?:https?:)?//[^\"' >]+")


class SiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # pylint: disable-next=consider-using-with
        cls.folder = tempfile.TemporaryDirectory(prefix="hilgate-site-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.site = pathlib.Path(cls.folder.name)
        cls.built = subprocess.run(["mkdocs", "build", "--strict", "--quiet", "--site-dir", cls.site], cwd=ROOT,
                                   capture_output=True, text=True, check=False)

    def test_the_strict_build_passes(self):
        self.assertEqual(self.built.returncode, 0, self.built.stdout + self.built.stderr)

    def test_every_page_is_in_the_site_and_in_its_navigation(self):
        navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
        for page in sorted((ROOT / "docs").rglob("*.md")):
            name = page.relative_to(ROOT / "docs")
            self.assertTrue((self.site / name.with_suffix(".html")).is_file(), name)
            self.assertIn(name.as_posix(), navigation)

    def test_pages_fetch_nothing(self):
        pages = list(self.site.rglob("*.html"))
        self.assertGreater(len(pages), 10)
        for page in pages:
            self.assertEqual(FETCHED.findall(page.read_text(encoding="utf-8")), [], page)


if __name__ == "__main__":
    unittest.main()

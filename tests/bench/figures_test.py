#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""figures.py and the rows of side_by_side.py: what becomes of rounds."""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "peers")]

import figures  # noqa: E402
import side_by_side  # noqa: E402

HOST = {"processor": "EPYC", "processors": 2, "kernel": "6.18.4-x", "load": 0.1, "load_after": 0.2}


def figures_of(rate, p99, **further):
    losses = {f"loss at {name}": 0 for name in side_by_side.NAMES}
    return {"rate": rate, "limited": False, "p99 at 1k": p99} | losses | further


def document(rounds, missing=None):
    return {"bench": "side_by_side", "date": "2026-01-01", "host": HOST, "command": "side_by_side.py",
            "rounds": len(rounds), "seconds": 1, "rows": side_by_side.rows_of({"mm-delay": rounds}, "host"),
            "missing": missing or {}}


class RowsTest(unittest.TestCase):
    def row(self, rounds, measure):
        return next(row for row in document(rounds)["rows"] if row["measure"] == measure)

    def test_ratios_are_of_single_rounds(self):
        rounds = [(figures_of(500, 10), figures_of(50, 1000)), (figures_of(400, 20), figures_of(80, 600)),
                  (figures_of(600, 50), figures_of(20, 800))]
        self.assertEqual(self.row(rounds, "rate")["ratio"], {"min": 5, "median": 10, "max": 30})
        self.assertEqual(self.row(rounds, "p99 at 1k")["ratio"], {"min": 16, "median": 30, "max": 100})
        self.assertEqual(self.row(rounds, "p99 at 1k")["theirs"], {"min": 600, "median": 800, "max": 1000})
        self.assertEqual(side_by_side.verdict(self.row(rounds, "rate")), "10: met by the median")
        self.assertEqual(side_by_side.verdict(self.row(rounds, "p99 at 1k")), "10: met")

    def test_whoever_was_overloaded_has_no_delay(self):
        lost = {"rate": 1, "limited": False, "loss at 1k": 0.5}
        ours_lost = self.row([(figures_of(500, 10), figures_of(50, 1000)), (lost, figures_of(50, 1000))], "p99 at 1k")
        self.assertEqual(ours_lost["overloaded"], [1, 0])
        self.assertIn("hilgate was overloaded in 1 of 2 rounds", side_by_side.verdict(ours_lost))
        theirs_lost = self.row([(figures_of(500, 10), lost)], "p99 at 1k")
        self.assertIsNone(theirs_lost["ratio"])
        self.assertIn("met: the peer was overloaded", side_by_side.verdict(theirs_lost))

    def test_a_rate_that_the_generator_limits_is_a_lower_bound(self):
        rounds = [(figures_of(500, 10, limited=True), figures_of(50, 1000))]
        self.assertIn("or more in 1 rounds", side_by_side.line_of(self.row(rounds, "rate")))

    def test_the_table_names_what_is_missing(self):
        text = side_by_side.table(document([(figures_of(500, 10), figures_of(50, 1000))], {"netem": "no kernel"}))
        self.assertIn("netem was not measured: no kernel", text)
        self.assertNotIn("loss at 1k", text)  # of none


class FiguresTest(unittest.TestCase):
    def test_only_what_was_measured_in_five_rounds(self):
        one = (figures_of(500e3, 10, limited=True), figures_of(50e3, 1000))
        self.assertEqual(figures.rows_of(document([one] * 4), ""), [])
        rows = figures.rows_of(document([one] * 5), "quiet")
        self.assertEqual([row["key"] for row in rows], ["mm-delay.rate", "mm-delay.p99 at 1k"])
        text = figures.table(rows)
        self.assertIn("500 k, 500 k, 500 k or more", text)
        self.assertIn("| 10, 10, 10 |", text)
        self.assertIn("(1) EPYC, 2 processors, Linux 6.18, load 0.1; quiet, 2026-01-01", text)

    def test_certificates(self):
        line = {"key": "wire.ndr.64", "text": "NDR", "unit": "frames/s", "rounds": [1, 2, 3, 4, 5],
                "spread": {"min": 1, "median": 3, "max": 5},
                "yardstick": {"key": "y", "text": "a forwarder", "spread": {"min": 2, "median": 4, "max": 5}}}
        rows = figures.rows_of({"hilgate_certify": 1, "form": "short", "began": "2026-01-01T00:00:00Z", "host": HOST,
                                "lines": [line, line | {"key": "else"}], "samples": {"y": [2, 4, 4, 4, 5]}}, "")
        self.assertEqual(len(rows), 1)
        self.assertEqual(rows[0]["ratio"], {"min": 0.5, "median": 0.75, "max": 1})
        self.assertIn("a forwarder: 2, 4, 5 | 0.50, 0.75, 1.00 |", figures.table(rows))

    def test_a_ratio_above_one_means_better_also_for_times(self):
        line = {"key": "release.p50", "text": "error", "unit": "ns", "rounds": [10, 20, 20, 40, 40],
                "spread": {"min": 10, "median": 20, "max": 40},
                "yardstick": {"key": "y", "text": "a loop", "spread": {"min": 20, "median": 20, "max": 20}}}
        rows = figures.rows_of({"hilgate_certify": 1, "form": "short", "began": "2026-01-01T00:00:00Z", "host": HOST,
                                "lines": [line], "samples": {"y": [20, 20, 20, 20, 20]}}, "")
        self.assertEqual(rows[0]["ratio"], {"min": 0.5, "median": 1, "max": 2})

    def test_benches(self):
        spread = {"min": 1, "median": 2, "max": 4}
        figure = {"name": "hold.1M", "text": "a million held", "unit": "frames/s", "rounds": 5, "value": spread,
                  "yardstick": {"name": "a thousand held", "value": spread},
                  "ratio": {"min": 0.5, "median": 0.75, "max": 1}}
        alone = {"name": "links.256.update", "text": "an update", "unit": "ms", "rounds": 5, "value": spread}
        rows = figures.rows_of({"hilgate_bench": 1, "began": "2026-01-01T00:00:00Z", "host": HOST, "failed": [],
                                "figures": [figure, figure | {"rounds": 4}, alone]}, "")
        self.assertEqual([row["key"] for row in rows], ["hold.1M", "links.256.update"])
        self.assertIn("a thousand held: 1, 2, 4 | 0.50, 0.75, 1.00 | `hilgate bench all` |", figures.table(rows))
        self.assertIn("| an update, ms | 1, 2, 4 | - | - |", figures.table(rows))

    def test_other_documents_are_refused(self):
        with self.assertRaises(SystemExit):
            figures.rows_of({"something": 1}, "")

    def test_a_page_is_made_again_from_the_same(self):
        page = f"before\n{figures.BEGIN}\nold\n{figures.END}\nafter\n"
        once = figures.page_with(page, [])
        self.assertTrue(once.startswith("before\n") and once.endswith("\nafter\n"))
        self.assertNotIn("old", once)
        self.assertEqual(figures.page_with(once, []), once)


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Whether a patrol came out as the paper's: a figure per phase, and the statements that must hold of them."""

import math

import numpy as np

import scenario


def summary_of(measured):
    """All that report.py prints and writes."""
    phases = [phase_row(measured, phase) for phase in scenario.PHASES]
    totals = measured.statuses[-1][1]["totals"]
    return {
        "seconds": measured.seconds,
        "netsim": measured.netsim,
        "phases": phases,
        "totals": totals,
        "balanced_samples": sum(bool(status["totals"]["balanced"]) for _, status in measured.statuses),
        "samples": len(measured.statuses),
        "checks": checks(measured, {row["key"]: row for row in phases}),
    }


def phase_row(measured, phase):
    begin, end = phase.begin * measured.seconds, phase.end * measured.seconds
    rates, probes, statuses = measured.between(begin, end)
    heard = measured.delay[probes & ~measured.lost]
    return {
        "key": phase.key,
        "title": phase.title,
        "begin_s": begin,
        "end_s": end,
        "distance_m": [float(measured.distance[statuses].min()), float(measured.distance[statuses].max())],
        "in_sight": float(measured.in_sight[statuses].mean()),
        "rate_mbps": float(measured.rate[rates].mean()),
        "delay_p50_ms": percentile_ms(heard, 50),
        "delay_p99_ms": percentile_ms(heard, 99),
        "probe_loss": float(measured.lost[probes].mean()),
        "dropped": measured.dropped_between(begin, end),
    }


def percentile_ms(delays, percent):
    return float(np.percentile(delays, percent) * 1000) if delays.size else None


def rank_correlation(x, y):
    """Spearman's; 0 when there is nothing to compare."""
    if len(x) < 3:
        return 0.0
    ranks = [np.argsort(np.argsort(values)) for values in (x, y)]
    coefficient = np.corrcoef(*ranks)[0, 1]
    return 0.0 if math.isnan(coefficient) else float(coefficient)


def checks(measured, phases):
    los, behind, far = phases["los"], phases["behind"], phases["far"]
    bins = measured.binned()
    both = bins[~np.isnan(bins[:, 2])]
    correlation = rank_correlation(both[:, 1], both[:, 2])
    delays = [behind["delay_p50_ms"] or math.inf, los["delay_p50_ms"] or math.inf]
    unbalanced = [t for t, status in measured.statuses if not status["totals"]["balanced"]]
    totals = measured.statuses[-1][1]["totals"]
    return [
        check("high in line of sight", los["rate_mbps"] >= 5,
              f"{los['rate_mbps']:.2f} Mbit/s", "5 Mbit/s or more (the paper: about 8)"),
        check("a deep drop behind one building", behind["rate_mbps"] <= 0.5 * los["rate_mbps"],
              f"{behind['rate_mbps']:.2f} Mbit/s", "at most half of that (the paper: 1 to 2)"),
        check("near zero far away behind several", far["rate_mbps"] <= 0.05 * los["rate_mbps"],
              f"{far['rate_mbps']:.2f} Mbit/s", "at most a twentieth (the paper: about 0)"),
        check("delay rises where the rate falls", delays[0] > 1.25 * delays[1] and correlation < 0,
              f"median {delays[1]:.0f} ms in sight, {delays[0]:.0f} ms behind; rank correlation {correlation:.2f}",
              "a quarter more behind the building, and a negative correlation"),
        check("every frame accounted for", not unbalanced and totals["held"] == 0,
              f"{len(unbalanced)} of {len(measured.statuses)} samples unbalanced, {totals['held']} held at the end",
              "in = out + dropped + held in every sample, nothing held at the end"),
    ]


def check(name, holds, found, wanted):
    return {"name": name, "holds": bool(holds), "found": found, "wanted": wanted}

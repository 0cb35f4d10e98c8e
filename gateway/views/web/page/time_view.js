// SPDX-License-Identifier: Apache-2.0
// Windows, simulators, packet loops and the clock.

import { html, refill } from "/dom.js";
import { count, micros, nanos, number, percent } from "/format.js";

function windowRows({ window, verdicts, loop }, state) {
  if (!loop) {
    return [["window", `number ${count(window?.number)}; deadlines and packet loops are not in records`]];
  }
  const missed = window.published + window.missed > 0 ? window.missed / (window.published + window.missed) : 0;
  const rows = [
    [
      "window",
      `${micros(window.length_us)}, ${count(window.published)} published, ${count(window.missed)} missed (${percent(missed)})`,
      missed > 0.05,
    ],
    ["boundaries late", `p99 ${micros(window.boundary_p99_us)}`],
    [
      "computing",
      `last ${micros(window.last_compute_us)}, most ${micros(window.most_compute_us)}`,
      window.most_compute_us > window.length_us,
    ],
  ];
  for (const simulator of window.simulators ?? []) {
    rows.push([
      simulator.name,
      `answers in ${micros(simulator.round_trip_p50_us)}, p99 ${micros(simulator.round_trip_p99_us)}; late ${percent(simulator.late_share)}, missed ${count(simulator.missed)}`,
      simulator.late_share > 0.05,
    ]);
  }
  if (verdicts) {
    rows.push([
      "verdicts",
      `${count(verdicts.passed)} of ${count(verdicts.offered)} applied, late ${count(verdicts.late)}, expired ${count(verdicts.expired)}`,
    ]);
    rows.push(["causality floor", micros(verdicts.causality_floor_us)]);
  }
  rows.push([
    "releases late",
    `p50 ${micros(loop.release_error_p50_us)}, p99 ${micros(loop.release_error_p99_us)}, most ${micros(loop.release_error_max_us)}`,
  ]);
  for (const [index, thread] of loop.threads.entries()) {
    const asleep = thread.asleep_s / state.status.uptime_s;
    rows.push([
      `packet loop ${index}`,
      `${thread.cpu === undefined ? "any processor" : `cpu ${thread.cpu}`}, ${thread.idle}s when idle, asleep ${percent(asleep)} of the time`,
    ]);
  }
  return rows;
}

function clockRows(clock) {
  if (!clock) {
    return [];
  }
  return [
    ["clock", [clock.source, clock.state, clock.problem].filter(Boolean).join(", "), Boolean(clock.problem)],
    clock.offset_last_ns !== undefined && [
      "offset",
      `last ${nanos(clock.offset_last_ns)}, p99 ${nanos(clock.offset_p99_ns)}`,
    ],
    clock.rate_ppb !== undefined && ["oscillator", number(clock.rate_ppb, "ppb")],
    clock.steps !== undefined && ["steps, losses", `${count(clock.steps)}, ${count(clock.losses)}`],
    clock.factor !== undefined && clock.factor !== 1 && ["simulation time", `${number(clock.factor)} of wall time`],
    ...(clock.serves ?? []).map((each) => [
      `PTP on ${each.port}`,
      `${each.state}, ${count(each.slaves)} slaves`,
      Boolean(each.problem),
    ]),
  ].filter(Boolean);
}

export class TimeView {
  #facts = html("dl", { class: "facts" });

  constructor(panel) {
    panel.append(this.#facts);
  }

  show(state) {
    const rows = [...windowRows(state.status, state), ...clockRows(state.status.clock)];
    refill(this.#facts, rows, () =>
      rows.map(([name, value, isBad]) => [html("dt", {}, name), html("dd", { class: isBad ? "bad" : "" }, value)]),
    );
  }
}

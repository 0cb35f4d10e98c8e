// SPDX-License-Identifier: Apache-2.0
// The gateway's reports of the last ten minutes: a frame a second, and the newest one; or all reports of a record. The
// page shows the newest frame, or an earlier one while the user looks back.

import { stateAt } from "/run_state.js";

const kSpan = 10 * 60 * 1000;
const kStep = 950; // of a second, as timers have it
const kMemory = 64 << 20; // bytes of reports
const kWindow = 1000; // states say what happened in a second

function frameOf(report) {
  const { ok, result, error } = report.answer;
  return { at: report.at, status: ok ? result : null, error: ok ? "" : error };
}

export class Timeline {
  #frames = []; // a second apart, oldest first
  #recent = []; // of the last seconds, as they came
  #bytes = 0;
  #chosen = null; // the frame that is looked back at

  /** Of a record: all frames are kept, and their times are those of the day. */
  constructor(isRecord = false) {
    this.isRecord = isRecord;
  }

  get frames() {
    return this.#frames;
  }
  get newest() {
    return this.#recent.at(-1) ?? this.#frames.at(-1);
  }
  get isLive() {
    return this.#chosen === null;
  }
  get shown() {
    return this.#chosen ?? this.newest;
  }

  add(report) {
    // Time of day less the clock of the reports, as the gateway reads both for each report: it changes where the host was
    // suspended or its time of day was set.
    const wallAhead = this.isRecord ? 0 : report.time - report.at;
    const frame = { ...frameOf(report), bytes: report.bytes, wallAhead };
    this.#recent.push(frame);
    while (this.#recent.length > 1 && frame.at - this.#recent[0].at > 2 * kWindow) {
      this.#recent.shift();
    }
    const last = this.#frames.at(-1);
    if (!last || this.isRecord || frame.at - last.at >= kStep) {
      frame.state = stateAt(frame, this.#earlier(frame, kWindow));
      this.#frames.push(frame);
      this.#bytes += frame.bytes;
      while (!this.isRecord && this.#isTooMuch(frame)) {
        this.#bytes -= this.#frames.shift().bytes;
      }
    }
  }

  #isTooMuch(newest) {
    return newest.at - this.#frames[0].at > kSpan || (this.#bytes > kMemory && this.#frames.length > 2);
  }

  /** The time of day of an instant, by the frame at or before it. */
  wallTime(at) {
    const frame = this.#recent.findLast((each) => each.at <= at) ?? this.#frames.findLast((each) => each.at <= at);
    return new Date(at + ((frame ?? this.newest)?.wallAhead ?? 0));
  }

  /** Shows the last frame at or before `at`; the newest without a later one. */
  lookAt(at) {
    const after = this.#frames.findIndex((frame) => frame.at > at);
    this.#chosen = after < 0 ? null : this.#frames[Math.max(0, after - 1)];
  }
  /** Moves so many frames forward, or back. */
  step(frames) {
    const here = this.#frames.findLastIndex((frame) => frame.at <= this.shown.at);
    this.#chosen = this.#frames[Math.max(0, here + frames)] ?? null;
  }
  goLive() {
    this.#chosen = null;
  }

  /** The shown state, with the events of the `span` ms before it. */
  state(span = kWindow) {
    const frame = this.shown;
    return frame ? stateAt(frame, this.#earlier(frame, span)) : null;
  }

  /** The frames of the `span` ms up to the shown one. */
  before(span) {
    const end = this.shown?.at ?? 0;
    return this.#frames.filter((frame) => frame.at <= end && frame.at > end - span);
  }

  #earlier(frame, span) {
    return [span, 3 * span, 10 * span].map((each) => this.#before(frame, each));
  }

  // The newest frame that is `span` older, or the oldest there is.
  #before(frame, span) {
    const isOld = (each) => each.at <= frame.at - span * 0.9;
    const old = [this.#frames.findLast(isOld), this.#recent.findLast(isOld)].filter((each) => each);
    if (old.length > 0) {
      return old.reduce((one, other) => (one.at > other.at ? one : other));
    }
    return [this.#frames[0], this.#recent[0]].find((each) => each && each.at < frame.at);
  }
}

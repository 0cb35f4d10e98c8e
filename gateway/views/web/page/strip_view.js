// SPDX-License-Identifier: Apache-2.0
// The last ten minutes, or all of a record, as a strip: how much was lost, what happened, and where one looks.

import { html, svg } from "/dom.js";
import { clockTime } from "/format.js";

const kSpan = 600_000; // ms
const kWidth = 1000;
const kHeight = 36;

export class StripView {
  #chart = svg("svg", { viewBox: `0 0 ${kWidth} ${kHeight}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  #slider = html("input", {
    type: "range",
    min: -kSpan,
    max: 0,
    step: 1000,
    value: 0,
    "aria-label": "Look back, seconds",
  });
  #now = html("button", { type: "button", id: "live" }, "Now");
  #time = html("output", {});
  #lookAt;

  constructor(panel, { lookAt, goLive, isRecord }) {
    this.#lookAt = lookAt;
    if (isRecord) {
      panel.setAttribute("aria-label", "The record");
      this.#slider.setAttribute("aria-label", "Position in the record");
      this.#slider.step = 1;
      this.#now.textContent = "End";
    }
    panel.append(html("div", { class: "track" }, this.#chart, this.#slider), this.#time, this.#now);
    this.#slider.addEventListener("input", () =>
      Number(this.#slider.value) === 0 ? goLive() : this.#lookAt(this.end + Number(this.#slider.value)),
    );
    this.#now.addEventListener("click", goLive);
  }

  show(timeline, events) {
    this.end = timeline.newest.at;
    const shown = timeline.shown.at;
    const first = timeline.frames[0]?.at ?? this.end;
    const span = timeline.isRecord ? Math.max(1, this.end - first) : kSpan;
    this.#slider.min = -span;
    const x = (at) => kWidth * (1 - (this.end - at) / span);
    const width = timeline.isRecord ? Math.max(2, (0.8 * kWidth) / timeline.frames.length) : 2;
    const bars = timeline.frames
      .filter((frame) => frame.state.loss > 0 || frame.error)
      .map((frame) => {
        const share = frame.error ? 1 : Math.sqrt(frame.state.loss);
        return svg("rect", {
          class: frame.error ? "gone" : "loss",
          x: x(frame.at) - width / 2,
          y: kHeight * (1 - share),
          width,
          height: kHeight * share,
        });
      });
    const marks = events
      .filter((each) => each.kind === "bad" || each.kind === "change")
      .map((each) => svg("rect", { class: each.kind, x: x(each.at) - 1, y: 0, width: 3, height: 7 }));
    this.#chart.replaceChildren(
      svg("rect", { class: "known", x: x(first), y: kHeight - 2, width: kWidth - x(first), height: 2 }),
      ...bars,
      ...marks,
      svg("rect", { class: "here", x: Math.min(x(shown), kWidth - 3), y: 0, width: 3, height: kHeight }),
    );
    if (document.activeElement !== this.#slider || timeline.isLive) {
      this.#slider.value = timeline.isLive ? 0 : shown - this.end;
    }
    const time = timeline.wallTime(shown).toLocaleTimeString();
    if (timeline.isRecord) {
      this.#time.textContent = `${time} (${clockTime((shown - first) / 1000)} of ${clockTime(span / 1000)})`;
    } else {
      this.#time.textContent = timeline.isLive ? "live" : `${time} (${Math.round((this.end - shown) / 1000)} s ago)`;
    }
    this.#now.disabled = timeline.isLive;
    document.body.classList.toggle("past", !timeline.isLive);
  }
}

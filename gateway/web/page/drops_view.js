// SPDX-License-Identifier: Apache-2.0
// What was dropped and why, over the last minutes: a stacked area, and numbers of the last ten seconds.

import { html, refill, say, svg } from "/dom.js";
import { count, percent } from "/format.js";

const kPast = 300_000; // ms
const kWidth = 400;
const kHeight = 110;
const kColours = 8; // of views.css

export class DropsView {
  #chart = svg("svg", {
    class: "areas",
    viewBox: `0 0 ${kWidth} ${kHeight}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": "Drops by cause over five minutes",
  });
  #most = html("span");
  #table = html("table", { class: "plain" });
  #colours = new Map(); // of reasons, in the order in which they came

  constructor(panel) {
    panel.append(
      this.#chart,
      html("p", { class: "axis" }, html("span", {}, "5 minutes ago"), this.#most, html("span", {}, "now")),
      this.#table,
    );
  }

  show(longer, world, timeline) {
    this.#draw(timeline.before(kPast), timeline.shown.at);
    const all = longer.out + longer.lost;
    const rows = Object.entries(longer.drops ?? {}).sort((one, other) => other[1] - one[1]);
    refill(this.#table, [rows, all], () => [
      html(
        "tbody",
        {},
        rows.length === 0
          ? html("tr", {}, html("td", {}, `none of ${count(all)} deliveries of the last ten seconds`))
          : rows.map(([name, value]) =>
              html(
                "tr",
                { title: world?.drop_reasons?.[name] },
                html("td", {}, html("span", { class: `key c${this.#colour(name)}` }), name.replaceAll("_", " ")),
                html("td", { class: "number" }, count(value)),
                html("td", { class: "number" }, percent(value / all)),
              ),
            ),
      ),
    ]);
  }

  #colour(name) {
    if (!this.#colours.has(name)) {
      this.#colours.set(name, this.#colours.size % kColours);
    }
    return this.#colours.get(name);
  }

  #draw(frames, end) {
    const names = new Set(frames.flatMap((frame) => Object.keys(frame.state.drops ?? {})));
    const most = Math.max(1, ...frames.map((frame) => frame.state.lost ?? 0));
    const x = (frame) => (kWidth * (1 - (end - frame.at) / kPast)).toFixed(1);
    const y = (value) => (kHeight - (value / most) * (kHeight - 4)).toFixed(1);
    const below = new Map(frames.map((frame) => [frame, 0]));
    const areas = [...names].map((name) => {
      const lower = frames.map((frame) => `${x(frame)},${y(below.get(frame))}`).reverse();
      const upper = frames.map((frame) => {
        below.set(frame, below.get(frame) + (frame.state.drops?.[name] ?? 0));
        return `${x(frame)},${y(below.get(frame))}`;
      });
      return svg(
        "polygon",
        { class: `c${this.#colour(name)}`, points: [...upper, ...lower].join(" ") },
        svg("title", {}, name),
      );
    });
    this.#chart.replaceChildren(...areas);
    say(this.#most, `at most ${count(most)} a second`);
  }
}

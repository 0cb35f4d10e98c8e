// SPDX-License-Identifier: Apache-2.0
// What was dropped and why, over the last minutes or all of a record: a stacked area, and numbers of the last ten seconds.

import { html, refill, say, svg } from "/dom.js";
import { count, percent, spanText } from "/format.js";

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
  #begin = html("span", {}, "5 minutes ago");
  #most = html("span");
  #end = html("span", {}, "now");
  #table = html("table", { class: "plain" });
  #colours = new Map(); // of reasons, in the order in which they came

  constructor(panel) {
    panel.append(
      this.#chart,
      html("p", { class: "axis" }, this.#begin, this.#most, this.#end),
      this.#table,
    );
  }

  show(longer, world, timeline) {
    if (timeline.isRecord) {
      const [first, last] = [timeline.frames[0].at, timeline.newest.at];
      this.#draw(timeline.frames, [first, Math.max(first + 1, last)], timeline.shown.at);
      say(this.#begin, "begin of the record");
      say(this.#end, "its end");
    } else {
      this.#draw(timeline.before(kPast), [timeline.shown.at - kPast, timeline.shown.at]);
    }
    const all = longer.out + longer.lost;
    const rows = Object.entries(longer.drops ?? {}).sort((one, other) => other[1] - one[1]);
    refill(this.#table, [rows, all], () => [
      html(
        "tbody",
        {},
        rows.length === 0
          ? html("tr", {}, html("td", {}, `none of ${count(all)} deliveries of the last ${spanText(longer.seconds)}`))
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

  // `here` is where one looks, if that is not the end.
  #draw(frames, [begin, end], here) {
    const names = new Set(frames.flatMap((frame) => Object.keys(frame.state.drops ?? {})));
    const rate = (frame, drops) => (drops ?? 0) / Math.max(1, frame.state.seconds ?? 1);
    const most = frames.reduce((sum, frame) => Math.max(sum, rate(frame, frame.state.lost)), 1);
    const place = (at) => ((kWidth * (at - begin)) / (end - begin)).toFixed(1);
    const x = (frame) => place(frame.at);
    const y = (value) => (kHeight - (value / most) * (kHeight - 4)).toFixed(1);
    const below = new Map(frames.map((frame) => [frame, 0]));
    const areas = [...names].map((name) => {
      const lower = frames.map((frame) => `${x(frame)},${y(below.get(frame))}`).reverse();
      const upper = frames.map((frame) => {
        below.set(frame, below.get(frame) + rate(frame, frame.state.drops?.[name]));
        return `${x(frame)},${y(below.get(frame))}`;
      });
      return svg(
        "polygon",
        { class: `c${this.#colour(name)}`, points: [...upper, ...lower].join(" ") },
        svg("title", {}, name),
      );
    });
    const line = here && svg("line", { class: "here", x1: place(here), x2: place(here), y1: 0, y2: kHeight });
    this.#chart.replaceChildren(...areas, ...(line ? [line] : []));
    say(this.#most, `at most ${count(most)} a second`);
  }
}

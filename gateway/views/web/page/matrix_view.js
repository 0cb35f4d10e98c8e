// SPDX-License-Identifier: Apache-2.0
// Every link in a table: senders down, receivers across. Of many robots a list of the foremost links.

import { html, refill, say, sparkline } from "/dom.js";
import { bitRate, count, decibels, micros, percent } from "/format.js";
import { foremostLinks, grade, linkKey } from "/run_state.js";

const kSparkline = 120_000; // ms
const kMostSparklines = 8; // robots; more have no room for them
const kMostInTable = 64; // robots; a table of a thousand would have a million cells
const kMostListed = 200; // links

const kMeasures = {
  loss: { text: "Loss", of: (link) => percent(link.loss), value: (link) => link.loss, limits: [0, 1] },
  snr: {
    text: "SNR",
    of: (link) => (link.rssi_dbm === 0 ? "–" : decibels(link.snr_db)),
    value: (link) => Math.max(-10, link.snr_db),
    limits: [0, 40],
  },
  rate: {
    text: "Rate",
    of: (link) => bitRate(link.rate_mbps > 0 ? link.rate_mbps * 1e6 : undefined),
    value: (link) => link.rate_mbps,
    limits: [0, 1],
  },
  goodput: {
    text: "Throughput",
    of: (link) => bitRate(link.goodput),
    value: (link) => link.goodput,
    limits: [0, 1000],
  },
  delay: { text: "Delay", of: (link) => micros(link.delay_us), value: (link) => link.delay_us, limits: [0, 1] },
  met: {
    text: "Measured delay",
    of: (link) => micros(link.measured_delay_us),
    value: (link) => link.measured_delay_us,
    limits: [0, 1],
  },
  queue: { text: "Queue", of: (link) => count(link.queue), value: (link) => link.queue, limits: [0, 1] },
};

export class MatrixView {
  #choose;
  #measure = "loss";
  #buttons = new Map();
  #table = html("table", { class: "matrix" });
  #scroll = html("div", { class: "scroll" }, this.#table);
  #note = html("p", { class: "note" });
  #media = html("div", { class: "media" });
  #cells = new Map();

  constructor(panel, choose) {
    this.#choose = choose;
    const choices = Object.entries(kMeasures).map(([name, { text }]) => {
      const button = html("button", { type: "button", "data-measure": name, onclick: () => this.#pick(name) }, text);
      this.#buttons.set(name, button);
      return button;
    });
    panel.append(
      html("div", { class: "choices", role: "group", "aria-label": "What the table shows" }, choices),
      this.#scroll,
      this.#note,
      this.#media,
    );
    this.#pick("loss");
  }

  #pick(name) {
    this.#measure = name;
    for (const [each, button] of this.#buttons) {
      button.setAttribute("aria-pressed", String(each === name));
    }
    if (this.last) {
      this.show(...this.last);
    }
  }

  show(state, timeline, chosen) {
    this.last = [state, timeline, chosen];
    const names = state.robots.map((robot) => robot.name);
    const isTable = names.length <= kMostInTable;
    const { links, said } = isTable ? { links: [], said: "" } : foremostLinks(state, chosen, kMostListed);
    const shown = (isTable ? names : links.map((link) => link.key)).join();
    if (shown !== this.shown) {
      this.shown = shown;
      this.#cells.clear();
      this.#scroll.classList.toggle("tall", !isTable);
      if (isTable) {
        this.#build(names, state);
      } else {
        this.#list(links, state);
      }
    }
    say(this.#note, said);
    const past = timeline.before(kSparkline);
    for (const [key, cell] of this.#cells) {
      this.#update(cell, state.links.get(key), past, key === chosen);
    }
    refill(
      this.#media,
      (state.status?.media ?? []).map((each) => [each.domain, each.utilisation_last_s.toFixed(2)]),
      () => (state.status?.media ?? []).map((medium) => this.#medium(medium)),
    );
  }

  #list(links, state) {
    const rows = links.map(({ key, from, to }) =>
      html("tr", {}, html("th", { scope: "row" }, key), this.#cell(from, to, state, kMostInTable)),
    );
    this.#table.classList.remove("many");
    this.#table.replaceChildren(html("tbody", {}, rows));
  }

  #build(names, state) {
    const head = html(
      "tr",
      {},
      html("th", { scope: "col", class: "corner" }, "from ↓ to →"),
      names.map((name) => html("th", { scope: "col" }, name)),
    );
    const rows = names.map((from) =>
      html(
        "tr",
        {},
        html("th", { scope: "row" }, from),
        names.map((to) => this.#cell(from, to, state, names.length)),
      ),
    );
    this.#table.classList.toggle("many", names.length > kMostSparklines);
    this.#table.replaceChildren(html("thead", {}, head), html("tbody", {}, rows));
  }

  #cell(from, to, state, robots) {
    const key = linkKey(from, to);
    if (!state.links.has(key)) {
      return html("td", { class: "empty" });
    }
    const value = html("b");
    const detail = html("small");
    const line = robots <= kMostSparklines ? sparkline(90, 20, [0, 1], `${key}, last two minutes`) : null;
    const button = html(
      "button",
      { type: "button", "data-link": key, onclick: () => this.#choose(key) },
      value,
      detail,
      line,
    );
    this.#cells.set(key, { button, value, detail, line });
    return html("td", {}, button);
  }

  #update(cell, link, past, isChosen) {
    if (!link) {
      return;
    }
    const measure = kMeasures[this.#measure];
    const sight = link.heardOnly
      ? "heard only"
      : !link.reachable
        ? "out of reach"
        : link.line_of_sight
          ? ""
          : "no sight";
    cell.button.className = `q${grade(link.loss)} ${isChosen ? "chosen" : ""} ${link.busy ? "" : "quiet"}`;
    say(cell.value, measure.of(link));
    say(cell.detail, sight || (this.#measure === "loss" ? kMeasures.snr.of(link) : percent(link.loss)));
    cell.line?.update(
      past.map((frame) => {
        const then = frame.state.links.get(link.key);
        return then && measure.value(then);
      }),
    );
  }

  #medium(medium) {
    const use = medium.utilisation_last_s;
    return html(
      "div",
      { class: "medium" },
      html("span", {}, `${medium.domain} (${medium.access})`),
      html("meter", { min: 0, max: 1, high: 0.8, value: use.toFixed(3) }),
      html("span", { class: "number" }, `air ${percent(use)}`),
    );
  }
}

// SPDX-License-Identifier: Apache-2.0
// One link in detail: what arrives, why not all of it, what it is like, and how that changed.

import { html, refill, say, sparkline } from "/dom.js";
import { bitRate, count, decibels, micros, number, percent, spanText } from "/format.js";
import { captureLink } from "/gateway_api.js";
import { grade, linkKey } from "/run_state.js";

// What can be done with the chosen link.

const kCapture = 10; // s

const button = (attributes, text, onclick) => html("button", { type: "button", ...attributes, onclick }, text);

function save(blob, name) {
  const address = URL.createObjectURL(blob);
  html("a", { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}

/** `ends()` are the names of the link's robots; `choose` and `change` are of main.js. */
function linkActions({ ends, choose, change }) {
  const answer = html("p", { class: "answer bad", role: "status" });
  const capture = button(
    { class: "change", "data-do": "capture", title: "Every frame of the link with what became of it, for Wireshark" },
    `Capture ${kCapture} s`,
    async () => {
      const [from, to] = ends();
      capture.disabled = true;
      say(answer, "");
      try {
        save(await captureLink(from, to, kCapture), `${from}-${to}.pcapng`);
      } catch (error) {
        say(answer, error.message);
      } finally {
        capture.disabled = false;
      }
    },
  );
  const setter = (text, value) =>
    button({ class: "change" }, text, () => change([`links.${ends().join(".")}.${value}`]));
  return [
    html(
      "p",
      { class: "choices" },
      button({ title: "The other direction (x)" }, "⇄ other direction", () => choose(ends().toReversed())),
      setter("Cut it", "loss=100 %"),
      setter("Delay by 50 ms", "delay=50ms"),
      capture,
    ),
    answer,
  ];
}

const kPast = 300_000; // ms
const kFullFrame = 1514; // bytes
const kCharts = [
  { text: "Loss", limits: [0, 1], of: (link) => link.loss, now: (link) => percent(link.loss) },
  { text: "SNR", limits: [0, 30], of: (link) => Math.max(-10, link.snr_db), now: (link) => decibels(link.snr_db) },
  { text: "Throughput", limits: [0, 1000], of: (link) => link.goodput, now: (link) => bitRate(link.goodput) },
  { text: "Failed tries per frame", limits: [0, 1], of: (link) => link.tries, now: (link) => number(link.tries) },
];

/** The parts of a full frame's delay on an idle air, by the link's state: [name, us]. */
export function delayParts(link) {
  const once = link.rate_mbps > 0 ? (kFullFrame * 8) / link.rate_mbps : 0;
  const tries = Math.min(7, 1 / (1 - link.frame_loss));
  return [
    ["way and access", link.delay_us],
    ["on the air", once],
    ["repeated", once * Math.max(0, tries - 1)],
  ];
}

function configured(link) {
  const parts = [
    link.configured_delay_us !== undefined && micros(link.configured_delay_us),
    link.configured_rate_mbps !== undefined && bitRate(link.configured_rate_mbps * 1e6),
    link.configured_loss !== undefined && `${percent(link.configured_loss)} lost`,
  ];
  return parts.filter(Boolean).join(", ") || "nothing";
}

export class LinkView {
  #title;
  #sentence = html("p", { class: "sentence" });
  #reasons = html("ul", { class: "reasons" });
  #dropsOf = html("h3");
  #drops = html("div", { class: "bars" });
  #delay = html("div", { class: "bars" });
  #facts = html("dl", { class: "facts" });
  #charts = kCharts.map((chart) => ({
    ...chart,
    value: html("b"),
    line: sparkline(220, 44, chart.limits, chart.text),
  }));

  constructor(panel, { choose, change }) {
    this.#title = panel.querySelector("h2");
    const actions = linkActions({ ends: () => this.ends, choose: ([from, to]) => choose(linkKey(from, to)), change });
    panel.append(
      html(
        "div",
        { class: "columns" },
        html("div", {}, this.#sentence, this.#reasons, actions),
        html(
          "div",
          {},
          this.#dropsOf,
          this.#drops,
          html("h3", {}, "Delay of a full frame while no other robot sends, computed"),
          this.#delay,
        ),
        html("div", {}, this.#facts),
        html(
          "div",
          { class: "charts" },
          this.#charts.map((chart) =>
            html("figure", {}, html("figcaption", {}, `${chart.text} `, chart.value), chart.line),
          ),
        ),
      ),
    );
  }

  get other() {
    return linkKey(this.ends[1], this.ends[0]);
  }

  /** `state` is of the last second, `longer` of the last ten. */
  show(state, longer, world, timeline, chosen) {
    const link = state.links.get(chosen);
    const past = longer.links.get(chosen);
    if (!link) {
      return say(this.#title, "Link");
    }
    this.ends = [link.from, link.to];
    say(this.#title, `Link ${chosen}`);
    this.#sentence.className = `sentence q${grade(link.loss)}`;
    const span = spanText(longer.seconds);
    say(this.#sentence, this.#summary(link, past, span));
    say(this.#dropsOf, `Drops of the last ${span}`);
    const reasons = link.reasons?.length > 0 ? link.reasons : ["Nothing is wrong with this link."];
    refill(this.#reasons, reasons, () => reasons.map((each) => html("li", {}, each)));
    this.#showDrops(past, world);
    this.#showDelay(link);
    this.#showFacts(link);
    const frames = timeline.before(kPast);
    for (const chart of this.#charts) {
      say(chart.value, chart.now(link));
      chart.line.update(frames.map((frame) => frame.state.links.get(chosen)).map((then) => then && chart.of(then)));
    }
  }

  #summary(link, past, span) {
    if (past.decided === 0) {
      return link.busy
        ? `Frames are on their way; none of the last ${span} has an end yet.`
        : `No frames in the last ${span}. One sent now would be lost with ${percent(link.loss)}.`;
    }
    return `${percent(past.arrived / past.decided)} of ${count(past.decided)} frames of the last ${span} arrived.`;
  }

  #showDrops(link, world) {
    const drops = Object.entries(link.drops).sort((one, other) => other[1] - one[1]);
    refill(this.#drops, drops, () =>
      drops.length === 0
        ? [html("p", { class: "note" }, "none")]
        : drops.map(([name, value]) =>
            bar(
              name,
              value / link.decided,
              `${percent(value / link.decided)} · ${count(value)}`,
              world?.drop_reasons?.[name],
            ),
          ),
    );
  }

  #showDelay(link) {
    const parts = link.decodable ? delayParts(link) : [];
    const sum = parts.reduce((all, [, us]) => all + us, 0);
    refill(
      this.#delay,
      parts.map((each) => Math.round(each[1])),
      () =>
        sum === 0
          ? [html("p", { class: "note" }, link.decodable ? "none" : "no full frame arrives")]
          : parts.map(([name, us]) => bar(name, us / sum, micros(us))),
    );
  }

  #showFacts(link) {
    const facts = [
      ["SNR", link.rssi_dbm === 0 ? "no radio" : decibels(link.snr_db)],
      ["received power", link.rssi_dbm === 0 ? "–" : number(link.rssi_dbm, "dBm")],
      ...(link.via ? [["over", link.via.join(", ")]] : []),
      ["rate", bitRate(link.rate_mbps > 0 ? link.rate_mbps * 1e6 : undefined)],
      ["lost of a try", percent(link.frame_loss)],
      ["throughput", bitRate(link.goodput)],
      ["failed tries per frame", number(link.tries)],
      ["delay of the link", micros(link.delay_us)],
      ["measured delay", micros(link.measured_delay_us)],
      ["configured", configured(link)],
      ["queue of the rate, waiting", `${count(link.queue)}, ${count(link.waiting)}`],
      ["damaged, duplicated", `${count(link.damaged)}, ${count(link.duplicated)}`],
      ["since the start", `${count(link.released)} of ${count(link.in)} arrived`],
    ];
    refill(this.#facts, facts, () => facts.map(([name, value]) => [html("dt", {}, name), html("dd", {}, value)]));
  }
}

/** A row with a bar as long as `share`. */
export function bar(name, share, text, explanation) {
  const fill = html("span", { class: "fill" });
  fill.style.width = `${Math.min(100, share * 100)}%`;
  return html(
    "div",
    { class: "row", title: explanation },
    html("span", { class: "name" }, name.replaceAll("_", " ")),
    html("span", { class: "bar" }, fill),
    html("span", { class: "number" }, text),
    explanation && html("small", {}, explanation),
  );
}

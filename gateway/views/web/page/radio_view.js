// SPDX-License-Identifier: Apache-2.0
// What would be: a radio of the run at another distance, behind a wall; and where the values of its profile come from.

import { html, refill, say, svg } from "/dom.js";
import { bitRate, decibels, number, percent } from "/format.js";
import { askRadio } from "/gateway_api.js";
import { grade } from "/run_state.js";

/** Metres between two robots; undefined when unknown. */
function distance(state, from, to) {
  const place = (name) => state.robots.find((robot) => robot.name === name)?.position;
  const [a, b] = [place(from), place(to)];
  return a && b ? Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]) : undefined;
}

const kWidth = 400;
const kHeight = 130;
const kFarthest = 5; // decades of metres that the slider spans
const kPause = 150; // ms, until dragging has stopped

const labelled = (text, input) => html("label", {}, html("span", {}, text), input);

export class RadioView {
  #profile = html("select", { name: "profile" });
  #distance = html("input", { type: "range", min: 0, max: kFarthest, step: 0.01, value: 2, name: "distance" });
  #metres = html("output");
  #wall = html("select", { name: "wall" });
  #here = html("button", { type: "button" }, "As the link is now");
  #sentence = html("p", { class: "sentence" });
  #facts = html("dl", { class: "facts" });
  #curve = svg("svg", {
    class: "areas",
    viewBox: `0 0 ${kWidth} ${kHeight}`,
    preserveAspectRatio: "none",
    role: "img",
  });
  #ends = html("p", { class: "axis" });
  #sources = html("table", { class: "plain" });
  #link = null; // {profile, metres, heights}
  #waiting = null;

  constructor(panel) {
    for (const input of [this.#profile, this.#distance, this.#wall]) {
      input.addEventListener("input", () => this.#askSoon());
    }
    this.#here.addEventListener("click", () => this.#take());
    const form = [labelled("profile", this.#profile), labelled("distance", this.#distance), this.#metres];
    panel.append(
      html(
        "div",
        { class: "columns three" },
        html(
          "div",
          {},
          html("div", { class: "question" }, form, labelled("behind", this.#wall), this.#here),
          this.#sentence,
          this.#facts,
        ),
        html("div", {}, html("h3", {}, "Loss of one try of a full frame over distance"), this.#curve, this.#ends),
        html("div", {}, html("h3", {}, "Where the values come from"), html("div", { class: "tall" }, this.#sources)),
      ),
    );
  }

  show(state, world, chosen) {
    const robots = (world?.robots ?? []).filter((robot) => robot.radio);
    const radios = [...new Set(robots.map((robot) => robot.radio))];
    refill(this.#profile, radios, () => radios.map((name) => html("option", { value: name }, name)));
    const walls = world?.materials ?? [];
    refill(this.#wall, walls, () => [
      html("option", { value: "" }, "nothing"),
      ...walls.map((name) => html("option", { value: `${name}:20cm` }, `20 cm of ${name.replaceAll("_", " ")}`)),
    ]);
    const [from, to] = chosen.split(" → ");
    const height = (name) => state.robots.find((robot) => robot.name === name)?.position?.[2];
    const isFirst = this.#link === null;
    this.#link = {
      profile: robots.find((robot) => robot.name === from)?.radio,
      metres: distance(state, from, to),
      heights: [height(from) ?? 10, height(to) ?? 10],
    };
    if (isFirst || (radios.length > 0 && !this.asked)) {
      this.#take();
    }
  }

  #take() {
    const { profile, metres } = this.#link;
    if (profile) {
      this.#profile.value = profile;
      this.#distance.value = Math.log10(Math.max(1, metres ?? 100));
      this.#askSoon();
    }
  }

  #askSoon() {
    say(this.#metres, number(10 ** Number(this.#distance.value), "m"));
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => this.#ask(), kPause);
  }

  async #ask() {
    this.asked = {
      profile: this.#profile.value,
      distance_m: 10 ** Number(this.#distance.value),
      heights_m: this.#link.heights,
      walls: this.#wall.value ? [this.#wall.value] : [],
    };
    try {
      this.#answer(await askRadio(this.asked));
    } catch (error) {
      say(this.#sentence, error.message);
    }
  }

  #answer({ profile, link, range }) {
    const loss = link.reachable ? link.frame_error_rate : 1;
    this.#sentence.className = `sentence q${grade(loss)}`;
    say(
      this.#sentence,
      link.reachable
        ? `${percent(link.frame_error_rate)} of tries would be lost, ${percent(1 - link.delivery)} of frames.`
        : "Out of range.",
    );
    const facts = [
      ["SNR", decibels(link.snr_db)],
      ["received power", number(link.rssi_dbm, "dBm")],
      ["lost on the way, in walls", `${number(link.path_loss_db, "dB")}, ${number(link.wall_loss_db, "dB")}`],
      ["mode", link.reachable ? `${link.mode}, ${bitRate(link.rate_bps)}` : "–"],
      ["alone on the air", link.reachable ? bitRate(link.goodput_bps) : "–"],
      ["mean values", "no shadowing, no fading"],
    ];
    refill(this.#facts, facts, () => facts.map(([name, value]) => [html("dt", {}, name), html("dd", {}, value)]));
    this.#draw(range, link.distance_m);
    const sources = profile.provenance;
    refill(this.#sources, sources, () => [
      html(
        "tbody",
        {},
        sources.map(({ key, tag, source, effect }) =>
          html(
            "tr",
            {},
            html("td", {}, key),
            html("td", { class: tag === "unverified" ? "bad" : "" }, tag),
            html("td", {}, effect ? `${source}; effect: ${effect}` : source),
          ),
        ),
      ),
    ]);
  }

  #draw({ distance_m: metres, error_rate: rates }, here) {
    const [low, high] = [Math.log10(metres[0]), Math.log10(metres.at(-1))];
    const x = (value) => ((kWidth * (Math.log10(value) - low)) / (high - low)).toFixed(1);
    const y = (value) => (kHeight - 2 - value * (kHeight - 4)).toFixed(1);
    const path = (curve) => `M${curve.map((value, index) => `${x(metres[index])} ${y(value)}`).join("L")}`;
    this.#curve.replaceChildren(
      ...Object.entries(rates).map(([name, curve]) =>
        svg("path", { class: `curve ${name}`, d: path(curve) }, svg("title", {}, name)),
      ),
      svg("line", { class: "here", x1: x(here), x2: x(here), y1: 0, y2: kHeight }),
    );
    refill(this.#ends, [metres[0], metres.at(-1)], () => [
      html("span", {}, number(metres[0], "m")),
      html("span", {}, number(Math.round(metres.at(-1)), "m")),
    ]);
  }
}

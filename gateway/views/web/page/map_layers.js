// SPDX-License-Identifier: Apache-2.0
// What a map shows below its links, and which of it: the ground, coverage of a radio, and whatever can be switched off.

import { html, svg } from "/dom.js";
import { MapTiles } from "/map_tiles.js";

const kKey = "hilgate-layers";
const kNames = {
  ground: "Map tiles",
  terrain: "Terrain",
  buildings: "Buildings",
  plan: "Image of the plan",
  floor: "Floor plan",
  tracks: "Waypoints",
  trails: "Trails",
  links: "Links",
};
const kSide = 80; // cells of a coverage along its longer side
const kHeight = 1; // m above ground, of the receiver
const kPatience = 1000; // ms from one question to the next
// As `hilgate map` grades them (gateway/views/map/scene_picture.cc).
const kGrades = [
  [30, "#1a7f37", "≥ 30 dB"],
  [20, "#5aae4f", "20–30"],
  [15, "#a6d96a", "15–20"],
  [10, "#fee08b", "10–15"],
  [5, "#f4955a", "5–10"],
  [-Infinity, "#d73027", "< 5 dB"],
];
const kSlopes = 0.35; // of the brightness, from the steepness

/** A picture of `columns` x `rows`, whose cells from the south `colour(index)` gives as [red, green, blue, opacity]. */
function raster(columns, rows, colour) {
  const canvas = html("canvas", { width: columns, height: rows });
  const context = canvas.getContext("2d");
  const image = context.createImageData(columns, rows);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      image.data.set(colour(row * columns + column), 4 * ((rows - 1 - row) * columns + column));
    }
  }
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}

const bytesOf = (colour) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

// Low ground is green, high ground brown; slopes to the north-west are lit.
function terrainPicture({ columns, rows, step_m: step, heights_m: heights }, [low, high]) {
  const at = (column, row) => heights[Math.min(rows - 1, row) * columns + Math.min(columns - 1, column)];
  return raster(columns, rows, (index) => {
    const [column, row] = [index % columns, Math.floor(index / columns)];
    const height = heights[index];
    const east = (at(column + 1, row) - height) / step;
    const north = (at(column, row + 1) - height) / step;
    const light = Math.max(0.45, Math.min(1.25, 1 + kSlopes * 3 * (east - north)));
    const share = high > low ? (height - low) / (high - low) : 0;
    const colour = [110 + 90 * share, 150 + 10 * share, 100 + 20 * share];
    return [...colour.map((each) => Math.min(255, each * light)), 150];
  });
}

const coveragePicture = ({ columns, rows, snr_db: snr }) =>
  raster(columns, rows, (index) => {
    const value = snr[index];
    return value === null ? [140, 140, 140, 60] : [...bytesOf(kGrades.find(([least]) => value >= least)[1]), 150];
  });

export class MapLayers {
  #off = new Set((localStorage.getItem(kKey) ?? "").split(",").filter(Boolean));
  #redraw;
  #ask;
  #ground;
  #boxes = new Map();
  #from = html("select", { name: "coverage", "aria-label": "Coverage of" }, html("option", { value: "" }, "no radio"));
  #legend = html("p", { class: "legend layers" });
  #terrain = null; // {of, href, low, high}
  #coverage = null; // {key, picture, answer}
  #asked = { key: "", at: 0 };
  #plan = null; // of gateway_api.js
  #planFault = "";
  #fault = "";
  #mayAsk = false;

  /**
   * `askCoverage(question)` is for the coverage of a radio (docs/reference/control.md), `ground` of MapTiles, `plan` a
   * promise of gateway_api.js; an absent one is not offered.
   */
  constructor(redraw, { askCoverage, ground, plan }) {
    this.#redraw = redraw;
    this.#ask = askCoverage;
    this.#ground = ground && new MapTiles(redraw, ground);
    plan
      ?.then((found) => (this.#plan = found))
      .catch((error) => (this.#planFault = error.message))
      .finally(redraw);
    for (const name of Object.keys(kNames)) {
      const box = html("input", { type: "checkbox", name, checked: !this.#off.has(name) });
      box.addEventListener("change", () => this.#switch(name, box.checked));
      this.#boxes.set(name, html("label", { hidden: true }, box, kNames[name]));
    }
    this.#from.addEventListener("change", () => {
      this.#coverage = null;
      this.#fault = "";
      this.#asked = { key: "", at: 0 };
      this.#redraw();
    });
    this.coverageOf = html("label", { hidden: true }, "Coverage of ", this.#from);
    this.element = html("div", {}, html("p", { class: "legend layers" }, ...this.#boxes.values(), this.coverageOf), this.#legend);
  }

  allow(mayAsk) {
    this.#mayAsk = mayAsk;
  }

  isOn(name) {
    return !this.#off.has(name);
  }

  #switch(name, isOn) {
    this.#off[isOn ? "delete" : "add"](name);
    localStorage.setItem(kKey, [...this.#off].join());
    this.#redraw();
  }

  /** `radios`: [{name, position}] that may be chosen; `points`: what the map shows; `isLive`: it is not of the past. */
  show({ world, radios, points, isLive, hasLinks }) {
    this.#ground?.place(world?.origin);
    const there = {
      ground: this.#ground?.isPlaced,
      terrain: world?.terrain,
      buildings: world?.buildings?.length > 0,
      plan: this.#plan,
      floor: world?.floors?.length > 0,
      tracks: world?.robots?.some((robot) => robot.track?.length > 1),
      trails: hasLinks,
      links: hasLinks,
    };
    for (const [name, label] of this.#boxes) {
      label.hidden = !there[name];
    }
    this.coverageOf.hidden = !(this.#ask && this.#mayAsk && isLive && radios.length > 0);
    const names = ["", ...radios.map((each) => each.name)];
    if (names.join() !== [...this.#from.options].map((each) => each.value).join()) {
      const chosen = this.#from.value;
      this.#from.replaceChildren(...names.map((name) => html("option", { value: name }, name || "no radio")));
      this.#from.value = names.includes(chosen) ? chosen : "";
    }
    this.#look(world?.terrain);
    if (!this.coverageOf.hidden) {
      this.#question(world, radios.find((each) => each.name === this.#from.value), points);
    } else if (!isLive) {
      this.#coverage = null;
    }
    this.#say();
  }

  #look(terrain) {
    if (terrain && this.#terrain?.of !== terrain) {
      const low = terrain.heights_m.reduce((one, other) => Math.min(one, other), Infinity);
      const high = terrain.heights_m.reduce((one, other) => Math.max(one, other), -Infinity);
      this.#terrain = { of: terrain, low, high, href: terrainPicture(terrain, [low, high]) };
    } else if (!terrain) {
      this.#terrain = null;
    }
  }

  // Asks again when the radio is elsewhere, or what is in its way; the gateway then ends the question before.
  #question(world, radio, points) {
    if (!radio?.position) {
      this.#coverage = null;
      return;
    }
    const key = JSON.stringify([radio.name, radio.position.map((each) => each.toFixed(1)), world?.obstacles]);
    const now = performance.now();
    if (key === this.#asked.key || now - this.#asked.at < kPatience) {
      return;
    }
    this.#asked = { key, at: now };
    this.#ask({ from: radio.name, position_m: radio.position, height_m: kHeight, ...this.#grid(points) })
      .then((answer) => {
        if (this.#asked.key === key) {
          this.#coverage = { answer, href: coveragePicture(answer) };
          this.#fault = "";
        }
      })
      .catch((error) => {
        if (this.#asked.key === key) {
          this.#coverage = null;
          this.#fault = error.message;
        }
      })
      .finally(() => this.#redraw());
  }

  #grid(points) {
    const range = (axis) => {
      const all = points.map((point) => point[axis]);
      return [Math.min(...all), Math.max(...all)];
    };
    const [[west, east], [south, north]] = [range(0), range(1)];
    const margin = Math.max(10, 0.1 * Math.max(east - west, north - south));
    const [width, height] = [east - west + 2 * margin, north - south + 2 * margin];
    const cell = Math.max(width, height) / kSide;
    return {
      west_m: west - margin,
      south_m: south - margin,
      cell_m: cell,
      columns: Math.max(1, Math.floor(width / cell)),
      rows: Math.max(1, Math.floor(height / cell)),
    };
  }

  #say() {
    const parts = [];
    if (this.#ground?.said && this.isOn("ground")) {
      parts.push(html("span", {}, this.#ground.said));
    }
    if (this.#terrain && this.isOn("terrain")) {
      const [low, high] = [this.#terrain.low, this.#terrain.high].map((each) => each.toFixed(0));
      parts.push(html("span", { class: "ramp" }, `ground ${low} to ${high} m above the origin, lit from the north-west`));
    }
    if (this.#coverage) {
      const { from, radio, height_m: height, cell_m: cell } = this.#coverage.answer;
      parts.push(html("span", {}, `SNR of ${from} (${radio}), ${height} m above ground, cells of ${cell.toFixed(1)} m:`));
      parts.push(
        ...kGrades.map(([, colour, text], index) => html("span", { class: `swatch g${index}` }, text)),
        html("span", { class: "swatch g6" }, "out of reach"),
      );
    }
    if (this.#planFault) {
      parts.push(html("span", { class: "bad" }, `no image of the plan: ${this.#planFault}`));
    }
    if (this.#fault) {
      parts.push(html("span", { class: "bad" }, `no coverage: ${this.#fault}`));
    }
    this.#legend.replaceChildren(...parts);
  }

  #picture(href, { west_m: west, south_m: south, columns, rows }, cell, plan, name) {
    const [x, y] = plan.at([west, south + rows * cell]);
    return svg("image", {
      class: `layer ${name}`,
      href,
      x,
      y,
      width: columns * cell * plan.scale,
      height: rows * cell * plan.scale,
      preserveAspectRatio: "none",
    });
  }

  #planPicture(plan) {
    const { origin_m: corner, width_m: width, height_m: height, rotation_deg: turn, href } = this.#plan;
    const [x, y] = plan.at(corner);
    return svg("image", {
      class: "layer plan",
      href,
      x,
      y: y - height * plan.scale,
      width: width * plan.scale,
      height: height * plan.scale,
      preserveAspectRatio: "none",
      transform: `rotate(${-turn} ${x} ${y})`, // north is up on the map, and down is positive in SVG
    });
  }

  /** What should be on the map besides what runs: corners of the plan's image, metres. */
  corners() {
    if (!this.#plan || !this.isOn("plan")) {
      return [];
    }
    const { origin_m: corner, width_m: width, height_m: height, rotation_deg: turn } = this.#plan;
    const [cos, sin] = [Math.cos, Math.sin].map((part) => part((turn * Math.PI) / 180));
    const along = ([right, up]) => [corner[0] + right * cos - up * sin, corner[1] + right * sin + up * cos];
    return [[0, 0], [width, 0], [0, height], [width, height]].map(along);
  }

  /** Elements for below everything else. */
  pictures(plan, size) {
    const found = this.isOn("ground") ? (this.#ground?.pictures(plan, size) ?? []) : [];
    if (this.#terrain && this.isOn("terrain")) {
      const { of, href } = this.#terrain;
      const half = of.step_m / 2; // posts are in the middle of their cells
      const grid = { ...of, west_m: of.west_m - half, south_m: of.south_m - half };
      found.push(this.#picture(href, grid, of.step_m, plan, "terrain"));
    }
    if (this.#plan && this.isOn("plan")) {
      found.push(this.#planPicture(plan));
    }
    if (this.#coverage) {
      const { answer, href } = this.#coverage;
      found.push(this.#picture(href, answer, answer.cell_m, plan, "coverage"));
    }
    return found;
  }
}

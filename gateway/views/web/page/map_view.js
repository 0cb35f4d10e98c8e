// SPDX-License-Identifier: Apache-2.0
// The world from above: obstacles, waypoints, robots with where they were, links by what they lose.

import { html, say, svg } from "/dom.js";
import { percent } from "/format.js";
import { Labels } from "/labels.js";
import { MapDrag } from "/map_drag.js";
import { MapLayers } from "/map_layers.js";
import { placedThings } from "/placed_things.js";
import { bodiesOf, foremostLinks, grade, lanesOf } from "/run_state.js";

const kMargin = 34;
const kTrail = 60_000; // ms
const kLaneOffset = 4; // px between the two directions of a pair
const kMany = 12; // robots, from which links without traffic and out of reach are left out
const kCrowd = 100; // robots, from which they have neither names nor trails
const kMostLinks = 400;

const isPoint = (point) => Array.isArray(point) && point.every(Number.isFinite);

/** From metres to pixels: north is up, and all of `points` is visible. */
function projection(points, width, height) {
  const xs = points.map((point) => point[0]);
  const ys = points.map((point) => point[1]);
  const low = [Math.min(...xs), Math.min(...ys)];
  const span = [Math.max(...xs) - low[0], Math.max(...ys) - low[1]];
  const least = 10; // metres, for robots at one position
  const scale = Math.min(
    (width - 2 * kMargin) / Math.max(span[0], least),
    (height - 2 * kMargin) / Math.max(span[1], least),
  );
  const left = (width - span[0] * scale) / 2;
  const bottom = (height + span[1] * scale) / 2;
  return {
    scale,
    at: ([x, y]) => [left + (x - low[0]) * scale, bottom - (y - low[1]) * scale],
    metres: ([x, y]) => [low[0] + (x - left) / scale, low[1] + (bottom - y) / scale],
  };
}

function roundLength(metres) {
  const power = 10 ** Math.floor(Math.log10(metres));
  return [5, 2, 1].map((step) => step * power).find((step) => step <= metres) ?? power;
}

const scaleBarOf = (plan) => roundLength(120 / plan.scale); // metres

export class MapView {
  #canvas = svg("svg", { class: "world", role: "group", "aria-label": "Map of robots, obstacles and links" });
  #note = html("p", { class: "note" });
  #leftOut = html("p", { class: "note" });
  #answer = html("p", { class: "answer", role: "status" });
  #choose;
  #drag;
  #layers;
  #plan = null; // as last drawn

  /** `change` is {set, takeBack} of MapDrag, `layers` what MapLayers draws. */
  constructor(panel, choose, change, layers = {}) {
    this.#choose = choose;
    this.#layers = new MapLayers(() => this.redraw(), layers);
    this.#drag = new MapDrag(this.#canvas, {
      redraw: () => this.redraw(),
      tell: (text, kind) => this.#tell(text, kind),
      ...change,
    });
    const continuous = html("input", {
      type: "checkbox",
      name: "continuous",
      onchange: () => (this.#drag.isContinuous = continuous.checked),
    });
    panel.append(
      this.#canvas,
      this.#answer,
      html("p", { class: "legend change" }, html("label", {}, continuous, "Change the run while dragging")),
      this.#layers.element,
      this.#legend(),
      this.#note,
      this.#leftOut,
    );
    new ResizeObserver(() => this.redraw()).observe(this.#canvas);
  }

  /** Whether things may be moved; not until this is called. */
  allow(mayChange) {
    this.#drag.allow(mayChange);
    this.#layers.allow(mayChange);
    this.redraw();
  }

  /** Puts back what is carried; returns whether something was. */
  cancel() {
    return this.#drag.cancel();
  }

  #tell(text, kind) {
    this.#answer.className = `answer ${kind}`;
    say(this.#answer, text);
  }

  #legend() {
    const samples = ["0", "1", "2", "3", "4"].map((each, index) =>
      html("span", { class: `swatch q${each}` }, ["< 1 %", "< 5 %", "< 20 %", "< 60 %", "lost"][index]),
    );
    return html(
      "p",
      { class: "legend" },
      samples,
      html("span", { class: "sample dashed" }, "no line of sight"),
      html("span", { class: "sample dotted" }, "heard only"),
    );
  }

  /** `things` are as of placedThings(). */
  show(state, world, timeline, chosen, things = placedThings(state, world)) {
    this.last = [state, world, timeline, chosen];
    this.#drag.show(things, state.at, timeline.isLive);
    this.redraw();
  }

  redraw() {
    const { width, height } = this.#canvas.getBoundingClientRect();
    if (!this.last || width < 50) {
      return;
    }
    const [state, known, timeline, chosen] = this.last;
    const world = known && { ...known, obstacles: (known.obstacles ?? []).map((obstacle) => this.#whereShown(obstacle)) };
    const places = this.#places(state);
    const points = [
      ...places.values(),
      ...this.#worldPoints(world),
      ...this.#accessPoints(state).map((each) => each.position),
      ...this.#layers.corners(),
    ];
    if (points.length === 0) {
      return;
    }
    // Under what is carried the map stays as it is.
    const plan = this.#drag.isHolding && this.#plan ? this.#plan : projection(points, width, height);
    this.#plan = plan;
    this.#drag.scaled(plan.scale, scaleBarOf(plan));
    this.#layers.show({
      world,
      radios: this.#radios(state),
      points,
      isLive: timeline.isLive,
      hasLinks: state.links.size > 0,
    });
    const labels = this.#labels(state, places, plan, chosen, [width, height]);
    const focused = this.#canvas.contains(document.activeElement) && document.activeElement.dataset.thing;
    this.#canvas.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#canvas.replaceChildren(
      ...this.#layers.pictures(plan, [width, height]),
      this.#scaleBar(plan, height),
      ...this.#layer("floor", () => this.#floor(state, world, plan)),
      ...this.#layer("buildings", () => this.#buildings(world, plan)),
      ...this.#obstacles(world, plan, labels),
      ...this.#layer("tracks", () => this.#tracks(world, plan)),
      ...this.#layer("trails", () => (this.#isCrowd(state) ? [] : this.#trails(timeline, plan))),
      ...this.#layer("links", () => this.#links(state, places, plan, chosen, labels)),
      ...this.#accessPoints(state).map((each) => this.#accessPoint(each, plan, labels)),
      ...this.#robots(state, places, plan, chosen, labels),
    );
    if (focused) {
      this.#canvas.querySelector(`[data-thing="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    }
  }

  #layer(name, make) {
    return this.#layers.isOn(name) ? make() : [];
  }

  // What sends, where the gateway has it.
  #radios(state) {
    const robots = bodiesOf(state.robots).filter((each) => isPoint(each.position));
    const points = (state.status?.access_points ?? []).filter((each) => isPoint(each.position));
    return [...robots, ...points].map(({ name, position }) => ({ name, position }));
  }

  // Where a point of the thing is shown while it is carried, and until the reports have its new position.
  #shifted(id, [x, y, ...rest]) {
    const [east, north] = this.#drag.offset(id);
    return [x + east, y + north, ...rest];
  }

  #whereShown(obstacle) {
    const at = (corner) => this.#shifted(`obstacle ${obstacle.name}`, corner);
    return { ...obstacle, low_m: at(obstacle.low_m), high_m: at(obstacle.high_m) };
  }

  // Of the element of a thing that is movable, when `label` describes it.
  #handle(id, label, isFocusable = true) {
    const isMovable = this.#drag.isMovable(id);
    return {
      class: `${isMovable ? "movable" : ""} ${this.#drag.offset(id).some((each) => each !== 0) ? "moving" : ""}`,
      "data-thing": id,
      ...(isMovable && isFocusable && { tabindex: 0, role: "button", "aria-label": label }),
    };
  }

  // Robots come first: their names are what is looked for. Of those in one place the chosen ones have theirs.
  #labels(state, places, plan, chosen, [width, height]) {
    const labels = new Labels(width, height);
    const ends = (chosen ?? "").split(" → ");
    const isEnd = (body) => body.radios.some((radio) => ends.includes(radio));
    const bodies = bodiesOf(state.robots).filter((body) => !this.#isCrowd(state) || isEnd(body));
    for (const body of bodies) {
      labels.block(plan.at(places.get(body.radios[0])), 8);
    }
    const first = [...bodies].sort((one, other) => isEnd(other) - isEnd(one));
    labels.ofRobots = new Map(
      first.map((body) => [
        body.name,
        labels.place(body.name, plan.at(places.get(body.radios[0])), 10, isEnd(body)),
      ]),
    );
    const points = this.#accessPoints(state);
    labels.ofPoints = new Map(points.map(({ name, position }) => [name, labels.place(name, plan.at(position), 8)]));
    return labels;
  }

  // Walls of the floor on which most robots are.
  #floor(state, world, plan) {
    const floors = world?.floors ?? [];
    if (floors.length === 0) {
      return [];
    }
    const floorOf = (z) => Math.max(0, floors.findLastIndex((floor) => floor.from_m <= z));
    const robotsOn = floors.map(() => 0);
    for (const robot of bodiesOf(state.robots)) {
      robotsOn[floorOf(isPoint(robot.position) ? robot.position[2] : 0)] += 1;
    }
    const floor = floors[robotsOn.indexOf(Math.max(...robotsOn))];
    const runs = floor.walls.map(([row, first, end]) => {
      const [x, y] = plan.at([floor.origin_m[0] + first * floor.cell_m, floor.origin_m[1] + (row + 1) * floor.cell_m]);
      const [width, height] = [(end - first) * floor.cell_m * plan.scale, floor.cell_m * plan.scale];
      return `M${x.toFixed(1)} ${y.toFixed(1)}h${width.toFixed(1)}v${height.toFixed(1)}h${(-width).toFixed(1)}z`;
    });
    return [svg("path", { class: "floor", d: runs.join("") })];
  }

  #isCrowd(state) {
    return state.robots.length > kCrowd;
  }

  // Robots without a position are drawn in a circle.
  #places(state) {
    const placed = state.robots.some((robot) => isPoint(robot.position));
    this.#note.textContent =
      placed || state.robots.length === 0 ? "" : "The robots' positions are unknown; drawn in a circle.";
    const bodies = bodiesOf(state.robots);
    return new Map(
      bodies.flatMap((body, index) => {
        const angle = (2 * Math.PI * index) / bodies.length;
        const place = isPoint(body.position)
          ? this.#shifted(`robot ${body.name}`, body.position)
          : [40 * Math.cos(angle), 40 * Math.sin(angle), 0];
        return body.radios.map((radio) => [radio, place]);
      }),
    );
  }

  #worldPoints(world) {
    const corners = (world?.obstacles ?? []).flatMap((obstacle) => [obstacle.low_m, obstacle.high_m]);
    const tracks = (world?.robots ?? []).flatMap((robot) => (robot.track ?? []).map((point) => point.position_m));
    const floors = (world?.floors ?? []).flatMap(({ origin_m: [x, y], cell_m: cell, columns, rows }) => [
      [x, y],
      [x + columns * cell, y + rows * cell],
    ]);
    return [...corners, ...this.#cornersOfBuildings(world), ...tracks, ...floors];
  }

  // Of all together: there may be more points than a function takes arguments.
  #cornersOfBuildings(world) {
    const low = [Infinity, Infinity];
    const high = [-Infinity, -Infinity];
    for (const point of (world?.buildings ?? []).flatMap((building) => building.rings_m[0])) {
      for (const axis of [0, 1]) {
        low[axis] = Math.min(low[axis], point[axis]);
        high[axis] = Math.max(high[axis], point[axis]);
      }
    }
    return low[0] <= high[0] ? [low, high] : [];
  }

  #accessPoints(state) {
    return (state.status?.access_points ?? [])
      .filter((each) => isPoint(each.position))
      .map((each) => ({ ...each, position: this.#shifted(`point ${each.name}`, each.position) }));
  }

  // Thousands, and so one element.
  #buildings(world, plan) {
    const outline = (ring) => `M${ring.map((point) => plan.at(point).map((each) => each.toFixed(1)).join(" ")).join("L")}z`;
    const outlines = (world?.buildings ?? []).flatMap((building) => building.rings_m.map(outline));
    return outlines.length === 0 ? [] : [svg("path", { class: "buildings", d: outlines.join("") })];
  }

  #obstacles(world, plan, labels) {
    return (world?.obstacles ?? []).map((obstacle) => {
      const [x, bottom] = plan.at(obstacle.low_m);
      const [right, y] = plan.at(obstacle.high_m);
      const isLarge = right - x > 40 && bottom - y > 14;
      const name = isLarge && labels.place(obstacle.name, [(x + right) / 2, (y + bottom) / 2], 0);
      const id = `obstacle ${obstacle.name}`;
      const title = `${obstacle.name}: ${obstacle.material}, ${obstacle.high_m[2]} m high${this.#drag.hint(id)}`;
      const handle = this.#handle(id, title);
      return svg(
        "g",
        { ...handle, class: `obstacle ${handle.class}` },
        svg("title", {}, title),
        svg("rect", { x, y, width: right - x, height: bottom - y, class: obstacle.wall_m ? "hollow" : "" }),
        name && svg("text", name, obstacle.name),
      );
    });
  }

  #tracks(world, plan) {
    return (world?.robots ?? [])
      .filter((robot) => (robot.track ?? []).length > 1)
      .map((robot) =>
        svg("polyline", { class: "track", points: robot.track.map((each) => plan.at(each.position_m)).join(" ") }),
      );
  }

  #trails(timeline, plan) {
    const ways = new Map();
    for (const frame of timeline.before(kTrail)) {
      for (const robot of bodiesOf(frame.status?.robots ?? [])) {
        if (isPoint(robot.position)) {
          ways.set(robot.name, [
            ...(ways.get(robot.name) ?? []),
            plan.at(robot.position).map((each) => each.toFixed(1)),
          ]);
        }
      }
    }
    return [...ways.values()].map((way) => svg("polyline", { class: "trail", points: way.join(" ") }));
  }

  #links(state, places, plan, chosen, labels) {
    const isFew = state.robots.length < kMany;
    const few = { links: [...state.links.values()], said: "" };
    const { links, said } = isFew ? few : foremostLinks(state, chosen, kMostLinks);
    this.#leftOut.textContent = said;
    const lanes = lanesOf(links, state.robots);
    const shown = links.filter((link) => lanes.has(link.key) || link.key === chosen);
    shown.sort((one, other) => (one.key === chosen) - (other.key === chosen));
    const endsOf = (link) => [plan.at(places.get(link.from)), plan.at(places.get(link.to))];
    return shown.map((link) => this.#link(link, endsOf(link), lanes.get(link.key) ?? 0, chosen, labels));
  }

  // The two directions are side by side, each to the right of who drives there; further radios of the same two robots
  // are further to the right.
  #link(link, [[fromX, fromY], [toX, toY]], lane, chosen, labels) {
    const length = Math.hypot(toX - fromX, toY - fromY) || 1;
    const ahead = [(toX - fromX) / length, (toY - fromY) / length];
    const offset = kLaneOffset * (1 + 2 * lane);
    const aside = [-ahead[1] * offset, ahead[0] * offset];
    const at = (share) => [fromX + ahead[0] * length * share + aside[0], fromY + ahead[1] * length * share + aside[1]];
    const [beginX, beginY] = at(Math.min(0.45, 11 / length));
    const [endX, endY] = at(1 - Math.min(0.45, 13 / length));
    const style = link.heardOnly ? "heard" : !link.reachable ? "gone" : link.line_of_sight ? "" : "blocked";
    const head = [5, 3].map((size, index) => [
      endX - ahead[0] * 7 + [-1, 1][index] * ahead[1] * 3.5,
      endY - ahead[1] * 7 - [-1, 1][index] * ahead[0] * 3.5,
    ]);
    return svg(
      "g",
      {
        class: `link q${grade(link.loss)} ${style} ${link.busy ? "busy" : ""} ${link.key === chosen ? "chosen" : ""}`,
        "data-link": link.key,
        onclick: () => this.#choose(link.key),
      },
      svg("title", {}, `${link.key}: ${percent(link.loss)} lost`),
      svg("line", { class: "catch", x1: beginX, y1: beginY, x2: endX, y2: endY }),
      svg("line", { x1: beginX, y1: beginY, x2: endX, y2: endY }),
      svg("polygon", { points: [[endX, endY], ...head].join(" ") }),
      link.key === chosen && this.#label(link, at(0.5), aside, labels),
    );
  }

  #label(link, [x, y], aside, labels) {
    const text = percent(link.loss);
    return svg("text", { class: "loss", ...labels.place(text, [x + aside[0], y + aside[1]], 8, true) }, text);
  }

  #accessPoint(point, plan, labels) {
    const [x, y] = plan.at(point.position);
    const name = labels.ofPoints.get(point.name);
    const id = `point ${point.name}`;
    const title = `${point.name}: ${point.radio}, channel ${point.channel}${this.#drag.hint(id)}`;
    const handle = this.#handle(id, title);
    return svg(
      "g",
      { ...handle, class: `point ${handle.class}` },
      svg("title", {}, title),
      svg("rect", { x: x - 6, y: y - 6, width: 12, height: 12, rx: 2 }),
      name && svg("text", name, point.name),
    );
  }

  #robots(state, places, plan, chosen, labels) {
    const ends = (chosen ?? "").split(" → ");
    const isCrowd = this.#isCrowd(state);
    return bodiesOf(state.robots).map((robot) => {
      const [x, y] = plan.at(places.get(robot.radios[0]));
      const name = labels.ofRobots.get(robot.name);
      const height = isPoint(robot.position)
        ? `${robot.position.map((each) => each.toFixed(1)).join(", ")} m`
        : "position unknown";
      const isChosen = robot.radios.some((radio) => ends.includes(radio));
      const radios = robot.radios.length > 1 ? ` (${robot.radios.join(", ")})` : "";
      const id = `robot ${robot.name}`;
      const title = `${robot.name}${radios}: ${robot.unplugged ? "unplugged, " : ""}${height}${this.#drag.hint(id)}`;
      const handle = this.#handle(id, title, !isCrowd);
      return svg(
        "g",
        {
          ...handle,
          class: `robot ${robot.unplugged ? "unplugged" : ""} ${isChosen ? "chosen" : ""} ${handle.class}`,
          "data-robot": robot.name,
        },
        svg("title", {}, title),
        svg("circle", { cx: x, cy: y, r: isCrowd ? 3 : 8 }),
        name && svg("text", name, robot.name),
      );
    });
  }

  #scaleBar(plan, height) {
    const metres = scaleBarOf(plan);
    const end = 14 + metres * plan.scale;
    return svg(
      "g",
      { class: "scale" },
      svg("path", { d: `M14 ${height - 14}v4H${end}v-4` }),
      svg("text", { x: end + 6, y: height - 9 }, `${metres} m`),
    );
  }
}

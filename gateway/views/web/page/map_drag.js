// SPDX-License-Identifier: Apache-2.0
// Moves what is on the map, with the pointer or with the arrow keys: one change of the run where it is put down.

const kLeast = 4; // px, less is a click
const kShown = 1000; // ms of reports, at most, until they have the new position

const kArrows = new Map([
  ["ArrowLeft", [-1, 0]],
  ["ArrowRight", [1, 0]],
  ["ArrowUp", [0, 1]],
  ["ArrowDown", [0, -1]],
]);

const idOf = (event) => event.target.closest?.("[data-thing]")?.dataset.thing;
const isMoved = (by) => Math.hypot(...by) > 0;
const nearest = ([east, north]) => [east, north].map((each) => Number(each.toFixed(2)));

export class MapDrag {
  #things = new Map();
  #isAllowed = false;
  #isLive = false;
  #scale = 1; // px per metre
  #bar = 1; // metres of the scale bar
  #held = null; // {id, by, grip}: carried now; `grip` is where the pointer took it, absent with keys
  #sent = null; // {id, by, shownAt, until}: put down, and not yet in the reports
  #at = 0; // of the newest report
  #redraw;
  #tell;
  #set;

  /**
   * Listens to `canvas`, whose movable elements have their thing's id as `data-thing`. `tell(text, kind)` shows a text
   * to the user; `set(assignment)` changes the run, and returns what the gateway objects to, "" for nothing.
   */
  constructor(canvas, { redraw, tell, set }) {
    this.#redraw = redraw;
    this.#tell = tell;
    this.#set = set;
    canvas.addEventListener("mousedown", (event) => idOf(event) && event.preventDefault()); // keeps the keys' focus
    canvas.addEventListener("pointerdown", (event) => this.#take(event, canvas));
    canvas.addEventListener("pointermove", (event) => this.#carry(event));
    canvas.addEventListener("pointerup", () => this.#held?.grip && this.#release());
    canvas.addEventListener("lostpointercapture", () => this.#held?.grip && this.cancel());
    canvas.addEventListener("keydown", (event) => this.#press(event));
  }

  allow(mayChange) {
    this.#isAllowed = mayChange;
  }

  /** `things` are of placed_things.js, `at` is the time of the report, `isLive`: it is not of the past. */
  show(things, at, isLive) {
    this.#things = things;
    this.#isLive = isLive;
    this.#at = at;
    if (this.#held && (!isLive || !things.has(this.#held.id))) {
      this.cancel();
    }
    const sent = this.#sent;
    const shownAt = things.get(sent?.id)?.shownAt;
    if (sent && (String(shownAt) !== String(sent.shownAt) || at > sent.until)) {
      this.#sent = null;
    }
  }

  scaled(scale, bar) {
    this.#scale = scale;
    this.#bar = bar;
  }

  get isHolding() {
    return this.#held !== null;
  }

  /** Metres, east and north, from where the gateway has the thing to where it is shown. */
  offset(id) {
    return [this.#held, this.#sent].find((each) => each?.id === id)?.by ?? [0, 0];
  }

  isMovable(id) {
    const thing = this.#things.get(id);
    return this.#isAllowed && this.#isLive && thing !== undefined && thing.fixed === undefined;
  }

  /** For the tooltip of a thing: how to move it, or why that is impossible; empty where nothing may be changed. */
  hint(id) {
    const thing = this.#things.get(id);
    if (!this.#isAllowed || !this.#isLive || !thing) {
      return "";
    }
    return thing.fixed ? `; cannot be moved: ${thing.fixed}` : "; drag it, or move it with the arrow keys";
  }

  /** Whether something was carried, which is back where it was. */
  cancel() {
    const held = this.#held;
    this.#held = null;
    if (held) {
      this.#tell("", "");
      this.#redraw();
    }
    return held !== null;
  }

  // Whether the thing may be carried; shows why not.
  #isFree(id) {
    const thing = this.#things.get(id);
    if (!thing || !this.#isAllowed) {
      return false;
    }
    const reason =
      (!this.#isLive && "this is the past; Esc returns to now") ||
      (this.#sent && "the change before is not shown yet; try again") ||
      thing.fixed;
    this.#tell(reason ? `${thing.name} cannot be moved: ${reason}` : "", "");
    return !reason;
  }

  #take(event, canvas) {
    const id = idOf(event);
    if (id && event.isPrimary && event.button === 0 && this.#isFree(id)) {
      canvas.setPointerCapture(event.pointerId);
      this.#held = { id, by: [0, 0], grip: [event.clientX, event.clientY] };
    }
  }

  #carry(event) {
    const held = this.#held;
    if (held?.grip) {
      const [x, y] = [event.clientX - held.grip[0], held.grip[1] - event.clientY];
      held.isDragged ||= Math.hypot(x, y) >= kLeast;
      this.#move(held.isDragged ? nearest([x / this.#scale, y / this.#scale]) : [0, 0]);
    }
  }

  #press(event) {
    const id = idOf(event);
    const arrow = kArrows.get(event.key);
    if (!id || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    if (event.key === "Enter" && this.#held) {
      event.preventDefault();
      this.#release();
    }
    if (arrow) {
      event.preventDefault();
      event.stopPropagation(); // elsewhere they look back
      if (this.#held?.id === id || this.#isFree(id)) {
        const step = this.#bar * (event.shiftKey ? 1 : 0.1);
        const by = this.#held?.id === id ? this.#held.by : [0, 0];
        this.#held = { id, by };
        this.#move(nearest([by[0] + arrow[0] * step, by[1] + arrow[1] * step]));
      }
    }
  }

  #move(by) {
    const { id } = this.#held;
    this.#held.by = by;
    const { name, shownAt } = this.#things.get(id);
    const [x, y] = [shownAt[0] + by[0], shownAt[1] + by[1]].map((each) => each.toFixed(2));
    const how = this.#held.grip ? "Esc puts it back" : "Enter puts it there, Esc back";
    this.#tell(isMoved(by) ? `${name}: ${x}, ${y} m. ${how}.` : "", "");
    this.#redraw();
  }

  async #release() {
    const { id, by } = this.#held;
    this.#held = null;
    const thing = this.#things.get(id);
    if (!isMoved(by) || !this.#isFree(id)) {
      this.#redraw();
      return;
    }
    this.#sent = { id, by, shownAt: thing.shownAt, until: Infinity };
    this.#redraw();
    const objection = await this.#set(thing.moved(by));
    if (objection) {
      this.#sent = null;
      this.#tell(`${thing.name} was not moved: ${objection}`, "bad");
    } else if (this.#sent) {
      this.#sent.until = this.#at + kShown;
    }
    this.#redraw();
  }
}

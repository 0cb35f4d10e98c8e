// SPDX-License-Identifier: Apache-2.0
// Moves what is on the map, with the pointer or with the arrow keys: one change of the run where it is put down, or
// several on the way there, which are taken back together.

const kLeast = 4; // px, less is a click
const kPace = 200; // ms, at least, between two changes on the way
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
  // {thing, by, grip, isSet, setBy}: carried now, and as it was when it was taken. `grip` is where the pointer took it,
  // absent with keys; `isSet`: the run has been changed on the way, the last time to `setBy`.
  #held = null;
  #sent = null; // {thing, by, until}: put down, and not yet in the reports
  #setting = null; // the change that is on its way
  #lastSet = 0; // ms, when it was sent
  #next = 0; // the timer of the next one
  #at = 0; // of the newest report
  #redraw;
  #tell;
  #set;
  #takeBack;

  /** Whether the run is changed on the way, too. */
  isContinuous = false;

  /**
   * Listens to `canvas`, whose movable elements have their thing's id as `data-thing`. `tell(text, kind)` shows a text
   * to the user; `set(thing, by, isFurther)` moves a thing by metres, the last change before being of the same way where
   * it is a further one, and returns what the gateway objects to, "" for nothing; `takeBack()` undoes it.
   */
  constructor(canvas, { redraw, tell, set, takeBack }) {
    this.#redraw = redraw;
    this.#tell = tell;
    this.#set = set;
    this.#takeBack = takeBack;
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
    if (this.#held && (!isLive || !things.has(this.#held.thing.id))) {
      this.cancel();
    }
    const sent = this.#sent;
    if (sent && (at > sent.until || !isMoved(this.#ahead(sent)))) {
      this.#sent = null;
    }
  }

  // Metres from where the newest report has a carried thing to where it is shown.
  #ahead({ thing, by }) {
    const now = this.#things.get(thing.id)?.shownAt ?? thing.shownAt;
    return nearest([by[0] + thing.shownAt[0] - now[0], by[1] + thing.shownAt[1] - now[1]]);
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
    const carried = [this.#held, this.#sent].find((each) => each?.thing.id === id);
    return carried ? this.#ahead(carried) : [0, 0];
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
    Promise.resolve(this.#setting).then(() => held?.isSet && this.#takeBack());
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
      this.#held = { thing: this.#things.get(id), by: [0, 0], grip: [event.clientX, event.clientY] };
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
      const isHeld = this.#held?.thing.id === id;
      if (isHeld || this.#isFree(id)) {
        const step = this.#bar * (event.shiftKey ? 1 : 0.1);
        this.#held = isHeld ? this.#held : { thing: this.#things.get(id), by: [0, 0] };
        delete this.#held.grip;
        const { by } = this.#held;
        this.#move(nearest([by[0] + arrow[0] * step, by[1] + arrow[1] * step]));
      }
    }
  }

  #move(by) {
    const { thing, grip } = this.#held;
    this.#held.by = by;
    const [x, y] = [thing.shownAt[0] + by[0], thing.shownAt[1] + by[1]].map((each) => each.toFixed(2));
    const how = grip ? "Esc puts it back" : "Enter puts it there, Esc back";
    this.#tell(isMoved(by) ? `${thing.name}: ${x}, ${y} m. ${how}.` : "", "");
    this.#redraw();
    this.#setOnTheWay();
  }

  // One change at a time: a run that takes long for one gets fewer.
  async #setOnTheWay() {
    const held = this.#held;
    const isToSet = this.isContinuous && held && String(held.by) !== String(held.setBy ?? [0, 0]);
    if (!isToSet || this.#setting) {
      return;
    }
    const wait = this.#lastSet + kPace - performance.now();
    if (wait > 0) {
      clearTimeout(this.#next);
      this.#next = setTimeout(() => this.#setOnTheWay(), wait);
      return;
    }
    const objection = await this.#change(held);
    if (objection && this.#held === held) {
      this.cancel();
      this.#tell(`${held.thing.name} was not moved: ${objection}`, "bad");
    } else {
      this.#setOnTheWay();
    }
  }

  async #change(carried) {
    this.#lastSet = performance.now();
    carried.setBy = carried.by;
    const isFurther = Boolean(carried.isSet);
    this.#setting = this.#set(carried.thing, carried.by, isFurther);
    const objection = await this.#setting;
    this.#setting = null;
    carried.isSet = isFurther || !objection;
    return objection;
  }

  async #release() {
    const held = this.#held;
    this.#held = null;
    if (!held.isSet && !this.#setting && (!isMoved(held.by) || !this.#isFree(held.thing.id))) {
      this.#redraw();
      return;
    }
    this.#sent = Object.assign(held, { until: Infinity });
    this.#redraw();
    await this.#setting;
    const objection = await this.#change(held);
    if (objection) {
      this.#sent = null;
      this.#tell(`${held.thing.name} was not moved: ${objection}`, "bad");
    } else if (this.#sent) {
      this.#sent.until = this.#at + kShown;
    }
    this.#redraw();
  }
}

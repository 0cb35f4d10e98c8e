// SPDX-License-Identifier: Apache-2.0
// What `hilgate set`, `pause`, `wire` and requests about scenarios do, with what the gateway objects to.

import { byId, html, refill } from "/dom.js";
import { Changes } from "/changes.js";

export class ControlsView {
  #changes = new Changes();
  #input = html("input", {
    type: "text",
    name: "assignment",
    placeholder: "links.red.blue.loss=20 %",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": "KEY=VALUE",
  });
  #answer = html("p", { class: "answer", role: "status" });
  #set = html("ul", { class: "reasons" });
  #wire = html("button", { type: "button", class: "change" }, "Wire on");
  #reload = html("button", { type: "button", class: "change" }, "Reload the file");
  #pause = byId("pause");
  #undo = byId("undo");

  constructor(panel) {
    const form = html("form", {}, this.#input, html("button", { type: "submit", class: "change" }, "Set"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.set([this.#input.value.trim()]).then((done) => {
        if (done) {
          form.reset();
          this.#input.blur();
        }
      });
    });
    panel.append(
      form,
      this.#answer,
      html("p", { class: "choices" }, this.#wire, this.#reload),
      html("h3", {}, "Set since the file was read"),
      this.#set,
    );
    this.#wire.addEventListener("click", () => this.#try(() => this.#changes.wire(!this.isWired)));
    this.#reload.addEventListener("click", () => this.#try(() => this.#changes.reload(this.assignments ?? [])));
    this.#pause.addEventListener("click", () => this.#try(() => this.#changes.pause(!this.isPaused)));
    this.#undo.addEventListener("click", () => this.undo());
    this.#changes.changed = () => this.#showUndo();
  }

  /** What the last change led to: "done", or what the gateway objects to. */
  get answer() {
    return this.#answer.textContent;
  }

  focus() {
    this.#input.focus();
  }

  /** `isFurther` is of Changes. */
  set(assignments, isFurther) {
    return this.#try(() => this.#changes.set(assignments, isFurther));
  }

  startScenario(text, name) {
    return this.#try(() => this.#changes.startScenario(text, name));
  }

  stopScenario() {
    return this.#try(() => this.#changes.stopScenario());
  }

  undo() {
    return this.#try(() => this.#changes.undo());
  }

  allow(mayChange) {
    if (!mayChange) {
      document.body.classList.add("looking");
      this.#say(
        "Looking only: changes are for root, the user that the gateway runs as, and members of the group 'hilgate'.",
        "",
      );
    }
  }

  show(state) {
    const { status } = state;
    this.assignments = status.assignments ?? [];
    this.isPaused = Boolean(status.clock?.paused);
    this.isWired = (status.conditions ?? []).some((each) => each.name === "wired");
    this.#pause.hidden = status.window.pace !== "dilate";
    this.#pause.textContent = this.isPaused ? "Resume" : "Pause";
    this.#wire.textContent = this.isWired ? "Wire off" : "Wire on";
    this.#wire.title = this.isWired
      ? "Return to the packet path"
      : "Connect the robots in the kernel; nothing is simulated then";
    refill(this.#set, this.assignments, () =>
      this.assignments.length === 0
        ? [html("li", { class: "note" }, "nothing")]
        : this.assignments.map((each) => html("li", {}, html("code", {}, each))),
    );
  }

  // Whether it went well.
  async #try(change) {
    try {
      await change();
      this.#say("done", "good");
      return true;
    } catch (error) {
      this.#say(error.message, "bad");
      return false;
    }
  }

  #say(text, kind) {
    this.#answer.className = `answer ${kind}`;
    this.#answer.textContent = text;
  }

  #showUndo() {
    const last = this.#changes.last;
    this.#undo.disabled = !last;
    this.#undo.title = last ? `Take back: ${last.text} (u)` : "Take the last change back (u)";
  }
}

// SPDX-License-Identifier: Apache-2.0
// What happened, newest first, with a search.

import { html } from "/dom.js";

const kMost = 500;
const kMostOfRecord = 4000;

export class EventsView {
  #search = html("input", { type: "search", placeholder: "search (/)", "aria-label": "Search the events" });
  #list = html("ol", { class: "events" });
  #events = [];
  #lookAt;
  #most;

  constructor(panel, lookAt, isRecord) {
    this.#most = isRecord ? kMostOfRecord : kMost;
    this.#lookAt = lookAt;
    this.#search.addEventListener("input", () => this.#draw());
    panel.append(this.#search, html("div", { class: "tall" }, this.#list));
    this.#draw();
  }

  focus() {
    this.#search.focus();
  }

  get events() {
    return this.#events;
  }

  /** [{at, kind, text}] in their order; `wallTime(at)` is the time of day. */
  add(events, wallTime) {
    if (events.length === 0) {
      return;
    }
    this.#events.push(...events.map((each) => ({ ...each, time: wallTime(each.at).toLocaleTimeString() })));
    this.#events.splice(0, this.#events.length - this.#most);
    this.#draw();
  }

  #draw() {
    const wanted = this.#search.value.toLowerCase();
    const found = this.#events.filter((each) => each.text.toLowerCase().includes(wanted)).reverse();
    this.#list.replaceChildren(
      ...(found.length === 0
        ? [
            html(
              "li",
              { class: "note" },
              this.#events.length === 0 ? "nothing has happened yet" : "no event has this text",
            ),
          ]
        : found.map((each) =>
            html(
              "li",
              { class: each.kind },
              html(
                "button",
                { type: "button", title: "Look at the run as it was then", onclick: () => this.#lookAt(each.at) },
                each.time,
              ),
              html("span", {}, each.text),
            ),
          )),
    );
  }
}

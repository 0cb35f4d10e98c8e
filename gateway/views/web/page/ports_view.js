// SPDX-License-Identifier: Apache-2.0
// Ports with the state of their interfaces, and senders that are not robots.

import { html, refill } from "/dom.js";
import { count } from "/format.js";

export class PortsView {
  #table = html("table", { class: "plain" });
  #strangers = html("ul", { class: "reasons" });

  constructor(panel) {
    panel.append(html("div", { class: "scroll" }, this.#table), this.#strangers);
  }

  show(state) {
    const ports = state.status.ports;
    if (!ports) {
      return refill(this.#strangers, [], () => [html("li", { class: "note" }, "Records do not have ports.")]);
    }
    refill(this.#table, ports, () => [
      html(
        "thead",
        {},
        html(
          "tr",
          {},
          ["port", "interface", "state", "driver", "lost at capture", "lost at sending"].map((each) =>
            html("th", {}, each),
          ),
        ),
      ),
      html(
        "tbody",
        {},
        ports.map((port) => this.#row(port)),
      ),
    ]);
    const strangers = state.status.unknown_senders ?? [];
    refill(this.#strangers, strangers, () =>
      strangers.map((each) =>
        html("li", {}, `${each.mac} sends on ${each.port} and is no robot: ${count(each.frames)} frames dropped`),
      ),
    );
  }

  // Frames, or bytes of a serial line.
  #lost(frames, bytes) {
    const text = bytes > 0 ? `${count(bytes)} B` : count(frames);
    return html("td", { class: `number ${frames > 0 || bytes > 0 ? "bad" : ""}` }, text);
  }

  #row(port) {
    const counts = Object.entries(port.counts ?? {})
      .filter(([, value]) => value > 0)
      .map(([name, value]) => `${name} ${count(value)}`)
      .join("\n");
    return html(
      "tr",
      { title: counts },
      html("td", {}, port.name),
      html("td", {}, port.interface),
      html(
        "td",
        { class: port.state === "up" ? "good" : "bad" },
        port.problem ? `${port.state}: ${port.problem}` : port.state,
      ),
      html("td", {}, [port.driver, port.mode].filter(Boolean).join(", ")),
      this.#lost(port.lost_at_capture, port.counts?.bytes_overflow),
      this.#lost(port.lost_at_sending, port.counts?.bytes_closed),
    );
  }
}

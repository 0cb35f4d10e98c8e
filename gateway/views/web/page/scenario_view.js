// SPDX-License-Identifier: Apache-2.0
// The scenario that is played: its steps, what it expects and what came of that; and a form that starts one.

import { html, refill, say } from "/dom.js";
import { clockTime } from "/format.js";

const kVerdicts = { ahead: "", watched: "…", met: "met", failed: "failed", left_out: "left out" };
const kExample = `end: 6s
steps:
  - {at: 1s, mark: cut, set: {links.red.blue.loss: 100 %}, for: 2s}
expect:
  - {loss: {at_least: 100 %}, from: red, to: blue, during: [cut, cut + 2s]}`;

const seconds = (value) => `${Number(value.toFixed(2))} s`;

export class ScenarioView {
  #sentence = html("p", { class: "sentence" });
  #place = html("progress", { max: 1, value: 0, "aria-label": "How far the scenario is" });
  #steps = html("table", { class: "plain" });
  #expectations = html("table", { class: "plain" });
  #stop = html("button", { type: "button", class: "change" }, "Stop and take back");
  #name = html("input", { type: "file", accept: ".yaml,.yml,text/yaml", "aria-label": "File of a scenario" });
  #text = html("textarea", { rows: 6, spellcheck: "false", placeholder: kExample, "aria-label": "Scenario, YAML" });
  #form;

  /** `start(text, name)` and `stop()` are of controls_view.js. */
  constructor(panel, { start, stop }) {
    this.#form = html(
      "form",
      { class: "change" },
      this.#name,
      this.#text,
      html("p", { class: "choices" }, html("button", { type: "submit" }, "Start")),
    );
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      start(this.#text.value, this.#name.files[0]?.name ?? "scenario");
    });
    this.#name.addEventListener("change", async () => {
      this.#text.value = (await this.#name.files[0]?.text()) ?? "";
    });
    this.#stop.addEventListener("click", stop);
    panel.append(
      this.#sentence,
      this.#place,
      html("div", { class: "scroll" }, this.#expectations, this.#steps),
      html("p", { class: "choices" }, this.#stop),
      this.#form,
    );
  }

  show(state) {
    const scenario = state.status.scenario;
    const now = state.status.window?.sim_time_s;
    this.#place.hidden = !scenario;
    this.#stop.hidden = !scenario?.asked;
    this.#form.hidden = Boolean(scenario && !(scenario.asked && scenario.over));
    this.#sentence.className = `sentence ${scenario?.failures > 0 ? "q4" : scenario ? "q0" : ""}`;
    say(this.#sentence, scenario ? this.#summary(scenario, now) : "No scenario is played.");
    this.#place.value = scenario ? (now - scenario.begin_s) / (scenario.end_s - scenario.begin_s) : 0;
    const begin = scenario?.begin_s;
    const expectations = scenario?.expectations ?? [];
    refill(this.#expectations, expectations, () => this.#rows(expectations, (each) => this.#expectation(each, begin)));
    const steps = scenario?.steps ?? [];
    refill(this.#steps, steps, () => this.#rows(steps, (each) => this.#step(each, begin)));
  }

  #summary({ file, over, begin_s: begin, end_s: end, next_s: next, failures, failure, asked }, now) {
    const faults = failures > 0 ? `; ${failures === 1 ? "one fault" : `${failures} faults`}` : "";
    if (over) {
      return failures > 0 ? `${file} is over: ${failure}` : `${file} is over: all went as expected.`;
    }
    const then = next === undefined ? "" : `, next at ${seconds(next - begin)}`;
    const ends = asked ? "" : "; the run ends with it";
    return `${file}: ${clockTime(now - begin)} of ${clockTime(end - begin)}${then}${faults}${ends}.`;
  }

  #rows(items, make) {
    return [html("tbody", {}, items.map(make))];
  }

  #step({ line, at_s: at, text, times, done }, begin) {
    const state = done === 0 ? "" : done < times ? `${done} of ${times}` : "done";
    return html(
      "tr",
      { class: done > 0 ? "done" : "", title: `line ${line}` },
      html("td", { class: "number" }, seconds(at - begin)),
      html("td", { class: "lines" }, text),
      html("td", { class: "number" }, state),
    );
  }

  #expectation({ line, text, from_s: from, until_s: until, verdict, failure }, begin) {
    return html(
      "tr",
      { title: `line ${line}` },
      html("td", { class: "number" }, `${seconds(from - begin)} to ${seconds(until - begin)}`),
      html("td", { class: "lines" }, failure ? `${text}\n${failure}` : text),
      html("td", { class: { met: "good", failed: "bad" }[verdict] ?? "" }, kVerdicts[verdict]),
    );
  }
}

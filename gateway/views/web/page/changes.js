// SPDX-License-Identifier: Apache-2.0
// Changes of the run, and what takes them back.

import { control } from "/gateway_api.js";

const kStopScenario = { command: "scenario", stop: true };

export class Changes {
  #done = []; // {text, undo}

  /** Called after each change. */
  changed = () => {};

  get last() {
    return this.#done.at(-1);
  }

  /** KEY=VALUE each, all or none. A further one of the last change is taken back together with it. */
  async set(assignments, isFurther = false) {
    const wrong = assignments.find((each) => !each.includes("="));
    if (wrong !== undefined) {
      throw new Error(`'${wrong}' is not of the form KEY=VALUE; example: links.red.blue.delay=5ms`);
    }
    if (isFurther && this.#done.length > 0) {
      await control({ command: "set", values: assignments });
      return;
    }
    const { undo } = await control({ command: "set", values: assignments });
    this.#add(assignments.join("; "), { command: "set", values: undo });
  }

  async pause(stand) {
    await this.#do(
      stand ? "pause" : "resume",
      { command: stand ? "pause" : "resume" },
      { command: stand ? "resume" : "pause" },
    );
  }

  async wire(on) {
    await this.#do(`wire ${on ? "on" : "off"}`, { command: "wire", on }, { command: "wire", on: !on });
  }

  /** Also resets earlier assignments to the file's values. */
  async reload(assignments) {
    await this.#do(
      "reload",
      { command: "reload" },
      assignments.length > 0 ? { command: "set", values: assignments } : null,
    );
  }

  /** Its undo takes back the scenario's changes, too. */
  async startScenario(text, name) {
    await this.#do(`scenario ${name}`, { command: "scenario", text, name }, kStopScenario);
  }

  async stopScenario() {
    await control(kStopScenario);
    this.#done = this.#done.filter((each) => each.undo !== kStopScenario);
    this.changed();
  }

  async undo() {
    const change = this.#done.at(-1);
    if (change) {
      await control(change.undo);
      this.#done.pop();
      this.changed();
    }
  }

  async #do(text, request, undo) {
    await control(request);
    this.#add(text, undo);
  }

  #add(text, undo) {
    if (undo) {
      this.#done.push({ text, undo });
    }
    this.changed();
  }
}

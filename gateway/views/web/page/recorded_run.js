// SPDX-License-Identifier: Apache-2.0
// A record on the page: its metadata and its events.

import { byId } from "/dom.js";
import { clockTime } from "/format.js";
import { linkEvents } from "/run_events.js";

export class RecordedRun {
  #about;

  /** `about` is the server's description of the record (gateway/views/web/recorded_run.h). */
  constructor(about) {
    this.#about = about;
    document.body.classList.add("record", "looking");
  }

  /** Obstacles and waypoints as the configuration had them then. */
  worldAt(at) {
    const { worlds } = this.#about;
    return (worlds.findLast((each) => each.at <= at) ?? worlds[0])?.world ?? null;
  }

  /** Events of the whole record in their order: its own, and those of its links. */
  events(frames) {
    const found = frames.slice(1).flatMap((frame, index) =>
      linkEvents(frame.status, frames[index].status).map((each) => ({ ...each, at: frame.at })),
    );
    return [...this.#about.events, ...found].sort((one, other) => one.at - other.at);
  }

  /**
   * Looks at the second after the beginning that the address names (#at=12.5), where it does; `lookAt(at)` is of
   * main.js. Returns why it does not.
   */
  seek(text, frames, lookAt) {
    if (text === null) {
      return "";
    }
    const [first, last] = [frames[0].at, frames.at(-1).at];
    const at = first + Number(text) * 1000;
    if (text.trim() === "" || !Number.isFinite(at)) {
      return `at=${text} is no number of seconds`;
    }
    lookAt(Math.max(at, first) + (this.#about.step_s * 1000) / 2); // the frame that is nearest
    const isOutside = at < first || at > last;
    return isOutside ? `at=${text} is outside of the record, which has 0 to ${((last - first) / 1000).toFixed(1)} s` : "";
  }

  /** The line below the headline; `fault` is why the requested time cannot be shown. */
  say(fault) {
    const { name, run, first_ms: first, last_ms: last, step_s: step, end } = this.#about;
    const line = byId("recordline");
    line.hidden = false;
    line.textContent = [
      `Record ${name} of run ${run}: began ${new Date(first).toLocaleString()}, ${clockTime((last - first) / 1000)} long`,
      step > 1 && `shown each ${step} s`,
      end,
      fault,
    ]
      .filter(Boolean)
      .join("; ");
    line.classList.toggle("bad", Boolean(end || fault));
  }
}

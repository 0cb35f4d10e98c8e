// SPDX-License-Identifier: Apache-2.0
// The text of a configuration file, with its lines numbered and what is wrong with them.

import { html } from "/dom.js";

const kPause = 500; // ms without a key until what was typed is checked
const kLine = 18; // px, of edit.css
const kPadding = 6;

export class TextView {
  #area = html("textarea", { spellcheck: "false", autocomplete: "off", wrap: "off", "aria-label": "Text of the file" });
  #numbers = html("div", { class: "numbers", "aria-hidden": "true" });
  #written = html("div", { class: "written" });
  #faults = html("ul", { class: "faults" });
  #marks = [];
  #timer = 0;
  #write;

  /** `write(text)` has the draft's text replaced. */
  constructor(panel, write) {
    this.#write = write;
    this.#written.append(this.#area);
    panel.append(html("div", { class: "editor" }, this.#numbers, this.#written), this.#faults);
    this.#area.addEventListener("input", () => {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.flush(), kPause);
    });
    this.#area.addEventListener("scroll", () => this.#scroll());
  }

  /** What was typed and is not with the editor yet goes there now. */
  async flush() {
    clearTimeout(this.#timer);
    if (this.#timer !== 0) {
      this.#timer = 0;
      await this.#write(this.#area.value);
    }
  }

  show(report) {
    if (this.#timer === 0 && this.#area.value !== report.text) {
      const { selectionStart, selectionEnd, scrollTop, scrollLeft } = this.#area;
      this.#area.value = report.text;
      this.#area.setSelectionRange(selectionStart, selectionEnd);
      [this.#area.scrollTop, this.#area.scrollLeft] = [scrollTop, scrollLeft];
    }
    const wrong = new Map(report.faults.map((fault) => [fault.line, fault]));
    const lines = report.text.split("\n").length;
    this.#numbers.replaceChildren(
      ...Array.from({ length: lines }, (_, index) =>
        html("div", { class: wrong.has(index + 1) ? "bad" : "", title: wrong.get(index + 1)?.text }, String(index + 1)),
      ),
    );
    this.#marks = [...wrong.keys()].filter((line) => line > 0).map((line) => ({ line, mark: html("div", { class: "mark" }) }));
    this.#written.replaceChildren(...this.#marks.map((each) => each.mark), this.#area);
    this.#faults.replaceChildren(
      ...report.faults.map(({ line, path, text }) =>
        html(
          "li",
          { class: "bad", "data-line": line },
          line > 0 && html("button", { type: "button", onclick: () => this.goTo(line) }, `line ${line}`),
          html("span", {}, [path, text].filter(Boolean).join(": ")),
        ),
      ),
    );
    this.#scroll();
  }

  /** Selects a line, counted from 1, and scrolls there. */
  goTo(line) {
    const lines = this.#area.value.split("\n");
    const begin = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    this.#area.focus({ preventScroll: true });
    this.#area.setSelectionRange(begin, begin + (lines[line - 1] ?? "").length);
    this.#area.scrollTop = Math.max(0, (line - 1) * kLine - this.#area.clientHeight / 2);
    this.#scroll();
  }

  #scroll() {
    this.#numbers.scrollTop = this.#area.scrollTop;
    for (const { line, mark } of this.#marks) {
      mark.style.top = `${kPadding + (line - 1) * kLine - this.#area.scrollTop}px`;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// The keys of a configuration file as a form, which its schema makes.

import {
  exampleOf,
  firstValue,
  flowText,
  hasNames,
  isList,
  isScalar,
  knownKeys,
  nodeAt,
  pathText,
  schemaUnder,
  wordsOf,
} from "/config_tree.js";
import { html } from "/dom.js";

const kShort = 110; // characters of a description

const short = (text = "") => (text.length > kShort ? `${text.slice(0, kShort - 1)}…` : text);
const isSimpleList = (node) => node.items?.every(isScalar);

export class FormView {
  #schema;
  #change;
  #goTo;
  #body = html("div", { class: "keys" });
  #radios = html("datalist", { id: "radios" });
  #open = new Set(["", "robots", "physics"]); // path texts of maps and lists that are unfolded
  #report = null;

  /** `change(changes)` is of edit.js; `goTo(line)` shows a line of the text. */
  constructor(panel, schema, { change, goTo }) {
    this.#schema = schema;
    this.#change = change;
    this.#goTo = goTo;
    panel.append(this.#body, this.#radios);
  }

  show(report) {
    this.#report = report;
    this.#radios.replaceChildren(...report.radios.map((name) => html("option", { value: name })));
    const focused = document.activeElement?.dataset?.path;
    if (report.tree) {
      this.#body.replaceChildren(...this.#entries([], this.#schema, report.tree));
    }
    if (focused !== undefined && !this.#body.contains(document.activeElement)) {
      this.#body.querySelector(`[data-path="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    }
  }

  /** Unfolds the way to a path, and scrolls there. */
  reveal(path) {
    path.forEach((_, index) => this.#open.add(pathText(path.slice(0, index + 1))));
    this.show(this.#report);
    this.#body.querySelector(`[data-node="${CSS.escape(pathText(path))}"]`)?.scrollIntoView({ block: "center" });
  }

  #faultsOf(path) {
    return this.#report.faults.filter((each) => each.path === pathText(path));
  }

  #isFaulty(path) {
    const here = pathText(path);
    return this.#report.faults.some(({ path: at }) => at === here || at.startsWith(`${here}.`) || at.startsWith(`${here}[`));
  }

  #entries(path, schema, node) {
    const of = (step, value) => this.#node([...path, step], schemaUnder(schema, step), value);
    const rows = node.items
      ? node.items.map((item, index) => of(index, item))
      : node.keys.map(([key, value]) => of(key, value));
    return [...rows, this.#adder(path, schema, node)].filter(Boolean);
  }

  #node(path, schema, node) {
    return isScalar(node) || isSimpleList(node) ? this.#field(path, schema, node) : this.#group(path, schema, node);
  }

  #name(path, node) {
    const step = path.at(-1);
    const name = typeof step === "number" ? nodeAt(node, ["name"])?.scalar : undefined;
    return name ?? (typeof step === "number" ? `item ${step + 1}` : step);
  }

  #group(path, schema, node) {
    const text = pathText(path);
    const size = (node.items ?? node.keys).length;
    const details = html(
      "details",
      { open: this.#open.has(text), class: this.#isFaulty(path) ? "faulty" : "", "data-node": text },
      html(
        "summary",
        { title: schema?.description, "data-path": text },
        this.#name(path, node),
        html("small", {}, `${size} ${node.items ? "items" : "keys"}`),
        this.#remover(path),
      ),
      ...this.#faultsOf(path).map((fault) => html("p", { class: "bad" }, fault.text)),
    );
    const fill = () => details.append(...this.#entries(path, schema, node));
    if (details.open) {
      fill();
    }
    details.addEventListener("toggle", () => {
      if (details.open && !this.#open.has(text)) {
        fill();
      }
      this.#open[details.open ? "add" : "delete"](text);
      if (!details.open) {
        details.replaceChildren(details.firstChild);
      }
    });
    return details;
  }

  #field(path, schema, node) {
    const text = pathText(path);
    const faults = this.#faultsOf(path);
    const input = this.#input(path, schema, node);
    return html(
      "div",
      { class: `field ${faults.length > 0 ? "faulty" : ""}`, "data-node": text },
      html("label", { title: `line ${node.line}`, onclick: () => this.#goTo(node.line) }, this.#name(path, node)),
      input,
      this.#remover(path),
      faults.length > 0
        ? html("span", { class: "wrong" }, faults.map((each) => `line ${each.line}: ${each.text}`).join("\n"))
        : html("small", { title: schema?.description }, short(schema?.description)),
    );
  }

  #input(path, schema, node) {
    const words = isScalar(node) ? wordsOf(schema) : undefined;
    const value = isScalar(node) ? node.scalar : flowText(node);
    const common = { "data-path": pathText(path), "aria-label": pathText(path) };
    if (words) {
      const all = words.includes(value) ? words : [value, ...words];
      const select = html(
        "select",
        common,
        all.map((word) => html("option", { value: word, selected: word === value }, word)),
      );
      select.addEventListener("change", () => this.#change([{ path, value: select.value }]));
      return select;
    }
    const input = html("input", {
      ...common,
      type: "text",
      value,
      spellcheck: "false",
      autocomplete: "off",
      placeholder: exampleOf(schema) ?? "",
      list: path.at(-1) === "radio" ? "radios" : undefined,
    });
    input.addEventListener("change", () => {
      const typed = input.value.trim();
      this.#change([{ path, value: typed === "" ? null : typed }]);
    });
    return input;
  }

  #remover(path) {
    return html(
      "button",
      {
        type: "button",
        class: "drop",
        title: `Remove ${pathText(path)}`,
        "aria-label": `Remove ${pathText(path)}`,
        onclick: (event) => {
          event.preventDefault();
          this.#change([{ path, value: null }]);
        },
      },
      "×",
    );
  }

  #add(path, value) {
    this.#open.add(pathText(path));
    this.#change([{ path, value }]);
  }

  // What may be added: keys of the schema, names, or items of a list, which begin as the last one of their kind.
  #adder(path, schema, node) {
    const last = (node.items ?? node.keys.map(([, value]) => value)).at(-1);
    if (node.items) {
      const value = () => (last ? flowText(last) : firstValue(schemaUnder(schema, 0)));
      const add = () => this.#add([...path, node.items.length], value());
      return html("p", { class: "adder" }, html("button", { type: "button", onclick: add }, "Add an item"));
    }
    const known = Object.entries(knownKeys(schema) ?? {}).filter(([key]) => !node.keys.some(([own]) => own === key));
    if (known.length > 0) {
      const select = html(
        "select",
        { "aria-label": `Add a key to ${pathText(path) || "the file"}` },
        html("option", { value: "" }, "add a key …"),
        known.map(([key, { description }]) => html("option", { value: key, title: description }, `${key}: ${short(description)}`)),
      );
      select.addEventListener("change", () => {
        const key = select.value;
        this.#add([...path, key], firstValue(schemaUnder(schema, key)));
      });
      return html("p", { class: "adder" }, select);
    }
    if (!hasNames(schema)) {
      return undefined;
    }
    const name = html("input", { type: "text", placeholder: "name", "aria-label": `New name in ${pathText(path)}` });
    const add = () => {
      const under = schemaUnder(schema, name.value);
      const value = last ? flowText(last) : isList(under) ? "[]" : firstValue(under);
      if (name.value.trim() !== "") {
        this.#add([...path, name.value.trim()], value);
      }
    };
    return html("p", { class: "adder" }, name, html("button", { type: "button", onclick: add }, "Add"));
  }
}

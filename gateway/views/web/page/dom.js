// SPDX-License-Identifier: Apache-2.0
// Elements of the page.

const kSvg = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) {
      element.addEventListener(name.slice(2), value);
    } else if (value === true) {
      element.setAttribute(name, "");
    } else if (value !== undefined && value !== null && value !== false) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

/** An element of HTML: html("td", {class: "number"}, "5 ms"). */
export const html = (name, attributes, ...children) => fill(document.createElement(name), attributes, children);

/** The same of SVG. */
export const svg = (name, attributes, ...children) => fill(document.createElementNS(kSvg, name), attributes, children);

export const byId = (id) => document.getElementById(id);

/** Sets a text only where it is another one, so that selections and the layout stay. */
export function say(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** Fills `element` with what `make` returns when `inputs` (to be compared as JSON) are not those of the last time. */
export function refill(element, inputs, make) {
  const text = JSON.stringify(inputs);
  if (element.shownInputs !== text) {
    element.shownInputs = text;
    element.replaceChildren(...make().flat());
  }
}

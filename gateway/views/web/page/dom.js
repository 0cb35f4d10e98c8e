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

// A small line over time, without axes.

/** `values` may have gaps (undefined); `limits` [low, high] are widened to them. */
export function sparklinePath(values, width, height, limits) {
  const known = values.filter((value) => Number.isFinite(value));
  const low = Math.min(limits[0], ...known);
  const high = Math.max(limits[1], ...known);
  const x = (index) => (values.length > 1 ? (index * width) / (values.length - 1) : width);
  const y = (value) => height - 1 - ((value - low) / (high - low || 1)) * (height - 2);
  let path = "";
  let pen = "M";
  values.forEach((value, index) => {
    if (Number.isFinite(value)) {
      path += `${pen}${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
      pen = "L";
    } else {
      pen = "M";
    }
  });
  return path;
}

/** An element with the function update(values). */
export function sparkline(width, height, limits, name) {
  const line = svg("path", { class: "spark" });
  const element = svg(
    "svg",
    { class: "sparkline", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", role: "img" },
    svg("title", {}, name),
    line,
  );
  element.update = (values) => line.setAttribute("d", sparklinePath(values, width, height, limits));
  return element;
}

// SPDX-License-Identifier: Apache-2.0
// A small line over time, without axes.

import { svg } from "/dom.js";

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

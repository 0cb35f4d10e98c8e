// SPDX-License-Identifier: Apache-2.0
// Which obstacles intersect the straight line between two points.

/** Whether the line from `a` to `b` passes through the box between the corners `low` and `high`. */
export function crosses(a, b, low, high) {
  let enter = 0;
  let leave = 1;
  for (let axis = 0; axis < 3; ++axis) {
    const way = b[axis] - a[axis];
    const near = low[axis] - a[axis];
    const far = high[axis] - a[axis];
    if (way === 0) {
      if (near > 0 || far < 0) {
        return false;
      }
    } else {
      enter = Math.max(enter, Math.min(near / way, far / way));
      leave = Math.min(leave, Math.max(near / way, far / way));
    }
  }
  return enter < leave;
}

/** The obstacles of `world` between two robots of a state; obstacles with an unknown position are left out. */
export function obstaclesBetween(state, world, from, to) {
  const place = (name) => state.robots.find((robot) => robot.name === name)?.position;
  const [a, b] = [place(from), place(to)];
  return a && b ? (world?.obstacles ?? []).filter((each) => crosses(a, b, each.low_m, each.high_m)) : [];
}

/** Metres between two robots; undefined when unknown. */
export function distance(state, from, to) {
  const place = (name) => state.robots.find((robot) => robot.name === name)?.position;
  const [a, b] = [place(from), place(to)];
  return a && b ? Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]) : undefined;
}

// SPDX-License-Identifier: Apache-2.0
// Robots as things in one place: the radios of a robot with `radios` are one body. They are called ROBOT.RADIO, also in
// records, and names that people choose have no dots.

export const bodyOf = (robot) => robot.name.split(".")[0];

/** Of robots of a status, each body once: {name, position, radios, unplugged}, in their order. */
export function bodiesOf(robots) {
  const bodies = new Map();
  for (const robot of robots) {
    const name = bodyOf(robot);
    const body = bodies.get(name) ?? { name, position: robot.position, radios: [], unplugged: true };
    body.radios.push(robot.name);
    body.unplugged = body.unplugged && robot.unplugged;
    bodies.set(name, body);
  }
  return [...bodies.values()];
}

/**
 * By key of each link that a map shows: how many links between radios of the same two bodies lie beside it, nearer to
 * the middle of their way. Where a way has several links, those that nothing can cross, between different media, are left out.
 */
export function lanesOf(links, robots) {
  const bodies = new Map(robots.map((robot) => [robot.name, bodyOf(robot)]));
  const ways = new Map();
  for (const link of links) {
    const way = `${bodies.get(link.from)} ${bodies.get(link.to)}`;
    ways.set(way, [...(ways.get(way) ?? []), link]);
  }
  const lanes = new Map();
  for (const way of ways.values()) {
    const carrying = way.filter((link) => link.reachable || link.in > 0);
    (carrying.length > 0 ? carrying : way.slice(0, 1)).forEach((link, lane) => lanes.set(link.key, lane));
  }
  return lanes;
}

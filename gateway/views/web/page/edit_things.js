// SPDX-License-Identifier: Apache-2.0
// What a configuration file places on the map, and the changes of the file that move it.

import { nodeAt } from "/config_tree.js";
import { bodyOf } from "/run_state.js";

const position = (point, [east, north]) =>
  `[${[point[0] + east, point[1] + north, point[2]].map((value) => `${Number(value.toFixed(6))}m`).join(", ")}]`;

// A robot moves with all of its way.
function robotThings(world, tree) {
  return world.robots.map((robot) => {
    const name = bodyOf(robot);
    const path = ["physics", "tracks", name];
    const track = robot.track ?? [];
    const isHere = nodeAt(tree, path)?.items?.length === track.length && track.length > 0;
    return {
      id: `robot ${name}`,
      name,
      path: ["robots", name],
      shownAt: track[0]?.position_m,
      fixed: isHere ? undefined : "the file has no waypoints of it (physics.tracks)",
      changes: (by) =>
        track.map((point, index) => ({ path: [...path, index, "position"], value: position(point.position_m, by) })),
    };
  });
}

function pointThings(world, tree) {
  return world.access_points.map((point) => {
    const path = ["netsim", "access_points", point.name];
    return {
      id: `point ${point.name}`,
      name: point.name,
      path,
      shownAt: point.position_m,
      fixed: nodeAt(tree, path) ? undefined : "the file has it elsewhere",
      changes: (by) => [{ path: [...path, "position"], value: position(point.position_m, by) }],
    };
  });
}

function obstacleThings(world, tree) {
  return world.obstacles.map((obstacle, index) => {
    const path = ["physics", "obstacles", index];
    const box = (corner, point, by) => ({ path: [...path, "box", corner], value: position(point, by) });
    return {
      id: `obstacle ${obstacle.name}`,
      name: obstacle.name,
      path,
      shownAt: obstacle.low_m,
      fixed: nodeAt(tree, [...path, "box"]) ? undefined : "the file has it elsewhere",
      changes: (by) => [box("min", obstacle.low_m, by), box("max", obstacle.high_m, by)],
    };
  });
}

/** By id: {id, name, path, shownAt, fixed, changes}, as of placed_things.js; `changes([east, north])` are of edit.js. */
export function editThings(world, tree) {
  const things = [...robotThings(world, tree), ...pointThings(world, tree), ...obstacleThings(world, tree)];
  return new Map(things.map((thing) => [thing.id, thing]));
}

/** The world as the map shows a run: robots where their ways begin, and no links. */
export const stateOf = (world, tree, at) => ({
  at,
  links: new Map(),
  robots: world.robots.map(({ name, radio, track }) => ({ name, radio, position: track?.[0]?.position_m })),
  status: {
    access_points: world.access_points.map(({ name, position_m }) => ({
      name,
      position: position_m,
      radio: nodeAt(tree, ["netsim", "access_points", name, "radio"])?.scalar ?? "",
      channel: nodeAt(tree, ["netsim", "access_points", name, "channel"])?.scalar ?? "1",
    })),
  },
});

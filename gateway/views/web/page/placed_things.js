// SPDX-License-Identifier: Apache-2.0
// Robots, access points and obstacles with a position in the configuration, and the assignments that move them.

import { bodiesOf, bodyOf } from "/run_state.js";

const metres = (value) => `${Number(value.toFixed(6))}m`;
const position = (point) => point.map(metres);
const shifted = ([x, y, z], [east, north]) => [x + east, y + north, z];

// JSON is YAML, too.
const assignment = (key, value) => `${key}=${JSON.stringify(value)}`;

function robotThings(state, world) {
  const positions = new Map(bodiesOf(state.robots).map((body) => [body.name, body.position]));
  return (world?.robots ?? []).map((robot) => {
    const name = bodyOf(robot);
    const [start] = robot.track ?? [];
    const yaw = Number.isFinite(start?.yaw_rad) ? { yaw: `${start.yaw_rad.toFixed(9)}rad` } : {};
    return {
      id: `robot ${name}`,
      name,
      shownAt: positions.get(name),
      fixed: robot.fixed,
      moved: (by) =>
        assignment(`physics.tracks.${name}`, [{ at: "0s", position: position(shifted(start.position_m, by)), ...yaw }]),
    };
  });
}

function pointThings(world) {
  return (world?.access_points ?? []).map((point) => ({
    id: `point ${point.name}`,
    name: point.name,
    shownAt: point.position_m,
    fixed: point.fixed,
    moved: (by) =>
      assignment(`netsim.access_points.${point.name}.position`, position(shifted(point.position_m, by))),
  }));
}

function obstacleItem(obstacle, by) {
  const box = { min: position(shifted(obstacle.low_m, by)), max: position(shifted(obstacle.high_m, by)) };
  const wall = obstacle.wall_m ? { wall: metres(obstacle.wall_m) } : {};
  return { name: obstacle.name, box, material: obstacle.material, ...wall };
}

// A list has no key for one item: all of it is set.
function obstacleThings(world) {
  const all = world?.obstacles ?? [];
  return all.map((obstacle) => ({
    id: `obstacle ${obstacle.name}`,
    name: obstacle.name,
    shownAt: obstacle.low_m,
    fixed: obstacle.fixed,
    moved: (by) =>
      assignment(
        "physics.obstacles",
        all.map((each) => obstacleItem(each, each === obstacle ? by : [0, 0])),
      ),
  }));
}

/**
 * By id: {id, name, shownAt, fixed, moved}. `shownAt` is where it is shown, in metres; `fixed` is why it cannot be moved,
 * undefined where it can; `moved([east, north])` is the KEY=VALUE that moves it by so many metres.
 */
export function placedThings(state, world) {
  const things = [...robotThings(state, world), ...pointThings(world), ...obstacleThings(world)];
  return new Map(things.map((thing) => [thing.id, thing]));
}

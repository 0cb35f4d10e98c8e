// SPDX-License-Identifier: Apache-2.0
// Why a link is as it is, in sentences, the strongest reason first.

import { decibels, number, percent } from "/format.js";
import { distance, obstaclesBetween } from "/sight.js";

const kBusyAir = 0.9;
const kLossOfATry = 0.1;

function robotReasons(state, link) {
  const plugs = [link.from, link.to]
    .map((name) => state.robots.find((robot) => robot.name === name))
    .filter((robot) => robot?.unplugged)
    .map((robot) => `${robot.name} is unplugged: its port ${robot.port} is not up.`);
  const wired = (state.status.conditions ?? []).filter((each) => each.name === "wired").map((each) => `${each.text}.`);
  return [...wired, ...plugs];
}

// Radios of different media do not hear one another, however near. Over access points they need not.
function differentRadios(state, world, link) {
  const mediumOf = (name) => (state.status.media ?? []).find((medium) => (medium.robots ?? []).includes(name))?.domain;
  const [from, to] = [link.from, link.to].map(mediumOf);
  if (link.reachable || state.status.access_points || !from || !to || from === to) {
    return "";
  }
  const radioOf = (name) => (world?.robots ?? []).find((robot) => robot.name === name)?.radio;
  const text = (name, medium) => `${name}'s is on ${medium}${radioOf(name) ? ` (${radioOf(name)})` : ""}`;
  return `Different radios: ${text(link.from, from)}, ${text(link.to, to)}; they do not hear one another.`;
}

function radioReasons(state, world, link) {
  const different = differentRadios(state, world, link);
  if (different) {
    return [different];
  }
  const metres = distance(state, link.from, link.to);
  const far = metres === undefined ? "" : `, over ${number(metres, "m")}`;
  const between = obstaclesBetween(state, world, link.from, link.to);
  const walls = between.map((each) => `${each.name} (${each.material})`).join(", ");
  const reasons = [];
  if (!link.line_of_sight) {
    reasons.push(
      walls ? `No line of sight: ${walls} stands between them.` : "No line of sight: something stands between them.",
    );
  } else if (walls) {
    reasons.push(`${walls} stands between them.`);
  }
  if (!link.reachable) {
    reasons.push(`Out of reach: ${link.to} cannot even hear ${link.from}${far}.`);
  } else if (link.heardOnly) {
    reasons.push(
      `Heard only: at ${decibels(link.snr_db)} SNR${far} no full frame can be decoded, and ${link.to} still waits while ${link.from} sends.`,
    );
  } else if (link.frame_loss >= kLossOfATry) {
    reasons.push(
      `Weak: at ${decibels(link.snr_db)} SNR${far} a try of a full frame is lost with ${percent(link.frame_loss)}.`,
    );
  }
  return reasons;
}

function airReasons(state, link) {
  return (state.status.media ?? [])
    .filter((medium) => medium.utilisation_last_s >= kBusyAir && (medium.robots ?? []).includes(link.from))
    .map(
      (medium) =>
        `The air of ${medium.domain} is in use ${percent(medium.utilisation_last_s)} of the time: frames wait and queues overflow.`,
    );
}

function setReasons(state, link) {
  const about = (end, name) => end === name || end === "*";
  return (state.status.assignments ?? [])
    .filter((each) => {
      const [section, from, to] = each.split("=")[0].split(".");
      return section === "links" && about(from, link.from) && about(to, link.to) && !each.endsWith("=");
    })
    .map((each) => `Set by hand: ${each}`);
}

/** Sentences. */
export function reasonsOf(state, world, link) {
  const reasons = [
    ...robotReasons(state, link),
    ...setReasons(state, link),
    ...radioReasons(state, world, link),
    ...airReasons(state, link),
  ];
  if (reasons.length > 0) {
    return reasons;
  }
  return [
    link.decided > 0 && link.loss > 0.01
      ? "Nothing stands out: the drops below say what became of the frames."
      : "Nothing is wrong with this link.",
  ];
}

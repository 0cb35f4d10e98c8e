// SPDX-License-Identifier: Apache-2.0
// Robots, of very many the first and those of the chosen link: position, radio, access point,
// MAVLink state, announced DDS participants.

import { html, refill, say } from "/dom.js";
import { count, number } from "/format.js";
import { bodyOf } from "/run_state.js";

function stationText(status, name) {
  const station = (status.stations ?? []).find((each) => each.robot === name);
  if (!station) {
    return "";
  }
  return station.state === "associated" ? `${station.access_point}, ${number(station.rssi_dbm, "dBm")}` : station.state;
}

// Systems and vehicles are the robot's, whichever of its radios carries them.
function mavlinkText(mavlink, robot) {
  const body = bodyOf(robot);
  const systems = (mavlink?.systems ?? []).filter((each) => (each.robots ?? []).includes(body));
  const vehicle = (mavlink?.vehicles ?? []).find((each) => each.robot === body);
  const texts = systems.map(
    (each) =>
      `system ${each.system} (${each.type ?? "?"}, ${each.autopilot ?? "?"}), heard ${number(Math.round(each.silent_s ?? 0), "s")} ago, lost ${count(each.lost)}`,
  );
  if (vehicle) {
    texts.push(`position: ${vehicle.state}`);
  }
  for (const radio of (mavlink?.radio_status ?? []).filter((each) => each.robot === robot.name)) {
    texts.push(`RADIO_STATUS of ${radio.peer}: rssi ${radio.rssi}, remrssi ${radio.remrssi}, txbuf ${radio.txbuf} %`);
  }
  return texts.join("\n");
}

function ddsText(dds, name) {
  return (dds?.participants ?? [])
    .filter((each) => each.robot === name)
    .map(
      (each) =>
        `${[each.name, each.process].filter((text) => text).join(", ") || "participant"} (${each.vendor}, domain ${each.domain}), heard ${number(Math.round(each.silent_s), "s")} ago`,
    )
    .join("\n");
}

const kMost = 200; // rows

export class RobotsView {
  #table = html("table", { class: "plain" });
  #note = html("p", { class: "note" });

  constructor(panel) {
    panel.append(html("div", { class: "scroll" }, this.#table), this.#note);
  }

  show(state, world, chosen) {
    const { status } = state;
    const ends = chosen.split(" → ");
    const shown =
      status.robots.length <= kMost
        ? status.robots
        : [
            ...status.robots.filter((robot) => ends.includes(robot.name)),
            ...status.robots.filter((robot) => !ends.includes(robot.name)),
          ].slice(0, kMost);
    say(
      this.#note,
      shown.length < status.robots.length
        ? `${shown.length} of ${status.robots.length} robots: those of the chosen link, then the first`
        : "",
    );
    const rows = shown.map((robot) => [
      robot.name,
      robot.unplugged ? "unplugged" : (robot.port ?? "–"),
      (robot.position ?? []).map((each) => each.toFixed(1)).join(", ") || "–",
      (world?.robots ?? []).find((each) => each.name === robot.name)?.radio || "–",
      stationText(status, robot.name),
      mavlinkText(status.mavlink, robot),
      ddsText(status.dds, robot.name),
    ]);
    const names = ["robot", "port", "position, m", "radio", "access point", "MAVLink", "DDS"];
    const used = names.map((_, index) => index < 4 || rows.some((row) => row[index] !== ""));
    const pick = (row) => row.filter((_, index) => used[index]);
    refill(this.#table, rows, () => [
      html(
        "thead",
        {},
        html(
          "tr",
          {},
          pick(names).map((each) => html("th", {}, each)),
        ),
      ),
      html(
        "tbody",
        {},
        rows.map((row) =>
          html(
            "tr",
            {},
            pick(row).map((each) => html("td", { class: each === "unplugged" ? "bad" : "lines" }, each)),
          ),
        ),
      ),
    ]);
  }
}

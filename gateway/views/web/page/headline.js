// SPDX-License-Identifier: Apache-2.0
// The line at the top: whether all is well, and what is not.

import { byId, html, refill, say } from "/dom.js";
import { clockTime, count, percent } from "/format.js";

function linkText(state) {
  const dead = [...state.links.values()].filter((link) => link.busy && link.loss >= 0.6);
  const weak = [...state.links.values()].filter((link) => link.busy && link.loss >= 0.05 && link.loss < 0.6);
  const some = (links) => (links.length > 3 ? `${links.length} links` : links.map((link) => link.key).join(", "));
  if (dead.length > 0) {
    return { grade: "bad", text: `${some(dead)}: hardly anything arrives` };
  }
  if (weak.length > 0) {
    return { grade: "warn", text: `${some(weak)}: frames are lost (${percent(Math.max(...weak.map((l) => l.loss)))})` };
  }
  return null;
}

/** What is wrong first: {grade, text}. */
export function verdict(state) {
  if (!state.status) {
    return { grade: "bad", text: `no answer of the gateway: ${state.error}` };
  }
  const conditions = state.status.conditions ?? []; // records have none
  if (conditions.length > 0) {
    return { grade: "bad", text: conditions[0].text };
  }
  if (state.status.totals?.balanced === false) {
    return { grade: "bad", text: "deliveries are not all accounted for: this is a fault of the gateway" };
  }
  const links = linkText(state);
  const well = state.status.conditions ? "all is well; " : "";
  if (links) {
    return links;
  }
  if (state.out + state.lost === 0) {
    return { grade: "idle", text: `${well}no robot sends anything` };
  }
  const span = state.seconds > 1.5 ? `${Math.round(state.seconds)} s` : "second";
  return { grade: "good", text: `${well}${count(state.out)} frames delivered in the last ${span}` };
}

export function showHeadline(state, timeline) {
  const line = byId("headline");
  const { grade, text } = verdict(state);
  line.className = grade;
  say(line, timeline.isLive ? text : `${timeline.wallTime(state.at).toLocaleTimeString()}: ${text}`);
  const status = state.status;
  if (!status) {
    return;
  }
  say(byId("run"), status.run);
  document.title = `${grade === "good" || grade === "idle" ? "" : "● "}${status.run} – hilgate`;
  const pace = [status.window?.pace, status.clock?.paused && "paused"].filter(Boolean).join(", ");
  say(
    byId("clockline"),
    `up ${clockTime(status.uptime_s)} · sim ${clockTime(status.window?.sim_time_s)}${pace && ` (${pace})`}`,
  );
  const others = (status.conditions ?? []).slice(1);
  const shown = others.map(({ text: each, since_s }) => [each, Math.floor(since_s / 10)]);
  refill(byId("conditions"), shown, () =>
    others.map((each) => html("li", {}, each.text, html("small", {}, ` since ${clockTime(each.since_s)}`))),
  );
}

// SPDX-License-Identifier: Apache-2.0
// The line at the top: whether all is well, and what is not.

import { acknowledge, conditionKey, withAcknowledged } from "/acknowledged.js";
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

// A condition without a severity is one of an earlier version.
const severityOf = (condition) => condition.severity ?? "error";
const kGrades = { error: "bad", warning: "warn", note: "idle" };

// What hides nothing worse: links to which nothing gets through stand before warnings, lossy ones before notes.
function faultsOf(state, conditions) {
  const links = linkText(state);
  const of = (severity) =>
    conditions
      .filter((each) => severityOf(each) === severity)
      .map((each) => ({ grade: kGrades[severity], text: each.text, condition: each }));
  const unbalanced =
    state.status.totals?.balanced === false
      ? [{ grade: "bad", text: "deliveries are not all accounted for: this is a fault of the gateway" }]
      : [];
  const dead = links?.grade === "bad" ? [links] : [];
  const weak = links?.grade === "warn" ? [links] : [];
  return [...of("error"), ...unbalanced, ...dead, ...of("warning"), ...weak, ...of("note")];
}

/** What is wrong first: {grade, text}, and the condition where it is one. `conditions`: those not put aside. */
export function verdict(state, conditions = state.status?.conditions ?? []) {
  if (!state.status) {
    return { grade: "bad", text: `no answer of the gateway: ${state.error}` };
  }
  const [worst] = faultsOf(state, conditions);
  if (worst) {
    return worst;
  }
  const well = state.status.conditions?.length === 0 ? "all is well; " : ""; // records have none
  if (state.out + state.lost === 0) {
    return { grade: "idle", text: `${well}no robot sends anything` };
  }
  const span = state.seconds > 1.5 ? `${Math.round(state.seconds)} s` : "second";
  return { grade: "good", text: `${well}${count(state.out)} frames delivered in the last ${span}` };
}

function conditionLine(run, condition, isSeen, again) {
  const set = (seen) => () => {
    acknowledge(run, condition, seen);
    again();
  };
  return html(
    "li",
    { class: `${severityOf(condition)} ${isSeen ? "seen" : ""}`, "data-condition": conditionKey(condition) },
    condition.text,
    html("small", {}, ` since ${clockTime(condition.since_s)}`),
    html(
      "button",
      {
        type: "button",
        title: isSeen ? "Show it as new again" : "Put it aside in this browser until it is over",
        onclick: set(!isSeen),
      },
      isSeen ? "Show again" : "Acknowledge",
    ),
  );
}

export function showHeadline(state, timeline) {
  const line = byId("headline");
  const run = state.status?.run;
  const marked = withAcknowledged(run, state.status?.conditions ?? [], timeline.isLive && Boolean(state.status));
  const { grade, text } = verdict(
    state,
    marked.filter(([, isSeen]) => !isSeen).map(([each]) => each),
  );
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
  marked.sort(([, one], [, other]) => one - other);
  const shown = marked.map(([each, isSeen]) => [each.text, isSeen, Math.floor(each.since_s / 10)]);
  refill(byId("conditions"), shown, () =>
    marked.map(([each, isSeen]) => conditionLine(run, each, isSeen, () => showHeadline(state, timeline))),
  );
}

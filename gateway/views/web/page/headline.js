// SPDX-License-Identifier: Apache-2.0
// The line at the top: whether all is well, and what is not.

import { byId, html, refill, say } from "/dom.js";
import { clockTime, count } from "/format.js";

// Conditions that somebody at this browser has seen and put aside. One that is over and begins again is new.

const keyOf = (run) => `hilgate.acknowledged.${run}`;
const conditionKey = (condition) => `${condition.name} ${condition.about}`;

function stored(run) {
  try {
    return new Set(JSON.parse(localStorage.getItem(keyOf(run)) ?? "[]"));
  } catch {
    return new Set();
  }
}

function store(run, keys) {
  try {
    localStorage.setItem(keyOf(run), JSON.stringify([...keys]));
  } catch {
    // a browser that keeps nothing shows it again
  }
}

function acknowledge(run, condition, isSeen) {
  const keys = stored(run);
  isSeen ? keys.add(conditionKey(condition)) : keys.delete(conditionKey(condition));
  store(run, keys);
}

/** The conditions of a run, [condition, whether it has been put aside]; `isLive`: those that are over are forgotten. */
function withAcknowledged(run, conditions, isLive) {
  const keys = stored(run);
  if (isLive) {
    const standing = new Set(conditions.map(conditionKey));
    const kept = [...keys].filter((key) => standing.has(key));
    if (kept.length < keys.size) {
      store(run, kept);
    }
  }
  return conditions.map((each) => [each, keys.has(conditionKey(each))]);
}

// A condition without a severity is one of an earlier version.
const severityOf = (condition) => condition.severity ?? "error";
const kGrades = { bad: "bad", doubtful: "warn", note: "idle" };

/** The worst finding, {grade, text}. `isSeen(condition)`: whether a condition is put aside. */
function verdict(state, isSeen) {
  const { status } = state;
  if (!status) {
    return { grade: "bad", text: `no answer of the gateway: ${state.error}` };
  }
  const worst = (status.findings ?? []).find((each) => each.condition === undefined || !isSeen(each.condition));
  if (worst) {
    return { grade: kGrades[worst.grade], text: worst.text };
  }
  const well = state.status.conditions?.length === 0 ? "all is well; " : ""; // records have none
  if (state.out + state.lost === 0) {
    return { grade: "idle", text: `${well}no robot sends anything` };
  }
  const span = state.seconds > 1.5 ? `${Math.round(state.seconds)} s` : "second";
  return { grade: "good", text: `${well}${count(state.out)} frames delivered in the last ${span}` };
}

/** How long the condition stands, in steps of ten seconds: lines with buttons are made anew seldom. */
function standing(condition) {
  const tens = Math.floor(condition.since_s / 10);
  return tens > 0 ? clockTime(10 * tens) : "seconds";
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
    html("small", {}, ` for ${standing(condition)}`),
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
  const { grade, text } = verdict(state, (place) => marked[place][1]);
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
  const shown = marked.map(([each, isSeen]) => [each.text, isSeen, standing(each)]);
  refill(byId("conditions"), shown, () =>
    marked.map(([each, isSeen]) => conditionLine(run, each, isSeen, () => showHeadline(state, timeline))),
  );
}

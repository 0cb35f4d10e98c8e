// SPDX-License-Identifier: Apache-2.0
// What happened between two frames, in sentences.

import { linkKey } from "/run_state.js";

const byName = (list, name) => new Map((list ?? []).map((each) => [name(each), each]));

function conditionEvents(now, before) {
  const name = (each) => `${each.name} ${each.about}`;
  const [new_, old] = [byName(now.conditions, name), byName(before.conditions, name)];
  const begun = [...new_].filter(([key]) => !old.has(key)).map(([, each]) => ({ kind: "bad", text: each.text }));
  const over = [...old]
    .filter(([key]) => !new_.has(key))
    .map(([, each]) => ({ kind: "good", text: `over: ${each.text}` }));
  return [...begun, ...over];
}

/** What links say in two statuses, which is all that records leave to find out. */
export function linkEvents(now, before) {
  const old = byName(before.links, (each) => linkKey(each.from, each.to));
  const events = [];
  for (const link of now.links) {
    const key = linkKey(link.from, link.to);
    const then = old.get(key);
    if (then && then.reachable !== link.reachable) {
      events.push(
        link.reachable ? { kind: "good", text: `${key}: in reach` } : { kind: "bad", text: `${key}: out of reach` },
      );
    }
    if (then && then.line_of_sight !== link.line_of_sight) {
      events.push({ kind: "note", text: `${key}: ${link.line_of_sight ? "line of sight" : "no line of sight"}` });
    }
  }
  return events;
}

function changeEvents(now, before) {
  const [new_, old] = [now.assignments ?? [], before.assignments ?? []];
  const events = new_.filter((each) => !old.includes(each)).map((each) => ({ kind: "change", text: `set: ${each}` }));
  if (new_.length === 0 && old.length > 0) {
    events.push({ kind: "change", text: "reloaded: all is as in the file" });
  }
  if (now.clock?.paused !== before.clock?.paused && now.clock?.paused !== undefined) {
    events.push({ kind: "change", text: now.clock.paused ? "paused" : "resumed" });
  }
  return events;
}

function portEvents(now, before) {
  const old = byName(before.ports, (each) => each.name);
  return now.ports
    .filter((port) => old.has(port.name) && old.get(port.name).state !== port.state)
    .map((port) => ({
      kind: port.state === "up" ? "good" : "bad",
      text: `port ${port.name}: ${port.state} ${port.problem}`.trim(),
    }));
}

function stationEvents(now, before) {
  const old = byName(before.stations, (each) => each.robot);
  return (now.stations ?? [])
    .filter((each) => old.has(each.robot) && old.get(each.robot).access_point !== each.access_point)
    .map((each) => ({
      kind: each.access_point ? "note" : "bad",
      text: `${each.robot}: ${each.access_point ? `associated with ${each.access_point}` : `${each.state}, no access point`}`,
    }));
}

function simulationEvents(now, before) {
  const events = [];
  if (now.window.last_event && now.window.last_event !== before.window.last_event) {
    events.push({ kind: "note", text: now.window.last_event });
  }
  if ((now.clock?.steps ?? 0) > (before.clock?.steps ?? 0)) {
    events.push({ kind: "bad", text: "the clock was stepped" });
  }
  return events;
}

function scenarioEvents({ scenario: now }, { scenario: before }) {
  if (!now || now.begin_s !== before?.begin_s) {
    const name = (now ?? before)?.file;
    return name ? [{ kind: "change", text: `scenario ${name}: ${now ? "started" : "stopped"}` }] : [];
  }
  const old = byName(before.expectations, (each) => each.line);
  const judged = now.expectations.filter(
    ({ line, verdict }) => verdict !== old.get(line)?.verdict && ["met", "failed"].includes(verdict),
  );
  const events = judged.map(({ verdict, text, failure }) =>
    verdict === "met" ? { kind: "good", text: `as expected: ${text}` } : { kind: "bad", text: failure },
  );
  return now.over && !before.over ? [...events, { kind: "change", text: `scenario ${now.file}: over` }] : events;
}

/** [{kind, text}] of the events in frame `now`; kinds are bad, good, change and note. */
export function eventsBetween(before, now) {
  if (!now.status || !before.status) {
    return now.status === before.status || Boolean(now.status) === Boolean(before.status)
      ? []
      : [
          now.status
            ? { kind: "good", text: "the gateway answers" }
            : { kind: "bad", text: `the gateway does not answer: ${now.error}` },
        ];
  }
  if (now.status.uptime_s < before.status.uptime_s) {
    return [{ kind: "note", text: `run ${now.status.run} has begun` }];
  }
  const finders = [conditionEvents, changeEvents, portEvents, stationEvents, simulationEvents, linkEvents, scenarioEvents];
  return finders.flatMap((find) => find(now.status, before.status));
}

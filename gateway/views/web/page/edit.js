// SPDX-License-Identifier: Apache-2.0
// The editor of a configuration file: map, text and form of one draft, which the editor's process has and checks.

import { byId } from "/dom.js";
import { editThings, stateOf } from "/edit_things.js";
import { FormView } from "/form_view.js";
import { draft, order, schema } from "/gateway_api.js";
import { onKeys } from "/keyboard.js";
import { MapView } from "/map_view.js";
import { TextView } from "/text_view.js";
import { restoreTheme, switchTheme } from "/theme.js";

const kNow = { isLive: true, before: () => [] }; // a file has no past

restoreTheme();
let report = null;
let things = new Map();
let changes = 0; // drafts so far

const objection = byId("objection");
const map = new MapView(byId("map"), () => {}, {
  set: async (thing, by) => {
    const all = thing.changes(by);
    return (await change(all)) ? "" : objection.textContent;
  },
  takeBack: () => carryOut("/undo"),
});
const text = new TextView(byId("text"), (written) => carryOut("/text", { text: written }));
const form = new FormView(byId("form"), await schema(), { change, goTo: (line) => text.goTo(line) });

function say(why) {
  objection.textContent = why;
}

function headline() {
  const line = byId("headline");
  const faults = report.faults.length;
  line.className = faults > 0 ? "bad" : report.saved ? "good" : "warn";
  line.textContent =
    faults > 0
      ? `${faults === 1 ? "one fault" : `${faults} faults`}: cannot be saved`
      : report.saved
        ? "valid, and saved"
        : "valid, and not saved";
}

function show(now) {
  report = now;
  changes += 1;
  document.title = `${report.saved ? "" : "● "}${report.file.split("/").at(-1)}`;
  byId("file").textContent = report.file.split("/").at(-1);
  byId("file").title = report.file;
  byId("undo").disabled = !report.can_undo;
  byId("save").disabled = report.saved || report.faults.length > 0;
  headline();
  text.show(report);
  form.show(report);
  if (report.world && report.tree) {
    things = editThings(report.world, report.tree);
    map.show(stateOf(report.world, report.tree, changes), report.world, kNow, "", things);
  }
}

/** Has the draft changed; returns whether it was. What was typed goes first. */
async function carryOut(path, request) {
  try {
    if (path !== "/text") {
      await text.flush();
    }
    const answer = await order(path, request);
    if (answer.lost_comments) {
      return await agree(path, request, answer);
    }
    if (answer.error) {
      say(answer.error);
      form.show(report); // with the values that the file has
      return false;
    }
    say("");
    show(answer);
    return true;
  } catch (error) {
    say(`${error.message}; is the editor still running?`);
    return false;
  }
}

async function agree(path, request, { error, lost_comments: lost }) {
  if (confirm(`${error}:\n${lost.join("\n")}\n\nGo on?`)) {
    return carryOut(path, { ...request, may_lose_comments: true });
  }
  say("not changed: the comments stay");
  form.show(report);
  return false;
}

/** [{path, value}]: YAML, null removes; all or none. */
function change(list) {
  return carryOut("/change", { changes: list });
}

async function end() {
  if (report?.saved || confirm("What is not saved is lost. End the editor?")) {
    await carryOut("/end");
    document.body.inert = true;
    byId("headline").className = "idle";
    byId("headline").textContent = "ended: close this tab";
  }
}

onKeys({
  Escape: () => map.cancel(),
  u: () => carryOut("/undo"),
  t: switchTheme,
});
document.addEventListener("keydown", (event) => {
  if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    carryOut("/save");
  }
});
byId("map").addEventListener("dblclick", (event) => {
  const thing = things.get(event.target.closest("[data-thing]")?.dataset.thing);
  thing && form.reveal(thing.path);
});
byId("undo").addEventListener("click", () => carryOut("/undo"));
byId("save").addEventListener("click", () => carryOut("/save"));
byId("read").addEventListener("click", () => carryOut("/read"));
byId("theme").addEventListener("click", switchTheme);
byId("end").addEventListener("click", end);
window.addEventListener("beforeunload", (event) => report && !report.saved && event.preventDefault());

try {
  show(await draft());
  map.allow(true);
} catch (error) {
  say(error.message);
}

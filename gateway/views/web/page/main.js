// SPDX-License-Identifier: Apache-2.0
// The page: takes reports, and shows the run as it is, or as it was.

import { ControlsView } from "/controls_view.js";
import { byId } from "/dom.js";
import { DropsView } from "/drops_view.js";
import { EventsView } from "/events_view.js";
import { control, follow, pastReports, plan, record, rights, tile, tileBytes, tiles, world as askWorld } from "/gateway_api.js";
import { showHeadline } from "/headline.js";
import { onKeys } from "/keyboard.js";
import { LinkView } from "/link_view.js";
import { MapView } from "/map_view.js";
import { MatrixView } from "/matrix_view.js";
import { PortsView } from "/ports_view.js";
import { RadioView } from "/radio_view.js";
import { RecordedRun } from "/recorded_run.js";
import { RobotsView } from "/robots_view.js";
import { eventsBetween } from "/run_events.js";
import { ScenarioView } from "/scenario_view.js";
import { StripView } from "/strip_view.js";
import { restoreTheme, switchTheme } from "/theme.js";
import { TimeView } from "/time_view.js";
import { Timeline } from "/timeline.js";
import { kVectorType, VectorGround } from "/vector_ground.js";

const kLonger = 10_000; // ms, for numbers that should rarely change

restoreTheme();
const about = await record().catch(() => null); // why it cannot be asked, the next question finds out
const recorded = about && new RecordedRun(about);
const timeline = new Timeline(Boolean(recorded));
let world = null;
let worldOf = ""; // which configuration it is of
let chosen = ""; // a link
let isDrawing = false;
let before = null; // the frame before the newest

const controls = new ControlsView(byId("controls"));
const change = {
  set: async (thing, by, isFurther) => ((await controls.set([thing.moved(by)], isFurther)) ? "" : controls.answer),
  takeBack: () => controls.undo(),
};
const archive = await tiles().catch(() => null);
const ground = archive?.type === kVectorType ? new VectorGround(archive, tileBytes) : archive && { ...archive, tile };
const map = new MapView(byId("map"), choose, change, {
  askCoverage: (question) => control({ command: "coverage", ...question }),
  ground,
  plan: plan(),
});
const matrix = new MatrixView(byId("matrix"), choose);
const link = new LinkView(byId("link"), { choose, change: (assignments) => controls.set(assignments) });
const drops = new DropsView(byId("drops"));
const time = new TimeView(byId("time"));
const ports = new PortsView(byId("ports"));
const robots = new RobotsView(byId("robots"));
const radio = new RadioView(byId("radio"));
const scenario = new ScenarioView(byId("scenario"), {
  start: (text, name) => controls.startScenario(text, name),
  stop: () => controls.stopScenario(),
});
const events = new EventsView(byId("events"), lookAt, Boolean(recorded));
const strip = new StripView(byId("strip"), { lookAt, goLive, isRecord: Boolean(recorded) });

// Behind the '#', where others stay as they are.
const ofAddress = () => new URLSearchParams(location.hash.slice(1));
function inAddress(name, value) {
  const all = ofAddress();
  all.set(name, value);
  location.hash = all.toString();
}

function choose(key) {
  chosen = key;
  inAddress("link", key);
  draw();
}

function lookAt(at) {
  timeline.lookAt(at);
  draw();
}

function goLive() {
  timeline.goLive();
  draw();
}

function step(frames) {
  timeline.step(frames);
  draw();
}

function nextLink(places) {
  const keys = [...timeline.state().links.keys()];
  choose(keys[(keys.indexOf(chosen) + places + keys.length) % keys.length]);
}

// The link with traffic that loses most, until the user chooses one.
function worstLink(state) {
  const links = [...state.links.values()];
  const busy = links.filter((each) => each.busy);
  const worst = (busy.length > 0 ? busy : links).reduce(
    (one, other) => (other.loss > one.loss ? other : one),
    links[0],
  );
  return worst?.key ?? "";
}

function showRun(state, longer) {
  const known = state.links.has(chosen) ? chosen : worstLink(longer);
  map.show(state, world, timeline, known);
  matrix.show(state, timeline, known);
  link.show(state, longer, world, timeline, known);
  drops.show(longer, world, timeline);
  time.show(state);
  ports.show(state);
  robots.show(state, world, known);
  radio.show(state, world, known);
  controls.show(state);
  scenario.show(state);
}

function drawNow() {
  isDrawing = false;
  const state = timeline.state();
  if (!state) {
    return;
  }
  showHeadline(state, timeline);
  strip.show(timeline, events.events);
  if (state.status) {
    world = recorded ? recorded.worldAt(state.at) : world;
    showRun(state, timeline.state(kLonger));
  }
}

function draw() {
  if (!isDrawing) {
    isDrawing = true;
    requestAnimationFrame(drawNow);
  }
}

// Obstacles and waypoints are another question, asked again when the configuration has changed.
async function refreshWorld(status) {
  const now = `${status.run} ${status.totals.changes} ${(status.assignments ?? []).join()}`;
  if (now !== worldOf) {
    worldOf = now;
    world = (await askWorld().catch(() => null)) ?? world;
    draw();
  }
}

function take(report, isPast) {
  timeline.add(report);
  const newest = timeline.newest;
  if (before) {
    const found = eventsBetween(before, newest).map((each) => ({ ...each, at: newest.at }));
    events.add(found, (at) => timeline.wallTime(at));
  }
  before = newest;
  if (!isPast && newest.status) {
    refreshWorld(newest.status);
  }
  draw();
}

function lost(why) {
  const headline = byId("headline");
  headline.className = "bad";
  headline.textContent = why;
}

onKeys({
  ArrowLeft: (event) => step(event.shiftKey ? -10 : -1),
  ArrowRight: (event) => step(event.shiftKey ? 10 : 1),
  Escape: () => map.cancel() || goLive(),
  "[": () => nextLink(-1),
  "]": () => nextLink(1),
  x: () => choose(link.other),
  s: () => controls.focus(),
  u: () => controls.undo(),
  "/": () => events.focus(),
  t: switchTheme,
  "?": () => byId("keys").showModal(),
});
byId("theme").addEventListener("click", switchTheme);
byId("help").addEventListener("click", () => byId("keys").showModal());
chosen = ofAddress().get("link") ?? "";

const past = await pastReports().catch((error) => (lost(error.message), []));
if (recorded) {
  past.forEach((report) => timeline.add(report));
  events.add(recorded.events(timeline.frames), (at) => timeline.wallTime(at));
  recorded.say(recorded.seek(ofAddress().get("at"), timeline.frames, lookAt));
  draw();
} else {
  rights()
    .catch(() => ({ change: false }))
    .then(({ change }) => {
      controls.allow(change);
      map.allow(change);
    });
  past.forEach((report) => take(report, true));
  await follow((report) => take(report, false), lost);
}

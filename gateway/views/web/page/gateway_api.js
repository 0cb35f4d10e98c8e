// SPDX-License-Identifier: Apache-2.0
// What the server of this page is asked.

const kTokenKey = "hilgate-token";
const kRetry = 1000;

// The token follows the '#' of the address, which browsers do not send to servers, and is removed from the address at
// once.
function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem(kTokenKey, given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem(kTokenKey);
}

const token = takeToken();
const headers = token ? { Authorization: `Bearer ${token}` } : {};

const answerTo = (path, options = {}) => fetch(path, { ...options, headers: { ...headers, ...options.headers } });

async function ask(path, options) {
  const response = await answerTo(path, options);
  if (!response.ok) {
    throw new Error((await response.text()).trim());
  }
  return response;
}

// {at, answer, bytes}
const reportOf = (text) => Object.assign(JSON.parse(text), { bytes: text.length });

/** What the page is of where that is a record (gateway/views/web/recorded_run.h); null: a run. */
export const record = async () => (await ask("/record")).json();

export async function pastReports() {
  const text = await (await ask("/history")).text();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map(reportOf);
}

export async function world() {
  const answer = await (await ask("/world")).json();
  return answer.ok ? answer.result : null;
}

/** What tiles of the ground there are: {type, least_zoom, most_zoom, attribution}, or null. */
export const tiles = async () => (await ask("/tiles")).json();

// An address for an image. Images cannot ask by themselves: they do not send the token.
async function addressOf(response) {
  const picture = await response.blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(picture);
  });
}

/** A picture of the ground as an address for an image; null where the archive has none. */
export async function tile(zoom, x, y) {
  const response = await ask(`/tiles/${zoom}/${x}/${y}`);
  return response.status === 204 ? null : addressOf(response);
}

/** The bytes of a tile of the ground; null where the archive has none. */
export async function tileBytes(zoom, x, y) {
  const response = await ask(`/tiles/${zoom}/${x}/${y}`);
  return response.status === 204 ? null : new Uint8Array(await response.arrayBuffer());
}

/** The picture of the floor plan, {origin_m, width_m, height_m, rotation_deg, href}; null where it is absent. */
export async function plan() {
  const place = await (await ask("/plan")).json();
  if (!place) {
    return null;
  }
  const image = new Image();
  image.src = await addressOf(await ask("/plan/image"));
  await image.decode();
  return { ...place, height_m: (place.width_m * image.naturalHeight) / image.naturalWidth, href: image.src };
}

export const rights = async () => (await ask("/rights")).json();

const posted = (request) => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(request),
});
const post = (path, request) => ask(path, posted(request));

/** What a radio would do (gateway/views/web/web_desk.cc). */
export const askRadio = async (question) => (await post("/radio", question)).json();

/** Every frame's fate on a link for some seconds, as a file of pcapng. */
export const captureLink = async (from, to, seconds) =>
  (await post("/capture", { seconds, links: [[from, to]] })).blob();

/** A request to the gateway's control socket (docs/reference/control.md). Returns its result, or throws what it objects to. */
export async function control(request) {
  const response = await post("/control", request);
  const answer = await response.json();
  if (!answer.ok) {
    const line = ({ line: number }) => request.command === "scenario" && number > 0 && `line ${number}`;
    const faults = (answer.faults ?? []).map((fault) =>
      [line(fault), fault.path, fault.text].filter(Boolean).join(": "),
    );
    throw new Error(faults.join("\n") || answer.error);
  }
  return answer.result;
}

// Of `hilgate edit`.

/** The file with what is not saved yet (gateway/views/edit/edited_file.h). */
export const draft = async () => (await ask("/draft")).json();

/** Has the draft changed (gateway/views/edit/edit_desk.h). The draft as it is then, or {error, lost_comments}. */
export async function order(path, request = {}) {
  const response = await answerTo(path, posted(request));
  if (!response.ok && response.status !== 409) {
    throw new Error((await response.text()).trim());
  }
  return response.json();
}

/** The JSON schema of configurations. */
export const schema = async () => (await ask("/configuration.schema.json")).json();

async function readReports(take) {
  const response = await ask("/events");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) {
      throw new Error("the page's server has ended; is the gateway still running?");
    }
    const events = (pending + value).split("\n\n");
    pending = events.pop();
    for (const event of events) {
      take(reportOf(event.replace(/^data: /, "")));
    }
  }
}

/** Calls take(report) for every report of the gateway, and lost(why) when none comes any more; tries again. */
export async function follow(take, lost) {
  for (;;) {
    try {
      await readReports(take);
    } catch (error) {
      lost(error.message);
    }
    await new Promise((resume) => setTimeout(resume, kRetry));
  }
}

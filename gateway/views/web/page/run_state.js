// SPDX-License-Identifier: Apache-2.0
// What two reports of a gateway say together: a state of the run, with what happened in between.

// A loss is that of the shortest of these spans in which so many deliveries were decided.
const kEnough = [5, 3, 1];

export const linkKey = (from, to) => `${from} → ${to}`;

const total = (drops) => Object.values(drops ?? {}).reduce((sum, each) => sum + each, 0);

/** Counts of `now` less those of `before`; only what has grown. */
export function grown(now = {}, before = {}) {
  const more = {};
  for (const [name, value] of Object.entries(now)) {
    const difference = value - (before[name] ?? 0);
    if (difference > 0) {
      more[name] = difference;
    }
  }
  return more;
}

/** Of how much is lost: from 0 (fine) to 4 (nothing arrives). */
export function grade(loss) {
  if (!(loss >= 0)) {
    return "none";
  }
  return [0.01, 0.05, 0.2, 0.6].filter((limit) => loss >= limit).length;
}

function decidedSince(link, before) {
  const drops = before ? grown(link.dropped, before.dropped) : {};
  const dropped = total(drops);
  const arrived = before ? link.released - before.released : 0;
  return { drops, dropped, arrived, decided: dropped + arrived };
}

// `before` is the link at the beginning of each span, shortest first.
function linkState(link, before, seconds) {
  const spans = before.map((then) => decidedSince(link, then));
  const enough = spans.find((span, index) => span.decided >= kEnough[index]);
  const measured = enough && enough.dropped / enough.decided;
  const decodable = link.reachable && link.frame_loss < 0.99;
  const [last] = spans;
  const [then] = before;
  const tried = link.failed_tries - (then?.failed_tries ?? 0);
  return {
    ...link,
    ...last,
    // What holds now: of the air, of what is configured, and of a trace; records have the air's alone.
    rate_mbps: link.effective_rate_mbps ?? link.rate_mbps,
    delay_us: link.effective_delay_us ?? link.delay_us,
    key: linkKey(link.from, link.to),
    busy: before.some((each) => each && link.in > each.in),
    decodable,
    heardOnly: link.reachable && !decodable,
    // What cannot be decoded any more is lost from now on, whatever has arrived a moment ago.
    loss: decodable ? (measured ?? link.effective_loss ?? link.frame_loss) : 1,
    tries: last.decided > 0 ? tried / last.decided : undefined,
    goodput: then && seconds > 0 ? ((link.bytes_released - then.bytes_released) * 8) / seconds : undefined,
  };
}

const linksOf = (status) => new Map((status?.links ?? []).map((link) => [linkKey(link.from, link.to), link]));

/**
 * The state at `frame`, with what has happened since the first of `earlier`; when too little was sent since then, a
 * link's loss is taken since the next ones of `earlier`. Frames are of timeline.js.
 */
export function stateAt(frame, earlier) {
  const status = frame.status;
  if (!status) {
    return { at: frame.at, error: frame.error, links: new Map(), robots: [] };
  }
  const isBefore = (then) => then?.run === status.run && then.uptime_s <= status.uptime_s;
  const statuses = earlier.map((each) => (isBefore(each?.status) ? each.status : undefined));
  const old = statuses.map(linksOf);
  const [before] = statuses;
  const seconds = before ? status.uptime_s - before.uptime_s : 0;
  const links = new Map();
  for (const link of status.links) {
    const key = linkKey(link.from, link.to);
    links.set(
      key,
      linkState(
        link,
        old.map((then) => then.get(key)),
        seconds,
      ),
    );
  }
  const known = status.totals && before?.totals;
  const drops = known ? grown(status.totals.dropped, before.totals.dropped) : {};
  const out = known ? status.totals.out - before.totals.out : 0;
  const lost = total(drops);
  const loss = out + lost >= kEnough[0] ? lost / (out + lost) : undefined;
  return { at: frame.at, status, seconds, links, robots: status.robots, drops, out, lost, loss };
}

// Robots as things in one place: the radios of a robot with `radios` are one body. They are called ROBOT.RADIO, also in
// records, and names that people choose have no dots.

export const bodyOf = (robot) => robot.name.split(".")[0];

/** Of robots of a status, each body once: {name, position, radios, unplugged}, in their order. */
export function bodiesOf(robots) {
  const bodies = new Map();
  for (const robot of robots) {
    const name = bodyOf(robot);
    const body = bodies.get(name) ?? { name, position: robot.position, radios: [], unplugged: true };
    body.radios.push(robot.name);
    body.unplugged = body.unplugged && robot.unplugged;
    bodies.set(name, body);
  }
  return [...bodies.values()];
}

/**
 * By key of each link that a map shows: how many links between radios of the same two bodies lie next to it, nearer to
 * the middle of their way. Where a way has several links, those that nothing can cross, between different media, are left out.
 */
export function lanesOf(links, robots) {
  const bodies = new Map(robots.map((robot) => [robot.name, bodyOf(robot)]));
  const ways = new Map();
  for (const link of links) {
    const way = `${bodies.get(link.from)} ${bodies.get(link.to)}`;
    ways.set(way, [...(ways.get(way) ?? []), link]);
  }
  const lanes = new Map();
  for (const way of ways.values()) {
    const carrying = way.filter((link) => link.reachable || link.in > 0);
    (carrying.length > 0 ? carrying : way.slice(0, 1)).forEach((link, lane) => lanes.set(link.key, lane));
  }
  return lanes;
}

// Of very many links those that are most relevant to show.

const rank = (link, chosen) => (link.key === chosen ? 2 : link.busy ? 1 : 0);

/**
 * At most `most` links of a state: the chosen one, those with traffic, of which those that lose most come first, then
 * the strongest. With a text about the selection when some are left out.
 */
export function foremostLinks(state, chosen, most) {
  const heard = [...state.links.values()].filter((link) => link.reachable || link.busy || link.key === chosen);
  const leftOut = state.status?.links_left_out ?? 0;
  if (heard.length <= most && leftOut === 0) {
    return { links: heard, said: "" };
  }
  const worth = (link) => (link.busy ? link.loss : link.rssi_dbm || -Infinity);
  heard.sort((one, other) => rank(other, chosen) - rank(one, chosen) || worth(other) - worth(one));
  const links = heard.slice(0, most);
  return {
    links,
    said: `${links.length} of ${heard.length + leftOut} links: those with traffic, then the strongest`,
  };
}

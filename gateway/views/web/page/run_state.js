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

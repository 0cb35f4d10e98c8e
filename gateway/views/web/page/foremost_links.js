// SPDX-License-Identifier: Apache-2.0
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

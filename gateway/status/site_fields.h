// SPDX-License-Identifier: Apache-2.0
// Further keys of the status document: the other gateways of a site.
#pragma once

#include "gateway/status/status_fields.h"

namespace hilgate {

inline constexpr auto kSiteFields = std::to_array<StatusField>({
    {"site.name", "name of the site; `site` is absent where the gateway is alone"},
    {"site.gateway", "which of its gateways this is"},
    {"site.version", "version of this gateway's program"},
    {"site.digest",
     "number of the files that the run is made of and of what was set, which all gateways must have alike"},
    {"site.changes", "changes that all gateways have made together"},
    {"site.began_anew", "times that this gateway has begun its simulation anew, as that of the other gateways"},
    {"site.causality_floor_us", "delay from which on 99 % of the frames of other gateways are released in time, us"},
    {"site.sent", "deliveries sent to other gateways, which hold and release them"},
    {"site.received", "deliveries that came from other gateways"},
    {"site.requests_sent", "frames sent to the gateways that decide their media, and counted there"},
    {"site.requests_taken", "frames that came from other gateways to be decided here"},
    {"site.request_way_p50_us", "from their capture until they came, by both clocks, 50th percentile, us"},
    {"site.request_way_p99_us", "99th percentile, us"},
    {"site.media", "media that have stations at several gateways, or a network simulator that decides each frame"},
    {"site.media[].name",
     "collision domain, or access points: all channels of their network; netsim: all that the simulator decides"},
    {"site.media[].decided_at", "the gateway that decides its frames now; null: no simulator answers"},
    {"site.media[].decided_here", "whether that is this one"},
    {"site.media[].gateways", "those that may decide it, in their order"},
    {"site.air.decides", "links: its simulators say what links are like; frames: one of them decides each frame"},
    {"site.air.author",
     "gateway whose simulator counts now; null: none answers. `site.air` is absent where each gateway computes links "
     "by itself"},
    {"site.air.authors", "gateways whose simulators answer now, in the order of the file: the first is the author"},
    {"site.air.lag_windows", "from what a simulator says until it counts at all gateways, windows"},
    {"site.air.changes", "times that another gateway became author"},
    {"site.air.without_word", "windows that began without a word of the author for them, by its last one"},
    {"site.air.late", "words that came after their windows had begun"},
    {"site.air.unsaid", "words of this gateway that hilgate-site did not take"},
    {"site.air.refused", "texts of other gateways that are no link states of this run"},
    {"site.refused", "packets to the tunnel's port that were not taken, by cause (docs/site.md)"},
    {"site.gateways[].name", "another gateway"},
    {"site.gateways[].address", "its address"},
    {"site.gateways[].state",
     "here; awaited, beginning, missing, other_key, other_configuration, other_version, clock_apart or other_zero: its "
     "robots are "
     "unreachable"},
    {"site.gateways[].silent_s", "since it was heard, s"},
    {"site.gateways[].clock_offset_us", "its clock minus this one's, us; null as long as that is not known"},
    {"site.gateways[].version", "version of its program"},
    {"site.gateways[].digest", "its site.digest"},
    {"site.gateways[].sent", "deliveries sent to it"},
    {"site.gateways[].received", "deliveries that came from it"},
    {"site.gateways[].late", "of these: came after their release time, and were released at once"},
    {"site.gateways[].late_p99_us", "by how much, 99th percentile, us"},
    {"site.gateways[].lost", "packets that it sent and that have not come"},
    {"site.gateways[].way_p50_us", "from there to here by both clocks, 50th percentile, us"},
    {"site.gateways[].way_p99_us", "99th percentile, us"},
    {"site.gateways[].request_way_us", "its site.request_way_p99_us"},
    {"site.gateways[].commands", "whether it is heard by DDS; `set` and `reload` need all"},
    {"site.gateways[].heard_s", "since it last said the following by DDS, s; all absent before"},
    {"site.gateways[].run", "its run"},
    {"site.gateways[].window", "its window"},
    {"site.gateways[].windows_missed", "windows that it has missed"},
    {"site.gateways[].in", "its deliveries, of frames that it has captured"},
    {"site.gateways[].out", "released by it"},
    {"site.gateways[].dropped", "dropped by it"},
    {"site.gateways[].clock", "its clock's state"},
    {"site.gateways[].changes", "its site.changes"},
});

}  // namespace hilgate

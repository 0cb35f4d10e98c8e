// SPDX-License-Identifier: Apache-2.0
// Further keys of the status document: what position feeds brought.
#pragma once

#include "gateway/status/status_fields.h"

namespace hilgate {

inline constexpr auto kFeedFields = std::to_array<StatusField>({
    {"window.feed", "what a position feed brought, with physics of that kind"},
    {"window.feed.positions", "positions taken"},
    {"window.feed.unknown", "positions of robots that are not there"},
    {"window.feed.malformed", "messages that made no sense, and places outside of the world"},
    {"window.feed.sources", "with physics `ros2`: where each robot's poses come from"},
    {"window.feed.sources[].robot", "name of the robot"},
    {"window.feed.sources[].name", "topic, or frame of tf2"},
    {"window.feed.sources[].positions", "poses taken"},
    {"window.feed.sources[].malformed", "poses that were no numbers or outside of the world"},
    {"window.feed.sources[].future", "poses stamped later than now"},
    {"window.feed.sources[].old", "poses stamped longer ago than `stale`, or before one that was taken"},
    {"window.feed.sources[].age_s", "time since the last pose that was taken, s; absent before the first"},
    {"window.feed.sources[].trouble", "why no poses come: another type, other QoS, no interface; absent without one"},
});

}  // namespace hilgate

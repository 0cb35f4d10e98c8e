// SPDX-License-Identifier: Apache-2.0
// What `hilgate status` shows of DDS.
#include <chrono>
#include <nlohmann/json.hpp>

#include "gateway/run/telemetry/dds_participants.h"

namespace hilgate {
namespace {

double dds_seconds(Nanoseconds span) {
  return std::chrono::duration<double>(span).count();
}

}  // namespace

nlohmann::ordered_json DdsParticipants::json(HostTime now) const {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::uint64_t silent = silent_;
  for (const auto& [key, participant] : participants_) {
    if (!participant.is_here(now)) {
      ++silent;
      continue;
    }
    nlohmann::ordered_json row{{"robot", key.first},
                               {"domain", participant.domain},
                               {"vendor", dds_vendor_name(participant.said.vendor)},
                               {"name", participant.said.name},
                               {"process", participant.said.process},
                               {"host", participant.said.host},
                               {"announcements", participant.announcements},
                               {"here_s", dds_seconds(now - participant.first)},
                               {"silent_s", dds_seconds(now - participant.last)}};
    rows.push_back(std::move(row));
  }
  return {{"participants", std::move(rows)},
          {"left", left_},
          {"silent", silent},
          {"refused", refused_},
          {"unread", unread_}};
}

}  // namespace hilgate

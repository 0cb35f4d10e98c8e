// SPDX-License-Identifier: Apache-2.0
// What stations have been through: at which access point they are, how often they changed it, how long they had none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/run/events/run_observer.h"
#include "netsim_link/air_plan.h"
#include "netsim_link/link_state.h"

namespace hilgate {

/// Control thread. Goes by names, so that changes of the configuration do not matter.
class Stations {
 public:
  struct Record {
    Attachment::State state = Attachment::State::kAttached;
    std::string access_point;  // that it is at, or was at last; empty: at none yet
    std::uint64_t handovers = 0;
    Nanoseconds without{0};       // sim time without an access point, all in all
    Nanoseconds without_now{0};   // likewise, of the break at hand; 0 at an access point
    Nanoseconds without_most{0};  // the longest break so far
  };

  /// Takes a new table in, of which `roles` are the robots'. Returns a line for each station that has come to an access
  /// point or is in reach of none any more.
  std::vector<StationNews> take(const Configuration& configuration, const std::vector<AirRole>& roles,
                                const LinkTable& table);

  /// Of a robot's name; as new for a robot that has been no station.
  [[nodiscard]] Record of(const std::string& robot) const;

 private:
  static StationNews follow(Record& record, Attachment::State now, const std::string& access_point);

  std::map<std::string, Record> records_;
  SimTime at_{};
};

}  // namespace hilgate

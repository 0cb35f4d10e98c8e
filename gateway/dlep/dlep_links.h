// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "clock/time.h"
#include "frame/address.h"
#include "gateway/configuration/configuration.h"
#include "gateway/dlep/protocol/dlep_session.h"
#include "netsim_link/air_plan.h"
#include "netsim_link/link_state.h"

namespace hilgate {

/// The links of a robot as its router is to know them.
struct DlepView {
  DlepDestinations destinations;  // a robot with several MAC addresses is as many
  DlepMetrics session;            // the best of the destinations that are up: what holds where nothing else is said
  std::uint64_t without_mac = 0;  // robots that cannot be destinations
};

/// What DLEP calls a link's values, from the newest link table and the configuration:
///   up           frames of less than kLossDown are lost in each direction; once down, of less than kLossUp
///   data rate    the mode's rate and the configured one, whichever is less; kNoLimit where there is neither (a wire)
///   max. rate    the highest that this direction has had while it was up: modes above it have not been of use
///   latency      propagation, fixed and configured delay from the router to the destination, without queues; us,
///                rounded up
///   quality      round(100 (1 - p)), p the share of full frames that one try loses: on the air, configured, in an
///                outage. 100 where nothing is lost
///   MTU          longest IP packet that the radio carries to the destination
class DlepLinks {
 public:
  static constexpr double kLossDown = 0.99;
  static constexpr double kLossUp = 0.95;
  static constexpr std::uint64_t kNoLimit = 10'000'000'000;  // bit/s

  /// `robot` always stands for the same robot. No destination is up before the first link table.
  DlepView view(const Configuration& configuration, const AirPlan& air, const LinkTable& table, SimTime now,
                RobotIndex robot);

 private:
  struct Known {
    bool up = false;
    std::uint64_t max_receive_bps = 0, max_transmit_bps = 0;
  };

  std::map<MacAddress, Known> known_;
};

}  // namespace hilgate

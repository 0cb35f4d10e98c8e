// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>

#include "clock/hardware/clock_bridges.h"
#include "clock/ptp/management_client.h"
#include "clock/time.h"
#include "tests/clock/ptp_lab.h"

namespace hilgate::test {

/// What a stock slave on the system clock has measured at its last Sync.
struct SlaveMeasurement {
  HostTime arrived;
  Nanoseconds offset{0};
  Nanoseconds path_delay{0};
  PtpTime master;       // the master's time when the Sync arrived
  PtpTime master_left;  // and when it left
};

/// Asks a running ptp4l slave.
class SlaveMeter {
 public:
  SlaveMeter(const PtpLab& lab, const std::string& file) : SlaveMeter(lab.socket(file), lab.directory() / "own") {}
  /// By its socket; `own` is a directory for ours.
  SlaveMeter(const std::filesystem::path& socket, const std::filesystem::path& own)
      : client_({.server = socket, .directory = own, .domain = 0}) {}

  /// The next Sync's measurement; nothing when `limit` passes without one.
  std::optional<SlaveMeasurement> next(std::chrono::milliseconds limit) {
    std::optional<SlaveMeasurement> result;
    wait_until(
        limit,
        [&] {
          const ManagementAnswers answers = client_.ask(std::chrono::milliseconds{50});
          if (!answers.time_status || !answers.current || answers.time_status->ingress_ns == 0 ||
              answers.time_status->ingress_ns == last_) {
            return false;
          }
          const std::uint8_t mechanism = answers.ports.empty() ? 0 : answers.ports[0].delay_mechanism;
          const Nanoseconds delay =
              mechanism == 2 ? answers.ports[0].peer_mean_path_delay : answers.current->mean_path_delay;
          if (delay == Nanoseconds{0}) {
            return false;
          }
          last_ = answers.time_status->ingress_ns;
          const Nanoseconds offset = answers.time_status->master_offset;
          const PtpTime master{Nanoseconds{last_} - offset};
          result = SlaveMeasurement{bridge_.host(last_), offset, delay, master, master - delay};
          return true;
        },
        std::chrono::milliseconds{5});
    return result;
  }

  /// The master's rate over `span`, by the first and the last measurement in it.
  std::optional<double> rate(std::chrono::milliseconds span) {
    const auto first = next(std::chrono::seconds{20});
    std::optional<SlaveMeasurement> last = first;
    while (last && last->arrived - first->arrived < span) {
      last = next(std::chrono::seconds{5});
    }
    if (!last) {
      return std::nullopt;
    }
    return static_cast<double>((last->master_left - first->master_left).count()) /
           static_cast<double>((last->arrived - first->arrived).count());
  }

 private:
  ManagementClient client_;
  RealtimeBridge bridge_;
  std::int64_t last_ = 0;
};

}  // namespace hilgate::test

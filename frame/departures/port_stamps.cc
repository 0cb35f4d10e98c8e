// SPDX-License-Identifier: Apache-2.0
#include "frame/departures/port_stamps.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hilgate {

std::string launch_problem(const PortStamps& port, const std::string& clock_problem, const std::string& switch_on) {
  if (port.ptp_passes.load(std::memory_order_relaxed)) {
    return "PTP that passes (`ptp: transparent`) would wait in the device, after its residence time was added";
  }
  const LaunchReport report = port.launch_report.load();
  if (report.used) {
    return "";
  }
  switch (report.problem) {
    case LaunchProblem::kNone:
      return "the device is being tried";
    case LaunchProblem::kClock:
      return clock_problem.empty() ? "the NIC's clock was stepped; it is used again when it has been steady for 2 s"
                                   : clock_problem;
    case LaunchProblem::kEarly:
      return "the device sent a frame before its launch time" + switch_on;
    case LaunchProblem::kMissing:
      break;
  }
  return fmt::format("the device completed nothing for {} ms, or without timestamps",
                     LaunchTimes::kPatience / Nanoseconds{1'000'000});
}

void StampBook::take_line(HostTime now) {
  const std::uint64_t version = port_.line.version();
  if (version == line_version_) {
    return;
  }
  line_ = port_.line.load();
  line_version_ = version;
  if (launches_) {
    port_.launches.take_line(line_, now);
  }
}

void StampBook::look(HostTime now) {
  take_line(now);
  port_.launches.rest(port_.ptp_passes.load(std::memory_order_relaxed), now);
  port_.launches.look(now);
  if (const LaunchReport report = port_.launches.report(); report != launch_report_) {
    launch_report_ = report;
    port_.launch_report.store(report);
  }
}

void StampBook::add(HostTime due, HostTime given, std::optional<LaunchTimes::DeviceTime> left_at, HostTime now) {
  changed_ = true;
  if (!left_at) {
    ++port_.sums.missing;
    return;
  }
  take_line(now);
  const HostTime left = line_.line.at(*left_at);
  if (!line_.valid || left < given - kTolerance || left > now + kTolerance) {
    ++port_.sums.unusable;
    return;
  }
  const Nanoseconds error = left - due;
  port_.sums.errors.add(error);
  port_.sums.latest = std::max(port_.sums.latest, error);
  port_.sums.early += error < -line_.margin ? 1 : 0;
}

void StampBook::publish() {
  if (std::exchange(changed_, false)) {
    port_.totals.store(port_.sums);
  }
}

void StampBook::abandon() {
  const StampTotals& sums = port_.sums;
  const std::uint64_t missing = sums.requested - sums.count() - sums.unusable;
  changed_ |= missing != sums.missing;
  port_.sums.missing = missing;
  port_.launches.begin();
  publish();
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "clock/time.h"
#include "frame/counters.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/planes/path_slots.h"
#include "gateway/status/model/diagnosis.h"
#include "host/control_clock.h"
#include "path/data_plane.h"

namespace hilgate {

/// What a link did to the frames of some time.
struct MeasuredLink {
  std::optional<Nanoseconds> delay;  // mean of those that were released, in simulated time; nothing: there were none
  std::optional<double> loss;        // share of those that were released or dropped; nothing: there were none
  double rate_mbps = 0;              // of what was released, in simulated time
};

/// Between two counts, `seconds` apart.
MeasuredLink measure_link(const LinkCounts& now, const LinkCounts& before, double seconds, double dilation);

/// Reads the counters of all links once a second. Of a run with more than kMost links only what is lost of all links
/// together is measured. Control thread.
class LinkMeter {
 public:
  static constexpr std::size_t kMost = 4096;

  LinkMeter(asio::io_context& context, const Configuration& configuration, const RobotSlots& slots,
            const DataPlane& plane)
      : configuration_(configuration), slots_(slots), plane_(plane), timer_(context) {}

  void start();
  /// Counts of all links together, at any time.
  void count(const PathTotals& totals);
  /// Of the last whole second; nothing before the first.
  [[nodiscard]] std::optional<MeasuredLink> last(RobotIndex from, RobotIndex to) const;
  /// What a link loses; absent when next to nothing is sent on it, and where links are not measured.
  [[nodiscard]] std::optional<double> recent_loss(RobotIndex from, RobotIndex to) const;
  /// What all links together lose; absent where links are measured.
  [[nodiscard]] std::optional<double> recent_loss() const { return of_all_.value(); }

 private:
  void sample();

  const Configuration& configuration_;
  const RobotSlots& slots_;
  const DataPlane& plane_;
  ControlTimer timer_;
  std::vector<std::string> robots_{};     // as of the samples
  std::vector<LinkCounts> counts_{};      // by sender and receiver
  std::vector<MeasuredLink> measured_{};  // likewise; empty: none yet
  std::vector<RecentLoss> losses_{};      // likewise
  RecentLoss of_all_{};
  HostTime at_{};
};

/// How much of the last second each medium was in use: samples of the counters, kept for as long. Control thread only.
class AirMeter {
 public:
  static constexpr std::size_t kSamples = 11;  // ten intervals of 100 ms

  void sample(HostTime at, std::vector<AirUse> uses);
  /// The media are others now.
  void restart() { count_ = 0; }
  /// Share of the time between the oldest sample and the newest that a medium was in use, 1 for all of it; 0 with less
  /// than two samples. More than 1 where transmissions overlap, or where a long one has just begun.
  [[nodiscard]] double last(std::size_t domain) const;
  /// Of the newest sample; nothing yet: zeros.
  [[nodiscard]] AirUse total(std::size_t domain) const;

 private:
  struct Sample {
    HostTime at{};
    std::vector<AirUse> uses;
  };
  [[nodiscard]] const Sample& newest() const { return samples_[(count_ - 1) % kSamples]; }

  std::array<Sample, kSamples> samples_;  // of the last kSamples, by their number
  std::size_t count_ = 0;
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// The highest rate of which a device loses no more than a given share: RFC 2544, 26.1 (no loss, NDR) and the partial
// drop rate of FD.io CSIT (0.5 %, PDR), by bisection. As in its MLRsearch trials of one goal serve the next, the first
// guess is what the device forwards of the most that can be offered, and one trial decides nothing alone.
#pragma once

#include <functional>
#include <map>
#include <vector>

namespace hilgate {

/// What became of the frames that were offered for a while.
struct RateTrial {
  double offered = 0;  // frames per second that were sent: less than asked where the generator can do no more
  double loss = 0;     // share of them that did not arrive, [0, 1]
};

struct RateSearchSettings {
  double most = 0;     // the first rate, frames per second; infinity where the generator is the only limit
  double least = 100;  // below it no rate is looked for, > 0
  double precision =
      0.02;             // between the highest rate that holds and the lowest that does not, as a share of the latter
  unsigned trials = 3;  // odd; a rate holds when most of so many trials do
};

struct FoundRate {
  double rate = 0;                // offered, frames per second; 0: not even settings.least
  bool generator_limits = false;  // the device might take more than could be offered
};

/// One device at one kind of frames.
class RateSearch {
 public:
  /// Offers so many frames per second for one trial; infinity: as many as the generator can.
  using Device = std::function<RateTrial(double rate)>;

  RateSearch(Device device, const RateSearchSettings& settings) : device_(std::move(device)), settings_(settings) {}

  /// Of which no more than the share `loss` is lost.
  FoundRate highest(double loss);
  /// All so far.
  [[nodiscard]] unsigned trials() const { return trials_; }

 private:
  struct Seen {
    double offered = 0;  // the most
    std::vector<double> losses;
  };
  struct Bounds {
    double lower = 0;
    double upper = 0;
  };

  bool holds(double rate, double loss);
  Bounds known(double loss);
  [[nodiscard]] double next(const Bounds& bounds, double guess) const;

  Device device_;
  RateSearchSettings settings_;
  std::map<double, Seen> seen_;  // by the rate that was asked for
  unsigned trials_ = 0;
};

}  // namespace hilgate

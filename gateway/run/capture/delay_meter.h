// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "clock/time.h"
#include "frame/duration_histogram.h"
#include "gateway/configuration/scenario/scenario.h"
#include "gateway/run/capture/frame_history.h"

namespace hilgate {

/// How long the deliveries of links take, from arrival to release, in path time. Any thread.
class DelayMeter {
 public:
  struct Found {
    std::uint64_t deliveries = 0;
    Nanoseconds percentile{0};
  };

  /// Measurement `item`: what is released from now on.
  void begin(std::size_t item, LinkChoice links, HostTime path);
  /// Of what was released until the first call; nothing while not all of it has been read. `path` and `host` are now.
  std::optional<Found> end(std::size_t item, double share, HostTime path, HostTime host);

  void note(const std::string& from, const std::string& to, HostTime released, Nanoseconds delay);
  void caught_up(HostTime until);

 private:
  struct Measurement {
    LinkChoice links;
    HostTime from{}, until = HostTime::max();  // in path time
    std::optional<HostTime> asked{};           // host time
    FineDurationHistogram delays{};
  };

  std::mutex mutex_;
  std::map<std::size_t, Measurement> measurements_;
  HostTime caught_up_{};
};

/// Passes each delivery to a DelayMeter.
class DelaySink final : public FrameSink {
 public:
  explicit DelaySink(std::shared_ptr<DelayMeter> meter);

  void begin(std::shared_ptr<const CaptureNames> names, const MissedFrames& missed, Nanoseconds utc,
             HostTime now) override;
  void change(std::shared_ptr<const CaptureNames> names) override;
  void take(const FrameEvent& event, const FrameStory& story, const MissedFrames& missed) override;
  void caught_up(HostTime until) override { meter_->caught_up(until); }
  void end(const MissedFrames&, HostTime) override {}
  [[nodiscard]] bool complete() override { return meter_.use_count() == 1; }  // no reader is left
  bool flush() override { return true; }
  [[nodiscard]] bool pending() const override { return false; }
  [[nodiscard]] std::uint32_t snaplen() const override { return 0; }

 private:
  std::shared_ptr<DelayMeter> meter_;
  std::shared_ptr<const CaptureNames> names_;
};

}  // namespace hilgate

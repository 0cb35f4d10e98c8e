// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clock/time.h"
#include "gateway/record/pcapng/pcapng.h"
#include "gateway/run/capture/capture_names.h"
#include "gateway/run/capture/capture_output.h"
#include "gateway/run/capture/frame_history.h"

namespace hilgate {

/// One capture: selects events and writes them as pcapng to its output. Used by one thread.
class CaptureSink final : public FrameSink {
 public:
  CaptureSink(CaptureRequest request, std::unique_ptr<CaptureOutput> output);

  /// The beginning of the file.
  void begin(std::shared_ptr<const CaptureNames> names, const MissedFrames& missed, Nanoseconds utc,
             HostTime now) override;
  void change(std::shared_ptr<const CaptureNames> names) override;
  void take(const FrameEvent& event, const FrameStory& story, const MissedFrames& missed) override;
  void caught_up(HostTime) override {}
  /// The statistics of all interfaces.
  void end(const MissedFrames& missed, HostTime now) override;

  [[nodiscard]] bool complete() override { return written_ == request_.count || output_->asked_to_end(); }
  bool flush() override { return output_->flush(); }
  [[nodiscard]] bool pending() const override { return output_->pending(); }
  [[nodiscard]] std::uint32_t snaplen() const override { return request_.snaplen; }

 private:
  enum class Direction : std::uint8_t { kIn, kOut, kNobody };
  struct Interface {
    std::uint64_t received = 0;
    std::uint64_t accepted = 0;
    std::uint64_t delivered = 0;
    std::uint64_t lost = 0;    // because the output could not keep up
    std::uint64_t told = 0;    // lost and missed, as reported in packets so far
    std::uint64_t before = 0;  // missed before it began
    std::uint64_t missed = 0;  // since
  };
  struct Place {
    Direction direction = Direction::kNobody;
    PortSlot port{};
  };

  [[nodiscard]] Place place_of(const FrameEvent& event) const;
  [[nodiscard]] bool wants(const FrameEvent& event, const FrameStory& story) const;
  [[nodiscard]] bool wants_robots(const FrameEvent& event, const FrameStory& story) const;
  [[nodiscard]] bool wants_sender(PortSlot port, const FrameEvent& event) const;
  [[nodiscard]] bool passes_program(const FrameEvent& event) const;
  [[nodiscard]] static std::uint64_t missed_at(const Place& place, const MissedFrames& missed);
  std::uint32_t interface_of(const Place& place, const MissedFrames& missed);
  [[nodiscard]] CaptureTime time(HostTime at) const;

  CaptureRequest request_;
  std::unique_ptr<CaptureOutput> output_;
  std::shared_ptr<const CaptureNames> names_;
  std::map<std::string, std::uint32_t> by_name_;  // interfaces of the file
  std::vector<Interface> interfaces_;
  std::vector<Place> places_;                           // by interface
  std::vector<std::optional<std::uint32_t>> in_, out_;  // interfaces by PortSlot
  Nanoseconds utc_{0};
  HostTime began_{};
  std::uint64_t written_ = 0;
  std::string block_;
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clock/time.h"
#include "gateway/daemon/capture/capture_names.h"
#include "gateway/daemon/capture/capture_output.h"
#include "gateway/daemon/capture/capture_request.h"
#include "gateway/daemon/capture/frame_text.h"
#include "gateway/pcapng/pcapng.h"

namespace hilgate {

/// Events that the rings had no room for, by what a file counts them at.
struct MissedFrames {
  std::vector<std::uint64_t> in;   // by PortId
  std::vector<std::uint64_t> out;  // by PortId
  std::uint64_t nobody = 0;
};

/// One capture: what of the events is wanted, as pcapng to where it is wanted. Used by one thread.
class CaptureSink {
 public:
  CaptureSink(CaptureRequest request, std::unique_ptr<CaptureOutput> output);

  /// The beginning of the file. `utc`: how far UTC is ahead of the events' time.
  void begin(std::shared_ptr<const CaptureNames> names, const MissedFrames& missed, Nanoseconds utc, HostTime now);
  /// Who is who from now on.
  void change(std::shared_ptr<const CaptureNames> names);
  /// Something happened to a frame.
  void take(const FrameEvent& event, const FrameStory& story, const MissedFrames& missed);
  /// The statistics of all interfaces, once.
  void end(const MissedFrames& missed, HostTime now);

  [[nodiscard]] bool begun() const { return names_ != nullptr; }
  /// It has had as many packets as it wanted, or its reader wants no more.
  [[nodiscard]] bool complete() { return written_ == request_.count || output_->asked_to_end(); }
  [[nodiscard]] CaptureOutput& output() { return *output_; }
  [[nodiscard]] std::uint32_t snaplen() const { return request_.snaplen; }

 private:
  enum class Direction : std::uint8_t { kIn, kOut, kNobody };
  struct Interface {
    std::uint64_t received = 0;
    std::uint64_t accepted = 0;
    std::uint64_t delivered = 0;
    std::uint64_t lost = 0;    // because the output could not keep up
    std::uint64_t told = 0;    // lost and missed, as the packets say so far
    std::uint64_t before = 0;  // missed before it began
    std::uint64_t missed = 0;  // since
  };
  struct Place {
    Direction direction = Direction::kNobody;
    PortId port{};
  };

  [[nodiscard]] Place place_of(const FrameEvent& event) const;
  [[nodiscard]] bool wants(const FrameEvent& event, const FrameStory& story) const;
  [[nodiscard]] bool wants_robots(const FrameEvent& event, const FrameStory& story) const;
  [[nodiscard]] bool wants_sender(PortId port, const FrameEvent& event) const;
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
  std::vector<std::optional<std::uint32_t>> in_, out_;  // interfaces by PortId
  Nanoseconds utc_{0};
  HostTime began_{};
  std::uint64_t written_ = 0;
  std::string block_;
};

}  // namespace hilgate

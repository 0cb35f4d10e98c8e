// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "gateway/configuration/output_config.h"
#include "gateway/run/capture/capture_output.h"
#include "gateway/run/capture/capture_reader.h"
#include "gateway/status/model/record_status.h"
#include "host/file_descriptor.h"
#include "path/data_plane.h"

namespace hilgate {

/// All captures of a running gateway. Without captures the packet loops write no events and no reader thread runs.
/// Control thread.
class Captures {
 public:
  static constexpr std::size_t kMost = 8;  // at a time

  /// `plane` must outlive it.
  Captures(asio::io_context& context, DataPlane& plane, std::shared_ptr<const CaptureNames> names);

  /// Whether a control request for a capture can be carried out. Throws std::runtime_error with why not.
  void check(const nlohmann::json& request) const;
  /// Carries out what check() has found good, for the client at `socket`; `seat` is kept as long as it is connected.
  void stream(const nlohmann::json& request, FileDescriptor socket, std::shared_ptr<void> seat);
  /// The configuration's own capture, before the plane starts: it misses nothing. Throws std::runtime_error when its
  /// file cannot be written.
  void start(const CaptureConfig& config);
  /// Has another than a capture follow what happens to frames, until it is complete. Waits until its memory is there.
  void follow(std::unique_ptr<FrameSink> sink);
  /// The names from now on.
  void change(std::shared_ptr<const CaptureNames> names);
  /// Ends all captures with what has been written; after the plane has stopped.
  void stop();

  /// Nothing when there was no capture yet.
  [[nodiscard]] std::optional<CaptureStatus> status() const;
  /// Why the configuration's own capture ended early; empty while it runs.
  [[nodiscard]] std::string problem() const;

 private:
  void add(std::unique_ptr<FrameSink> sink);
  void attach();
  void detach();

  asio::io_context& context_;
  DataPlane& plane_;
  std::shared_ptr<const CaptureNames> names_;
  CaptureCounts counts_;
  std::shared_ptr<CaptureRecord::State> record_;  // null: the configuration has none
  std::uint16_t session_ = 0;
  std::unique_ptr<CaptureReader> reader_;  // null: no capture
};

}  // namespace hilgate

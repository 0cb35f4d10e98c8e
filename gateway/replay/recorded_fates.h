// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "gateway/record/pcapng/pcapng_reader.h"
#include "gateway/replay/delivery_log.h"

namespace hilgate {

/// The fates of frames that a capture of a run contains.
struct RecordedFates {
  DeliveryLog deliveries;
  std::unordered_map<std::uint64_t, std::uint64_t> window_of;  // by frame.packet_id: the first that decided about it
  std::uint64_t frames = 0;                                    // that came in
  std::uint64_t missing = 0;                                   // that the capture could not keep up with
  std::uint64_t shortened = 0;                                 // whose bytes are not all there
  std::uint32_t snaplen = 0;                                   // most bytes of a frame that are there
  std::uint64_t readable = 0;                                  // bytes of the file
  bool cut = false;                                            // the file continues after them

  /// Throws as PcapngReader.
  static RecordedFates of(const std::filesystem::path& capture);
};

/// The port by which a packet of a capture came in; empty for packets after the simulated channel.
std::optional<std::string_view> port_in(const CapturedFrame& frame);
/// Why a packet on a port's other side was not delivered, by its comment; empty: it was.
std::optional<std::string_view> drop_in(const CapturedFrame& frame);

}  // namespace hilgate

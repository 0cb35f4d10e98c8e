// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gateway/record/pcapng/pcapng_reader.h"

namespace hilgate {

/// What became of the frames of each link, to be compared with what became of the same frames another time: the bytes
/// of what was released, in their order, and how many were dropped for which reason.
class DeliveryLog {
 public:
  void released(std::string_view link, std::uint32_t length, std::span<const std::byte> bytes);
  void dropped(std::string_view link, std::string_view reason) { ++of(link).dropped[std::string(reason)]; }

  [[nodiscard]] std::uint64_t released() const;
  [[nodiscard]] std::uint64_t dropped() const;
  /// Where `again` differs, a line for each link; empty when equal. A run that ends drops frames in flight, and a
  /// replay does not: `again` may have up to as many more releases as this log has drops for that reason.
  [[nodiscard]] std::vector<std::string> differences(const DeliveryLog& again) const;

 private:
  struct Link {
    std::vector<std::uint64_t> released{};  // a digest of each
    std::map<std::string, std::uint64_t> dropped{};
  };
  [[nodiscard]] Link& of(std::string_view link);
  static std::string difference(const Link& before, const Link& again);

  std::map<std::string, Link, std::less<>> links_;
};

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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/record/pcapng/pcapng.h"

namespace hilgate {

/// A packet of a capture. Its views are valid until the next one is read.
struct CapturedFrame {
  std::string_view interface {};  // its name; empty where the file says none
  CaptureTime at{};
  std::uint32_t length = 0;            // of the frame
  std::span<const std::byte> bytes{};  // its first
  std::uint64_t dropped = 0;           // of this interface since the packet before
  std::optional<std::uint64_t> id{};
  std::string_view comment{};
};

/// Reads a pcapng file of this machine's byte order, block by block.
class PcapngReader {
 public:
  /// Throws std::runtime_error for a file that cannot be read, is no regular file, or no pcapng.
  explicit PcapngReader(const std::filesystem::path& file);

  /// The next packet; false: there is no whole one any more. Throws std::runtime_error for a block that contradicts
  /// itself.
  bool next(CapturedFrame& frame);
  /// Bytes of the file up to the end of the last whole block.
  [[nodiscard]] std::uint64_t readable() const { return readable_; }
  /// Once there is no packet any more: something stands behind the last whole block.
  [[nodiscard]] bool cut() const { return cut_; }

 private:
  struct Interface {
    std::string name{};
    std::uint64_t per_second = 1'000'000;  // of its times
  };

  bool read_block(PcapngHead& head);
  void take_interface();
  void take_packet(CapturedFrame& frame);

  std::string name_;
  std::ifstream in_;
  std::string block_;  // behind its head, without the length at its end
  std::vector<Interface> interfaces_;
  std::uint64_t readable_ = 0;
  bool cut_ = false;
};

}  // namespace hilgate

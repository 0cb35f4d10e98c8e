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
  std::string_view interface {};  // its name; empty where the file has none
  CaptureTime at{};
  std::uint32_t length = 0;            // of the frame
  std::span<const std::byte> bytes{};  // its first
  std::uint64_t dropped = 0;           // of this interface since the packet before
  std::optional<std::uint64_t> id{};
  std::string_view comment{};
  std::uint32_t number = 0;     // of the interface in its section, from 0
  std::uint16_t link_type = 1;  // LINKTYPE_ETHERNET
};

/// Reads a pcapng file of this machine's byte order, block by block, and files of the classic format of libpcap
/// (draft-ietf-opsawg-pcap), whose packets are of one interface without a name.
class PcapngReader {
 public:
  /// Throws std::runtime_error for a file that cannot be read, is no regular file, or of neither format.
  explicit PcapngReader(const std::filesystem::path& file);

  /// The next packet; false: there is no whole one any more. Throws std::runtime_error for a block that contradicts
  /// itself.
  bool next(CapturedFrame& frame);
  /// Bytes of the file up to the end of the last whole block.
  [[nodiscard]] std::uint64_t readable() const { return readable_; }
  /// After the last packet: the file has more bytes after the last whole block.
  [[nodiscard]] bool cut() const { return cut_; }
  /// The names of the interfaces of the section at hand, as far as it has been read.
  [[nodiscard]] std::vector<std::string> interfaces() const;

 private:
  struct Interface {
    std::string name{};
    std::uint64_t per_second = 1'000'000;  // of its times
    std::int64_t offset_s = 0;             // that is added to them
    std::uint16_t link_type = 1;
  };

  bool read_head(std::span<char> head);
  bool read_block(PcapngHead& head);
  bool begin_classic();
  bool next_classic(CapturedFrame& frame);
  void take_interface();
  void take_packet(CapturedFrame& frame);

  std::string name_;
  std::ifstream in_;
  std::string block_;  // after its head, without the length at its end
  std::vector<Interface> interfaces_;
  bool classic_ = false;
  std::uint64_t readable_ = 0;
  bool cut_ = false;
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "host/file_descriptor.h"
#include "host/mcap/mcap_format.h"

namespace hilgate {

struct McapMessage {
  const McapChannel& channel;
  std::chrono::nanoseconds at;  // since 1970
  std::string_view data;
};

/// How far a file could be read.
struct McapEnd {
  bool whole = false;        // to the end that its writer gave it
  std::uint64_t offset = 0;  // end of the last whole record, bytes
  std::string why{};         // where it is not whole: what follows the last whole record

  /// For people; empty when it is whole.
  [[nodiscard]] std::string text() const;
};

/// A file, or one in memory, a chunk at a time.
class McapReader {
 public:
  using Each = std::function<void(const McapMessage&)>;

  /// Throws std::runtime_error for a file that cannot be read, is no regular file, or no MCAP file.
  explicit McapReader(const std::filesystem::path& file);
  /// `content` stays where it is; `name` is its name in faults. Throws as the one above.
  McapReader(std::string_view content, std::string name);

  /// Hands out the messages of the next record of the file, which may be none or a whole chunk. False: there is no
  /// whole one. Throws std::system_error, std::runtime_error for a chunk that is compressed by other than lz4 and zstd,
  /// and whatever `each` throws.
  bool next(const Each& each);
  /// How far it has come.
  [[nodiscard]] const McapEnd& end() const { return end_; }

 private:
  void check_magic();
  [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t bytes) const;
  bool read_record(const Each& each);
  void take(McapRecord record, std::string_view content, const Each& each);
  void take_chunk(std::string_view content, const Each& each);
  void take_schema(std::string_view content);
  void take_channel(std::string_view content);
  void take_message(std::string_view content, const Each& each);
  void describe(const McapChannel& more);

  std::string name_;
  FileDescriptor in_;  // none: `content_` is all
  std::string_view content_{};
  std::uint64_t size_ = 0;
  McapEnd end_;
  std::uint64_t described_ = 0;  // bytes of schemas and channels
  std::map<std::uint16_t, McapChannel> schemas_, channels_;
};

/// Hands out the messages of a file in their order, to its last whole chunk. Throws std::runtime_error for a file that
/// cannot be read, is no MCAP file or is compressed by other than lz4 and zstd, and whatever `each` throws.
McapEnd read_mcap(const std::filesystem::path& file, const std::function<void(const McapMessage&)>& each);

}  // namespace hilgate

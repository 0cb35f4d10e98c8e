// SPDX-License-Identifier: Apache-2.0
// A pcapng stream in files: one, or a ring of them, of which each can be read by itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "clock/time.h"
#include "host/file_descriptor.h"

namespace hilgate {

struct CaptureFilesConfig {
  std::filesystem::path file{};  // "-": standard output
  std::uint64_t ring_bytes = 0;  // a file that is longer is followed by the next; 0: there is one file
  Nanoseconds ring_time{0};      // likewise one that is older; 0: whatever its age
  std::size_t ring_files = 0;    // of these the newest stay; 0: all
  bool for_group = false;        // the group hilgate may read them
};

/// Cuts a stream of bytes into blocks.
class PcapngSplitter {
 public:
  static constexpr std::uint32_t kLongestBlock = 1U << 20;

  /// Hands each block that is whole to each(std::string_view), also together with others. Throws std::runtime_error
  /// when the bytes are no pcapng.
  void add(std::string_view bytes, const std::function<void(std::string_view)>& each);

 private:
  std::string waiting_;
};

class CaptureFiles {
 public:
  /// Opens the first file. Of a ring NAME.pcapng, files are called NAME_00001.pcapng and so on. Throws
  /// std::system_error.
  explicit CaptureFiles(CaptureFilesConfig config);

  /// Writes one block; nothing of it is in a file that comes later. Throws std::system_error, for example of a full
  /// disk.
  void write(std::string_view block);
  /// Gives what was written to the operating system. Throws likewise: then the file ends with its last whole block.
  void flush();

  /// That is written to now.
  [[nodiscard]] const std::filesystem::path& file() const { return files_.back(); }
  /// Of all files together, those removed too.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  void open_next();
  [[nodiscard]] bool is_ring() const { return config_.ring_bytes > 0 || config_.ring_time.count() > 0; }
  [[nodiscard]] bool is_full(std::size_t more) const;
  void end_at_block(std::size_t written);

  CaptureFilesConfig config_;
  FileDescriptor out_;
  std::deque<std::filesystem::path> files_;
  std::uint64_t number_ = 0;
  HostTime opened_{};
  std::uint64_t file_bytes_ = 0;  // with the buffer
  std::uint64_t bytes_ = 0;
  std::string preamble_;  // the section and its interfaces, with which every file begins
  std::string buffer_;    // whole blocks
};

}  // namespace hilgate

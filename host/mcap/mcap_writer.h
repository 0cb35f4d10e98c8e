// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/file_descriptor.h"
#include "host/mcap/mcap_format.h"

namespace hilgate {

/// Writes an MCAP file, its chunks compressed by zstd. What has been written by end_chunk() can be read whatever
/// happens to the program; finish() adds the index, which makes reading quicker. Used by one thread.
class McapWriter {
 public:
  static constexpr std::size_t kChunkBytes = std::size_t{1} << 20;  // then a chunk ends by itself

  /// Makes the file. `library`: the program and its version. Throws std::system_error, as all that writes: then the
  /// file ends with its last whole chunk, and nothing more can be written.
  McapWriter(const std::filesystem::path& file, std::string_view library);

  /// Messages of a channel can be written from now on; its number.
  std::uint16_t add_channel(McapChannel channel);
  /// `at`: since 1970.
  void write(std::uint16_t channel, std::chrono::nanoseconds at, std::string_view message);
  /// Gives what there is to the operating system.
  void end_chunk();
  /// The index and the end of the file.
  void finish();

  /// In the file.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// That wait for the end of their chunk.
  [[nodiscard]] std::size_t waiting() const { return chunk_.size(); }

 private:
  struct ChunkIndex {
    std::uint64_t first_time, last_time, offset, length, index_length, packed, size;
    std::vector<std::pair<std::uint16_t, std::uint64_t>> indexes;  // by channel: offset in the file
  };
  using Entries = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // time and offset in the chunk

  void append_channel(std::uint16_t number, std::string& bytes) const;
  void append_chunk_index(const ChunkIndex& index, std::string& bytes) const;
  [[nodiscard]] std::string statistics() const;
  void put(std::string_view bytes);

  FileDescriptor out_;
  std::string name_;
  std::uint64_t bytes_ = 0;
  std::vector<McapChannel> channels_;    // their numbers begin with 1
  std::vector<std::uint64_t> messages_;  // by channel
  std::vector<ChunkIndex> chunks_;
  std::string chunk_;  // records of the chunk at hand
  std::map<std::uint16_t, Entries> entries_;
  std::uint64_t first_time_ = 0, last_time_ = 0;  // of the chunk
};

}  // namespace hilgate

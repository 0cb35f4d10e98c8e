// SPDX-License-Identifier: Apache-2.0
#include "host/mcap/mcap_writer.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "host/shared_files.h"

namespace hilgate {
namespace {

constexpr std::string_view kCompression = "zstd";
constexpr int kCompressionLevel = 3;  // zstd's default

std::uint32_t checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

// A chunk of at most 1 MiB and a message: no failure but that of memory.
std::string compressed(std::string_view chunk) {
  std::string bytes(::ZSTD_compressBound(chunk.size()), '\0');
  const std::size_t size = ::ZSTD_compress(bytes.data(), bytes.size(), chunk.data(), chunk.size(), kCompressionLevel);
  if (::ZSTD_isError(size) != 0) {
    throw std::system_error(ENOMEM, std::generic_category(), ::ZSTD_getErrorName(size));
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

McapWriter::McapWriter(const std::filesystem::path& file, std::string_view library)
    : out_(checked(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0640), file.string())),
      name_(file.string()) {
  share_with_group(out_.get());
  std::string header;
  append_text(header, "");  // no profile of MCAP's
  append_text(header, library);
  std::string bytes(kMcapMagic);
  append_record(bytes, McapRecord::kHeader, header);
  put(bytes);
}

std::uint16_t McapWriter::add_channel(McapChannel channel) {
  channels_.push_back(std::move(channel));
  messages_.push_back(0);
  const auto number = static_cast<std::uint16_t>(channels_.size());
  append_channel(number, chunk_);
  return number;
}

// Each channel has a schema of its own, with the same number.
void McapWriter::append_channel(std::uint16_t number, std::string& bytes) const {
  const McapChannel& channel = channels_[number - 1U];
  std::string schema;
  append_number(schema, number);
  append_text(schema, channel.schema);
  append_text(schema, channel.schema_encoding);
  append_text(schema, channel.schema_text);
  append_record(bytes, McapRecord::kSchema, schema);
  std::string record;
  append_number(record, number);
  append_number(record, number);
  append_text(record, channel.topic);
  append_text(record, channel.encoding);
  append_number(record, std::uint32_t{0});  // no metadata
  append_record(bytes, McapRecord::kChannel, record);
}

void McapWriter::write(std::uint16_t channel, std::chrono::nanoseconds at, std::string_view message) {
  const auto time = static_cast<std::uint64_t>(at.count());
  first_time_ = entries_.empty() ? time : std::min(first_time_, time);
  last_time_ = entries_.empty() ? time : std::max(last_time_, time);
  entries_[channel].emplace_back(time, chunk_.size());
  append_number(chunk_, McapRecord::kMessage);
  append_number(chunk_, std::uint64_t{22} + message.size());
  append_number(chunk_, channel);
  append_number(chunk_, static_cast<std::uint32_t>(messages_[channel - 1U]++));
  append_number(chunk_, time);
  append_number(chunk_, time);
  chunk_.append(message);
  if (chunk_.size() >= kChunkBytes) {
    end_chunk();
  }
}

void McapWriter::end_chunk() {
  if (chunk_.empty()) {
    return;
  }
  const std::string packed = compressed(chunk_);
  std::string bytes;
  append_number(bytes, McapRecord::kChunk);
  append_number(bytes, std::uint64_t{8 + 8 + 8 + 4 + 4 + kCompression.size() + 8} + packed.size());
  append_number(bytes, first_time_);
  append_number(bytes, last_time_);
  append_number(bytes, std::uint64_t{chunk_.size()});
  append_number(bytes, checksum(chunk_));
  append_text(bytes, kCompression);
  append_number(bytes, std::uint64_t{packed.size()});
  bytes.append(packed);
  ChunkIndex index{.first_time = first_time_,
                   .last_time = last_time_,
                   .offset = bytes_,
                   .length = bytes.size(),
                   .index_length = 0,
                   .packed = packed.size(),
                   .size = chunk_.size(),
                   .indexes = {}};
  for (const auto& [channel, entries] : entries_) {
    index.indexes.emplace_back(channel, bytes_ + bytes.size());
    std::string record;
    append_number(record, channel);
    append_number(record, static_cast<std::uint32_t>(16 * entries.size()));
    for (const auto& [time, place] : entries) {
      append_number(record, time);
      append_number(record, place);
    }
    append_record(bytes, McapRecord::kMessageIndex, record);
  }
  index.index_length = bytes.size() - index.length;
  chunk_.clear();
  entries_.clear();
  put(bytes);
  chunks_.push_back(std::move(index));
}

void McapWriter::append_chunk_index(const ChunkIndex& index, std::string& bytes) const {
  std::string record;
  for (const std::uint64_t number : {index.first_time, index.last_time, index.offset, index.length}) {
    append_number(record, number);
  }
  append_number(record, static_cast<std::uint32_t>(10 * index.indexes.size()));
  for (const auto& [channel, offset] : index.indexes) {
    append_number(record, channel);
    append_number(record, offset);
  }
  append_number(record, index.index_length);
  append_text(record, kCompression);
  append_number(record, index.packed);
  append_number(record, index.size);
  append_record(bytes, McapRecord::kChunkIndex, record);
}

std::string McapWriter::statistics() const {
  std::uint64_t messages = 0;
  std::uint64_t first = chunks_.empty() ? 0 : chunks_.front().first_time;
  std::uint64_t last = 0;
  for (const std::uint64_t each : messages_) {
    messages += each;
  }
  for (const ChunkIndex& chunk : chunks_) {
    first = std::min(first, chunk.first_time);
    last = std::max(last, chunk.last_time);
  }
  std::string record;
  append_number(record, messages);
  append_number(record, static_cast<std::uint16_t>(channels_.size()));
  append_number(record, static_cast<std::uint32_t>(channels_.size()));
  append_number(record, std::uint32_t{0});  // attachments
  append_number(record, std::uint32_t{0});  // metadata
  append_number(record, static_cast<std::uint32_t>(chunks_.size()));
  append_number(record, first);
  append_number(record, last);
  append_number(record, static_cast<std::uint32_t>(10 * messages_.size()));
  for (std::uint16_t channel = 1; channel <= messages_.size(); ++channel) {
    append_number(record, channel);
    append_number(record, messages_[channel - 1U]);
  }
  return record;
}

void McapWriter::finish() {
  end_chunk();
  std::string bytes;
  append_record(bytes, McapRecord::kDataEnd, std::string(4, '\0'));  // without a checksum
  const std::uint64_t summary = bytes_ + bytes.size();
  for (std::uint16_t number = 1; number <= channels_.size(); ++number) {
    append_channel(number, bytes);
  }
  append_record(bytes, McapRecord::kStatistics, statistics());
  for (const ChunkIndex& chunk : chunks_) {
    append_chunk_index(chunk, bytes);
  }
  std::string footer;
  append_number(footer, summary);
  append_number(footer, std::uint64_t{0});  // no offsets of the summary's parts
  append_number(footer, std::uint32_t{0});
  append_record(bytes, McapRecord::kFooter, footer);
  bytes.append(kMcapMagic);
  put(bytes);
}

void McapWriter::put(std::string_view bytes) {
  for (std::string_view left = bytes; !left.empty();) {
    const ssize_t written = ::write(out_.get(), left.data(), left.size());
    if (written < 0 && errno != EINTR) {
      const int error = errno;
      const int cut = ::ftruncate(out_.get(), static_cast<off_t>(bytes_));  // what fails leaves half a chunk
      throw std::system_error(error, std::generic_category(), cut == 0 ? name_ : name_ + ", cut within a chunk");
    }
    left.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
  }
  bytes_ += bytes.size();
}

}  // namespace hilgate

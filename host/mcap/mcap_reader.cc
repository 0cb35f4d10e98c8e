// SPDX-License-Identifier: Apache-2.0
#include "host/mcap/mcap_reader.h"

#include <fmt/format.h>
#include <lz4frame.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include "host/byte_cursor.h"
#include "host/plain_file.h"

namespace hilgate {
namespace {

// More than any program writes at once; a larger length field is made to fill the reader's memory.
constexpr std::uint64_t kLongestRecord = std::uint64_t{64} << 20;
constexpr std::uint64_t kMostDescription = std::uint64_t{64} << 20;  // of all schemas and channels

/// A record that contradicts itself.
struct McapDamage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class McapCursor : public ByteCursor<McapDamage> {
 public:
  explicit McapCursor(std::string_view bytes) : ByteCursor(bytes, "a record is shorter than its length") {}

  std::string_view text() { return take(number<std::uint32_t>()); }
};

std::string read_at(const FileDescriptor& in, std::uint64_t offset, std::uint64_t bytes, const std::string& name) {
  std::string content(bytes, '\0');
  for (std::uint64_t got = 0; got < bytes;) {
    const int more =
        checked(static_cast<int>(::pread(in.get(), content.data() + got, std::min<std::uint64_t>(bytes - got, 1U << 30),
                                         static_cast<off_t>(offset + got))),
                name);
    if (more == 0) {
      throw McapDamage("the file has become shorter");
    }
    got += static_cast<std::uint64_t>(more);
  }
  return content;
}

bool unpack_zstd(std::string_view chunk, std::string& bytes) {
  const std::size_t found = ::ZSTD_decompress(bytes.data(), bytes.size(), chunk.data(), chunk.size());
  return ::ZSTD_isError(found) == 0 && found == bytes.size();
}

// Frames of LZ4, one after the other.
bool unpack_lz4(std::string_view chunk, std::string& bytes) {
  LZ4F_dctx* made = nullptr;
  if (::LZ4F_isError(::LZ4F_createDecompressionContext(&made, LZ4F_VERSION)) != 0) {
    throw std::bad_alloc();
  }
  const std::unique_ptr<LZ4F_dctx, LZ4F_errorCode_t (*)(LZ4F_dctx*)> context(made, ::LZ4F_freeDecompressionContext);
  std::size_t written = 0;
  while (!chunk.empty()) {
    std::size_t room = bytes.size() - written;
    std::size_t taken = chunk.size();
    const std::size_t hint =
        ::LZ4F_decompress(context.get(), bytes.data() + written, &room, chunk.data(), &taken, nullptr);
    if (::LZ4F_isError(hint) != 0 || (room == 0 && taken == 0)) {
      return false;
    }
    written += room;
    chunk.remove_prefix(taken);
  }
  return written == bytes.size();
}

std::string decompressed(std::string_view chunk, std::uint64_t size, std::string_view compression) {
  if (size > kLongestRecord) {
    throw McapDamage(fmt::format("a chunk of {} bytes; allowed: {}", size, kLongestRecord));
  }
  std::string bytes(size, '\0');
  if (!(compression == "lz4" ? unpack_lz4(chunk, bytes) : unpack_zstd(chunk, bytes))) {
    throw McapDamage("a chunk is damaged");
  }
  return bytes;
}

}  // namespace

std::string McapEnd::text() const {
  return whole ? std::string() : fmt::format("has no end: {} bytes can be read; then: {}", offset, why);
}

McapReader::McapReader(const std::filesystem::path& file) : name_(file.string()), in_(open_plain_file(file)) {
  struct stat info {};
  checked(::fstat(in_.get(), &info), name_);
  size_ = static_cast<std::uint64_t>(info.st_size);
  check_magic();
}

McapReader::McapReader(std::string_view content, std::string name)
    : name_(std::move(name)), content_(content), size_(content.size()) {
  check_magic();
}

void McapReader::check_magic() {
  if (size_ < kMcapMagic.size() || read(0, kMcapMagic.size()) != kMcapMagic) {
    throw std::runtime_error(fmt::format("{}: is no MCAP file", name_));
  }
  end_ = {.offset = kMcapMagic.size(), .why = "its writer has not ended it"};
}

// Requires that the file has had so many bytes.
std::string McapReader::read(std::uint64_t offset, std::uint64_t bytes) const {
  return content_.empty() ? read_at(in_, offset, bytes, name_) : std::string(content_.substr(offset, bytes));
}

bool McapReader::next(const Each& each) {
  try {
    return !end_.whole && read_record(each);
  } catch (const McapDamage& damage) {
    end_.why = damage.what();
    return false;
  }
}

bool McapReader::read_record(const Each& each) {
  if (size_ - end_.offset < kMcapHead) {
    return false;
  }
  const std::string head = read(end_.offset, kMcapHead);
  McapCursor cursor(head);
  const auto record = cursor.number<McapRecord>();
  const auto length = cursor.number<std::uint64_t>();
  if (length > size_ - end_.offset - kMcapHead) {
    return false;
  }
  if (static_cast<std::uint8_t>(record) == 0) {
    throw McapDamage("it is filled with zeros");
  }
  const bool wanted = record == McapRecord::kChunk || record == McapRecord::kSchema || record == McapRecord::kChannel ||
                      record == McapRecord::kMessage;
  if (wanted && length > kLongestRecord) {
    throw McapDamage(fmt::format("a record of {} bytes; allowed: {}", length, kLongestRecord));
  }
  if (wanted) {
    take(record, read(end_.offset + kMcapHead, length), each);
  }
  end_.offset += kMcapHead + length;
  if (record == McapRecord::kFooter) {
    end_.whole = true;
    end_.why.clear();
  }
  return true;
}

void McapReader::take(McapRecord record, std::string_view content, const Each& each) {
  switch (record) {
    case McapRecord::kChunk:
      take_chunk(content, each);
      break;
    case McapRecord::kSchema:
      take_schema(content);
      break;
    case McapRecord::kChannel:
      take_channel(content);
      break;
    case McapRecord::kMessage:
      take_message(content, each);
      break;
    default:
      break;
  }
}

void McapReader::take_chunk(std::string_view content, const Each& each) {
  McapCursor cursor(content);
  cursor.take(16);  // its times
  const auto size = cursor.number<std::uint64_t>();
  const auto sum = cursor.number<std::uint32_t>();
  const std::string_view compression = cursor.text();
  if (!compression.empty() && compression != "zstd" && compression != "lz4") {
    throw std::runtime_error(
        fmt::format("{}: is compressed by {}; allowed: zstd, lz4 or no compression (mcap compress --compression zstd)",
                    name_, compression.substr(0, 32)));
  }
  const std::string_view stored = cursor.take(cursor.number<std::uint64_t>());
  const std::string unpacked = compression.empty() ? std::string() : decompressed(stored, size, compression);
  const std::string_view records = compression.empty() ? stored : unpacked;
  const auto found = static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(records.data()), static_cast<uInt>(records.size())));
  if (records.size() != size || (sum != 0 && sum != found)) {
    throw McapDamage("a chunk is damaged");
  }
  for (McapCursor inner(records); !inner.rest().empty();) {
    const auto record = inner.number<McapRecord>();
    const std::string_view part = inner.take(inner.number<std::uint64_t>());
    if (record != McapRecord::kChunk) {  // which has none within it
      take(record, part, each);
    }
  }
}

// Their number is bounded, and so is their text.
void McapReader::describe(const McapChannel& more) {
  described_ += more.topic.size() + more.encoding.size() + more.schema.size() + more.schema_encoding.size() +
                more.schema_text.size();
  if (described_ > kMostDescription) {
    throw McapDamage(fmt::format("its schemas and channels have more than {} bytes", kMostDescription));
  }
}

void McapReader::take_schema(std::string_view content) {
  McapCursor cursor(content);
  McapChannel& schema = schemas_[cursor.number<std::uint16_t>()];
  schema.schema = cursor.text();
  schema.schema_encoding = cursor.text();
  schema.schema_text = cursor.text();
  describe(schema);
}

void McapReader::take_channel(std::string_view content) {
  McapCursor cursor(content);
  const auto number = cursor.number<std::uint16_t>();
  McapChannel channel = schemas_[cursor.number<std::uint16_t>()];
  channel.topic = cursor.text();
  channel.encoding = cursor.text();
  describe(channel);
  channels_[number] = std::move(channel);
}

void McapReader::take_message(std::string_view content, const Each& each) {
  McapCursor cursor(content);
  const auto channel = channels_.find(cursor.number<std::uint16_t>());
  cursor.take(4);  // its number
  const auto time = cursor.number<std::uint64_t>();
  cursor.take(8);  // publication time, which is the same
  if (channel == channels_.end()) {
    throw McapDamage("a message is of no channel");
  }
  each({channel->second, std::chrono::nanoseconds{static_cast<std::int64_t>(time)}, cursor.rest()});
}

McapEnd read_mcap(const std::filesystem::path& file, const std::function<void(const McapMessage&)>& each) {
  McapReader reader(file);
  while (reader.next(each)) {
  }
  return reader.end();
}

}  // namespace hilgate

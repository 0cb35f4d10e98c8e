// SPDX-License-Identifier: Apache-2.0
#include "gateway/mcap/mcap_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <map>
#include <optional>
#include <stdexcept>

#include "host/file_descriptor.h"

namespace hilgate {
namespace {

/// A record that contradicts itself.
struct McapDamage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class McapCursor {
 public:
  explicit McapCursor(std::string_view bytes) : left_(bytes) {}

  template <class Number>
  Number number() {
    Number value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view text() { return take(number<std::uint32_t>()); }
  std::string_view take(std::uint64_t bytes) {
    if (bytes > left_.size()) {
      throw McapDamage("a record is shorter than it says");
    }
    const std::string_view taken = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    return taken;
  }
  [[nodiscard]] std::string_view rest() const { return left_; }

 private:
  std::string_view left_;
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

class McapFile {
 public:
  McapFile(const std::filesystem::path& file, const std::function<void(const McapMessage&)>& each)
      : name_(file.string()), in_(checked(::open(file.c_str(), O_RDONLY | O_CLOEXEC), name_)), each_(each) {
    struct stat info {};
    checked(::fstat(in_.get(), &info), name_);
    size_ = static_cast<std::uint64_t>(info.st_size);
    if (size_ < kMcapMagic.size() || read_at(in_, 0, kMcapMagic.size(), name_) != kMcapMagic) {
      throw std::runtime_error(fmt::format("{}: is no MCAP file", name_));
    }
  }

  McapEnd read() {
    McapEnd end{.offset = kMcapMagic.size(), .why = "its writer has not ended it"};
    try {
      while (!end.whole && next(end)) {
      }
    } catch (const McapDamage& damage) {
      end.why = damage.what();
    }
    if (end.whole) {
      end.why.clear();
    }
    return end;
  }

 private:
  // False: the rest is no whole record.
  bool next(McapEnd& end) {
    if (size_ - end.offset < kMcapHead) {
      return false;
    }
    const std::string head = read_at(in_, end.offset, kMcapHead, name_);
    McapCursor cursor(head);
    const auto record = cursor.number<McapRecord>();
    const auto length = cursor.number<std::uint64_t>();
    if (length > size_ - end.offset - kMcapHead) {
      return false;
    }
    const bool wanted = record == McapRecord::kChunk || record == McapRecord::kSchema ||
                        record == McapRecord::kChannel || record == McapRecord::kMessage;
    if (wanted) {
      take(record, read_at(in_, end.offset + kMcapHead, length, name_));
    }
    end.offset += kMcapHead + length;
    end.whole = record == McapRecord::kFooter;
    return true;
  }

  void take(McapRecord record, std::string_view content) {
    McapCursor cursor(content);
    switch (record) {
      case McapRecord::kChunk:
        take_chunk(cursor);
        break;
      case McapRecord::kSchema:
        take_schema(cursor);
        break;
      case McapRecord::kChannel:
        take_channel(cursor);
        break;
      case McapRecord::kMessage:
        take_message(cursor);
        break;
      default:
        break;
    }
  }

  void take_chunk(McapCursor& cursor) {
    cursor.take(16);  // its times
    const auto size = cursor.number<std::uint64_t>();
    const auto sum = cursor.number<std::uint32_t>();
    if (const std::string_view compression = cursor.text(); !compression.empty()) {
      throw std::runtime_error(
          fmt::format("{}: is compressed ({}); decompress it first (mcap decompress)", name_, compression));
    }
    const std::string_view records = cursor.take(cursor.number<std::uint64_t>());
    const auto found = static_cast<std::uint32_t>(
        ::crc32(0, reinterpret_cast<const Bytef*>(records.data()), static_cast<uInt>(records.size())));
    if (records.size() != size || (sum != 0 && sum != found)) {
      throw McapDamage("a chunk is damaged");
    }
    for (McapCursor inner(records); !inner.rest().empty();) {
      const auto record = inner.number<McapRecord>();
      take(record, inner.take(inner.number<std::uint64_t>()));
    }
  }

  void take_schema(McapCursor& cursor) {
    const auto number = cursor.number<std::uint16_t>();
    McapChannel& schema = schemas_[number];
    schema.schema = cursor.text();
    schema.schema_encoding = cursor.text();
    schema.schema_text = cursor.text();
  }

  void take_channel(McapCursor& cursor) {
    const auto number = cursor.number<std::uint16_t>();
    McapChannel channel = schemas_[cursor.number<std::uint16_t>()];
    channel.topic = cursor.text();
    channel.encoding = cursor.text();
    channels_[number] = std::move(channel);
  }

  void take_message(McapCursor& cursor) {
    const auto channel = channels_.find(cursor.number<std::uint16_t>());
    cursor.take(4);  // its number
    const auto time = cursor.number<std::uint64_t>();
    cursor.take(8);  // when it was said, which is the same
    if (channel == channels_.end()) {
      throw McapDamage("a message is of no channel");
    }
    each_({channel->second, Nanoseconds{static_cast<std::int64_t>(time)}, cursor.rest()});
  }

  std::string name_;
  FileDescriptor in_;
  const std::function<void(const McapMessage&)>& each_;
  std::uint64_t size_ = 0;
  std::map<std::uint16_t, McapChannel> schemas_, channels_;
};

}  // namespace

McapEnd read_mcap(const std::filesystem::path& file, const std::function<void(const McapMessage&)>& each) {
  return McapFile(file, each).read();
}

}  // namespace hilgate

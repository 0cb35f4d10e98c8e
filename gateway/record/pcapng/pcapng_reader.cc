// SPDX-License-Identifier: Apache-2.0
#include "gateway/record/pcapng/pcapng_reader.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "gateway/record/pcapng/capture_files.h"
#include "host/byte_cursor.h"
#include "host/plain_file.h"

namespace hilgate {
namespace {

constexpr std::uint32_t kSameByteOrder = 0x1A2B3C4D;
constexpr std::uint32_t kClassicMicroseconds = 0xA1B2C3D4;
constexpr std::uint32_t kClassicNanoseconds = 0xA1B23C4D;
constexpr std::size_t kClassicRecordHead = 16;
// Packets as old programs wrote them, without times or in a block that has been replaced.
constexpr std::uint32_t kObsoletePacket = 2;
constexpr std::uint32_t kSimplePacket = 3;
constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;

class BlockCursor : public ByteCursor<std::runtime_error> {
 public:
  explicit BlockCursor(std::string_view bytes) : ByteCursor(bytes, "a block is shorter than its length") {}

  /// Hands each option to each(code, bytes), to the end of the block or of the options.
  template <class Each>
  void options(Each each) {
    while (rest().size() >= 4) {
      const auto code = number<std::uint16_t>();
      const auto length = number<std::uint16_t>();
      if (code == 0) {
        return;
      }
      each(code, take(length));
      take(std::min<std::size_t>((4U - length % 4U) % 4U, rest().size()));
    }
  }
};

std::uint64_t number_of_option(std::string_view bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

// if_tsresol: a negative power of 10, or with the highest bit of 2.
std::uint64_t ticks_per_second(std::uint8_t resolution) {
  const unsigned power = resolution & 0x7FU;
  std::uint64_t ticks = 1;
  for (unsigned i = 0; i < power; ++i) {
    ticks *= (resolution & 0x80U) != 0 ? 2 : 10;
    if (ticks > kNanosecondsPerSecond) {
      throw std::runtime_error("has times that are finer than nanoseconds");
    }
  }
  return ticks;
}

}  // namespace

PcapngReader::PcapngReader(const std::filesystem::path& file) : name_(file.string()) {
  open_plain_file(file);  // the stream would wait for a FIFO
  in_.open(file, std::ios::binary);
  if (!in_) {
    throw std::system_error(errno, std::generic_category(), name_);
  }
  if (begin_classic()) {
    return;
  }
  if (in_.peek() == 0x1F) {
    throw std::runtime_error(fmt::format("{}: is compressed; write it out with gunzip", name_));
  }
  PcapngHead head;
  if (!read_block(head) || head.type != static_cast<std::uint32_t>(PcapngBlock::kSection)) {
    throw std::runtime_error(fmt::format("{}: is no pcapng or pcap file", name_));
  }
}

// The whole of it; a part makes the file cut.
bool PcapngReader::read_head(std::span<char> head) {
  in_.read(head.data(), static_cast<std::streamsize>(head.size()));
  cut_ = cut_ || in_.gcount() > 0;
  return in_.gcount() == static_cast<std::streamsize>(head.size());
}

// The head of the file: magic number, version, two numbers that are always 0, most bytes of a packet, link type.
bool PcapngReader::begin_classic() {
  std::array<char, 24> head{};
  in_.read(head.data(), head.size());
  const bool whole = in_.gcount() == static_cast<std::streamsize>(head.size());
  BlockCursor cursor({head.data(), head.size()});
  const auto magic = cursor.number<std::uint32_t>();
  if (magic == __builtin_bswap32(kClassicMicroseconds) || magic == __builtin_bswap32(kClassicNanoseconds)) {
    throw std::runtime_error(fmt::format("{}: is of a machine with another byte order", name_));
  }
  if (!whole || (magic != kClassicMicroseconds && magic != kClassicNanoseconds)) {
    in_.clear();
    in_.seekg(0);
    return false;
  }
  cursor.take(16);
  interfaces_.push_back({.per_second = magic == kClassicNanoseconds ? kNanosecondsPerSecond : 1'000'000,
                         .link_type = static_cast<std::uint16_t>(cursor.number<std::uint32_t>())});
  readable_ = head.size();
  return classic_ = true;
}

bool PcapngReader::next_classic(CapturedFrame& frame) {
  std::array<char, kClassicRecordHead> head{};
  if (!read_head(head)) {
    return false;
  }
  BlockCursor cursor({head.data(), head.size()});
  const auto seconds = cursor.number<std::uint32_t>();
  const auto fraction = cursor.number<std::uint32_t>();
  const auto kept = cursor.number<std::uint32_t>();
  frame = {.length = cursor.number<std::uint32_t>(), .link_type = interfaces_.front().link_type};
  if (kept > PcapngSplitter::kLongestBlock) {
    throw std::runtime_error(fmt::format("{}: the packet behind byte {} has {} bytes", name_, readable_, kept));
  }
  block_.resize(kept);
  if (!read_head(block_)) {
    return false;
  }
  frame.at = {seconds * kNanosecondsPerSecond + fraction * (kNanosecondsPerSecond / interfaces_.front().per_second)};
  frame.bytes = std::as_bytes(std::span<const char>(block_));
  readable_ += kClassicRecordHead + kept;
  cut_ = false;
  return true;
}

std::vector<std::string> PcapngReader::interfaces() const {
  std::vector<std::string> names;
  for (const Interface& interface : interfaces_) {
    names.push_back(interface.name);
  }
  return names;
}

// A block that is cut off is as good as none.
bool PcapngReader::read_block(PcapngHead& head) {
  std::array<char, kPcapngHead> start{};
  if (!read_head(start)) {
    return false;
  }
  const auto found = pcapng_head(start);
  if (!found || found->length > PcapngSplitter::kLongestBlock) {
    return false;
  }
  head = *found;
  block_.resize(head.length - kPcapngHead);
  in_.read(block_.data(), static_cast<std::streamsize>(block_.size()));
  if (in_.gcount() < static_cast<std::streamsize>(block_.size())) {
    return false;
  }
  block_.resize(block_.size() - sizeof(std::uint32_t));
  readable_ += head.length;
  cut_ = false;
  if (head.type == static_cast<std::uint32_t>(PcapngBlock::kSection)) {
    interfaces_.clear();
    if (BlockCursor(block_).number<std::uint32_t>() != kSameByteOrder) {
      throw std::runtime_error(fmt::format("{}: is of a machine with another byte order", name_));
    }
  }
  return true;
}

bool PcapngReader::next(CapturedFrame& frame) {
  if (classic_) {
    return next_classic(frame);
  }
  PcapngHead head;
  try {
    while (read_block(head)) {
      if (head.type == static_cast<std::uint32_t>(PcapngBlock::kInterface)) {
        take_interface();
      } else if (head.type == static_cast<std::uint32_t>(PcapngBlock::kPacket)) {
        take_packet(frame);
        return true;
      } else if (head.type == kObsoletePacket || head.type == kSimplePacket) {
        throw std::runtime_error("is a packet of a kind that is not read; save the file again with Wireshark");
      }
    }
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("{}: the block that ends at byte {}: {}", name_, readable_, error.what()));
  }
  return false;
}

void PcapngReader::take_interface() {
  constexpr std::uint16_t kName = 2;
  constexpr std::uint16_t kResolution = 9;
  constexpr std::uint16_t kOffset = 14;
  BlockCursor block(block_);
  Interface& interface = interfaces_.emplace_back();
  interface.link_type = block.number<std::uint16_t>();
  block.take(6);  // reserved, and most bytes of a packet
  block.options([&](std::uint16_t code, std::string_view bytes) {
    if (code == kName) {
      interface.name = bytes;
    } else if (code == kResolution && !bytes.empty()) {
      interface.per_second = ticks_per_second(static_cast<std::uint8_t>(bytes.front()));
    } else if (code == kOffset) {
      interface.offset_s = static_cast<std::int64_t>(number_of_option(bytes));
    }
  });
}

void PcapngReader::take_packet(CapturedFrame& frame) {
  constexpr std::uint16_t kComment = 1;
  constexpr std::uint16_t kDropped = 4;
  constexpr std::uint16_t kId = 5;
  frame = {};
  BlockCursor block(block_);
  const auto number = block.number<std::uint32_t>();
  if (number >= interfaces_.size()) {
    throw std::runtime_error("a packet is of an interface that the file does not have");
  }
  const Interface& interface = interfaces_[number];
  frame.interface = interface.name;
  frame.number = number;
  frame.link_type = interface.link_type;
  const auto high = block.number<std::uint32_t>();
  const std::uint64_t ticks = std::uint64_t{high} << 32 | block.number<std::uint32_t>();
  frame.at = {(ticks / interface.per_second + static_cast<std::uint64_t>(interface.offset_s)) * kNanosecondsPerSecond +
              ticks % interface.per_second * kNanosecondsPerSecond / interface.per_second};
  const auto kept = block.number<std::uint32_t>();
  frame.length = block.number<std::uint32_t>();
  frame.bytes = std::as_bytes(std::span<const char>(block.take(kept)));
  block.take((4U - kept % 4U) % 4U);
  block.options([&](std::uint16_t code, std::string_view bytes) {
    if (code == kComment) {
      frame.comment = bytes;
    } else if (code == kDropped) {
      frame.dropped = number_of_option(bytes);
    } else if (code == kId) {
      frame.id = number_of_option(bytes);
    }
  });
}

}  // namespace hilgate

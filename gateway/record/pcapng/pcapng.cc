// SPDX-License-Identifier: Apache-2.0
#include "gateway/record/pcapng/pcapng.h"

#include <cstring>
#include <limits>

namespace hilgate {
namespace {

constexpr std::uint32_t kByteOrder = 0x1A2B3C4D;
constexpr std::uint16_t kEthernetLink = 1;
constexpr std::uint32_t kInbound = 1;  // epb_flags, bits 0 and 1
constexpr std::uint32_t kOutbound = 2;
constexpr std::uint8_t kNanoseconds = 9;

enum class Option : std::uint16_t {
  kEnd = 0,
  kComment = 1,
  kSectionHardware = 2,
  kSectionApplication = 4,
  kInterfaceName = 2,
  kInterfaceDescription = 3,
  kInterfaceResolution = 9,
  kPacketFlags = 2,
  kPacketDropped = 4,
  kPacketId = 5,
  kStatisticsBegin = 2,
  kStatisticsEnd = 3,
  kStatisticsReceived = 4,
  kStatisticsDropped = 5,
  kStatisticsAccepted = 6,
  kStatisticsDelivered = 8,
};

/// Appends one block to a string: the length is at both ends, and options are padded to 32 bits.
class Block {
 public:
  Block(std::string& out, PcapngBlock type) : out_(out), start_(out.size()) {
    put(static_cast<std::uint32_t>(type));
    put(std::uint32_t{0});  // the length, see end()
  }

  template <class T>
  void put(T value) {
    out_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void put_bytes(std::string_view bytes) {
    out_.append(bytes);
    out_.append((4 - bytes.size() % 4) % 4, '\0');
  }
  void put_time(CaptureTime at) {
    put(static_cast<std::uint32_t>(at.nanoseconds >> 32));
    put(static_cast<std::uint32_t>(at.nanoseconds));
  }

  void option(Option code, std::string_view bytes) {
    bytes = bytes.substr(0, std::numeric_limits<std::uint16_t>::max());
    put(static_cast<std::uint16_t>(code));
    put(static_cast<std::uint16_t>(bytes.size()));
    put_bytes(bytes);
  }
  void text(Option code, std::string_view text) {
    if (!text.empty()) {
      option(code, text);
    }
  }
  template <class T>
  void number(Option code, T value) {
    option(code, {reinterpret_cast<const char*>(&value), sizeof value});
  }
  void time(Option code, CaptureTime at) {
    put(static_cast<std::uint16_t>(code));
    put(std::uint16_t{8});
    put_time(at);
  }

  /// The end of its options and of itself.
  void end() {
    put(static_cast<std::uint16_t>(Option::kEnd));
    put(std::uint16_t{0});
    const auto length = static_cast<std::uint32_t>(out_.size() - start_ + sizeof(std::uint32_t));
    put(length);
    std::memcpy(&out_[start_ + sizeof(std::uint32_t)], &length, sizeof length);
  }

 private:
  std::string& out_;
  std::size_t start_;
};

}  // namespace

std::optional<PcapngHead> pcapng_head(std::span<const char> bytes) {
  PcapngHead head;
  std::memcpy(&head.type, bytes.data(), sizeof head.type);
  std::memcpy(&head.length, bytes.data() + sizeof head.type, sizeof head.length);
  const bool whole = head.length % 4 == 0 && head.length >= kPcapngHead + sizeof head.length;
  return whole ? std::optional(head) : std::nullopt;
}

void append_section(std::string& out, std::string_view application, std::string_view hardware,
                    std::string_view comment) {
  Block block(out, PcapngBlock::kSection);
  block.put(kByteOrder);
  block.put(std::uint16_t{1});
  block.put(std::uint16_t{0});
  block.put(~std::uint64_t{0});  // as long as the file
  block.text(Option::kComment, comment);
  block.text(Option::kSectionHardware, hardware);
  block.text(Option::kSectionApplication, application);
  block.end();
}

void append_interface(std::string& out, const PcapngInterface& interface) {
  Block block(out, PcapngBlock::kInterface);
  block.put(kEthernetLink);
  block.put(std::uint16_t{0});
  block.put(interface.snaplen);
  block.text(Option::kInterfaceName, interface.name);
  block.text(Option::kInterfaceDescription, interface.description);
  block.number(Option::kInterfaceResolution, kNanoseconds);
  block.end();
}

void append_packet(std::string& out, const PcapngPacket& packet) {
  Block block(out, PcapngBlock::kPacket);
  block.put(packet.interface);
  block.put_time(packet.at);
  block.put(static_cast<std::uint32_t>(packet.bytes.size()));
  block.put(packet.length);
  block.put_bytes({reinterpret_cast<const char*>(packet.bytes.data()), packet.bytes.size()});
  block.text(Option::kComment, packet.comment);
  block.number(Option::kPacketFlags, packet.outbound ? kOutbound : kInbound);
  if (packet.dropped > 0) {
    block.number(Option::kPacketDropped, packet.dropped);
  }
  if (packet.id) {
    block.number(Option::kPacketId, *packet.id);
  }
  block.end();
}

void append_statistics(std::string& out, const PcapngStatistics& statistics) {
  Block block(out, PcapngBlock::kStatistics);
  block.put(statistics.interface);
  block.put_time(statistics.end);
  block.time(Option::kStatisticsBegin, statistics.begin);
  block.time(Option::kStatisticsEnd, statistics.end);
  block.number(Option::kStatisticsReceived, statistics.received);
  block.number(Option::kStatisticsDropped, statistics.dropped);
  block.number(Option::kStatisticsAccepted, statistics.accepted);
  block.number(Option::kStatisticsDelivered, statistics.delivered);
  block.end();
}

std::uint64_t statistics_dropped(std::string_view block) {
  constexpr std::size_t kOptions = kPcapngHead + 12;
  constexpr std::size_t kOptionHead = 4;
  for (std::size_t at = kOptions; at + kOptionHead + sizeof(std::uint64_t) <= block.size();) {
    std::uint16_t code = 0;
    std::uint16_t length = 0;
    std::memcpy(&code, block.data() + at, sizeof code);
    std::memcpy(&length, block.data() + at + sizeof code, sizeof length);
    if (code == static_cast<std::uint16_t>(Option::kStatisticsDropped)) {
      std::uint64_t value = 0;
      std::memcpy(&value, block.data() + at + kOptionHead, sizeof value);
      return value;
    }
    at += kOptionHead + (length + 3U) / 4U * 4U;
  }
  return 0;
}

}  // namespace hilgate

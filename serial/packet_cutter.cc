// SPDX-License-Identifier: Apache-2.0
#include "serial/packet_cutter.h"

#include <algorithm>
#include <array>
#include <optional>

#include "serial/message_boundary.h"

namespace hilgate {
namespace {

std::optional<std::size_t> message_at(const ByteFifo& line, std::size_t offset) {
  std::array<std::byte, kMavlinkSizeHead> head{};
  return mavlink_size(std::span(head).first(line.peek(offset, head)));
}

// Bytes up to the next that may begin a message.
std::size_t noise_in(const ByteFifo& line, std::size_t most) {
  std::size_t count = 0;
  while (count < std::min(line.size(), most) && message_at(line, count) == 0) {
    ++count;
  }
  return count;
}

}  // namespace

std::size_t PacketCutter::cut(ByteFifo& line, HostTime now, HostTime last_byte, std::span<std::byte> packet) {
  std::size_t length = 0;
  if (line.empty()) {
    until_ = HostTime::max();
  } else if (framing_ == SerialFraming::kRaw) {
    length = cut_raw(line, now, last_byte, packet.size());
  } else {
    length = rest_ > 0 ? cut_rest(line, now, packet.size()) : cut_mavlink(line, now, packet.size());
  }
  if (length > 0) {
    until_ = HostTime::max();
    line.peek(0, packet.first(length));
    line.drop(length);
  }
  return length;
}

std::size_t PacketCutter::cut_mavlink(const ByteFifo& line, HostTime now, std::size_t room) {
  std::size_t length = 0;
  while (length < line.size()) {
    const auto size = message_at(line, length);
    if (size && *size > 0 && length + *size <= std::min(line.size(), room)) {
      length += *size;
      continue;
    }
    if (length > 0) {
      break;
    }
    if (!size) {
      return wait_for(kMavlinkSizeHead, line, now, room);
    }
    if (*size == 0) {
      return noise_in(line, room);
    }
    return *size > room ? begin_long(line, now, *size, room) : wait_for(*size, line, now, room);
  }
  return length;
}

std::size_t PacketCutter::begin_long(const ByteFifo& line, HostTime now, std::size_t size, std::size_t room) {
  const std::size_t length = wait_for(room, line, now, room);
  rest_ = length == room ? size - length : 0;
  return length;
}

std::size_t PacketCutter::cut_rest(const ByteFifo& line, HostTime now, std::size_t room) {
  const std::size_t wanted = std::min(rest_, room);
  const std::size_t length = wait_for(wanted, line, now, wanted);
  if (length > 0) {
    rest_ = length == wanted ? rest_ - length : 0;
  }
  return length;
}

std::size_t PacketCutter::cut_raw(const ByteFifo& line, HostTime now, HostTime last_byte, std::size_t room) {
  until_ = last_byte + std::max(3 * byte_, kLeastGap);
  return line.size() >= room || now >= until_ ? std::min(line.size(), room) : 0;
}

// All there is, when `bytes` have not come in time.
std::size_t PacketCutter::wait_for(std::size_t bytes, const ByteFifo& line, HostTime now, std::size_t room) {
  if (line.size() >= bytes) {
    return std::min(bytes, room);
  }
  if (until_ == HostTime::max()) {
    until_ = now + std::max(2 * byte_ * static_cast<std::int64_t>(bytes), kLeastPatience);
  }
  return now >= until_ ? std::min(line.size(), room) : 0;
}

}  // namespace hilgate

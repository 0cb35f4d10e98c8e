// SPDX-License-Identifier: Apache-2.0
// How a telemetry radio cuts the bytes of its serial line into packets, each as its transmitter takes it.
//
// With MAVLink framing, as SiK's firmware (radio/packet.c, MAVLINK=1): a packet has as many whole messages as fit; a
// message whose rest has not come yet is waited for as long as it takes on the line; what is no message is sent as it
// is, up to the next one. A message longer than a packet is sent in pieces. Without (raw), as XBee's transparent mode:
// a packet is full, or ends where the line is silent for three bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "clock/time.h"
#include "frame/port_config.h"

namespace hilgate {

/// Bytes in the order in which they came, up to a limit. Used by one thread; does not allocate after construction.
class ByteFifo {
 public:
  explicit ByteFifo(std::size_t capacity) : bytes_(capacity) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t room() const { return bytes_.size() - size_; }

  /// Adds what there is room for; returns how many bytes that was.
  std::size_t push(std::span<const std::byte> bytes) {
    const std::size_t count = std::min(bytes.size(), room());
    for (const std::byte byte : bytes.first(count)) {
      bytes_[(first_ + size_++) % bytes_.size()] = byte;
    }
    return count;
  }
  /// Copies bytes from `offset` on, and leaves them; returns how many there were.
  std::size_t peek(std::size_t offset, std::span<std::byte> to) const {
    const std::size_t count = offset < size_ ? std::min(to.size(), size_ - offset) : 0;
    for (std::size_t i = 0; i < count; ++i) {
      to[i] = bytes_[(first_ + offset + i) % bytes_.size()];
    }
    return count;
  }
  void drop(std::size_t count) {
    first_ = (first_ + count) % bytes_.size();
    size_ -= count;
  }
  void clear() { drop(size_); }

 private:
  std::vector<std::byte> bytes_;
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

class PacketCutter {
 public:
  /// A process that writes to a terminal pauses where a UART does not.
  static constexpr Nanoseconds kLeastPatience{20'000'000};
  /// Bytes are looked for in steps of a millisecond.
  static constexpr Nanoseconds kLeastGap{3'000'000};

  /// `byte`: time of one byte on the line.
  PacketCutter(SerialFraming framing, Nanoseconds byte) : framing_(framing), byte_(byte) {}

  /// Takes the next packet of up to packet.size() bytes, of which there is at least one, off `line`, to which a byte
  /// was added last at `last_byte`. Returns its length; 0 when nothing is to be sent yet.
  std::size_t cut(ByteFifo& line, HostTime now, HostTime last_byte, std::span<std::byte> packet);
  /// When cut() may answer otherwise although no byte has come; HostTime::max() for never.
  [[nodiscard]] HostTime patient_until() const { return until_; }

 private:
  std::size_t cut_mavlink(const ByteFifo& line, HostTime now, std::size_t room);
  std::size_t cut_raw(const ByteFifo& line, HostTime now, HostTime last_byte, std::size_t room);
  std::size_t cut_rest(const ByteFifo& line, HostTime now, std::size_t room);
  std::size_t begin_long(const ByteFifo& line, HostTime now, std::size_t size, std::size_t room);
  std::size_t wait_for(std::size_t bytes, const ByteFifo& line, HostTime now, std::size_t room);

  SerialFraming framing_;
  Nanoseconds byte_;
  std::size_t rest_ = 0;  // of a message longer than a packet
  HostTime until_ = HostTime::max();
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// What a packet loop and the I/O thread of serial lines have between them: bounded rings, and a bell on either side.
#pragma once

#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "frame/headers.h"
#include "frame/spsc_ring.h"
#include "host/file_descriptor.h"
#include "host/loop_waker.h"

namespace hilgate {

/// The bytes of one radio packet, after an Ethernet header (frame/serial_frame.h).
struct SerialPacket {
  static constexpr std::size_t kMostBytes = 250;  // of SiK's packets; other radios' are shorter
  std::uint32_t length = 0;                       // with the header
  std::array<std::byte, kEthernetHeader + kMostBytes> bytes{};

  [[nodiscard]] std::span<const std::byte> frame() const { return std::span(bytes).first(length); }
  [[nodiscard]] std::span<const std::byte> payload() const { return frame().subspan(kEthernetHeader); }
  [[nodiscard]] EtherType type() const { return EtherType{load_be<std::uint16_t>(bytes.data() + 12)}; }
};

/// Of one line. The radio asks for packets one by one, because a modem cuts the next one when it can send it: so the
/// bytes wait in the line's buffer, and not as short packets in the radio's queue.
struct SerialExchange {
  static constexpr std::size_t kToLine = 32;

  explicit SerialExchange(LoopWaker& line_waker)
      : line(line_waker), arrived(checked(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd of a serial port")) {}

  SpscRing<SerialPacket> to_radio{1};
  SpscRing<SerialPacket> to_line{kToLine};
  std::atomic<std::uint64_t> asked{0};  // packets, by the radio
  std::atomic<std::uint32_t> most{0};   // bytes of the next one
  std::atomic<bool> open{false};        // the other end of the line is open
  LoopWaker& line;                      // of the I/O thread
  FileDescriptor arrived;               // readable while to_radio may have something
};

}  // namespace hilgate

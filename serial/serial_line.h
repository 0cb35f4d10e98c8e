// SPDX-License-Identifier: Apache-2.0
// A modem's serial side: a terminal, the two buffers of a telemetry radio, and the time that bytes take on the line.
//
// Bytes wait in the first buffer until the radio takes a packet; when it is full, further ones are lost, or with flow
// control are not read. Packets that were received go to the terminal through the second, in the order in which they
// came; a report of the radio's own (RADIO_STATUS) is put in between two messages.
#pragma once

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "clock/time.h"
#include "frame/counters.h"
#include "frame/frame.h"
#include "serial/message_boundary.h"
#include "serial/packet_cutter.h"
#include "serial/serial_exchange.h"
#include "serial/tty.h"

namespace hilgate {

/// How long a byte is on a line of 8N1: ten bits, with start and stop bit.
constexpr Nanoseconds byte_time(std::uint32_t baud) {
  return Nanoseconds{10'000'000'000 / baud};
}

/// Which bytes a line has had time for. One after the other, in steps of about a millisecond; a late caller finds more
/// of them, up to kMostBehind.
class LineClock {
 public:
  static constexpr Nanoseconds kStep{1'000'000};
  static constexpr Nanoseconds kMostBehind{50'000'000};

  explicit LineClock(Nanoseconds byte) : byte_(byte) {}

  /// The line was idle until now.
  void begin(HostTime now) { free_ = std::max(free_, now); }
  /// Bytes that have passed by `now` and were not taken yet.
  [[nodiscard]] std::size_t passed(HostTime now) {
    free_ = std::max(free_, now - kMostBehind);
    return now > free_ ? static_cast<std::size_t>((now - free_) / byte_) : 0;
  }
  void take(std::size_t bytes) { free_ += byte_ * static_cast<std::int64_t>(bytes); }
  /// When to look for more.
  [[nodiscard]] HostTime next() const { return free_ + std::max(byte_, kStep); }

 private:
  Nanoseconds byte_;
  HostTime free_{};  // the bytes taken have passed by then
};

/// Bytes of a line, since the start. in = to_radio + overflow + waiting_in;
/// from_radio = out + closed + what waits for the line.
struct SerialCounters {
  Counter in;          // read from the terminal
  Counter to_radio;    // cut into packets
  Counter overflow;    // lost, because the buffer was full
  Counter from_radio;  // received in packets, and reports
  Counter out;         // written to the terminal
  Counter closed;      // lost, because the other end was closed
  Counter packets_to_radio, packets_from_radio;
  Counter reports;                           // of the radio's own
  Counter closings;                          // of the other end
  std::atomic<std::uint32_t> waiting_in{0};  // bytes in the buffers now
  std::atomic<std::uint32_t> waiting_out{0};
};

/// All calls by one thread, the lines' I/O thread, but those that say otherwise.
class SerialLine {
 public:
  static constexpr std::size_t kOutBytes = 1024;
  /// A modem asks for a pause while it still has room for what is on its way (SiK's radio/serial.c: 17 to 34 bytes).
  static constexpr std::size_t kReserve = 34;
  static constexpr Nanoseconds kLookAgain{100'000'000};
  /// The rest of a message that was begun is not waited for any longer before a report is put in.
  static constexpr Nanoseconds kTorn{200'000'000};

  /// `exchange` must outlive the line.
  SerialLine(PortSlot port, const SerialPortConfig& config, Tty tty, SerialExchange& exchange);

  /// Moves what can be moved at `now`.
  void advance(HostTime now);
  /// When advance() is due without an outside event; HostTime::max() for never.
  [[nodiscard]] HostTime next() const;
  /// What of the terminal is worth waiting for.
  [[nodiscard]] std::optional<pollfd> watched() const;
  /// The packet loop has left something since the last advance() that it can move.
  [[nodiscard]] bool called() const;

  // ---- any thread ----

  [[nodiscard]] const SerialCounters& counters() const { return counters_; }
  /// Why the other end is closed; empty when it is open.
  [[nodiscard]] std::string problem() const;
  /// How much of the first buffer is free, percent.
  [[nodiscard]] std::uint8_t free_percent() const;

 private:
  void look(HostTime now);
  void take_in(HostTime now);
  void hand_over(HostTime now);
  void take_packets(HostTime now);
  void put_report(HostTime now);
  void put_out(HostTime now);
  [[nodiscard]] std::size_t to_read(HostTime now);

  const PortSlot port_;
  const SerialPortConfig config_;
  Tty tty_;
  SerialExchange& exchange_;
  SerialCounters counters_;

  ByteFifo in_;
  LineClock in_clock_;
  PacketCutter cutter_;
  HostTime last_byte_{};
  bool line_idle_ = true;  // nothing was there when it was read last
  bool paused_ = false;    // flow control
  std::uint64_t asked_ = 0;
  std::uint64_t answered_ = 0;

  ByteFifo out_;
  LineClock out_clock_;
  MessageBoundary boundary_;
  HostTime last_packet_{};
  std::optional<SerialPacket> report_;
  bool blocked_ = false;  // the terminal takes no more

  HostTime look_at_{};
  mutable std::mutex mutex_;  // of problem_
  std::string problem_ = "was not looked at yet";
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "serial/serial_line.h"

#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "frame/serial_frame.h"

namespace hilgate {

SerialLine::SerialLine(PortSlot port, const SerialPortConfig& config, Tty tty, SerialExchange& exchange)
    : port_(port),
      config_(config),
      tty_(std::move(tty)),
      exchange_(exchange),
      in_(config.buffer_bytes),
      in_clock_(byte_time(config.baud)),
      cutter_(config.framing, byte_time(config.baud)),
      out_(kOutBytes),
      out_clock_(byte_time(config.baud)) {}

void SerialLine::advance(HostTime now) {
  look(now);
  take_in(now);
  hand_over(now);
  take_packets(now);
  put_report(now);
  put_out(now);
  counters_.waiting_in.store(static_cast<std::uint32_t>(in_.size()), std::memory_order_relaxed);
  counters_.waiting_out.store(static_cast<std::uint32_t>(out_.size()), std::memory_order_relaxed);
}

// Data on its way to a peer that has gone is not for the next one.
void SerialLine::look(HostTime now) {
  if (!tty_.open() && now >= look_at_) {
    tty_.look();
    look_at_ = now + kLookAgain;
  }
  const bool was_open = exchange_.open.load(std::memory_order_relaxed);
  if (was_open == tty_.open() && problem_ == tty_.problem()) {
    return;
  }
  if (was_open && !tty_.open()) {
    counters_.closings.add();
    counters_.closed.add(out_.size());
    out_.clear();
    boundary_.give_up();
    tty_.forget_other_end();
  }
  line_idle_ = true;
  blocked_ = false;
  {
    const std::scoped_lock lock(mutex_);
    problem_ = tty_.problem();
  }
  exchange_.open.store(tty_.open(), std::memory_order_relaxed);
}

// ---- from the terminal to the radio ----

// A pseudo-terminal has a program's bytes at once: they come from it as from a line. With flow control they stay there
// while there is no room for them.
std::size_t SerialLine::to_read(HostTime now) {
  std::size_t most = tty_.is_pseudo() ? in_clock_.passed(now) : config_.buffer_bytes;
  paused_ = false;
  if (config_.flow == SerialFlow::kRtsCts) {
    const std::size_t room = in_.room() > kReserve ? in_.room() - kReserve : 0;
    paused_ = room == 0;
    most = std::min(most, room);
  }
  return most;
}

void SerialLine::take_in(HostTime now) {
  if (!tty_.open()) {
    return;
  }
  if (line_idle_ && tty_.readable()) {
    in_clock_.begin(now);
    line_idle_ = false;
  }
  std::array<std::byte, 512> bytes{};
  while (!line_idle_ && tty_.open()) {
    const std::size_t most = std::min(to_read(now), bytes.size());
    if (most == 0) {
      return;
    }
    const std::size_t count = tty_.read(std::span(bytes).first(most));
    line_idle_ = count < most;
    in_clock_.take(count);
    if (count > 0) {
      const std::size_t kept = in_.push(std::span<const std::byte>(bytes).first(count));
      counters_.in.add(count);
      counters_.overflow.add(count - kept);
      last_byte_ = now;
    }
  }
}

void SerialLine::hand_over(HostTime now) {
  asked_ = exchange_.asked.load(std::memory_order_acquire);
  SerialPacket* const packet = asked_ > answered_ ? exchange_.to_radio.claim() : nullptr;
  if (packet == nullptr) {
    return;
  }
  const std::size_t most =
      std::clamp<std::size_t>(exchange_.most.load(std::memory_order_relaxed), 1, SerialPacket::kMostBytes);
  const std::size_t length = cutter_.cut(in_, now, last_byte_, std::span(packet->bytes).subspan(kEthernetHeader, most));
  if (length == 0) {
    return;
  }
  std::ranges::copy(serial_header(port_, kLineStream), packet->bytes.begin());
  packet->length = static_cast<std::uint32_t>(kEthernetHeader + length);
  exchange_.to_radio.publish();
  ++answered_;
  counters_.to_radio.add(length);
  counters_.packets_to_radio.add();
  ::eventfd_write(exchange_.arrived.get(), 1);  // fails at its limit alone: then it is readable anyway
}

// ---- from the radio to the terminal ----

void SerialLine::take_packets(HostTime now) {
  while (const SerialPacket* packet = exchange_.to_line.front()) {
    const std::span<const std::byte> bytes = packet->payload();
    if (!tty_.open()) {
      counters_.from_radio.add(bytes.size());
      counters_.closed.add(bytes.size());
    } else if (packet->type() == kLineReport) {
      report_ = *packet;
    } else if (out_.room() < bytes.size()) {
      return;
    } else {
      if (out_.empty()) {
        out_clock_.begin(now);
      }
      out_.push(bytes);
      boundary_.pass(bytes);
      last_packet_ = now;
      counters_.from_radio.add(bytes.size());
      counters_.packets_from_radio.add();
    }
    exchange_.to_line.drop_front();
  }
}

// As a modem, which leaves a report out when there is no room for it: the next one covers it.
void SerialLine::put_report(HostTime now) {
  if (!report_) {
    return;
  }
  const bool torn = now - last_packet_ >= kTorn;
  if (!boundary_.between() && !torn) {
    return;
  }
  boundary_.give_up();
  const std::span<const std::byte> bytes = report_->payload();
  if (tty_.open() && out_.room() >= bytes.size()) {
    if (out_.empty()) {
      out_clock_.begin(now);
    }
    out_.push(bytes);
    counters_.from_radio.add(bytes.size());
    counters_.reports.add();
  }
  report_.reset();
}

void SerialLine::put_out(HostTime now) {
  std::array<std::byte, 512> bytes{};
  while (tty_.open() && !out_.empty()) {
    const std::size_t most = std::min({out_clock_.passed(now), out_.size(), bytes.size()});
    if (most == 0) {
      return;
    }
    out_.peek(0, std::span(bytes).first(most));
    const std::size_t count = tty_.write(std::span<const std::byte>(bytes).first(most));
    out_.drop(count);
    out_clock_.take(count);
    counters_.out.add(count);
    blocked_ = count < most;
    if (blocked_) {
      out_clock_.begin(now);
      return;
    }
  }
}

// ---- when ----

HostTime SerialLine::next() const {
  if (!tty_.open()) {
    return look_at_;
  }
  HostTime next = HostTime::max();
  if (!line_idle_ && !paused_ && tty_.is_pseudo()) {
    next = std::min(next, in_clock_.next());
  }
  if (asked_ > answered_) {
    next = std::min(next, cutter_.patient_until());
  }
  if (!out_.empty() && !blocked_) {
    next = std::min(next, out_clock_.next());
  }
  if (report_) {
    next = std::min(next, last_packet_ + kTorn);
  }
  return next;
}

std::optional<pollfd> SerialLine::watched() const {
  if (!tty_.open()) {
    return std::nullopt;
  }
  const bool wants_bytes = line_idle_ || (!tty_.is_pseudo() && !paused_);
  if (!wants_bytes && !blocked_) {
    return std::nullopt;  // poll() would tell at once that the other end has closed, with bytes that are still to come
  }
  return pollfd{.fd = tty_.fd(),
                .events = static_cast<short>((wants_bytes ? POLLIN : 0) | (blocked_ ? POLLOUT : 0)),
                .revents = 0};
}

bool SerialLine::called() const {
  const SerialPacket* const packet = exchange_.to_line.front();
  return exchange_.asked.load(std::memory_order_acquire) != asked_ ||
         (packet != nullptr && (!tty_.open() || out_.room() >= packet->payload().size()));
}

std::string SerialLine::problem() const {
  const std::scoped_lock lock(mutex_);
  return problem_;
}

std::uint8_t SerialLine::free_percent() const {
  const std::uint32_t used = std::min(counters_.waiting_in.load(std::memory_order_relaxed), config_.buffer_bytes);
  return static_cast<std::uint8_t>(100 * std::uint64_t{config_.buffer_bytes - used} / config_.buffer_bytes);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "host/file_descriptor.h"

namespace hilgate {

/// The receive interrupts of a started device, for a thread that sleeps while nothing arrives.
class ArrivalInterrupts {
 public:
  /// Null when the device has none for its queues.
  static std::unique_ptr<ArrivalInterrupts> of(std::uint16_t port, std::uint16_t queues);
  ~ArrivalInterrupts();
  ArrivalInterrupts(const ArrivalInterrupts&) = delete;
  ArrivalInterrupts& operator=(const ArrivalInterrupts&) = delete;

  /// Readable once something has arrived on a queue since arm().
  [[nodiscard]] int fd() const { return events_.get(); }

  /// Switches them on. False when they are on already. What arrived before may not show at fd(): the queues are to be
  /// looked at once more before sleeping.
  bool arm() noexcept;
  /// Switches them off, and forgets what has arrived.
  void disarm() noexcept;

 private:
  ArrivalInterrupts(std::uint16_t port, FileDescriptor events) : port_(port), events_(std::move(events)) {}

  std::uint16_t port_;
  std::uint16_t queues_ = 0;  // that events_ watches
  FileDescriptor events_;     // epoll
  bool armed_ = false;
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "host/loop_waker.h"
#include "serial/serial_line.h"

namespace hilgate {

/// The thread of all serial lines of a run: it makes their system calls, so that the packet loop makes none.
class SerialIo {
 public:
  /// `waker` is that of the lines' exchanges; it outlives the thread.
  explicit SerialIo(LoopWaker& waker) : waker_(waker) {}
  /// Stops it.
  ~SerialIo();
  SerialIo(const SerialIo&) = delete;
  SerialIo& operator=(const SerialIo&) = delete;

  /// Before start().
  const SerialLine& add(std::unique_ptr<SerialLine> line);
  /// Has looked at every line once when it returns.
  void start();

 private:
  void run(const std::stop_token& stop);
  void sleep(HostTime until);

  LoopWaker& waker_;
  std::vector<std::unique_ptr<SerialLine>> lines_;
  std::vector<pollfd> watched_;
  std::jthread thread_;
};

}  // namespace hilgate

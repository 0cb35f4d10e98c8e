// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <memory>
#include <string>
#include <vector>

#include "clock/ptp/grandmaster.h"
#include "clock/ptp/ptp_transport.h"
#include "host/control_clock.h"

namespace hilgate {

/// A grandmaster at work on a network interface, on an Asio loop. Belongs to the loop's thread; destroying it stops it.
class GrandmasterPort {
 public:
  /// Serves `served` through `transport`. `events` outlives it. Throws as Grandmaster does.
  GrandmasterPort(asio::io_context& loop, std::unique_ptr<PtpTransport> transport, const GrandmasterOptions& options,
                  Grandmaster::ServedTime served, ClockEvents& events);

  [[nodiscard]] const Grandmaster& master() const { return master_; }
  [[nodiscard]] Grandmaster& master() { return master_; }
  [[nodiscard]] const PtpTransport& transport() const { return *transport_; }

 private:
  void watch(asio::posix::stream_descriptor& socket);
  void arm();
  void drain();

  std::unique_ptr<PtpTransport> transport_;
  Grandmaster master_;
  ControlTimer timer_;
  std::vector<asio::posix::stream_descriptor> sockets_;
  // Handlers that were already queued when this object ended find it gone.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace hilgate

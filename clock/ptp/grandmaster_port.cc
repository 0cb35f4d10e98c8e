// SPDX-License-Identifier: Apache-2.0
#include "clock/ptp/grandmaster_port.h"

#include <unistd.h>

#include "clock/host_now.h"
#include "host/control_clock.h"
#include "host/file_descriptor.h"

namespace hilgate {

GrandmasterPort::GrandmasterPort(asio::io_context& loop, std::unique_ptr<PtpTransport> transport,
                                 const GrandmasterOptions& options, Grandmaster::ServedTime served, ClockEvents& events)
    : transport_(std::move(transport)),
      master_(
          options, transport_->identity(), host_now(),
          [this](const PtpMessage& message) { return transport_->send(message); }, std::move(served), events),
      timer_(loop) {
  for (const int number : transport_->descriptors()) {
    // Asio closes what it is given; the transport keeps its own.
    sockets_.emplace_back(loop, checked(dup(number), "clock: dup"));
  }
  for (auto& socket : sockets_) {
    watch(socket);
  }
  arm();
}

// epoll reports a filled error queue (a stamp of something sent) as readiness to read as well.
void GrandmasterPort::watch(asio::posix::stream_descriptor& socket) {
  socket.async_wait(asio::posix::stream_descriptor::wait_read,
                    [this, &socket, alive = std::weak_ptr<bool>(alive_)](const asio::error_code& error) {
                      if (!error && !alive.expired()) {
                        drain();
                        watch(socket);
                      }
                    });
}

void GrandmasterPort::arm() {
  timer_.expires_at(ControlTimer::time_point{master_.next().time_since_epoch()});
  timer_.async_wait([this, alive = std::weak_ptr<bool>(alive_)](const asio::error_code& error) {
    if (!error && !alive.expired()) {
      master_.tick(host_now());
      arm();
    }
  });
}

void GrandmasterPort::drain() {
  const HostTime now = host_now();
  transport_->drain([&](const PtpArrival& arrival) {
    if (arrival.was_sent) {
      master_.sent(arrival.message, arrival.stamp);
    } else {
      master_.received(arrival.message, arrival.stamp, now);
    }
  });
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/port_watch.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <chrono>

#include "gateway/daemon/log/journal.h"

namespace hilgate {
namespace {

// For what the kernel does not tell, such as a queue that is free again.
constexpr std::chrono::seconds kLookAgain{1};

void tell_up(const PortReport& port) {
  const LogScope about({.port = port.name});
  spdlog::info("port {}: {}, driver {}, mode {}, frames up to {} B", port.name, port.interface, port.driver, port.mode,
               port.largest_frame);
}

void tell_unplugged(const PortReport& port) {
  const LogScope about({.port = port.name});
  spdlog::warn("port {}: {} is not usable, its robots are unplugged until it is: {}", port.name, port.interface,
               port.problem);
}

}  // namespace

PortWatch::PortWatch(asio::io_context& context, DataPlane& plane)
    : plane_(plane), word_(context, ::dup(links_.fd())), timer_(context) {}

void PortWatch::start() {
  for (const PortReport& port : plane_.ports()) {
    port.state == "up" ? tell_up(port) : tell_unplugged(port);
  }
  attend({.unknown = true});  // since the plane has looked
  wait_for_word();
  look_again();
}

void PortWatch::wait_for_word() {
  word_.async_wait(asio::posix::stream_descriptor::wait_read, [this](const asio::error_code& error) {
    if (!error) {
      attend(links_.read());
      wait_for_word();
    }
  });
}

void PortWatch::look_again() {
  timer_.expires_after(kLookAgain);
  timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      attend({});
      look_again();
    }
  });
}

void PortWatch::attend(const LinkChanges& changes) {
  for (const PortChange& change : plane_.attend(changes)) {
    if (!change.plugged) {
      tell_unplugged(change.now);
    } else if (!change.was_plugged) {
      tell_up(change.now);
    } else {
      const LogScope about({.port = change.now.name});
      spdlog::info("port {}: the MTU of {} is now {} B", change.now.name, change.now.interface, change.now.mtu);
    }
  }
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/port_watch.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <system_error>
#include <vector>

#include "host/file_descriptor.h"
#include "host/log/log.h"

namespace hilgate {
namespace {

// For changes without a notification of the kernel, such as a queue that is free again.
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

void tell_removed(const PortConfig& port, const std::string& run) {
  const LogScope about({.port = port.name});
  if (port.fail == FailMode::kNone) {
    spdlog::info("port {}: removed, {} is free", port.name, port_place(port));
  } else {
    spdlog::info("port {}: removed, {} stays closed until it is a port again or `hilgate detach {}` frees it",
                 port.name, port.interface, run);
  }
}

void note_whether_absent(const PortReport& port, std::set<std::string>& absent) {
  if (port.driver == "af_xdp" && port.state == "absent") {
    absent.insert(port.interface);
  } else {
    absent.erase(port.interface);
  }
}

}  // namespace

PortWatch::PortWatch(asio::io_context& context, DataPlane& plane)
    : plane_(plane),
      word_(context, checked(::dup(links_.fd()), "a second descriptor for changes of interfaces")),
      timer_(context) {}

void PortWatch::start() {
  for (const PortReport& port : plane_.ports()) {
    report(port);
  }
  look_for_absent();
  attend({.unknown = true});  // since the plane has looked
  wait_for_word();
  look_again();
}

void PortWatch::report(const PortReport& port) {
  if (port.state == "up") {
    unplugged_.erase(port.name);
    tell_up(port);
  } else {
    unplugged_.insert(port.name);
    tell_unplugged(port);
  }
}

void PortWatch::changed(const Ports& before, const Ports& now) {
  for (std::uint32_t i = 0; i < before.configuration.ports.size(); ++i) {
    const PortConfig& port = before.configuration.ports[i];
    const bool same_interface =
        std::any_of(now.configuration.ports.begin(), now.configuration.ports.end(), [&port](const PortConfig& other) {
          return port.driver == other.driver && port_place(port) == port_place(other);
        });
    if (!same_interface) {
      tell_removed(port, before.configuration.name);
    }
  }
  const std::vector<PortReport> reports = plane_.ports();
  for (std::uint32_t i = 0; i < reports.size(); ++i) {
    if (!before.slots.in_use(now.slots.slot_of(PortIndex{i}))) {
      report(reports[i]);
    }
  }
  look_for_absent();
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
      tell_unknown_senders();
      look_again();
    }
  });
}

// Each once; of several on one port those that were the last when this looked.
void PortWatch::tell_unknown_senders() {
  for (const UnknownSenderReport& sender : plane_.unknown_senders()) {
    const auto [told, is_new] = told_senders_.try_emplace(sender.port, sender.mac);
    if (is_new || told->second != sender.mac) {
      told->second = sender.mac;
      const LogScope about({.port = sender.port});
      spdlog::warn(
          "port {}: frames from {} are dropped as unknown_sender: no robot of the configuration has this address",
          sender.port, sender.mac.text());
    }
  }
}

void PortWatch::look_for_absent() {
  absent_.clear();
  for (const PortReport& port : plane_.ports()) {
    note_whether_absent(port, absent_);
  }
  keep_absent_closed();
}

// An interface that is created and set up in the same moment is up before this thread is notified. Its port's program
// then closes it; until then the kernel would answer and forward incoming packets.
void PortWatch::keep_absent_closed() {
  if (filter_fails_ || (absent_.empty() && !filter_)) {
    return;
  }
  try {
    if (!filter_) {
      filter_.emplace();
    }
    filter_->drop_from(absent_);
  } catch (const std::system_error& error) {
    spdlog::warn("ports: interfaces that appear while they are up are open to the kernel for some milliseconds: {}",
                 error.what());
    filter_.reset();
    filter_fails_ = true;
  }
}

void PortWatch::attend(const InterfaceChanges& changes) {
  const std::vector<PortChange> news = plane_.attend(changes);
  for (const PortChange& change : news) {
    note_whether_absent(change.now, absent_);
    const LogScope about({.port = change.now.name});
    if (change.plugged && (unplugged_.erase(change.now.name) > 0 || !change.was_plugged)) {
      tell_up(change.now);
    } else if (change.plugged) {
      spdlog::info("port {}: the MTU of {} is now {} B", change.now.name, change.now.interface, change.now.mtu);
    } else if (unplugged_.insert(change.now.name).second) {
      tell_unplugged(change.now);
    } else {  // for another reason: while an interface is deleted the kernel gives several
      spdlog::info("port {}: {} is still unplugged: {}", change.now.name, change.now.interface, change.now.problem);
    }
  }
  keep_absent_closed();
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "gateway/configuration/configuration.h"
#include "gateway/run/planes/path_slots.h"
#include "host/control_clock.h"
#include "host/interface_watch.h"
#include "host/stack_filter.h"
#include "path/data_plane.h"

namespace hilgate {

/// Updates the plane when its ports' interfaces change, by the kernel's notifications and once a second for those that
/// are not up; logs which came and went, and which senders on a port are no robots. Keeps the kernel's stack from
/// receiving on interfaces that are not there yet. Control thread.
class PortWatch {
 public:
  /// Listens from here on. Throws std::system_error.
  PortWatch(asio::io_context& context, DataPlane& plane);

  /// Once the plane has started: logs the state of ports, and follows them.
  void start();

  /// A configuration and its slots in the plane.
  struct Ports {
    const Configuration& configuration;
    const PortSlots& slots;
  };
  /// The plane has switched to other ports: logs which left and which came.
  void changed(const Ports& before, const Ports& now);

 private:
  void wait_for_word();
  void look_again();
  void attend(const InterfaceChanges& changes);
  void report(const PortReport& port);
  void tell_unknown_senders();
  void look_for_absent();
  void keep_absent_closed();

  DataPlane& plane_;
  InterfaceWatch links_;
  asio::posix::stream_descriptor word_;
  ControlTimer timer_;
  std::map<std::string, MacAddress> told_senders_;  // by port
  std::set<std::string> absent_;                    // interfaces
  std::set<std::string> unplugged_;                 // ports that are reported so
  std::optional<StackFilter> filter_;
  bool filter_fails_ = false;
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// Before stage 1, of serial lines: a radio asks the modem for its next packet when none waits in its transmit queue. So
// packets are cut as late as a modem cuts them, full when there is much to send.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <vector>

#include "path/path_parts.h"

namespace hilgate {

/// A port that may lead to a modem with a buffer of its own: it makes the next frame when the radio asks for it.
template <class P>
concept ModemPort = requires(P& port, std::uint32_t bytes) {
  { port.awaits_ask() } -> std::same_as<bool>;  // has a modem, and was not asked since it sent its last frame
  port.ask(bytes);                              // for a frame of up to so many bytes after its MAC header
};

template <class Port>
class ModemStage {
 public:
  /// `ports` by PortSlot, null those of other cores. Both must outlive the stage.
  ModemStage(const std::vector<Port*>& ports, PathParts& parts) : ports_(ports), parts_(parts) {}

  void ask() noexcept {
    if constexpr (ModemPort<Port>) {
      for (std::uint32_t port = 0; port < ports_.size(); ++port) {
        if (ports_[port] == nullptr || !ports_[port]->awaits_ask()) {
          continue;
        }
        const auto robot = parts_.directory.at_line(PortSlot{port});
        if (robot && parts_.medium.queued(robot.value()) == 0) {
          ports_[port]->ask(most_bytes(robot.value()));
        }
      }
    }
  }

 private:
  // One radio frame, of the mode in which it would be sent now.
  [[nodiscard]] std::uint32_t most_bytes(RobotSlot from) noexcept {
    std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
    const auto hearers = parts_.directory.hearers(from);
    if (!hearers.empty()) {
      const LinkSlot link = parts_.link_between(from, hearers.front());
      const std::uint32_t fragment = parts_.fates.mode(parts_.fates.now(link), hearers.size() > 1).fragment_bytes;
      const std::uint32_t mtu = parts_.fates.rules(link).mtu_bytes;
      most = std::min(fragment > 0 ? fragment : most, mtu > 0 ? mtu : most);
    }
    return most;
  }

  const std::vector<Port*>& ports_;
  PathParts& parts_;
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "frame/id.h"

namespace hilgate {

/// How many deliveries the frames of each port may make in an iteration of the packet loop, so that no more become due
/// than an iteration releases and no frame waits for a backlog of another's. A port that has made more, because its
/// frames go to many receivers, is not looked at until its share of later iterations has paid for them (as in deficit
/// round robin, M. Shreedhar, G. Varghese, 1995); its frames wait in its own ring, where its own losses are counted.
class TurnShares {
 public:
  /// `burst`: frames that a port brings at most. `releases`: deliveries that an iteration releases at most. `least`:
  /// frames that a port brings where there are some, though it be let bring fewer; at least 1.
  TurnShares(std::size_t ports, std::size_t burst, std::size_t releases, std::size_t least)
      : burst_(burst), releases_(releases), least_(least), share_(burst), ports_(ports, Port{.burst = burst}) {
    owing_ports_.reserve(ports);
  }

  void begin_turn() noexcept {
    share_ = std::min(burst_, releases_ / std::max<std::size_t>(active_, 1));
    active_ = 0;
    owing_ = false;
    owing_ports_.clear();
  }
  /// How many frames the port may bring in this iteration; 0 while it owes.
  [[nodiscard]] std::size_t frames(PortSlot id) noexcept {
    Port& port = ports_[id.value()];
    port.owed -= std::min(port.owed, share_);
    if (port.owed > 0) {
      ++active_;
      owing_ = true;
      owing_ports_.push_back(id);
      return 0;
    }
    return std::min(port.burst, std::max(share_, least_));
  }
  /// It has brought so many frames, at least one, which made so many deliveries.
  void note(PortSlot id, std::size_t frames, std::uint64_t deliveries) noexcept {
    Port& port = ports_[id.value()];
    port.owed = deliveries;
    ++active_;
    if (deliveries > 0) {
      owing_ports_.push_back(id);
    }
    if (deliveries > frames || port.copies > 1) {
      note_copies(port, (deliveries + frames - 1) / frames);
    }
  }
  /// Some port owes since this iteration.
  [[nodiscard]] bool owing() const noexcept { return owing_; }
  /// The ports that owe at the end of the turn: looking at one of the others would change nothing if it has no frames.
  [[nodiscard]] const std::vector<PortSlot>& owing_ports() const noexcept { return owing_ports_; }

 private:
  struct Port {
    std::size_t owed = 0;    // deliveries
    std::size_t copies = 1;  // of a frame, lately
    std::size_t burst;
  };
  static constexpr std::size_t kForget = 8;  // bursts

  // Up at once and down slowly, so that unicast in between does not make the next burst to many a large one.
  void note_copies(Port& port, std::size_t copies) const noexcept {
    port.copies = std::max({copies, port.copies - (port.copies + kForget - 1) / kForget, std::size_t{1}});
    port.burst = std::min(std::max(burst_ / port.copies, least_), burst_);
  }

  const std::size_t burst_, releases_, least_;
  std::size_t share_;
  std::size_t active_ = 0;  // ports that have brought frames in this iteration, or owed
  bool owing_ = false;
  std::vector<Port> ports_;
  std::vector<PortSlot> owing_ports_;  // reserved
};

}  // namespace hilgate

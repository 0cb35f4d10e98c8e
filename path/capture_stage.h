// SPDX-License-Identifier: Apache-2.0
// Stage 1: frames that have arrived on a port, as many as its share of the iteration allows. Counts them and shows them
// to the tap.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "frame/frame.h"
#include "path/delivery_ledger.h"
#include "path/host_clock.h"
#include "path/path_parts.h"
#include "path/settings/tap.h"
#include "path/turn_shares.h"

namespace hilgate {

template <FramePort Port, FramePool Pool>
class CaptureStage {
 public:
  static constexpr std::size_t kBurst = 64;

  /// `ports` by PortSlot, null those of other cores. All must outlive the stage. `releases`: deliveries that an
  /// iteration releases at most.
  CaptureStage(const std::vector<Port*>& ports, std::size_t releases, const PathParts& parts,
               DeliveryLedger<Pool>& ledger, Tap& tap)
      : ports_(ports),
        parts_(parts),
        ledger_(ledger),
        tap_(tap),
        shares_(ports.size(), kBurst, releases, least_capture()) {}

  /// Before the captures of an iteration.
  void begin_turn() noexcept { shares_.begin_turn(); }
  /// Some port was not looked at in this iteration, because it owes for its frames of earlier ones.
  [[nodiscard]] bool owing() const noexcept { return shares_.owing(); }
  [[nodiscard]] const std::vector<PortSlot>& owing_ports() const noexcept { return shares_.owing_ports(); }

  /// At most kBurst frames, whose owner is the caller, until end() for the same port. Those of trunks are without their
  /// VLAN. Ports and the tap have host time.
  template <HostClock Clock>
  std::span<const Frame> capture(PortSlot port, Clock& clock) noexcept {
    Port* const source = ports_[port.value()];
    const std::size_t most = source == nullptr ? 0 : shares_.frames(port);
    if (most == 0) {
      return {};
    }
    std::span<const Frame> frames =
        std::span<const Frame>(burst_).first(source->capture(std::span(burst_).first(most)));
    captured_ = frames.size();
    deliveries_ = ledger_.totals().deliveries;
    ledger_.capture(frames);
    if (ledger_.observer.on()) {
      observe(frames, port, clock);
    }
    if (parts_.trunks.is_trunk(port)) {
      frames = frames.first(take_off_vlans(frames.size(), port));
    }
    if (tap_.hears()) {
      tap_.listen(frames, port);
    }
    if constexpr (PacedClock<Clock>) {
      if (clock.is_paced()) {
        to_path_time(frames.size(), clock);
      }
    }
    return frames;
  }
  /// The frames of capture() have become deliveries.
  void end(PortSlot port) noexcept {
    if (captured_ > 0) {
      shares_.note(port, std::exchange(captured_, 0), ledger_.totals().deliveries - deliveries_);
    }
  }

 private:
  static constexpr std::size_t least_capture() {
    if constexpr (requires { Port::kLeastCapture; }) {
      return Port::kLeastCapture;
    } else {
      return 1;
    }
  }

  // As they came, with their tags. In path time that is not host time, what the last iteration has seen is near enough:
  // converting arrivals twice would move them.
  template <HostClock Clock>
  [[gnu::noinline]] void observe(std::span<const Frame> frames, PortSlot port, const Clock& clock) noexcept {
    bool paced = false;
    if constexpr (PacedClock<Clock>) {
      paced = clock.is_paced();
    }
    for (const Frame& frame : frames) {
      ledger_.observer.captured(ledger_.pool(), frame, port, paced ? ledger_.observer.now() : frame.arrived);
    }
  }

  template <PacedClock Clock>
  void to_path_time(std::size_t count, Clock& clock) noexcept {
    for (Frame& frame : std::span<Frame>(burst_).first(count)) {
      frame.arrived = clock.path(frame.arrived);
    }
  }

  // Of the first `count` of the burst. Drops those without a robot; returns how many are left.
  [[gnu::noinline]] std::size_t take_off_vlans(std::size_t count, PortSlot port) noexcept {
    std::size_t left = 0;
    for (Frame& frame : std::span(burst_).first(count)) {
      auto refused = parts_.trunks.refusal(port, {frame.data, frame.head_length});
      if (!refused && !take_off_vlan(ledger_.pool(), frame)) {
        refused = DropReason::kNoBuffer;
      }
      if (refused) {
        ledger_.refuse(frame, *refused);
      } else {
        burst_[left++] = frame;
      }
    }
    return left;
  }

  const std::vector<Port*>& ports_;
  const PathParts& parts_;
  DeliveryLedger<Pool>& ledger_;
  Tap& tap_;
  TurnShares shares_;
  std::array<Frame, kBurst> burst_{};
  std::size_t captured_ = 0;      // frames in it
  std::uint64_t deliveries_ = 0;  // before they came
};

}  // namespace hilgate

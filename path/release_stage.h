// SPDX-License-Identifier: Apache-2.0
// Stages 5 and 6: what is done to a frame's bytes at its release, and the release on the receiver's port.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "frame/frame.h"
#include "path/delivery_ledger.h"
#include "path/hold/hold.h"
#include "path/host_clock.h"
#include "path/path_parts.h"
#include "path/ports/port_abilities.h"

namespace hilgate {

template <FramePort Port, FramePool Pool>
class ReleaseStage {
 public:
  /// `ports` by PortSlot, null those of other cores and free slots. All must outlive the stage.
  ReleaseStage(const std::vector<Port*>& ports, const PathParts& parts, DeliveryLedger<Pool>& ledger)
      : ports_(ports), parts_(parts), ledger_(ledger), leads_(LaunchPort<Port> ? ports.size() : 0) {}

  /// Damages the frames that fate has chosen, and adds the residence time to PTP. Returns those that are ready, in the
  /// same memory; the others found no memory for a private copy and are dropped.
  template <HostClock Clock>
  std::span<HeldFrame> damage(const DueRun& run, Clock& clock) noexcept {
    return run.plain == run.frames.size() ? run.frames : damage_from(run.plain, run.frames, clock);
  }

  /// Deliveries of one link. `cold`: their memory is in no cache; until the port sends them it comes.
  void release(LinkSlot link, std::span<HeldFrame> ready, bool cold = false) noexcept {
    Port* const port = ports_[parts_.port_to(link).value()];
    if (ledger_.observer.on()) {
      return release_observed(link, ready, port);
    }
    if constexpr (kMayTakeDue) {
      if (port != nullptr && port->takes_due()) [[unlikely]] {
        return release_due(link, ready, port);
      }
    }
    const auto send = [=, this](const HeldFrame& held) {
      if (cold) {
        ledger_.pool().fetch(held.frame());
      }
      if constexpr (kMayTakeDue) {
        return port != nullptr && port->release(held.frame());
      } else {
        return port != nullptr && give(*port, held);
      }
    };
    release_each(link, ready, send, port);
  }

  /// Whether so many deliveries of the link would stay here when they are released, until flush(). A port that sends in
  /// bursts reports for how many it has room; others send nothing before.
  [[nodiscard]] bool stay_until_flush(LinkSlot link, std::size_t frames) const noexcept {
    const Port* const port = ports_[parts_.port_to(link).value()];
    if constexpr (requires { port->noting_room(); }) {
      return port == nullptr || frames <= port->noting_room();
    } else {
      return true;
    }
  }

  /// A frame of the gateway's own, by `port`. No air and no link.
  void inject(std::span<const std::byte> frame, PortSlot port, VlanId vlan) noexcept {
    ledger_.inject(frame, port, ports_[port.value()], vlan);
  }

  /// What was released goes out. True when a port requires its frames earlier, or later, than before: lead_to().
  bool flush() noexcept {
    for (Port* port : ports_) {
      if (port != nullptr) {
        port->flush();
      }
    }
    return take_leads();
  }
  /// The same of other ports in the slots, without sending.
  bool take_leads() noexcept {
    bool others = false;
    if constexpr (LaunchPort<Port>) {
      for (std::size_t slot = 0; slot < ports_.size(); ++slot) {
        const Port* const port = ports_[slot];
        const Nanoseconds lead = port != nullptr ? port->launch_lead() : Nanoseconds{0};
        others |= std::exchange(leads_[slot], lead) != lead;
      }
    }
    return others;
  }
  /// How much before they are due deliveries of the link are released, as of the last of these calls: LaunchPort.
  [[nodiscard]] Nanoseconds lead_to(LinkSlot link) const noexcept {
    return leads_.empty() ? Nanoseconds{0} : leads_[parts_.port_to(link).value()];
  }
  [[nodiscard]] bool has_leads() const noexcept {
    return std::ranges::any_of(leads_, [](Nanoseconds lead) { return lead > Nanoseconds{0}; });
  }
  void flush_port_to(LinkSlot link) noexcept {
    if (Port* const port = ports_[parts_.port_to(link).value()]; port != nullptr) {
      port->flush();
    }
  }

 private:
  // Of ports of which most need no instants, those that do are asked once a run.
  static constexpr bool kMayTakeDue = requires(const Port& port) { port.takes_due(); };

  static bool give(Port& port, const HeldFrame& held) noexcept {
    if constexpr (TimedPort<Port>) {
      return port.release(held.frame(), held.ptp ? kNoDue : held.due);
    } else {
      return port.release(held.frame());
    }
  }

  [[gnu::noinline]] void release_due(LinkSlot link, std::span<HeldFrame> ready, Port* port) noexcept {
    release_each(
        link, ready, [port](const HeldFrame& held) { return give(*port, held); }, port);
  }

  [[gnu::noinline]] void release_observed(LinkSlot link, std::span<HeldFrame> ready, Port* port) noexcept {
    Observer& observer = ledger_.observer;
    const auto send = [&](const HeldFrame& held) {
      observer.releasing(ledger_.pool(), held.frame(), link, held.ptp ? std::nullopt : std::optional(held.due));
      const bool sent = port != nullptr && give(*port, held);
      if (sent) {
        observer.released(link);
      }
      return sent;
    };
    release_each(link, ready, send, port);
  }

  // send(HeldFrame) returns whether `port`, null if absent, took it.
  template <class Send>
  void release_each(LinkSlot link, std::span<HeldFrame> ready, Send send, const Port* port) noexcept {
    const Addressing addressing = parts_.addressing_to(link);
    std::uint64_t frames = 0;
    std::uint64_t bytes = 0;
    const bool readdresses = addressing.any();
    for (HeldFrame& held : ready) {
      if (readdresses && !ledger_.address(held, addressing)) {
        ledger_.drop(held, DropReason::kNoBuffer);
        continue;
      }
      if (!send(held)) {
        ledger_.drop(held, reason_not_taken(port));
        continue;
      }
      ++frames;
      bytes += held.length;
    }
    ledger_.release(link, frames, bytes);
  }

  // Those before `ready` need nothing. Out of line: most runs are clean.
  template <HostClock Clock>
  [[gnu::noinline]] std::span<HeldFrame> damage_from(std::size_t ready, std::span<HeldFrame> due,
                                                     Clock& clock) noexcept {
    for (HeldFrame& held : due.subspan(ready)) {
      if ((held.damage != kNoNode && !ledger_.apply_damage(held)) ||
          (held.ptp && !ledger_.add_residence(held, clock.now()))) {
        ledger_.drop(held, DropReason::kNoBuffer);
        continue;
      }
      if (&due[ready] != &held) {
        due[ready] = held;
      }
      ++ready;
    }
    return due.first(ready);
  }

  const std::vector<Port*>& ports_;
  const PathParts& parts_;
  DeliveryLedger<Pool>& ledger_;
  std::vector<Nanoseconds> leads_;  // by PortSlot
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "frame/address.h"
#include "frame/frame.h"

namespace hilgate {

/// Senders on a port that are no robots: the last such address of each port, and the frames of all such addresses.
/// The packet loop notes and forgets; any thread may ask.
class UnknownSenders {
 public:
  struct Last {
    MacAddress mac;
    std::uint64_t frames = 0;  // of this one and those before it
  };

  explicit UnknownSenders(std::size_t ports) : ports_(ports) {}

  void note(PortSlot port, MacAddress mac) noexcept {
    Seen& seen = ports_[port.value()];
    seen.mac.store(mac.value(), std::memory_order_relaxed);
    seen.frames.store(seen.frames.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  /// Robots are others from here on.
  void forget() noexcept {
    for (Seen& seen : ports_) {
      seen.frames.store(0, std::memory_order_relaxed);
    }
  }
  [[nodiscard]] std::optional<Last> last(PortSlot port) const noexcept {
    const Seen& seen = ports_[port.value()];
    const std::uint64_t frames = seen.frames.load(std::memory_order_relaxed);
    return frames == 0 ? std::nullopt
                       : std::optional(Last{MacAddress{seen.mac.load(std::memory_order_relaxed)}, frames});
  }

 private:
  struct Seen {
    std::atomic<std::uint64_t> mac{0};
    std::atomic<std::uint64_t> frames{0};
  };
  std::vector<Seen> ports_;  // by PortSlot
};

}  // namespace hilgate

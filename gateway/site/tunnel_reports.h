// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "clock/seqlock.h"
#include "gateway/site/tunnel_peers.h"
#include "path/site_report.h"

namespace hilgate {

/// What the tunnel's thread knows of other gateways, for other threads.
class TunnelReports {
 public:
  explicit TunnelReports(std::size_t gateways)
      : gateways_(gateways), reports_(std::make_unique<Seqlock<PeerReport>[]>(gateways)) {}

  /// The tunnel's thread.
  void store(TunnelPeers& peers) noexcept {
    for (std::uint32_t i = 0; i < gateways_; ++i) {
      reports_[i].store(peers.peer(i).report);
    }
    for (std::size_t i = 0; i < refused_.size(); ++i) {
      refused_[i].store(peers.refused()[i], std::memory_order_relaxed);
    }
  }

  [[nodiscard]] PeerReport of(std::uint32_t gateway) const { return reports_[gateway].load(); }
  [[nodiscard]] std::uint64_t refused(SiteRefusal why) const {
    return refused_[static_cast<std::size_t>(why)].load(std::memory_order_relaxed);
  }

 private:
  std::size_t gateways_;
  std::unique_ptr<Seqlock<PeerReport>[]> reports_;
  std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(SiteRefusal::kCount)> refused_{};
};

}  // namespace hilgate

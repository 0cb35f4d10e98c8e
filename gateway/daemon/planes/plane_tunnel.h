// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "clock/tsc_clock.h"
#include "gateway/configuration/configuration.h"
#include "gateway/daemon/planes/configured_site.h"
#include "gateway/path/crossings.h"
#include "gateway/path/site_report.h"
#include "gateway/site/tunnel.h"

namespace hilgate {

/// A plane's way to the other gateways of its site; without a site it does nothing. Control thread.
template <FramePool Pool>
class PlaneTunnel {
 public:
  /// Of `group` among the rings. `pool` and `rings` outlive it.
  void make(const Configuration& configuration, std::size_t slots, Pool& pool, CrossingRings& rings, std::size_t group,
            const TscClock& clock) {
    tunnel_ = std::make_unique<Tunnel<Pool>>(site_terms(configuration), slots, pool, rings.of(group, {group}), clock);
    rings.set_reader(group, tunnel_->waker());
    gateways_ = configuration.site->gateways;
  }

  void join_site(const WindowClock& clock) { wall_ = &clock; }
  void set_zero(std::optional<WallTime> zero) {
    if (tunnel_) {
      tunnel_->set_zero(zero);
    }
  }
  void set_digests(const SiteDigests& digests) {
    if (tunnel_) {
      tunnel_->set_digests(digests);
    }
  }
  void start() {
    if (tunnel_ && wall_ != nullptr) {
      tunnel_->start(*wall_);
    }
  }
  /// When cores have stopped.
  void stop() {
    if (tunnel_) {
      tunnel_->stop();
    }
  }

  void add_to(PathTotals& sum) const {
    if (!tunnel_) {
      return;
    }
    const TunnelTotals totals = tunnel_->totals();
    sum.crossed_in += totals.crossed_in;
    sum.crossed_out += totals.crossed_out;
    sum.site_out += totals.site_out;
    sum.site_in += totals.site_in;
    sum.damaged += totals.damaged;
    for (std::size_t i = 0; i < kDropReasons; ++i) {
      sum.dropped[i] += totals.dropped[i];
    }
  }
  void add_to(LinkId link, LinkCounts& counts) const {
    if (tunnel_) {
      tunnel_->add_to(link, counts);
    }
  }
  [[nodiscard]] std::size_t bytes() const { return tunnel_ ? tunnel_->bytes() : 0; }

  [[nodiscard]] std::optional<SiteReport> report() const {
    if (!tunnel_) {
      return std::nullopt;
    }
    const SiteTerms& terms = tunnel_->terms();
    SiteReport report{.site = terms.site,
                      .gateway = terms.gateways[terms.own].name,
                      .digest = tunnel_->digests().now,
                      .version = terms.version,
                      .peers = {}};
    for (std::uint32_t i = 0; i < terms.gateways.size(); ++i) {
      if (i != terms.own) {
        report.peers.push_back({gateways_[i].name, gateways_[i].address.text(), tunnel_->report(i)});
      }
    }
    for (std::size_t i = 0; i < report.refused.size(); ++i) {
      report.refused[i] = tunnel_->refused(static_cast<SiteRefusal>(i));
    }
    return report;
  }

 private:
  std::vector<GatewayConfig> gateways_;  // of the site
  const WindowClock* wall_ = nullptr;
  std::unique_ptr<Tunnel<Pool>> tunnel_;  // null without a site
};

}  // namespace hilgate

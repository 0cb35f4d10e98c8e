// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "clock/tsc_clock.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/planes/configured_path.h"
#include "gateway/site/tunnel.h"
#include "path/cores/crossings.h"
#include "path/site_report.h"

namespace hilgate {

/// A plane's way to the other gateways of its site; without a site it does nothing. Control thread.
template <FramePool Pool>
class PlaneTunnel {
 public:
  /// Of homes.tunnel() among the rings. `core_of_robot`: homes.tunnel() for those elsewhere. `pool`, `rings` and
  /// `homes` outlive it. Throws what `open` throws.
  void make(const Configuration& configuration, const std::vector<std::size_t>& core_of_robot, Pool& pool,
            CrossingRings& rings, SiteHomes& homes, const TscClock& clock, const OpenSiteSocket& open) {
    SiteTerms terms = site_terms(configuration);
    deciders_ = &homes.deciders();
    terms.media = deciders_->media();
    tunnel_ = std::make_unique<Tunnel<Pool>>(terms, core_of_robot.size(), pool, rings.of(homes.tunnel(), core_of_robot),
                                             homes.deciders(), clock, open(terms.gateways[terms.own]));
    rings.set_reader(homes.tunnel(), tunnel_->waker());
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
  /// One iteration on the caller's thread, by its clock, instead of start().
  template <class Clock>
  void iterate(Clock& clock) {
    if (tunnel_ && wall_ != nullptr) {
      tunnel_->iterate(clock, *wall_);
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
    sum.requests_out += totals.requests_out;
    sum.requests_in += totals.requests_in;
    sum.deliveries += totals.deliveries;
    sum.damaged += totals.damaged;
    for (std::size_t i = 0; i < kDropReasons; ++i) {
      sum.dropped[i] += totals.dropped[i];
    }
  }
  void add_to(LinkSlot link, LinkCounts& counts) const {
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
    add_media(report);
    for (std::size_t i = 0; i < report.refused.size(); ++i) {
      report.refused[i] = tunnel_->refused(static_cast<SiteRefusal>(i));
    }
    return report;
  }

 private:
  void add_media(SiteReport& report) const {
    const auto& media = deciders_->media().media;
    for (std::uint32_t i = 0; i < media.size(); ++i) {
      const std::uint32_t decider = deciders_->decider(i);
      SiteReport::Medium& medium = report.media.emplace_back(
          SiteReport::Medium{media[i].name, decider == SharedMedia::kNone ? "" : gateways_[decider].name, {}});
      for (const std::uint32_t gateway : media[i].deciders) {
        medium.gateways.push_back(gateways_[gateway].name);
      }
    }
    report.request_way = tunnel_->request_way();
  }

  std::vector<GatewayConfig> gateways_;  // of the site
  const MediaDeciders* deciders_ = nullptr;
  const WindowClock* wall_ = nullptr;
  std::unique_ptr<Tunnel<Pool>> tunnel_;  // null without a site
};

}  // namespace hilgate

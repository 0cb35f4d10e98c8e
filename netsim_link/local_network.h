// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "netsim_link/netsim.h"
#include "netsim_link/network_simulator.h"

namespace hilgate {

/// A Netsim of our own process as a simulator: it answers at once, with link states.
class LocalNetwork final : public NetworkSimulator {
 public:
  explicit LocalNetwork(Netsim& netsim) : netsim_(&netsim) {}

  /// Another netsim from the next step on.
  void use(Netsim& netsim) { netsim_ = &netsim; }

  void open(Listener listener) override {
    listener_ = std::move(listener);
    listener_.ready();
  }
  void begin(const NetworkQuestion& question) override {
    answer_.has_links = question.scene != nullptr;
    if (answer_.has_links) {
      const std::size_t robots = question.scene->robots.size();
      answer_.links.links.resize(robots * robots);
      answer_.links.window = question.step.window;
      answer_.links.at = question.scene->at;
      netsim_->link_states(*question.scene, answer_.links);
    }
    listener_.ended(answer_);
  }
  [[nodiscard]] SimTime unchanged_until(SimTime from) const override {
    return netsim_->changes_with_time() ? from : SimTime::max();
  }
  void close() override {}

 private:
  Netsim* netsim_;
  Listener listener_;
  NetworkAnswer answer_;
};

}  // namespace hilgate

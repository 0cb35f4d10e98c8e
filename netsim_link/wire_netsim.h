// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "netsim_link/air_plan.h"
#include "netsim_link/netsim.h"

namespace hilgate {

/// A perfect cable between every two robots: no errors, no delay, nothing shared.
class WireNetsim : public Netsim {
 public:
  explicit WireNetsim(std::size_t robots) : robots_(robots) {
    plan_.stations.resize(robots);
    plan_.rules.resize(robots * robots);
    plan_.modes.resize(1);  // never used for timing; a LinkState's mode 0 must point somewhere
  }

  [[nodiscard]] const AirPlan& air_plan() const override { return plan_; }

  void link_states(const Scene& scene, LinkTable& table) override {
    table.at = scene.at;
    table.sparse = false;
    table.links.assign(robots_ * robots_, LinkState{});
  }
  [[nodiscard]] bool changes_with_time() const override { return false; }

 protected:
  [[nodiscard]] AirPlan& plan() { return plan_; }

 private:
  std::size_t robots_;
  AirPlan plan_;
};

/// Links as they were measured; wires where nothing was. The packet path plays traces itself, at any instant: link
/// tables say nothing of them.
class TraceNetsim final : public WireNetsim {
 public:
  /// By LinkIndex, null for a wire: what has the link's trace.
  TraceNetsim(std::size_t robots, const std::vector<std::shared_ptr<const Impairments>>& links) : WireNetsim(robots) {
    for (std::size_t link = 0; link < links.size(); ++link) {
      plan().rules[link].impairments = links[link];
    }
  }
};

}  // namespace hilgate

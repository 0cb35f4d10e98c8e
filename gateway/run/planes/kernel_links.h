// SPDX-License-Identifier: Apache-2.0
// Links that need no packet path: out of range, or a perfect cable. The XDP program drops or redirects their unicast
// frames, by a map that every new state of the air brings up to date.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "frame/counters.h"
#include "netsim_link/link_state.h"
#include "path/settings/path_settings.h"
#include "xdp/kernel_path.h"

namespace hilgate {

/// Control thread.
class KernelLinks {
 public:
  /// Whether deliveries of a link are on their way through the packet path: then the kernel must not overtake them.
  using Held = std::function<bool(LinkSlot)>;

  /// `kernel` has as many robots as the settings have slots, and must outlive this.
  explicit KernelLinks(KernelPath& kernel) : kernel_(kernel) {}

  /// The rules are these from now on; all links go through the packet path until the next table.
  void use(const PathSettings& settings);
  /// All links go through the packet path until the next table.
  void suspend();
  /// Decides by a new state of the air. A link that has become perfect is given away one table later, when what came
  /// before has left; only frames in the port's ring at that instant can be overtaken.
  void decide(const LinkTable& table, const Held& held);

  /// Adds what the kernel has decided of a link, or of all links.
  void add_to(LinkSlot link, LinkCounts& counts);
  void add_to(PathTotals& totals);

 private:
  struct Link {
    LinkDecision decision = LinkDecision::kUser;
    bool was_perfect = false;
    hg_counter seen{};  // of the kernel's counter, attributed so far
    hg_counter passed{};
    hg_counter dropped{};
  };
  void attribute(LinkSlot link);
  void set(LinkSlot link, LinkDecision decision);
  [[nodiscard]] bool perfect(LinkSlot link, const LinkState& state) const;

  KernelPath& kernel_;
  PathSettings settings_;
  TableRobots robots_;
  std::vector<Link> links_;  // by LinkSlot
};

}  // namespace hilgate

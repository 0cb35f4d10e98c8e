// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "frame/counters.h"
#include "gateway/configuration/configuration.h"
#include "netsim_link/link_state.h"
#include "path/addresses/directory.h"
#include "path/settings/path_settings.h"
#include "xdp/kernel_path.h"

namespace hilgate {

/// What the kernel knows of the path's robots: all addresses; nothing of those at serial lines.
std::vector<KernelRobot> kernel_robots(std::span<const RobotEntry> slots);

/// What the kernel does for a run's ports on its own. Null where no port has a fail mode: then nothing of the gateway
/// outlives its process. Throws std::runtime_error.
std::unique_ptr<KernelPath> configured_kernel_path(const Configuration& configuration);

/// `wire on|off` of an active run. Throws std::runtime_error where no port has a fail mode.
void set_wired(const Configuration& configuration, bool wired);

/// Before the run: attaches the programs of the ports with a fail mode, whose interfaces are there, up or down, and
/// leaves them attached. Returns the interfaces. Throws std::runtime_error, also when the run is active.
std::vector<std::string> close_ports(const Configuration& configuration);

// Links that need no packet path: out of range, or a perfect cable. The XDP program drops or redirects their unicast
// frames, by a map that every new state of the air brings up to date.

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

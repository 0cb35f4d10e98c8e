// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "config/plain_text.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"

namespace hilgate {
namespace {

constexpr Range<std::uint32_t> kCpu{0, 1023, "0 to 1023"};

CoreConfig all_ports(const Configuration& configuration) {
  CoreConfig core;
  for (std::uint32_t i = 0; i < configuration.ports.size(); ++i) {
    core.ports.push_back(PortIndex{i});
  }
  return core;
}

class CoreList {
 public:
  explicit CoreList(const Configuration& configuration) : ports_(names_of(configuration.ports)) {}

  void read(YamlReader& item) {
    CoreConfig core{.cpu = read_within(item, "cpu", kCpu), .ports = {}};
    if (core.cpu && !cpus_.insert(*core.cpu).second) {
      item.fault("cpu", fmt::format("{} is already used by another core", *core.cpu));
    }
    auto listed = item.items("ports");
    if (listed.empty()) {
      item.fault("has no ports; give each core at least one");
    }
    for (YamlReader& port : listed) {
      const auto name = port.as<std::string>();
      const auto place = place_of(port, name, "port", ports_);
      if (place && !taken_.insert(*place).second) {
        port.fault(fmt::format("'{}' is already on another core; a port is on one core", shown(name)));
      } else if (place) {
        core.ports.push_back(PortIndex{*place});
      }
    }
    cores.push_back(std::move(core));
  }
  void finish(YamlReader& packet_loop) const {
    for (std::uint32_t i = 0; i < ports_.size(); ++i) {
      if (!taken_.contains(i)) {
        packet_loop.fault("cores", fmt::format("misses the port '{}'; every port must be on one core", ports_[i]));
      }
    }
  }

  std::vector<CoreConfig> cores;

 private:
  std::vector<std::string> ports_;
  std::set<std::uint32_t> cpus_;
  std::set<std::uint32_t> taken_;
};

// What one core learns or parks the others do not know of.
void check_many(YamlReader& packet_loop, const Configuration& configuration) {
  if (external_netsim(configuration) != nullptr) {
    packet_loop.fault("cores", "cannot be several with an external network simulator; use one core");
  }
  for (const RobotConfig& robot : configuration.robots) {
    if (robot.macs.empty()) {
      packet_loop.fault("cores",
                        fmt::format("are several, so every robot needs its `mac`; robot '{}' has none", robot.name));
    }
    if (!robot.shared_macs.empty()) {
      packet_loop.fault(
          "cores", fmt::format("cannot be several with a shared `mac`, as robot '{}' has; use one core", robot.name));
    }
  }
}

// A core that is reserved for it may be polled on; any other has more to do.
void read_idle(YamlReader& packet_loop, std::vector<CoreConfig>& cores) {
  std::optional<IdleMode> wanted;
  if (packet_loop.has("idle")) {
    wanted = packet_loop.choice<IdleMode>("idle", {{"sleep", IdleMode::kSleep}, {"poll", IdleMode::kPoll}},
                                          IdleMode::kSleep);
  }
  for (CoreConfig& core : cores) {
    core.idle = wanted.value_or(core.cpu ? IdleMode::kPoll : IdleMode::kSleep);
  }
}

// A loop that never sleeps would be stopped by the kernel for 50 ms of each second: sched(7), sched_rt_runtime_us.
void prioritize(Configuration& configuration) {
  for (CoreConfig& core : configuration.cores) {
    core.real_time = configuration.real_time && core.idle == IdleMode::kSleep;
  }
}

void read_core_list(YamlReader& packet_loop, Configuration& configuration) {
  CoreList list(configuration);
  for (YamlReader& item : packet_loop.items("cores")) {
    list.read(item);
  }
  list.finish(packet_loop);
  if (!list.cores.empty()) {
    configuration.cores = std::move(list.cores);
  }
  if (configuration.cores.size() > 1) {
    check_many(packet_loop, configuration);
  }
}

}  // namespace

void read_cores(YamlReader& root, Configuration& configuration) {
  configuration.real_time = root.choice<bool>("scheduling", {{"normal", false}, {"realtime", true}}, false);
  configuration.cores = {all_ports(configuration)};
  if (auto packet_loop = root.optional_child("packet_loop")) {
    if (packet_loop->has("cores")) {
      read_core_list(*packet_loop, configuration);
    } else {
      configuration.cores.front().cpu = read_within(*packet_loop, "cpu", kCpu);
    }
    read_idle(*packet_loop, configuration.cores);
  }
  prioritize(configuration);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "config/plain_text.h"
#include "gateway/configuration/frame_memory.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"

namespace hilgate {
namespace {

std::string read_interface(YamlReader& port, const std::vector<PortConfig>& before, std::uint32_t gateway) {
  const std::string interface = port.required<std::string>("interface");
  if (!port.has("interface")) {
    return interface;
  }
  if (!is_interface_name(interface)) {
    port.fault("interface",
               fmt::format("'{}' is not an interface name; allowed: 1 to 15 characters without '/', ':' and blanks",
                           shown(interface)));
  }
  for (const PortConfig& other : before) {
    if (other.gateway == gateway && other.interface == interface) {
      port.fault("interface", fmt::format("'{}' is already the interface of port '{}' in line {}", shown(interface),
                                          other.name, other.line));
    }
  }
  return interface;
}

LaunchTimeUse read_launch_time(YamlReader& port) {
  return port.choice<LaunchTimeUse>(
      "launch_time", {{"auto", LaunchTimeUse::kAuto}, {"on", LaunchTimeUse::kOn}, {"off", LaunchTimeUse::kOff}},
      LaunchTimeUse::kAuto);
}

void read_af_xdp(YamlReader& port, const std::vector<PortConfig>& before, const std::vector<KernelPass>& gateway_pass,
                 PortConfig& config) {
  config.interface = read_interface(port, before, config.gateway);
  config.xdp = port.choice<XdpMode>("xdp",
                                    {{"auto", XdpMode::kAuto},
                                     {"zero-copy", XdpMode::kZeroCopy},
                                     {"native", XdpMode::kNative},
                                     {"generic", XdpMode::kGeneric}},
                                    config.xdp);
  config.fail =
      port.choice<FailMode>("fail", {{"none", FailMode::kNone}, {"wire", FailMode::kWire}, {"block", FailMode::kBlock}},
                            config.tap ? FailMode::kNone : FailMode::kBlock);
  config.launch_time = read_launch_time(port);
  if (config.launch_time == LaunchTimeUse::kOn) {
    port.fault("launch_time",
               "'on' is for devices without transmit timestamps, of driver dpdk; those of AF_XDP have them or are not "
               "relied on: use 'auto'");
  }
  if (config.isolated && config.fail == FailMode::kWire) {
    port.fault("fail",
               "'wire' excludes 'isolated': the kernel cannot hand a group frame, and so no ARP, to one robot of "
               "a port and not to its sender; use 'block'");
  }
  config.kernel_pass = read_kernel_pass(port).value_or(gateway_pass);
  const bool to_host = std::erase_if(config.kernel_pass,
                                     [](const KernelPass& pass) { return pass.match == KernelPass::Match::kPtp; }) > 0;
  config.ptp_served = to_host && config.ptp == PtpPassage::kKeep;
}

// Whose the port is.
std::uint32_t read_gateway_of(YamlReader& port, const Configuration& configuration) {
  if (!configuration.site) {
    if (port.has("gateway")) {
      port.fault("gateway", "names a gateway of a site, and there is no `site`");
    }
    return 0;
  }
  const auto name = port.required<std::string>("gateway");
  const auto names = names_of(configuration.site->gateways);
  const auto place = port.has("gateway") ? place_of(port.child("gateway"), name, "gateway", names) : std::nullopt;
  return place.value_or(0);
}

// What `driver` names.
struct Kind {
  PortDriver driver = PortDriver::kAfXdp;
  DpdkKind dpdk = DpdkKind::kDevice;
  bool is_tap = false;
};

PortConfig read_port(const std::string& name, YamlReader& port, const Configuration& configuration,
                     const std::vector<KernelPass>& gateway_pass) {
  check_name(port, name);
  PortConfig config;
  config.name = name;
  config.line = port.line();
  config.gateway = read_gateway_of(port, configuration);
  const Kind kind = port.choice<Kind>("driver",
                                      {{"af_xdp", {}},
                                       {"tap", {.is_tap = true}},
                                       {"dpdk", {.driver = PortDriver::kDpdk}},
                                       {"memif", {.driver = PortDriver::kDpdk, .dpdk = DpdkKind::kMemif}},
                                       {"vhost_user", {.driver = PortDriver::kDpdk, .dpdk = DpdkKind::kVhostUser}},
                                       {"pty", {.driver = PortDriver::kPty}},
                                       {"serial", {.driver = PortDriver::kSerial}}},
                                      Kind{});
  config.driver = kind.driver;
  if (kind.is_tap) {
    config.tap = TapConfig{port.optional<std::string>("user", "")};
  }
  if (is_line(config.driver)) {
    config.serial = read_line(port, config.driver, configuration.ports);
    return config;
  }
  config.ptp = port.choice<PtpPassage>(
      "ptp", {{"keep", PtpPassage::kKeep}, {"transparent", PtpPassage::kTransparent}, {"air", PtpPassage::kThroughAir}},
      config.ptp);
  config.isolated = port.optional<bool>("isolated", config.isolated);
  if (config.driver == PortDriver::kDpdk) {
    config.dpdk = kind.dpdk == DpdkKind::kDevice ? read_dpdk_device(port, configuration.ports)
                                                 : read_dpdk_socket(port, kind.dpdk, config, configuration.ports);
    if (kind.dpdk == DpdkKind::kDevice) {
      config.launch_time = read_launch_time(port);
    }
  } else {
    read_af_xdp(port, configuration.ports, gateway_pass, config);
  }
  return config;
}

void check_memory(YamlReader& root, const Configuration& configuration) {
  const auto elsewhere = std::ranges::count(configuration.ports, PortDriver::kElsewhere, &PortConfig::driver);
  const std::size_t ports = configuration.ports.size() - static_cast<std::size_t>(elsewhere);
  if (configuration.memory.frames >= least_frames(ports)) {
    return;
  }
  std::string text = fmt::format("{} frames are too few for {} ports; the minimum is {}", configuration.memory.frames,
                                 ports, least_frames(ports));
  if (auto memory = root.optional_child("memory"); memory && memory->is_map()) {
    memory->fault("frames", std::move(text));
  } else {
    root.fault("memory", std::move(text));
  }
}

/// One kind of memory for all frames of a run.
void check_drivers(const YamlReader& port, const PortConfig& config, const std::vector<PortConfig>& before) {
  const auto other = std::find_if(before.begin(), before.end(), [&](const PortConfig& one) {
    return one.driver != PortDriver::kElsewhere && config.driver != PortDriver::kElsewhere &&
           (one.driver == PortDriver::kDpdk) != (config.driver == PortDriver::kDpdk);
  });
  if (other != before.end()) {
    port.fault(fmt::format(
        "differs from the driver of port '{}' in line {}; with DPDK (drivers dpdk, memif and vhost_user), all "
        "ports of a run use it (it reaches kernel interfaces with `driver: dpdk` and its devices net_af_xdp "
        "and net_af_packet, and no serial lines)",
        other->name, other->line));
  }
}

// Robots at other gateways keep their ports, of which nothing is opened here.
void leave_to_others(Configuration& configuration) {
  if (own_gateway(configuration) == nullptr) {
    return;
  }
  const auto is_own = [&](const PortConfig& port) { return port.gateway == *configuration.site->own; };
  std::stable_partition(configuration.ports.begin(), configuration.ports.end(), is_own);
  for (PortConfig& port : configuration.ports) {
    if (!is_own(port)) {
      port.driver = PortDriver::kElsewhere;
      port.interface.clear();
      port.fail = FailMode::kNone;
      port.tap.reset();
      port.kernel_pass.clear();
      port.ptp_served = false;
    }
  }
}

// Peers bring or take ordinary memory; physical devices need hugepages.
void choose_hugepages(YamlReader& root, Configuration& configuration) {
  const auto has_peer = [](const PortConfig& port) { return port.dpdk.kind != DpdkKind::kDevice; };
  const auto is_physical = [](const PortConfig& port) { return port.dpdk.device.find(':') != std::string::npos; };
  auto dpdk = root.optional_child("dpdk");
  if ((!dpdk || !dpdk->has("hugepages")) && std::ranges::any_of(configuration.ports, has_peer)) {
    configuration.dpdk.hugepages = std::ranges::any_of(configuration.ports, is_physical);
  }
}

}  // namespace

void read_ports(YamlReader& root, Configuration& configuration) {
  const std::vector<KernelPass> gateway_pass = read_kernel_pass(root).value_or(std::vector<KernelPass>{});
  auto ports = root.child("ports");
  const auto entries = ports.entries();
  if (!ports.absent() && entries.empty() && ports.is_map()) {
    ports.fault("is empty; define at least one port");
  }
  for (auto [name, port] : entries) {
    PortConfig config = read_port(name, port, configuration, gateway_pass);
    check_drivers(port, config, configuration.ports);
    configuration.ports.push_back(std::move(config));
  }
  leave_to_others(configuration);
  choose_hugepages(root, configuration);
  check_memory(root, configuration);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>
#include <variant>

#include "config/plain_text.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"
#include "gateway/configuration/sections/robot_names.h"

namespace hilgate {
namespace {

bool has_ipv6(const Configuration& configuration) {
  return std::any_of(configuration.robots.begin(), configuration.robots.end(), [](const RobotConfig& robot) {
    return std::any_of(robot.ips.begin(), robot.ips.end(), [](const IpAddress& ip) { return !ip.is_v4(); });
  });
}

/// Of an IP packet: 68 B is the least that IPv4 allows (RFC 791), 1280 B IPv6 (RFC 8200, section 5).
std::uint32_t read_mtu(YamlReader& lab, bool ipv6) {
  const std::uint64_t least = ipv6 ? 1280 : 68;
  const std::string words = fmt::format("{} B to 9000 B{}", least, ipv6 ? ", because robots have IPv6 addresses" : "");
  const auto mtu = read_within(lab, "mtu", Range<Bytes>{{least}, {9000}, words});
  return static_cast<std::uint32_t>(mtu.value_or(Bytes{1500}).value);
}

/// A port of a lab is one veth pair, and that has one robot's end.
void check_one_robot_per_port(const YamlReader& lab, const Configuration& configuration) {
  std::vector<const RobotConfig*> on_port(configuration.ports.size(), nullptr);
  for (const RobotConfig& robot : configuration.robots) {
    if (robot.port.value() >= on_port.size()) {
      continue;
    }
    const RobotConfig*& other = on_port[robot.port.value()];
    if (other != nullptr) {
      lab.fault(fmt::format("robots '{}' and '{}' are both on port '{}'; in a lab every robot has a port of its own",
                            other->name, robot.name, configuration.ports[robot.port.value()].name));
    }
    other = &robot;
  }
}

std::string read_interface_of(YamlReader& one, const RobotConfig& robot) {
  const std::string radio = radio_part(robot);
  const auto interface = one.optional<std::string>("interface", radio.empty() ? LabAttachment{}.interface : radio);
  if (!is_interface_name(interface)) {
    one.fault("interface",
              fmt::format("'{}' is not an interface name; allowed: 1 to 15 characters without '/', ':' and "
                          "blanks",
                          shown(interface)));
  }
  return interface;
}

std::optional<LabAttachment> read_attachment(YamlReader& one, const Configuration& configuration, RobotIndex robot) {
  constexpr Range<std::uint32_t> kPid{1, 4'194'304, "1 to 4194304, the number of a process"};
  const auto pid = read_within(one, "pid", kPid);
  const auto container = one.optional<std::string>("container");
  LabAttachment attachment{
      .robot = robot, .to = {}, .interface = read_interface_of(one, configuration.robots[robot.value()])};
  if (one.has("pid") == one.has("container")) {
    one.fault("needs either `pid`, the number of a process, or `container`, a name that podman or docker knows");
    return std::nullopt;
  }
  if (container) {
    if (container->empty() || container->front() == '-') {
      one.fault("container", fmt::format("'{}' is not the name of a container", shown(*container)));
    }
    attachment.to = *container;
  } else {
    attachment.to = pid.value_or(1);
  }
  return attachment;
}

/// Of robots with an interface for it.
void read_attachments(YamlReader& lab, const Configuration& configuration, LabConfig& config) {
  const auto robots = names_of(configuration.robots);
  for (auto& [name, one] : lab.child("attach").entries()) {
    const auto place = radio_named(one, name, configuration);
    const auto attachment = place ? read_attachment(one, configuration, *place) : std::nullopt;
    if (!attachment) {
      continue;
    }
    const std::size_t port = configuration.robots[place->value()].port.value();
    if (port < configuration.ports.size() && configuration.ports[port].driver != PortDriver::kAfXdp &&
        configuration.ports[port].driver != PortDriver::kElsewhere) {
      one.fault(fmt::format("robot '{}' has no network interface to be attached by", shown(name)));
    }
    for (const LabAttachment& other : config.attach) {
      if (other.to == attachment->to && other.interface == attachment->interface) {
        one.fault("interface", fmt::format("'{}' is already the interface of robot '{}' there; give it another",
                                           other.interface, robots[other.robot.value()]));
      }
    }
    config.attach.push_back(*attachment);
  }
}

VmConfig read_vm(YamlReader& vm) {
  const auto file_under = [&vm](const char* key) { return vm.has(key) ? vm.file_of(key) : std::filesystem::path(); };
  VmConfig config;
  config.image = file_under("image");
  config.kernel = file_under("kernel");
  config.initrd = file_under("initrd");
  config.append = vm.optional<std::string>("append", "");
  if (config.image.empty() && config.kernel.empty()) {
    vm.fault("misses the key 'image', the file of its disk (or 'kernel', of a machine without one)");
  }
  for (const char* key : {"initrd", "append"}) {
    if (vm.has(key) && config.kernel.empty()) {
      vm.fault(key, "is for a machine with `kernel`; without one its disk has it");
    }
  }
  constexpr Range<Bytes> kMemory{{std::uint64_t{64} << 20}, {std::uint64_t{1} << 40}, "64 MiB to 1024 GiB"};
  config.memory = read_within(vm, "memory", kMemory).value_or(Bytes{config.memory}).value;
  config.cpus = read_within(vm, "cpus", Range<std::uint32_t>{1, 255, "1 to 255"}).value_or(config.cpus);
  using Processor = VmConfig::Processor;
  config.processor = vm.choice<Processor>(
      "processor", {{"auto", Processor::kAuto}, {"kvm", Processor::kKvm}, {"emulated", Processor::kEmulated}},
      config.processor);
  config.keep = vm.optional<bool>("keep", config.keep);
  config.arguments = vm.list<std::string>("arguments");
  return config;
}

ContainerConfig read_container(YamlReader& container) {
  ContainerConfig config;
  if (container.has("bundle")) {
    config.bundle = container.file_of("bundle");
  }
  config.image = container.optional<std::string>("image", "");
  if (container.has("bundle") == container.has("image")) {
    container.fault("needs either `bundle`, an OCI bundle's folder, or `image`, the name of an image that podman has");
  } else if (container.has("image") && (config.image.empty() || config.image.front() == '-')) {
    container.fault("image", fmt::format("'{}' is not the name of an image", shown(config.image)));
  }
  config.command = container.list<std::string>("command");
  return config;
}

/// What carries a machine's frames must be there for it: a TAP device or shared memory for a virtual machine.
void check_port_of_machine(const YamlReader& one, const LabMachine& machine, const Configuration& configuration) {
  const RobotConfig& robot = configuration.robots[machine.robot.value()];
  if (robot.port.value() >= configuration.ports.size()) {
    return;
  }
  const PortConfig& port = configuration.ports[robot.port.value()];
  const bool is_vm = std::holds_alternative<VmConfig>(machine.as);
  const DpdkKind wanted = is_vm ? DpdkKind::kVhostUser : DpdkKind::kMemif;
  const bool shares_memory = port.driver == PortDriver::kDpdk && port.dpdk.kind == wanted;
  const bool has_interface = port.driver == PortDriver::kAfXdp && port.tap.has_value() == is_vm;
  if (!shares_memory && !has_interface && port.driver != PortDriver::kElsewhere) {
    one.fault(fmt::format("is on port '{}', whose driver is not for {}", port.name,
                          is_vm ? "a virtual machine; give it `driver: tap` or `driver: vhost_user`"
                                : "a container; give it `driver: af_xdp` or `driver: memif`"));
  }
}

/// Robots that the lab starts.
void read_machines(YamlReader& lab, const Configuration& configuration, LabConfig& config) {
  for (auto& [name, one] : lab.child("machines").entries()) {
    const auto place = radio_named(one, name, configuration);
    auto vm = one.optional_child("vm");
    auto container = one.optional_child("container");
    if (vm.has_value() == container.has_value()) {
      one.fault("needs either `vm`, a virtual machine, or `container`");
      continue;
    }
    LabMachine machine{.robot = place.value_or(RobotIndex{}), .as = {}};
    if (vm) {
      machine.as = read_vm(*vm);
    } else {
      machine.as = read_container(*container);
    }
    if (!place) {
      continue;
    }
    if (std::ranges::find(config.attach, *place, &LabAttachment::robot) != config.attach.end()) {
      one.fault("is under `lab.attach` too, as a robot that is there already");
    }
    if (vm && !radio_part(configuration.robots[place->value()]).empty()) {
      one.fault("has `radios`; a virtual machine in a lab has one interface");
    }
    check_port_of_machine(one, machine, configuration);
    config.machines.push_back(std::move(machine));
  }
}

/// In a lab the interface of a radio has its name.
void check_radio_interfaces(const YamlReader& lab, const Configuration& configuration) {
  for (const RobotConfig& robot : configuration.robots) {
    const std::string radio = radio_part(robot);
    if (!radio.empty() && !is_interface_name(radio)) {
      lab.fault(
          fmt::format("radio '{}' of robot '{}' cannot be the name of an interface there, which has 1 to 15 "
                      "characters; choose a shorter name",
                      radio, robot.body));
    }
  }
}

}  // namespace

void read_lab(YamlReader& root, Configuration& configuration) {
  auto lab = root.optional_child("lab");
  if (!lab) {
    return;
  }
  LabConfig config;
  config.mtu = read_mtu(*lab, has_ipv6(configuration));
  if (auto prefix = lab->optional_child("prefix")) {
    constexpr Range<std::uint8_t> kIpv4{1, 32, "1 to 32"};
    constexpr Range<std::uint8_t> kIpv6{1, 128, "1 to 128"};
    config.ipv4_prefix = read_within(*prefix, "ipv4", kIpv4).value_or(config.ipv4_prefix);
    config.ipv6_prefix = read_within(*prefix, "ipv6", kIpv6).value_or(config.ipv6_prefix);
  }
  config.quiet = lab->optional<bool>("quiet", config.quiet);
  if (lab->has("attach")) {
    read_attachments(*lab, configuration, config);
  }
  if (lab->has("machines")) {
    read_machines(*lab, configuration, config);
  }
  check_one_robot_per_port(*lab, configuration);
  check_radio_interfaces(*lab, configuration);
  configuration.lab = config;
}

}  // namespace hilgate

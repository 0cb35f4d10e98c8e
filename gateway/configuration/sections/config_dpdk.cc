// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "config/plain_text.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"

namespace hilgate {

void read_dpdk(YamlReader& root, Configuration& configuration) {
  auto dpdk = root.optional_child("dpdk");
  if (!dpdk) {
    return;
  }
  DpdkConfig& config = configuration.dpdk;
  config.hugepages = dpdk->optional<bool>("hugepages", config.hugepages);
  if (const auto memory = dpdk->optional<Bytes>("memory")) {
    config.memory_mib = static_cast<std::uint32_t>(memory->value >> 20);
    if (config.memory_mib < 64) {
      dpdk->fault("memory", fmt::format("'{} B' is out of range; the minimum is 64 MiB", memory->value));
    }
  }
  config.arguments = dpdk->list<std::string>("arguments");
}

DpdkDeviceConfig read_dpdk_device(YamlReader& port, const std::vector<PortConfig>& before) {
  DpdkDeviceConfig config;
  config.device = port.required<std::string>("device");
  config.arguments = port.optional<std::string>("device_arguments", "");
  constexpr Range<std::uint16_t> kQueues{1, 64, "1 to 64 receive queues"};
  config.queues = read_within(port, "queues", kQueues).value_or(config.queues);
  constexpr Range<std::uint16_t> kDescriptors{64, 32'768, "64 to 32768 descriptors"};
  config.descriptors = read_within(port, "descriptors", kDescriptors).value_or(config.descriptors);
  for (const PortConfig& other : before) {
    if (other.dpdk.device == config.device && !config.device.empty()) {
      port.fault("device", fmt::format("'{}' is already the device of port '{}' in line {}", shown(config.device),
                                       other.name, other.line));
    }
  }
  return config;
}

namespace {

std::string read_socket(YamlReader& port, const PortConfig& config, const std::vector<PortConfig>& before) {
  const auto path = port.required<std::string>("socket");
  if (!port.has("socket")) {
    return path;
  }
  if (!path.starts_with('/') || path.ends_with('/') || path.size() > kMaxSocketPath ||
      path.find_first_of(",[]=") != std::string::npos) {
    port.fault("socket", fmt::format("'{}' is not a path for a socket; allowed: an absolute path of up to {} bytes "
                                     "without ',', '=', '[' and ']', as /run/hilgate/NAME/{}.sock",
                                     shown(path), kMaxSocketPath, config.name));
  }
  for (const PortConfig& other : before) {
    if (other.gateway == config.gateway && other.dpdk.socket.path == path) {
      port.fault("socket", fmt::format("'{}' is already the socket of port '{}' in line {}", shown(path), other.name,
                                       other.line));
    }
  }
  return path;
}

}  // namespace

DpdkDeviceConfig read_dpdk_socket(YamlReader& port, DpdkKind kind, const PortConfig& config,
                                  const std::vector<PortConfig>& before) {
  DpdkDeviceConfig device;
  device.kind = kind;
  device.device = (kind == DpdkKind::kMemif ? "net_memif_" : "net_vhost_") + config.name;
  device.socket.path = read_socket(port, config, before);
  device.socket.server = port.choice<bool>("role", {{"server", true}, {"client", false}}, device.socket.server);
  if (kind != DpdkKind::kMemif) {
    return device;
  }
  device.socket.id = port.optional<std::uint32_t>("id", device.socket.id);
  constexpr Range<std::uint16_t> kRing{kShortestMemifRing, kLongestMemifRing, "64 to 16384 descriptors"};
  device.descriptors = read_within(port, "descriptors", kRing).value_or(device.descriptors);
  if (!std::has_single_bit(device.descriptors)) {
    port.fault("descriptors",
               fmt::format("'{}' is not a power of two; allowed: 64, 128, ... 16384", device.descriptors));
    device.descriptors = std::bit_floor(device.descriptors);
  }
  return device;
}

}  // namespace hilgate

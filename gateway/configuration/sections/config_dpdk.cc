// SPDX-License-Identifier: Apache-2.0
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
      port.fault("device", fmt::format("'{}' is already the device of port '{}' in line {}", config.device, other.name,
                                       other.line));
    }
  }
  return config;
}

}  // namespace hilgate

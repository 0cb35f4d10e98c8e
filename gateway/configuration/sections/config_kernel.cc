// SPDX-License-Identifier: Apache-2.0
#include "config/plain_text.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"

namespace hilgate {
namespace {

constexpr std::string_view kItems = "lldp, ssh, ptp, {ethertype: 0x88cc}, {udp: 5353} or {tcp: 22}";
constexpr std::uint16_t kLldp = 0x88cc;  // IEEE 802.1AB
constexpr std::uint16_t kSshPort = 22;   // RFC 4250

std::optional<KernelPass> read_word(YamlReader& item) {
  const auto word = item.as<std::string>();
  if (word == "lldp") {
    return KernelPass{KernelPass::Match::kEthertype, kLldp};
  }
  if (word == "ssh") {
    return KernelPass{KernelPass::Match::kTcpPort, kSshPort};
  }
  if (word == "ptp") {
    return KernelPass{KernelPass::Match::kPtp};
  }
  item.fault(fmt::format("'{}' is not traffic that can be passed to the kernel; allowed: {}", shown(word), kItems));
  return std::nullopt;
}

std::optional<KernelPass> read_match(YamlReader& item) {
  constexpr Range<std::uint16_t> kPort{1, 65535, "1 to 65535"};
  const auto ethertype = item.optional<Ethertype>("ethertype");
  const auto udp = read_within(item, "udp", kPort);
  const auto tcp = read_within(item, "tcp", kPort);
  const int given = int{item.has("ethertype")} + int{item.has("udp")} + int{item.has("tcp")};
  if (given != 1) {
    item.fault(fmt::format("names {} kinds of traffic; give one of {} per item", given, kItems));
    return std::nullopt;
  }
  if (ethertype) {
    return KernelPass{KernelPass::Match::kEthertype, ethertype->value};
  }
  if (udp) {
    return KernelPass{KernelPass::Match::kUdpPort, *udp};
  }
  return tcp ? std::make_optional(KernelPass{KernelPass::Match::kTcpPort, *tcp}) : std::nullopt;
}

}  // namespace

std::optional<std::vector<KernelPass>> read_kernel_pass(YamlReader& map) {
  auto kernel = map.optional_child("kernel");
  if (!kernel) {
    return std::nullopt;
  }
  std::vector<KernelPass> passes;
  if (kernel->contains("links") && !kernel->has("pass")) {
    return std::nullopt;  // of the gateway, see read_kernel_links
  }
  auto items = kernel->child("pass").items();
  if (items.size() > kMaxKernelPasses) {
    kernel->fault("pass", fmt::format("has {} items; the maximum is {}", items.size(), kMaxKernelPasses));
  }
  for (YamlReader& item : items) {
    if (const auto pass = item.is_map() ? read_match(item) : read_word(item)) {
      passes.push_back(*pass);
    }
  }
  return passes;
}

void read_kernel_links(YamlReader& root, Configuration& configuration) {
  auto kernel = root.optional_child("kernel");
  if (!kernel) {
    return;
  }
  configuration.kernel_links = kernel->optional<bool>("links", false);
  if (!configuration.kernel_links) {
    return;
  }
  for (const RobotConfig& robot : configuration.robots) {
    if (!robot.shared_macs.empty()) {
      kernel->fault("links", fmt::format("excludes a shared `mac`, as robot '{}' has; the kernel does not see which "
                                         "robot has sent from it last",
                                         robot.name));
    }
  }
  for (const PortConfig& port : configuration.ports) {
    if (port.fail == FailMode::kNone) {
      kernel->fault("links",
                    fmt::format("needs `fail: wire` or `fail: block` on every port; port '{}' has none", port.name));
    }
  }
  if (external_netsim(configuration) != nullptr) {
    kernel->fault("links", "cannot be used with an external network simulator");
  }
}

}  // namespace hilgate

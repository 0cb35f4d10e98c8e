// SPDX-License-Identifier: Apache-2.0
// site: the gateways that are one air, and what does not go together with it yet.
#include "gateway/configuration/reader/site_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "config/plain_text.h"
#include "gateway/configuration/sections/config_checks.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

GatewayConfig read_gateway(const std::string& name, YamlReader& gateway, const SiteConfig& site) {
  check_name(gateway, name);
  GatewayConfig config{.name = name, .line = gateway.line(), .address = {}};
  const auto text = gateway.required<std::string>("address");
  const auto address = IpAddress::parse(text);
  if (gateway.has("address") &&
      (!address || !address->is_v4() || address->is_multicast() || address->is_unspecified())) {
    gateway.fault("address", fmt::format("'{}' is no IPv4 address of one machine, such as 192.0.2.1", shown(text)));
  }
  config.address = address.value_or(IpAddress{});
  constexpr Range<std::uint16_t> kPorts{1, 65535, "1 to 65535"};
  config.port = read_within(gateway, "port", kPorts).value_or(config.port);
  for (const GatewayConfig& other : site.gateways) {
    if (other.address == config.address && other.port == config.port) {
      gateway.fault("address", fmt::format("'{}' and the port {} are those of gateway '{}' in line {}", shown(text),
                                           config.port, other.name, other.line));
    }
  }
  return config;
}

void check_count(const YamlReader& gateways, const SiteConfig& site) {
  if (!gateways.absent() && (site.gateways.size() < 2 || site.gateways.size() > SiteConfig::kMostGateways)) {
    gateways.fault(fmt::format("has {}; a site has 2 to {}", site.gateways.size(), SiteConfig::kMostGateways));
  }
}

// The one that the command line names.
void choose_own(YamlReader& gateways, const std::string& name, SiteConfig& site) {
  if (!name.empty()) {
    site.own = place_of(gateways, name, "gateway", names_of(site.gateways));
  }
}

bool is_loopback(const IpAddress& address) {
  return address.is_v4() && address.v4() >> 24 == 127;  // RFC 1122, 3.2.1.3
}

// What proves who sends: a key, or the file's statement that the network between the gateways is theirs alone.
void read_key(YamlReader& site, const Configuration& configuration, SiteConfig& config) {
  enum class Key : std::uint8_t { kNone };
  if (const auto key = site.optional<std::string>("key_file")) {
    config.key_file = configuration.file.parent_path() / *key;
  }
  const bool is_without = site.has("key") && site.choice<Key>("key", {{"none", Key::kNone}}, Key::kNone) == Key::kNone;
  if (is_without && !config.key_file.empty()) {
    site.fault("key", "'none' and `key_file` exclude each other; remove one of them");
  }
  const auto reachable = std::ranges::find_if_not(
      config.gateways, [](const GatewayConfig& gateway) { return is_loopback(gateway.address); });
  if (reachable != config.gateways.end() && config.key_file.empty() && !is_without) {
    site.fault(fmt::format(
        "gateway '{}' has the address {}, and without a key every host that reaches it can forge frames and give "
        "commands: make a key with `(umask 077; openssl rand -hex 32 >site.key)` and name it in `key_file`, at all "
        "gateways the same; or write `key: none` if no other host reaches the network between the gateways",
        reachable->name, reachable->address.text()));
  }
}

void check_ports(YamlReader& site, const Configuration& configuration) {
  std::vector<bool> used(configuration.site->gateways.size());
  for (const PortConfig& port : configuration.ports) {
    if (port.gateway < used.size()) {
      used[port.gateway] = true;
    }
  }
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) {
      site.fault("gateways", fmt::format("'{}' has no port; give each gateway at least one (`ports.NAME.gateway`)",
                                         configuration.site->gateways[i].name));
    }
  }
}

}  // namespace

void read_site(YamlReader& root, const KnownNames& known, Configuration& configuration) {
  auto site = root.optional_child("site");
  if (!site) {
    if (!known.gateway.empty()) {
      root.fault("site", fmt::format("is missing: --gateway '{}' names one of its gateways", known.gateway));
    }
    return;
  }
  SiteConfig& config = configuration.site.emplace();
  config.name = configuration.name;
  YamlReader gateways = site->child("gateways");
  for (auto& [name, gateway] : gateways.entries()) {
    config.gateways.push_back(read_gateway(name, gateway, config));
  }
  check_count(gateways, config);
  choose_own(gateways, known.gateway, config);
  config.media =
      site->choice<SiteMedia>("media", {{"shared", SiteMedia::kShared}, {"apart", SiteMedia::kApart}}, config.media);
  read_key(*site, configuration, config);
  constexpr Range<Nanoseconds> kLag{1us, 10s, "1us to 10s"};
  config.air_lag = read_within(*site, "air_lag", kLag).value_or(config.air_lag);
  constexpr Range<Nanoseconds> kClock{1us, 1s, "1us to 1s"};
  config.clock_within = read_within(*site, "clock_within", kClock).value_or(config.clock_within);
  constexpr Range<Nanoseconds> kSilent{200ms, 1min, "200ms to 1min"};
  config.silent_after = read_within(*site, "silent_after", kSilent).value_or(config.silent_after);
  if (config.own) {
    configuration.name = fmt::format("{}-{}", config.name, config.gateways[*config.own].name);
    check_name(gateways, configuration.name);
  }
}

void check_site(YamlReader& root, const Configuration& configuration) {
  auto site = root.optional_child("site");
  if (!site) {
    return;
  }
  check_ports(*site, configuration);
  const auto refuse = [&](bool wrong, std::string_view what) {
    if (wrong) {
      site->fault(fmt::format("does not go together with {} yet", what));
    }
  };
  refuse(configuration.pace != Pace::kWall, "another pace than `wall`");
  refuse(configuration.clock.reference.kind == ReferenceKind::kMonotonic,
         "a clock that follows nothing: gateways agree on time by `clock.source`, best by ptp4l");
  if (configuration.vehicles && !(configuration.vehicles->origin && configuration.vehicles->origin_has_altitude)) {
    site->fault(
        "needs `physics.origin` with `altitude` for physics of type mavlink: which robot speaks first is not the same "
        "at all gateways, and would lay it");
  }
  refuse(is_air_external(configuration) && configuration.late == LatePolicy::kHalt,
         "`late: halt` and external simulators: another gateway's simulator continues; use hold_last");
  refuse(root.has("scenario"), "a scenario");
  refuse(configuration.kernel_links, "links that the kernel decides");
  refuse(configuration.cores.size() > 1 && radios_may_meet(configuration),
         "several `packet_loop.cores` where radios of several gateways may meet (`media: shared`)");
  refuse(configuration.cores.size() > 1 && is_air_external(configuration),
         "several `packet_loop.cores` and external simulators, or positions that robots say");
  for (const PortConfig& port : configuration.ports) {
    if (port.driver != PortDriver::kAfXdp && port.driver != PortDriver::kElsewhere) {
      site->fault(fmt::format("port '{}' is no network interface; a site's ports are (driver af_xdp or tap) until now",
                              port.name));
    }
  }
  for (const RobotConfig& robot : configuration.robots) {
    if (robot.macs.empty()) {
      site->fault(
          fmt::format("needs the `mac` of every robot, because what one gateway learns the others do not know; "
                      "robot '{}' has none",
                      robot.name));
    }
    if (!robot.shared_macs.empty()) {
      site->fault(
          fmt::format("excludes a shared `mac`, as robot '{}' has, because gateways do not report to one another "
                      "which robot has sent from it last",
                      robot.name));
    }
  }
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// clock.serve: the ports on which hilgate is a PTP grandmaster.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "config/plain_text.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;
using Day = std::chrono::sys_days;

// "2100-01-01", at midnight. Served times are nanoseconds in 64 bits, which end in 2262.
std::optional<std::chrono::seconds> day_of(const std::string& text) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int used = 0;
  const bool read = std::sscanf(text.c_str(), "%4d-%2u-%2u%n", &year, &month, &day, &used) == 3;
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{month}, std::chrono::day{day}};
  if (!read || static_cast<std::size_t>(used) != text.size() || !date.ok() || year < 1970 || year > 2200) {
    return std::nullopt;
  }
  return Day{date}.time_since_epoch();
}

std::chrono::seconds read_epoch(YamlReader& serve) {
  const auto text = serve.optional<std::string>("epoch");
  const auto epoch = text ? day_of(*text) : std::chrono::seconds{0};
  if (!epoch) {
    serve.fault("epoch", fmt::format("'{}' is not a day from 1970-01-01 to 2200-12-31", shown(*text)));
  }
  return epoch.value_or(0s);
}

// PTP's intervals are powers of two of a second.
std::int8_t read_interval(YamlReader& serve, std::string_view key, int least, std::int8_t otherwise) {
  const auto interval = serve.optional<Nanoseconds>(key);
  if (!interval) {
    return otherwise;
  }
  for (int log = least; log <= 4; ++log) {
    if (std::llround(std::ldexp(1e9, log)) == interval->count()) {
      return static_cast<std::int8_t>(log);
    }
  }
  serve.fault(
      key,
      fmt::format("'{}' is not a PTP interval; allowed: a power of two of a second from {:g}ms to 16s, for example "
                  "125ms, 250ms, 500ms, 1s",
                  serve.optional<std::string>(key).value_or(""), std::ldexp(1e3, least)));
  return otherwise;
}

GrandmasterOptions read_master(YamlReader& serve) {
  constexpr Range<std::uint8_t> kDomain{0, 127, "0 to 127"};
  GrandmasterOptions master;
  master.domain = read_within(serve, "domain", kDomain).value_or(master.domain);
  master.announce.priority1 = serve.optional<std::uint8_t>("priority1", master.announce.priority1);
  master.announce.priority2 = serve.optional<std::uint8_t>("priority2", master.announce.priority2);
  master.announce.clock_class = serve.optional<std::uint8_t>("class", master.announce.clock_class);
  master.mechanism = serve.choice<DelayMechanism>(
      "delay", {{"e2e", DelayMechanism::kEndToEnd}, {"p2p", DelayMechanism::kPeerToPeer}}, master.mechanism);
  master.answer = serve.choice<DelayAnswer>("answer", {{"served", DelayAnswer::kServed}, {"unit", DelayAnswer::kUnit}},
                                            master.answer);
  master.rule = serve.choice<MasterRule>("better_master",
                                         {{"insist", MasterRule::kInsist}, {"yield", MasterRule::kYield}}, master.rule);
  master.log_sync_interval = read_interval(serve, "sync_every", -7, master.log_sync_interval);
  master.log_delay_interval = master.log_sync_interval;
  master.log_announce_interval = read_interval(serve, "announce_every", -4, master.log_announce_interval);
  return master;
}

PortIndex read_port(YamlReader& serve, const Configuration& configuration) {
  const auto name = serve.required<std::string>("port");
  const auto names = names_of(configuration.ports);
  const auto place = serve.has("port") ? place_of(serve.child("port"), name, "port", names) : std::nullopt;
  if (place && configuration.ports[*place].driver == PortDriver::kDpdk) {
    serve.fault("port", fmt::format("'{}' is a DPDK device, which the kernel does not see; PTP can be served on ports "
                                    "with driver af_xdp",
                                    shown(name)));
  }
  if (place && is_line(configuration.ports[*place].driver)) {
    serve.fault("port", fmt::format("'{}' is a serial line, which carries no PTP", shown(name)));
  }
  if (place && configuration.ports[*place].ptp != PtpPassage::kKeep) {
    serve.fault("port", fmt::format("'{}' has ptp: {}, so PTP from its robots does not reach the gateway; "
                                    "remove its `ptp` to serve them time",
                                    shown(name), hilgate::name(configuration.ports[*place].ptp)));
  }
  if (place && configuration.ports[*place].trunk) {
    serve.fault("port", fmt::format("'{}' has robots with a `vlan`; PTP is served without tags", shown(name)));
  }
  return PortIndex{place.value_or(0)};
}

ServeConfig read_one(YamlReader& serve, const Configuration& configuration) {
  using Time = ServeConfig::Time;
  ServeConfig config;
  config.port = read_port(serve, configuration);
  config.line = serve.line();
  config.transport = serve.choice<PtpTransportKind>(
      "transport",
      {{"udp4", PtpTransportKind::kUdp4}, {"udp6", PtpTransportKind::kUdp6}, {"l2", PtpTransportKind::kEthernet}},
      config.transport);
  config.time = serve.choice<Time>("time", {{"wall", Time::kWall}, {"sim", Time::kSim}},
                                   runs_apart(configuration.pace) ? Time::kSim : Time::kWall);
  config.epoch = read_epoch(serve);
  if (config.time == Time::kWall && serve.has("epoch")) {
    serve.fault("epoch", "applies to simulation time only; wall time has the epoch of its reference");
  }
  config.master = read_master(serve);
  return config;
}

bool collide(const ServeConfig& a, const ServeConfig& b) {
  return a.port == b.port && a.transport == b.transport && a.master.domain == b.master.domain;
}

}  // namespace

void read_serve(YamlReader& clock, Configuration& configuration) {
  std::vector<ServeConfig>& all = configuration.clock.serve;
  for (YamlReader& serve : clock.items("serve")) {
    const ServeConfig one = read_one(serve, configuration);
    if (std::any_of(all.begin(), all.end(), [&](const ServeConfig& other) { return collide(one, other); })) {
      serve.fault("is a second master on the same port, transport and domain");
    }
    all.push_back(one);
    if (one.port.value() < configuration.ports.size() &&
        configuration.ports[one.port.value()].driver != PortDriver::kElsewhere) {
      configuration.ports[one.port.value()].ptp_served = true;
    }
  }
  std::erase_if(all, [&](const ServeConfig& one) {
    return one.port.value() < configuration.ports.size() &&
           configuration.ports[one.port.value()].driver == PortDriver::kElsewhere;
  });
  if (!all.empty() && configuration.pace == Pace::kLockstep) {
    clock.fault("serve", "cannot be used with pace lockstep, which has no clock to serve");
  }
}

}  // namespace hilgate

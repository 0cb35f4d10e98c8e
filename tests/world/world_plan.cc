// SPDX-License-Identifier: Apache-2.0
#include "tests/world/world_plan.h"

#include <array>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "tests/support/packets.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

BitHazard hazard(double ber) {
  return {-std::log1p(-ber)};
}

Nanoseconds micros(std::uint32_t count) {
  return std::chrono::microseconds(count);
}

// 802.11n at 65 Mbit/s, and a group's basic rate.
std::vector<PhyMode> some_modes() {
  return {{.preamble = 36us,
           .symbol = 4us,
           .bits_per_symbol = 260,
           .service_bits = 22,
           .overhead_bytes = 24,
           .ack = 44us,
           .rate_bps = 65e6,
           .ack_bits = 134,
           .block_ack_bits = 278,
           .rts_bits = 182,
           .rts = 28us,
           .sifs = 16us},
          {.preamble = 20us,
           .symbol = 4us,
           .bits_per_symbol = 24,
           .service_bits = 22,
           .overhead_bytes = 24,
           .ack = 0ns,
           .rate_bps = 6e6}};
}

AirDomain some_domain(WorldRandom& random) {
  AirDomain domain{.slot = 20us, .difs = 50us, .cw_min = 31};
  switch (random.below(5)) {
    case 0:
      domain.access = MediumAccess::kScheduled;
      domain.both_ways = random.chance(0.5);
      break;
    case 1:
      domain.access = random.chance(0.5) ? MediumAccess::kOverlappingDcf : MediumAccess::kAloha;
      domain.carrier_sense_dbm = random.chance(0.5) ? -82 : -60;
      break;
    case 2:
      domain.access = random.chance(0.5) ? MediumAccess::kTdma : MediumAccess::kRoundRobin;
      domain.tdma_slot = domain.access == MediumAccess::kTdma ? 700us : 0us;
      domain.tdma_guard = domain.access == MediumAccess::kTdma ? 30us : 0us;
      break;
    default:
      break;
  }
  return domain;
}

}  // namespace

WorldPlan::WorldPlan(std::uint64_t number) : seed(number) {
  WorldRandom random(number);
  hostile = random.chance(0.2);
  judged = !hostile && random.chance(0.25);
  lying = judged && random.chance(0.3);
  robots = (hostile ? 4 : 2) + random.below(4);
  access_points = !hostile && !judged && random.chance(0.2) ? 1 + random.below(2) : 0;
  cores = !judged && random.chance(0.3) ? 2 : 1;
  in_order = access_points == 0 && !lying && random.chance(0.6);
  twice = random.chance(0.3);
  patience = hostile || random.chance(0.3) ? 0ns : Nanoseconds{1000 + random.below(20'000)};
  place_robots(random);
  for (std::size_t link = 0; link < std::size_t{places()} * places(); ++link) {
    least.push_back(access_points > 0 || lying ? 0us : micros(random.below(random.chance(0.5) ? 50 : 3000)));
  }
  settings.seed = random.next();
  settings.hold_frames = hostile || random.chance(0.7) ? 1024 : 8 + random.below(60);
  settings.frame_limit = 256;
  settings.parked_packets = judged ? 64 + random.below(400) : 0;
  settings.air = air(random);
  windows.window = micros(500 + random.below(3000));
  windows.lag_one_window = random.chance(0.5);
  windows.late = random.chance(0.5) ? LatePolicy::kHoldLast : LatePolicy::kDiscard;
  windows.recovery = random.chance(0.5) ? Recovery::kCatchUp : Recovery::kSkip;
  windows.packet_hold = micros(2000 + random.below(20'000));
}

// Robots share ports at times, the first may have no address of its own, and a simulator may judge some alone.
void WorldPlan::place_robots(WorldRandom& random) {
  const bool all_judged = judged && random.chance(0.5);
  for (std::uint32_t i = 0; i < robots; ++i) {
    const bool shares = i > 1 && !hostile && random.chance(0.25);
    port_of.push_back(shares ? 1 : static_cast<std::uint32_t>(bursts.size()));
    if (!shares) {
      bursts.push_back(random.chance(0.5));
    }
    const std::vector<MacAddress> macs =
        i == 0 && random.chance(0.2) ? std::vector<MacAddress>{} : std::vector{mac_of(i + 1)};
    settings.robots.push_back({PortSlot{port_of.back()}, macs, {ipv4_of(i + 1), ipv6_of(i + 1)}});
    settings.robots.back().judged = judged && (all_judged || random.chance(0.6));
    const bool radio = !settings.robots.back().judged && !is_hostile(i) && random.chance(0.5);
    stations_.push_back(radio ? std::make_optional(some_station(random)) : std::nullopt);
  }
  for (std::uint32_t i = 0; i < access_points; ++i) {
    port_of.push_back(0);
    settings.robots.push_back({.port = PortSlot{0}, .macs = {}, .ips = {}, .present = false});
    stations_.push_back(some_station(random));
  }
  for (std::uint32_t i = 0; access_points > 0 && i < places(); ++i) {
    roles_.push_back(i >= robots          ? AirRole::kAccessPoint
                     : stations_[i]       ? AirRole::kStation
                     : random.chance(0.7) ? AirRole::kWired
                                          : AirRole::kNone);
  }
}

Station WorldPlan::some_station(WorldRandom& random) const {
  return {.domain = random.below(2),
          .queue_frames = 1 + random.below(100),
          .aggregation = {.frames = random.chance(0.5) ? 1 : 1 + random.below(8)},
          .duty = {.share = random.chance(0.7) ? 1 : 0.05, .period = 10ms, .drops = random.chance(0.5)},
          .rts_above = random.chance(0.5) ? std::nullopt : std::make_optional(random.below(250)),
          .base = random.chance(0.2),
          .icmp_mtu = random.chance(0.8) ? 0U : 200U};
}

LinkRules WorldPlan::some_rules(WorldRandom& random) const {
  return {.policy = static_cast<ErrorPolicy>(random.below(5)),
          .tries = 1 + random.below(7),
          .retry_delay = random.chance(0.5) ? 200us : 0us,
          .extra_hazard = hazard(random.chance(0.7) ? 0 : 1e-5),
          .repeat_delay = random.chance(0.3) ? 300us : 0us,
          .burst_continues = random.chance(0.5) ? 0 : 0.8,
          .mtu_bytes = random.chance(0.7) ? 0U : 200U,
          .combines = random.chance(0.3),
          .protect_headers = random.chance(0.7),
          .extra_delay = random.chance(0.5) ? 0us : 700us,
          .impairments = random.chance(0.6) ? nullptr : some_impairments(random)};
}

AirPlan WorldPlan::air(WorldRandom& random) const {
  AirPlan air{.modes = some_modes(), .domains = {AirDomain{}, some_domain(random)}, .stations = stations_, .rules = {}};
  for (std::size_t link = 0; link < std::size_t{places()} * places(); ++link) {
    air.rules.push_back(some_rules(random));
  }
  air.roles = roles_;
  air.distribution_delay = roles_.empty() || random.chance(0.5) ? 0us : 300us;
  return air;
}

std::shared_ptr<const Impairments> WorldPlan::some_impairments(WorldRandom& random) const {
  Impairments some;
  const std::array<LossModel, 5> losses = {IndependentLoss{random.chance(0.2) ? 1 : 0.3}, BurstLoss{0.05, 1, 10},
                                           GilbertElliottLoss{0.1, 0.3, 0.01, 0.7},
                                           FourStateLoss{0.1, 0.3, 0.2, 0.5, 0.05}, FadingLoss{200us, 100us, 0.9}};
  const std::array<DelayDistribution, 4> delays = {UniformDelay{0us, 900us}, NormalDelay{300us, 200us},
                                                   ParetoDelay{50us, 1.5}, TableDelay{{0us, 10us, 2ms}}};
  if (random.chance(0.5)) {
    some.loss = losses[random.below(5)];
  }
  if (random.chance(0.5)) {
    some.jitter = Jitter{delays[random.below(4)], static_cast<JitterMode>(in_order ? 0 : random.below(3)), 100us};
  }
  if (random.chance(0.3)) {
    some.rate = RateLimit{1e6 * (1 + random.below(100)), random.chance(0.5), 1 + random.below(20),
                          random.chance(0.5) ? 0U : 3000U, random.chance(0.5)};
  }
  if (!in_order && random.chance(0.3)) {
    some.reordering = Reordering{0.3, 1ms};
  }
  if (twice && random.chance(0.3)) {
    some.duplication = Duplication{0.3, random.chance(0.5) ? 0us : 50us};
  }
  if (random.chance(0.3)) {
    some.outages = Outages{{{1ms, 2ms, 9ms}}};
  }
  return std::make_shared<const Impairments>(std::move(some));
}

void WorldPlan::fill(LinkTable& table, const AirPlan& air_plan, WorldRandom& random) const {
  constexpr std::array<double, 8> kBers = {0, 0, 0, 1e-6, 1e-5, 1e-4, 1e-3, 0.5};
  table.links.resize(least.size());
  for (std::size_t link = 0; link < table.links.size(); ++link) {
    const bool clean = random.chance(0.5);
    table.links[link] = {.unicast = hazard(clean ? 0 : kBers[random.below(8)]),
                         .multicast = hazard(clean ? 0 : kBers[random.below(8)]),
                         .delay = least[link] + (random.chance(0.5) ? 0us : micros(random.below(2000))),
                         .rssi_dbm = -100 + static_cast<float>(random.below(40)),
                         .snr_db = static_cast<float>(random.below(30)),
                         .unicast_mode = 0,
                         .multicast_mode = 1,
                         .reachable = !random.chance(0.05),
                         .ack_loss = random.chance(0.7) ? 0 : 0.4F,
                         .combined = {1e-6F, 0, 0}};
  }
  table.attachments.clear();
  for (const AirRole role : air_plan.roles) {
    const bool away = role == AirRole::kStation && random.chance(0.2);
    const bool cable = role == AirRole::kWired && random.chance(0.5);
    table.attachments.push_back(
        away    ? Attachment{.state = random.chance(0.5) ? Attachment::State::kNone : Attachment::State::kRoaming}
        : cable ? Attachment{.state = Attachment::State::kAttached}
                : Attachment{Attachment::State::kAttached, RobotIndex{robots + random.below(access_points)}});
  }
}

std::string WorldPlan::text() const {
  std::string text = fmt::format("{} robots, {} ports, {} access points, {} cores, patience {} ns", robots, ports(),
                                 access_points, cores, patience.count());
  for (const AirDomain& domain : settings.air.domains) {
    text += fmt::format(", medium {}", static_cast<int>(domain.access));
  }
  const std::pair<bool, const char*> flags[] = {
      {hostile, "hostile"}, {judged, "judged"}, {lying, "lying"}, {in_order, "in order"}, {twice, "duplicates"}};
  for (const auto& [on, name] : flags) {
    text += on ? fmt::format(", {}", name) : "";
  }
  for (std::uint32_t i = 0; i < places(); ++i) {
    text +=
        fmt::format("\n  {}: port {}{}", i, port_of[i],
                    stations_[i] ? fmt::format(", radio {}{}", stations_[i]->domain, stations_[i]->base ? ", base" : "")
                                 : std::string());
  }
  return text;
}

}  // namespace hilgate::test

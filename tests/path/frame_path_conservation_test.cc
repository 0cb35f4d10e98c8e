// SPDX-License-Identifier: Apache-2.0
// Random worlds in which everything goes wrong: every delivery must be accounted for at every iteration, no frame
// leaves before it may, no buffer is lost. A failure names its seed.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "clock/ptp/ptp_message.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

class World {
 public:
  explicit World(std::uint64_t seed)
      : random_(seed), robots_(2 + below(4)), access_points_(below(3)), rig_(settings(), 256, 4096) {
    for (auto& port : rig_.ports) {
      port->burst_limit = 1 + below(64);
      port->tx_room = chance(0.5) ? 1 + below(8) : SIZE_MAX;
    }
  }

  void run(int iterations) {
    for (int i = 0; i < iterations && !testing::Test::HasFailure(); ++i) {
      rig_.clock.advance(Nanoseconds{static_cast<std::int64_t>(below(chance(0.1) ? 3'000'000 : 20'000))});
      for (auto frames = below(6); frames > 0; --frames) {
        arrive();
      }
      if (chance(0.1)) {
        publish();
      }
      for (auto& port : rig_.ports) {
        port->stuck = chance(0.2);
        port->away = chance(0.05);
      }
      rig_.pool.copies_allowed = chance(0.3) ? 0 : SIZE_MAX;
      if (chance(0.02)) {
        change();
        check();
      }
      if (chance(0.01)) {
        rig_.path->drain();
        EXPECT_EQ(rig_.path->totals().held, 0U);
        check();
      }
      rig_.iterate();
      check();
    }
    rig_.path->drain();
    check();
    EXPECT_EQ(rig_.path->totals().held, 0U);
  }
  [[nodiscard]] const PathTotals& totals() const { return rig_.path->totals(); }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  bool chance(double p) { return static_cast<double>(random_() >> 11) * 0x1p-53 < p; }

  // Another configuration in the middle of everything: rules, media, robots that are gone or back.
  void change() {
    PathSettings next = rig_.settings;
    next.air = random_air();
    for (std::uint32_t i = 0; i < robots_; ++i) {
      next.robots[i].present = chance(0.8);
    }
    rig_.change(next);
  }

  // Access points have places behind the robots', and no ports.
  PathSettings everybody() const {
    PathSettings settings = plain_settings(robots_ + access_points_);
    for (std::uint32_t i = robots_; i < settings.robots.size(); ++i) {
      settings.robots[i] = {.port = PortSlot{0}, .macs = {}, .ips = {}, .present = false};
    }
    return settings;
  }

  PathSettings settings() {
    PathSettings settings = everybody();
    settings.seed = random_();
    settings.hold_frames = chance(0.5) ? 4 + below(20) : 1024;
    settings.frame_limit = 1518;
    settings.air = random_air();
    for (std::uint32_t i = 0; i < robots_; ++i) {
      settings.ptp.push_back(static_cast<PtpPassage>(below(3)));
    }
    for (std::uint32_t i = 0; i < robots_; ++i) {
      if (i > 1 && chance(0.3)) {
        settings.robots[i].port = PortSlot{1};  // shares a port
      } else if (chance(0.3) && i == 0) {
        settings.robots[i].macs.clear();
      }
    }
    return settings;
  }

  AirPlan random_air() {
    PathSettings settings = everybody();
    settings.air.domains = {AirDomain{}, some_domain()};
    settings.air.modes.push_back({.preamble = 20us,
                                  .symbol = 4us,
                                  .bits_per_symbol = 24,
                                  .service_bits = 22,
                                  .overhead_bytes = 24,
                                  .ack = 0ns,
                                  .rate_bps = 6e6});
    for (std::uint32_t i = 0; i < robots_; ++i) {
      if (chance(0.5)) {
        settings.air.stations[i] = some_station();
      }
    }
    if (access_points_ > 0 && chance(0.7)) {
      add_network(settings.air);
    } else if (settings.air.domains[1].access != MediumAccess::kScheduled && chance(0.7)) {
      settings.air.domains[1].mesh = MeshForwarding{1 + below(5), 0us, 500us};
    }
    for (auto& station : settings.air.stations) {
      if (station && settings.air.domains[station->domain].access == MediumAccess::kOverlappingDcf && !station->base) {
        station->edca = some_categories();
      }
    }
    for (LinkRules& rules : settings.air.rules) {
      rules = {.policy = static_cast<ErrorPolicy>(below(5)),
               .tries = 1 + below(7),
               .retry_delay = chance(0.5) ? 200us : 0us,
               .extra_hazard = hazard_of(chance(0.5) ? 0 : 1e-5),
               .repeat_delay = chance(0.3) ? 300us : 0us,
               .burst_continues = chance(0.5) ? 0 : 0.8,
               .mtu_bytes = chance(0.7) ? 0U : 1400U,
               .combines = chance(0.3),
               .protect_headers = chance(0.7),
               .extra_delay = chance(0.5) ? 0us : 700us,
               .impairments = chance(0.5) ? nullptr : some_impairments()};
    }
    return settings.air;
  }

  std::optional<std::array<EdcaParameters, kAccessCategories>> some_categories() {
    if (chance(0.5)) {
      return std::nullopt;
    }
    std::array<EdcaParameters, kAccessCategories> categories;
    for (EdcaParameters& category : categories) {
      category = {.aifsn = 2 + below(6), .cw_min = below(8), .cw_max = 15, .txop = chance(0.5) ? 0us : 2ms};
    }
    return categories;
  }

  // To anywhere: over stations that are gone, in circles, or nowhere.
  std::shared_ptr<const MeshRoutes> some_routes() {
    auto routes = std::make_shared<MeshRoutes>();
    routes->ends = robots_ + access_points_;
    routes->next.resize(routes->ends * routes->ends);
    for (auto& next : routes->next) {
      next = chance(0.8) ? OptionalIndex<RobotIndex>(RobotIndex{below(robots_)}) : OptionalIndex<RobotIndex>{};
    }
    return routes;
  }

  Station some_station() {
    return {.domain = below(2),
            .queue_frames = 1 + below(10),
            .aggregation = {.frames = chance(0.5) ? 1 : 1 + below(8)},
            .duty = {.share = chance(0.7) ? 1 : 0.05, .period = 10ms, .drops = chance(0.5)},
            .rts_above = chance(0.5) ? std::nullopt : std::make_optional(below(1500)),
            .group_mode = 1,
            .base = chance(0.2),
            .icmp_mtu = chance(0.5) ? 0U : 1400U};
  }

  void add_network(AirPlan& air) {
    air.distribution_delay = chance(0.5) ? 0us : 300us;
    for (std::uint32_t i = 0; i < robots_; ++i) {
      air.roles.push_back(air.stations[i] ? AirRole::kStation : chance(0.7) ? AirRole::kWired : AirRole::kNone);
    }
    for (std::uint32_t i = robots_; i < robots_ + access_points_; ++i) {
      air.roles.push_back(AirRole::kAccessPoint);
      air.stations[i] = some_station();
    }
  }

  Attachment some_attachment(AirRole role) {
    if (role == AirRole::kStation && chance(0.3)) {
      return {.state = chance(0.5) ? Attachment::State::kNone : Attachment::State::kRoaming};
    }
    const bool cable = role == AirRole::kWired && chance(0.5);
    return cable ? Attachment{.state = Attachment::State::kAttached}
                 : Attachment{Attachment::State::kAttached, RobotIndex{robots_ + below(access_points_)}};
  }

  AirDomain some_domain() {
    const std::pair<MediumAccess, float> overlapping[] = {
        {MediumAccess::kOverlappingDcf, -82}, {MediumAccess::kOverlappingDcf, -60}, {MediumAccess::kAloha, 0}};
    switch (below(4)) {
      case 3:
        return {.slot = 0us,
                .difs = 0us,
                .cw_min = 0,
                .cw_max = 0,
                .access = MediumAccess::kScheduled,
                .both_ways = chance(0.5)};
      case 0:
        return {.slot = 20us, .difs = 50us, .cw_min = 31};
      case 1: {
        const auto& [access, sense] = overlapping[below(3)];
        return {.slot = 20us, .difs = 50us, .cw_min = 31, .access = access, .carrier_sense_dbm = sense};
      }
      default: {
        const bool slots = !chance(0.5);
        return {.slot = 0us,
                .difs = 20us,
                .cw_min = 0,
                .cw_max = 0,
                .access = slots ? MediumAccess::kTdma : MediumAccess::kRoundRobin,
                .tdma_slot = slots ? 700us : 0us,
                .tdma_guard = slots ? 30us : 0us};
      }
    }
  }

  std::vector<FlowRule> some_rules() {
    return {{.filter = FlowFilter("udp"), .changes = {.every = PeriodicLoss{1 + below(10)}}},
            {.filter = FlowFilter("ip"),
             .changes = {.jitter = Jitter{UniformDelay{0us, 900us}, static_cast<JitterMode>(below(3)), 100us}},
             .delay = 200us},
            {.filter = FlowFilter("less 100"), .changes = {.duplication = Duplication{0.3, 10us}}}};
  }

  std::shared_ptr<const Impairments> some_impairments() {
    Impairments some;
    const LossModel losses[] = {
        IndependentLoss{chance(0.2) ? 1 : 0.3},  BurstLoss{0.05, 1, 10},
        GilbertElliottLoss{0.1, 0.3, 0.01, 0.7}, FourStateLoss{0.1, 0.3, 0.2, 0.5, 0.05},
        FadingLoss{{200us, 100us}, 0.9},         GilbertElliottTimeLoss{{300us, 100us}, 0.01, 0.8}};
    const DelayDistribution delays[] = {UniformDelay{0us, 900us}, NormalDelay{300us, 200us}, ParetoDelay{50us, 1.5},
                                        TableDelay{{0us, 10us, 2ms}}};
    if (chance(0.5)) {
      some.loss = losses[below(std::size(losses))];
    }
    if (chance(0.5)) {
      some.jitter = Jitter{delays[below(4)], static_cast<JitterMode>(below(3)), 100us};
    }
    if (chance(0.3)) {
      some.rate = RateLimit{1e6 * (1 + below(100)), chance(0.5), 1 + below(5), chance(0.5) ? 0U : 3000U, chance(0.5)};
    }
    if (chance(0.3)) {
      some.reordering = Reordering{0.3, 1ms};
    }
    if (chance(0.3)) {
      some.duplication = Duplication{0.3, chance(0.5) ? 0us : 50us};
    }
    if (chance(0.3)) {
      some.outages = Outages{{{1ms, 2ms, 9ms}}};
    }
    if (chance(0.3)) {
      some.every = PeriodicLoss{1 + below(10)};
    }
    if (chance(0.3)) {
      some.flows = std::make_shared<const FlowRules>(FlowRules{some_rules()});
    }
    return std::make_shared<const Impairments>(std::move(some));
  }

  void publish() {
    constexpr double kBers[] = {0, 0, 1e-6, 1e-5, 1e-4, 1e-3, 0.5, 1};
    for (LinkState& link : rig_.newest_feed().back().links) {
      link = {.unicast = hazard_of(kBers[below(8)]),
              .multicast = hazard_of(kBers[below(8)]),
              .delay = Nanoseconds{below(5'000'000)},
              .rssi_dbm = -100 + static_cast<float>(below(40)),
              .snr_db = static_cast<float>(below(30)),
              .unicast_mode = 0,
              .multicast_mode = 1,
              .reachable = !chance(0.1),
              .ack_loss = chance(0.5) ? 0 : 0.4F,
              .combined = {1e-6F, 0, 0}};
    }
    std::vector<Attachment>& attachments = rig_.newest_feed().back().attachments;
    attachments.clear();
    for (const AirRole role : rig_.settings.air.roles) {
      attachments.push_back(some_attachment(role));
    }
    rig_.newest_feed().back().routes = chance(0.9) ? some_routes() : nullptr;
    rig_.newest_feed().publish();
  }

  Bytes frame_bytes() {
    const unsigned from = 1 + below(robots_);
    const unsigned to = chance(0.1) ? 99 : 1 + below(robots_);
    Layer2 layer2{.destination = chance(0.3) ? kBroadcast : mac_of(to), .source = mac_of(from), .tags = {}};
    if (chance(0.1)) {
      layer2.source = mac_of(50 + below(3));
    }
    layer2.tags.resize(below(4));
    const bool v6 = chance(0.4);
    Layer3 layer3{.source = v6 ? ipv6_of(from).text() : ipv4_of(from).text(),
                  .destination = v6 ? ipv6_of(to).text() : ipv4_of(to).text(),
                  .fragment = static_cast<std::uint16_t>(chance(0.1)            ? 0x2000
                                                         : chance(v6 ? 0 : 0.5) ? 0x4000
                                                                                : 0)};
    const Bytes data = payload(below(1600), random_());
    switch (below(6)) {
      case 0:
        return ip_frame(layer2, layer3, 17, udp(data));
      case 1:
        return ip_frame(layer2, layer3, 6, tcp(data, 4 * below(4)));
      case 2:
        return ip_frame(layer2, layer3, v6 ? 58 : 1, icmp(data));
      case 3:
        return arp_request(layer2, from, to);
      case 4:
        return ptp_bytes(layer2, layer3, data);
      default:
        return payload(below(80), random_());  // noise
    }
  }

  Bytes ptp_bytes(const Layer2& layer2, const Layer3& layer3, Bytes message) {
    if (message.size() >= kPtpHeaderLength && chance(0.8)) {
      message[0] = static_cast<std::byte>(below(2));  // Sync, Delay_Req
      message[1] = std::byte{2};
      put16(message, 2, static_cast<std::uint16_t>(message.size()));
    }
    return chance(0.5) ? ethernet(layer2, kPtpEthertype, message)
                       : ip_frame(layer2, layer3, 17, udp(message, 319, 319));
  }

  void arrive() {
    Bytes bytes = frame_bytes();
    if (chance(0.1)) {
      bytes.resize(below(static_cast<std::uint32_t>(bytes.size() + 1)));
    }
    std::vector<std::size_t> sizes;
    for (auto parts = chance(0.7) ? 0 : below(6); parts > 0; --parts) {
      sizes.push_back(below(200));
    }
    const HostTime at = std::max(last_arrival_, rig_.clock.now() - Nanoseconds{below(1000)});
    last_arrival_ = at;
    if (const auto frame = rig_.pool.make(bytes, at, sizes)) {
      rig_.ports[below(static_cast<std::uint32_t>(rig_.ports.size()))]->arrive(*frame);
    }
  }

  void check() {
    const PathTotals& totals = rig_.path->totals();
    EXPECT_TRUE(totals.balanced()) << totals.deliveries << " in, " << totals.released << " out, "
                                   << totals.dropped_total() << " dropped, " << totals.held << " held";
    std::uint64_t deliveries = 0;
    std::uint64_t released = 0;
    std::uint64_t dropped = 0;
    for (const LinkCounters& link : rig_.path->links()) {
      deliveries += link.deliveries.get();
      released += link.released.get();
      for (const Counter& reason : link.dropped) {
        dropped += reason.get();
      }
    }
    EXPECT_EQ(deliveries, released + dropped + totals.held);
    EXPECT_LE(released, totals.released);
    EXPECT_LE(totals.released - released, totals.injected) << "what is of no link is the gateway's own";
    std::uint64_t sent = 0;
    for (std::size_t i = 0; i < rig_.ports.size(); ++i) {
      for (; seen_[i] < rig_.sent(static_cast<std::uint32_t>(i)).size(); ++seen_[i]) {
        const Sent& out = rig_.sent(static_cast<std::uint32_t>(i))[seen_[i]];
        EXPECT_GE(out.at, out.arrived) << "left before it came";
      }
      sent += seen_[i];
    }
    EXPECT_EQ(sent, totals.released);
  }

  std::mt19937_64 random_;
  std::uint32_t robots_;
  std::uint32_t access_points_;
  GatewayRig rig_;
  std::array<std::size_t, 8> seen_{};
  HostTime last_arrival_{};
};

// What takes a network simulator, a second core, frame memory that knows its ports (tests/fault/frame_share_test.cc), a
// trunk (trunk_path_test.cc), ports that go (tests/fault/ports_by_reload_test.cc) or robots that ask for addresses
// (neighbour_answers_test.cc), and media of 802.15.4 (air/unslotted_csma_test.cc).
bool of_another_world(DropReason reason) {
  return reason == DropReason::kCrossingFull || reason == DropReason::kVerdictDrop ||
         reason == DropReason::kVerdictLate || reason == DropReason::kVerdictMissing ||
         reason == DropReason::kMemoryShare || reason == DropReason::kUnknownVlan ||
         reason == DropReason::kPortRemoved || reason == DropReason::kAnswered ||
         reason == DropReason::kUnreachableGateway || reason == DropReason::kChannelBusy ||
         reason == DropReason::kEveryNth || reason == DropReason::kAqm;
}

TEST(FramePathConservation, HoldsAtEveryTurnOfRandomWorlds) {
  std::array<std::uint64_t, kDropReasons> dropped{};
  std::uint64_t released = 0;
  std::uint64_t damaged = 0;
  std::uint64_t injected = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE("world seed " + std::to_string(seed));
    World world(seed);
    world.run(400);
    released += world.totals().released;
    damaged += world.totals().damaged;
    injected += world.totals().injected;
    for (std::size_t i = 0; i < kDropReasons; ++i) {
      dropped[i] += world.totals().dropped[i];
    }
    ASSERT_FALSE(HasFailure()) << "world seed " << seed;
  }
  EXPECT_GT(released, 0U);
  EXPECT_GT(damaged, 0U);
  EXPECT_GT(injected, 0U);
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    if (of_another_world(static_cast<DropReason>(i))) {
      continue;
    }
    EXPECT_GT(dropped[i], 0U) << "the worlds never met " << name(static_cast<DropReason>(i));
  }
}

}  // namespace
}  // namespace hilgate::test

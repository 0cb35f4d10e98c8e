// SPDX-License-Identifier: Apache-2.0
#include "gateway/simulators/air_network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gateway/path/frame_path.h"
#include "gateway/simulators/packet_pool.h"

namespace hilgate {
namespace {

constexpr std::uint32_t kLongestFrame = 65'535 + kEthernetHeader;
constexpr Nanoseconds kOnward{1'000};  // when something is due and does not happen

// Sim time is the path's clock.
HostTime on_clock(SimTime instant) {
  return HostTime{instant.time_since_epoch()};
}

MacAddress mac_of_robot(std::uint32_t robot) {
  constexpr std::uint64_t kLocal = 0x0200'0000'0000;
  return MacAddress{kLocal + robot};
}

void write_mac(MacAddress mac, std::byte* to) {
  for (std::size_t i = 0; i < 6; ++i) {
    to[i] = static_cast<std::byte>(mac.value() >> (40 - 8 * i));
  }
}

AirDrop drop_of(std::size_t reason) {
  switch (static_cast<DropReason>(reason)) {
    case DropReason::kUnreachable:
      return AirDrop::kOutOfRange;
    case DropReason::kLostOnAir:
    case DropReason::kRetriesSpent:
      return AirDrop::kBitErrors;
    case DropReason::kCollision:
      return AirDrop::kCollision;
    case DropReason::kQueueFull:
      return AirDrop::kQueueFull;
    default:
      return AirDrop::kOther;
  }
}

bool spoils(ErrorPolicy policy) {
  return policy == ErrorPolicy::kCorruptRaw || policy == ErrorPolicy::kCorruptFixsum;
}

}  // namespace

class SimClock {
 public:
  [[nodiscard]] HostTime now() const { return now_; }
  [[nodiscard]] static constexpr Nanoseconds patience() { return Nanoseconds{0}; }
  void advance_to(HostTime instant) { now_ = std::max(now_, instant); }

 private:
  HostTime now_{};
};

struct AirNetwork::Air {
  Air(const PathSettings& settings, std::uint32_t robots) : feed(settings.air.rules.size()) {
    std::vector<PacketPort*> raw;
    for (std::uint32_t i = 0; i < robots; ++i) {
      raw.push_back(&ports.emplace_back(RobotIndex{i}, pool, received));
    }
    path = std::make_unique<FramePath<PacketPort, PacketPool>>(settings, std::move(raw), pool, feed);
  }

  struct Arrival {
    HostTime at{};
    RobotIndex from{};
    Frame frame{};
  };

  SimClock clock;
  PacketPool pool;
  std::vector<PacketPort::Reception> received;  // in the iteration at hand
  std::deque<PacketPort> ports;                 // by RobotIndex
  LinkTableFeed feed;
  std::unique_ptr<FramePath<PacketPort, PacketPool>> path;
  std::vector<Arrival> arrivals;  // of the step at hand
  std::array<std::uint64_t, kDropReasons> dropped{};
};

PathSettings served_path(const Configuration& configuration, const AirPlan& air) {
  PathSettings settings{.seed = configuration.seed,
                        .frame_limit = kLongestFrame,
                        .hold_frames = configuration.hold_frames,
                        .robots = {},
                        .air = air};
  for (std::uint32_t i = 0; i < configuration.robots.size(); ++i) {
    settings.robots.push_back({PortId{i}, {mac_of_robot(i)}, {}});
  }
  while (settings.robots.size() < link_ends(configuration)) {
    settings.robots.push_back({PortId{0}, {}, {}, false});  // an access point has no address
  }
  for (std::optional<Station>& station : settings.air.stations) {
    if (station) {
      station->icmp_mtu = 0;  // no frame of our own gets through to a coordinator's robot
    }
  }
  return settings;
}

AirNetwork::AirNetwork(const PathSettings& settings, std::uint32_t robots, Netsim& netsim)
    : settings_(settings), robots_(robots), netsim_(netsim) {
  for (LinkRules& rules : settings_.air.rules) {
    is_spoilt_.push_back(spoils(rules.policy));
    spoils_.push_back(rules.extra_hazard);
    if (is_spoilt_.back()) {
      rules.policy = ErrorPolicy::kMarkOnly;  // the coordinator does the damage
    }
  }
  table_.links.resize(settings_.air.rules.size());
  for (LinkState& link : table_.links) {
    link.reachable = false;  // nothing is heard before there is a scene
  }
}

AirNetwork::~AirNetwork() = default;

void AirNetwork::open(Listener listener) {
  listener_ = std::move(listener);
  listener_.ready();
}

void AirNetwork::begin(const NetworkQuestion& question) {
  answer_.clear();
  if (!air_ || question.step.from < from_) {
    air_ = std::make_unique<Air>(settings_, robots_);
    air_->feed.back() = table_;
    air_->feed.publish();
  }
  from_ = question.step.from;
  run_until(on_clock(from_));
  if (question.fresh && question.scene != nullptr && question.scene->robots.size() == robots_) {
    take_scene(*question.scene);
  }
  for (const CapturedPacket& packet : question.packets) {
    enter(packet, question.step);
  }
  std::ranges::stable_sort(air_->arrivals, {}, &Air::Arrival::at);
  run_until(on_clock(question.step.end()));
  listener_.ended(answer_);
}

void AirNetwork::take_scene(const Scene& scene) {
  netsim_.link_states(scene, table_);
  table_.begins = on_clock(table_.at);
  air_->feed.back() = table_;
  air_->feed.publish();
}

void AirNetwork::enter(const CapturedPacket& packet, const Step& step) {
  const std::uint32_t to = packet.receiver.value_or(RobotIndex{}).value();
  if (packet.sender.value() >= robots_ || to >= robots_) {
    answer_.forget.push_back(packet.id);  // of nobody that this network knows
    return;
  }
  const SimTime at = packet.captured < step.from ? packet.captured + step.length : packet.captured;
  const HostTime arrived = std::clamp(on_clock(at), on_clock(step.from), on_clock(step.end()) - Nanoseconds{1});
  PacketPool::Packet kept{.id = packet.id, .from = packet.sender, .to = packet.receiver};
  const auto mac_of = [this](std::uint32_t robot) { return settings_.robots[robot].macs.front(); };
  write_mac(packet.receiver ? mac_of(to) : MacAddress{~std::uint64_t{0}}, kept.header.data());
  write_mac(mac_of(packet.sender.value()), kept.header.data() + 6);
  kept.header[12] = std::byte{0x08};  // IPv4
  air_->arrivals.push_back(
      {arrived, packet.sender, air_->pool.add(kept, std::max(packet.length, kEthernetHeader), arrived)});
}

// From event to event; those at `end` belong to the next step.
void AirNetwork::run_until(HostTime end) {
  auto next = air_->arrivals.begin();
  for (bool moved = true;;) {
    HostTime at = std::max(air_->path->next_due(), moved ? air_->clock.now() : air_->clock.now() + kOnward);
    for (; next != air_->arrivals.end() && next->at <= at && next->at < end; ++next) {
      at = next->at;
      air_->ports[next->from.value()].arrive(next->frame);
    }
    if (at >= end) {
      break;
    }
    air_->clock.advance_to(at);
    const std::uint64_t before = air_->path->activity();
    iterate();
    moved = air_->path->activity() != before;
  }
  air_->arrivals.erase(air_->arrivals.begin(), next);
  air_->clock.advance_to(end);
}

void AirNetwork::iterate() {
  air_->path->iterate(air_->clock);
  const auto& dropped = air_->path->totals().dropped;
  const auto differs = std::ranges::mismatch(dropped, air_->dropped).in1;
  const auto reason = static_cast<std::size_t>(differs - dropped.begin());
  air_->dropped = dropped;
  pass_verdicts(reason);
}

// `drop_reason`: what was lost in this iteration was lost for that.
void AirNetwork::pass_verdicts(std::size_t drop_reason) {
  for (const PacketPort::Reception& reception : std::exchange(air_->received, {})) {
    PacketPool::Packet& packet = air_->pool[reception.packet];
    packet.received = true;
    receive(packet.id, packet.from, reception.by, !packet.to);
  }
  for (const BufferId buffer : air_->pool.gone()) {
    const PacketPool::Packet& packet = air_->pool[buffer];
    if (!packet.received && packet.to) {
      answer_.verdicts.push_back({.packet = packet.id, .receiver = *packet.to, .drop = drop_of(drop_reason)});
    }
    answer_.forget.push_back(packet.id);
  }
  air_->pool.recycle();
}

void AirNetwork::receive(std::uint64_t packet, RobotIndex from, RobotIndex to, bool group) {
  Verdict verdict{.packet = packet,
                  .receiver = to,
                  .release_at = SimTime{air_->clock.now().time_since_epoch()},
                  .ber = bit_error_rate(from, to, group)};
  if (verdict.ber >= 1) {
    verdict.ber = 0;
    verdict.drop = AirDrop::kBitErrors;
  }
  answer_.verdicts.push_back(verdict);
}

double AirNetwork::bit_error_rate(RobotIndex from, RobotIndex to, bool group) const {
  const std::size_t link = link_of(from, to, settings_.robots.size()).value();
  if (!is_spoilt_[link]) {
    return 0;
  }
  const LinkState& state = table_.links[link];
  return -std::expm1(-(group ? state.multicast : state.unicast).per_bit - spoils_[link].per_bit);
}

}  // namespace hilgate

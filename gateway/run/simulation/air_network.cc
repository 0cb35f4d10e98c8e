// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/simulation/air_network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "clock/time.h"
#include "frame/frame.h"
#include "frame/headers.h"
#include "frame/id.h"
#include "gateway/run/simulation/simulation.h"
#include "path/frame_path.h"
#include "path/host_clock.h"

namespace hilgate {

// Packets whose bytes are in memory of another owner, as frames of the packet path: sender, receiver and length.
// Control thread.

/// Models FramePool. A frame's memory is its MAC header alone; the path changes no byte of it, because nothing is
/// damaged here (AirNetwork).
class PacketPool {
 public:
  struct Packet {
    std::uint64_t id = 0;
    RobotIndex from{};
    std::optional<RobotIndex> to{};  // empty: everybody
    bool received = false;           // by any robot
    std::uint32_t owners = 0;
    std::array<std::byte, kEthernetHeader> header{};
    std::array<std::byte, kNoteBytes> note{};
  };

  /// `length`: bytes of the whole frame. The frame has one owner.
  Frame add(const Packet& packet, std::uint32_t length, HostTime arrived);
  [[nodiscard]] Packet& operator[](BufferId buffer) { return packets_[static_cast<std::size_t>(buffer)]; }
  /// Those without an owner, until recycle().
  [[nodiscard]] std::span<const BufferId> gone() const { return gone_; }
  void recycle();

  void share(const Frame& frame, std::uint32_t owners) { (*this)[frame.buffer].owners += owners; }
  void free(const Frame& frame) {
    if (--(*this)[frame.buffer].owners == 0) {
      gone_.push_back(frame.buffer);
    }
  }
  [[nodiscard]] bool is_shared(const Frame& frame) { return (*this)[frame.buffer].owners > 1; }
  static std::optional<Frame> copy(const Frame&) { return std::nullopt; }
  static std::optional<Frame> make(std::span<const std::byte>) { return std::nullopt; }
  static bool move_start(Frame&, int) { return false; }
  template <class Each>
  void for_each_segment(const Frame& frame, Each&& each) {
    each(std::span<std::byte>((*this)[frame.buffer].header));
  }
  [[nodiscard]] std::byte* note(const Frame& frame) { return (*this)[frame.buffer].note.data(); }
  void fetch(const Frame&) {}

 private:
  std::deque<Packet> packets_;  // by BufferId; they stay where they are
  std::vector<BufferId> free_;
  std::vector<BufferId> gone_;
};
static_assert(FramePool<PacketPool>);

/// Models FramePort: where one robot's packets enter the path, and where those for it leave it.
class PacketPort {
 public:
  struct Reception {
    BufferId packet = 0;
    RobotIndex by{};
  };

  /// Both must outlive the port.
  PacketPort(RobotIndex robot, PacketPool& pool, std::vector<Reception>& received)
      : robot_(robot), pool_(&pool), received_(&received) {}

  void arrive(const Frame& frame) { arrived_.push_back(frame); }
  std::size_t capture(std::span<Frame> burst);
  bool release(const Frame& frame) {
    received_->push_back({frame.buffer, robot_});
    pool_->free(frame);
    return true;
  }
  void flush() {}

 private:
  RobotIndex robot_;
  PacketPool* pool_;
  std::vector<Reception>* received_;
  std::deque<Frame> arrived_;
};
static_assert(FramePort<PacketPort>);

Frame PacketPool::add(const Packet& packet, std::uint32_t length, HostTime arrived) {
  if (free_.empty()) {
    free_.push_back(packets_.size());
    packets_.emplace_back();
  }
  const BufferId buffer = free_.back();
  free_.pop_back();
  Packet& kept = (*this)[buffer] = packet;
  kept.owners = 1;
  return {.buffer = buffer,
          .data = kept.header.data(),
          .arrived = arrived,
          .length = length,
          .head_length = static_cast<std::uint32_t>(kept.header.size())};
}

void PacketPool::recycle() {
  free_.insert(free_.end(), gone_.begin(), gone_.end());
  gone_.clear();
}

std::size_t PacketPort::capture(std::span<Frame> burst) {
  std::size_t count = 0;
  for (; count < burst.size() && !arrived_.empty(); ++count) {
    burst[count] = arrived_.front();
    arrived_.pop_front();
  }
  return count;
}

namespace {

constexpr std::uint32_t kLongestFrame = 65'535 + kEthernetHeader;

// Sim time is the path's clock.
HostTime on_clock(SimTime instant) {
  return HostTime{instant.time_since_epoch()};
}

MacAddress mac_of_robot(std::uint32_t robot) {
  constexpr std::uint64_t kLocal = 0x0200'0000'0000;
  return MacAddress{kLocal + robot};
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

struct AirNetwork::Air {
  Air(const PathSettings& settings, std::uint32_t robots, const LinkTable& table) {
    std::vector<PacketPort*> raw;
    for (std::uint32_t i = 0; i < robots; ++i) {
      raw.push_back(&ports.emplace_back(RobotIndex{i}, pool, received));
    }
    feed = feed_of(table);
    path = std::make_unique<FramePath<PacketPort, PacketPool>>(settings, std::move(raw), pool, *feed);
  }

  static std::unique_ptr<LinkTableFeed> feed_of(const LinkTable& table) {
    auto feed = std::make_unique<LinkTableFeed>(table.links.size());
    feed->back() = table;
    feed->publish();
    return feed;
  }

  void change(const PathSettings& settings, const LinkTable& table) {
    auto next_feed = feed_of(table);
    PathParts next(settings, ports.size(), *next_feed, &path->parts());
    path->change(next, clock.now());
    feed = std::move(next_feed);
  }

  struct Arrival {
    HostTime at{};
    RobotIndex from{};
    Frame frame{};
  };

  EventClock clock;
  PacketPool pool;
  std::vector<PacketPort::Reception> received;  // in the iteration at hand
  std::deque<PacketPort> ports;                 // by RobotIndex
  std::unique_ptr<LinkTableFeed> feed;          // outlives the path's parts
  std::unique_ptr<FramePath<PacketPort, PacketPool>> path;
  std::vector<Arrival> arrivals;  // of the step at hand
  std::array<std::uint64_t, kDropReasons> dropped{};
};

PathSettings path_in_sim_time(const Configuration& configuration, const AirPlan& air) {
  PathSettings settings{.seed = configuration.seed,
                        .frame_limit = kLongestFrame,
                        .hold_frames = configuration.hold_frames,
                        .robots = {},
                        .air = air};
  for (std::uint32_t i = 0; i < configuration.robots.size(); ++i) {
    settings.robots.push_back({PortSlot{i}, {mac_of_robot(i)}, {}});
  }
  while (settings.robots.size() < link_ends(configuration)) {
    settings.robots.push_back({PortSlot{0}, {}, {}, false});  // an access point has no address
  }
  for (std::optional<Station>& station : settings.air.stations) {
    if (station) {
      station->icmp_mtu = 0;  // a packet here has no bytes to answer with
    }
  }
  return settings;
}

AirNetwork::AirNetwork(const PathSettings& settings, std::uint32_t robots, std::unique_ptr<NetworkSimulator> links,
                       LinkTable first, AirAnswer answers)
    : robots_(robots), links_(std::move(links)), answers_(answers), table_(std::move(first)) {
  take(settings);
}

AirNetwork::~AirNetwork() = default;

void AirNetwork::take(const PathSettings& settings) {
  settings_ = settings;
  is_spoilt_.clear();
  spoils_.clear();
  for (LinkRules& rules : settings_.air.rules) {
    is_spoilt_.push_back(spoils(rules.policy));
    spoils_.push_back(rules.extra_hazard);
    if (is_spoilt_.back()) {
      rules.policy = ErrorPolicy::kMarkOnly;  // the packet's owner does the damage
    }
  }
}

void AirNetwork::change(const PathSettings& settings) {
  take(settings);
  if (air_) {
    air_->change(settings_, table_);
  }
}

void AirNetwork::open(Listener listener) {
  listener_ = std::move(listener);
  links_->open({.ready = listener_.ready,
                .ended = [this](NetworkAnswer& answer) { links_ended(answer); },
                .failed = listener_.failed});
}

void AirNetwork::begin(const NetworkQuestion& question) {
  answer_.clear();
  if (!air_ || question.step.from < step_.from) {
    air_ = std::make_unique<Air>(settings_, robots_, table_);
  }
  step_ = question.step;
  run_until(on_clock(step_.from));
  for (const CapturedPacket& packet : question.packets) {
    enter(packet, step_);
  }
  std::ranges::stable_sort(air_->arrivals, {}, &Air::Arrival::at);
  NetworkQuestion about_links = question;
  about_links.packets = {};
  about_links.fresh = question.fresh && (question.scene == nullptr || question.scene->robots.size() == robots_);
  about_links.scene = about_links.fresh ? question.scene : nullptr;
  links_->begin(about_links);
}

void AirNetwork::links_ended(NetworkAnswer& answer) {
  if (answer.has_links && answer.links.links.size() == table_.links.size()) {
    table_.take_over(answer.links);
    make_sane(table_, settings_.air.modes.size());
    table_.begins = on_clock(table_.at);
    air_->feed->back().take_over(table_);
    air_->feed->publish();
    if (answers_ == AirAnswer::kVerdictsAndLinks) {
      answer_.has_links = true;
      answer_.links.take_over(table_);
    }
  }
  std::swap(answer_.payload, answer.payload);
  run_until(on_clock(step_.end()));
  listener_.ended(answer_);
}

void AirNetwork::enter(const CapturedPacket& packet, const Step& step) {
  const std::uint32_t to = packet.receiver.value_or(RobotIndex{}).value();
  if (packet.sender.value() >= robots_ || to >= robots_) {
    answer_.forget.push_back(packet.id);  // of robots unknown to this network
    return;
  }
  const SimTime at = packet.captured < step.from ? packet.captured + step.length : packet.captured;
  const HostTime arrived = std::clamp(on_clock(at), on_clock(step.from), on_clock(step.end()) - Nanoseconds{1});
  PacketPool::Packet kept{.id = packet.id, .from = packet.sender, .to = packet.receiver};
  const auto mac_of = [this](std::uint32_t robot) { return settings_.robots[robot].macs.front(); };
  (packet.receiver ? mac_of(to) : MacAddress{~std::uint64_t{0}}).to_wire(kept.header.data());
  mac_of(packet.sender.value()).to_wire(kept.header.data() + 6);
  kept.header[12] = std::byte{0x08};  // IPv4
  air_->arrivals.push_back(
      {arrived, packet.sender, air_->pool.add(kept, std::max(packet.length, kEthernetHeader), arrived)});
}

// From event to event; those at `end` belong to the next step.
void AirNetwork::run_until(HostTime end) {
  auto next = air_->arrivals.begin();
  for (bool moved = true;;) {
    HostTime at = air_->clock.next(air_->path->next_due(), moved);
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

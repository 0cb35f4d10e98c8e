// SPDX-License-Identifier: Apache-2.0
#include "path/air/medium.h"

#include <array>

#include "path/air/access_methods.h"

namespace hilgate {
namespace {

// By precedence: the user priorities of IEEE 802.11-2020, table 10-1, as Linux' cfg80211_classify8021d() takes them.
AccessCategory access_category(std::span<const std::byte> packet) {
  using enum AccessCategory;
  constexpr std::array<AccessCategory, 8> kByPrecedence = {kBestEffort, kBackground, kBackground, kBestEffort,
                                                           kVideo,      kVideo,      kVoice,      kVoice};
  if (packet.size() < 2) {
    return kBestEffort;
  }
  const auto first = std::to_integer<unsigned>(packet[0]);
  const unsigned version = first >> 4;
  const unsigned precedence = version == 4 ? std::to_integer<unsigned>(packet[1]) >> 5 : (first & 0xFU) >> 1;
  return version == 4 || version == 6 ? kByPrecedence[precedence] : kBestEffort;
}

}  // namespace

Medium::Medium(const AirPlan& plan, std::uint64_t seed, std::size_t least)
    : transmitters_(std::make_unique<Transmitters>(plan, seed, least)) {
  for (const AirDomain& rules : plan.domains) {
    domains_.push_back(make_access_method(rules, *transmitters_));
    has_mesh_ = has_mesh_ || rules.mesh;
  }
  std::vector<std::size_t> members(domains_.size());
  for (const Transmitter& transmitter : transmitters_->all()) {
    if (plan.role(transmitter.robot) != AirRole::kStation) {
      domain_of(transmitter).add_member(transmitters_->index_of(transmitter));
      ++members[transmitter.domain];
    }
  }
  for (std::size_t i = 0; i < domains_.size(); ++i) {
    domains_[i]->reserve(plan.roles.empty() ? members[i] : transmitters_->all().size());
  }
}

bool Medium::has_room(RobotSlot sender, HostTime at, std::uint32_t to, std::uint32_t bytes,
                      AccessCategory category) const {
  const Transmitter& transmitter = *transmitters_->of(sender.value(), to, category);
  const bool serial = transmitter.station.serial;
  return transmitter.places(at) < transmitter.station.queue_frames && !transmitters_->full() &&
         (!serial || transmitter.queued_bytes() + bytes <= transmitter.station.queue_bytes);
}

AccessCategory Medium::category_of(RobotSlot sender, std::span<const std::byte> packet) const {
  return transmitters_->of(sender.value())->station.edca ? access_category(packet) : AccessCategory::kBestEffort;
}

std::uint64_t Medium::queued_bytes(RobotSlot sender) const {
  const Transmitter* const transmitter = transmitters_->of(sender.value());
  return transmitter != nullptr ? transmitter->queued_bytes() : 0;
}

std::uint32_t Medium::queued(RobotSlot sender) const {
  std::uint32_t sum = 0;
  for (const Transmitter& transmitter : transmitters_->all()) {
    sum += transmitter.robot == sender.value() ? transmitter.queued : 0;
  }
  return sum;
}

bool Medium::enqueue(RobotSlot sender, const AirJob& job) {
  Transmitter& transmitter = *transmitters_->of(sender.value(), job.to, job.category);
  return transmitter.queued < transmitter.station.queue_frames && append(transmitter, job);
}

bool Medium::append(Transmitter& transmitter, const AirJob& job) {
  const bool first = transmitter.empty();
  if (!transmitters_->append(transmitter, job)) {
    return false;
  }
  if (first) {
    domain_of(transmitter).head_changed(transmitter);
  }
  return true;
}

bool Medium::received(const AirResult& result, std::uint32_t from, std::uint32_t to) {
  Transmitter* const sender = transmitters_->of(from);
  Transmitter* const own = sender != nullptr ? sender : transmitters_->of(to);
  if (own == nullptr) {
    return result.interferers.empty();
  }
  const AccessMethod& domain = *domains_[own->domain];
  const Sent frame{.from = from,
                   .to = to,
                   .mode = result.mode,
                   .bits = static_cast<double>(transmitters_->mode(result.mode).error_bits(result.length)),
                   .since = result.on_air_since,
                   .until = result.on_air_until};
  return domain.receivers().follows(to, from, result.on_air_since) &&
         transmitters_->survives(*own, frame, result.interferers, domain.rules().interference_weight);
}

void Medium::leave(RobotSlot station, HostTime now) {
  for (Transmitter& transmitter : transmitters_->queues_of(station.value())) {
    domain_of(transmitter).leave(transmitter, now);
  }
}

HostTime Medium::next_event() const {
  HostTime next = HostTime::max();
  for (const auto& domain : domains_) {
    next = std::min(next, domain->next_event());
  }
  return next;
}

AccessMethod* Medium::first_domain(HostTime limit) {
  AccessMethod* first = nullptr;
  for (const auto& domain : domains_) {
    const HostTime next = domain->next_event();
    if (next <= limit && next != HostTime::max()) {
      first = domain.get();
      limit = next - Nanoseconds{1};
    }
  }
  return first;
}

void Medium::add_use(std::vector<AirUse>& uses) const {
  uses.resize(std::max(uses.size(), domains_.size()));
  for (std::size_t i = 0; i < domains_.size(); ++i) {
    uses[i].busy += domains_[i]->busy();
    uses[i].acks_lost += domains_[i]->acks_lost();
  }
}

}  // namespace hilgate

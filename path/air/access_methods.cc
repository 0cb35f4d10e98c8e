// SPDX-License-Identifier: Apache-2.0
#include "path/air/access_methods.h"

#include <algorithm>
#include <span>

#include "path/air/dcf.h"
#include "path/air/overlapping_access.h"
#include "path/air/tdma.h"
#include "path/air/unslotted_csma.h"

namespace hilgate {

HostTime within_spent_budget(const Transmitter& transmitter, HostTime at, Nanoseconds length) {
  const DutyCycle& duty = transmitter.station.duty;
  const Nanoseconds missing = std::min(length, full_budget(duty)) - transmitter.credit;
  const double wait = std::ceil(static_cast<double>(missing.count()) / duty.share);
  return std::max(at, transmitter.credit_at + Nanoseconds{static_cast<std::int64_t>(wait)});
}

void spend(Transmitter& transmitter, HostTime at, Nanoseconds length) {
  const DutyCycle& duty = transmitter.station.duty;
  if (duty.share < 1) {
    const double earned = duty.share * static_cast<double>((at - transmitter.credit_at).count());
    const auto most = static_cast<double>(full_budget(duty).count());
    const double now = std::min(most, static_cast<double>(transmitter.credit.count()) + earned);
    transmitter.credit = Nanoseconds{static_cast<std::int64_t>(now)} - length;
    transmitter.credit_at = at;
  }
}

HostTime RoundRobin::access_of(const Transmitter& transmitter) const {
  return std::max(idle_from_ + rules_.difs, transmitters_.head(transmitter).arrived);
}

HostTime RoundRobin::next_event() const {
  return first_access([this](const Transmitter& transmitter) { return access_of(transmitter); });
}

bool RoundRobin::step(HostTime now) {
  HostTime earliest = HostTime::max();
  std::size_t chosen = 0;
  const std::size_t count = members().size();
  std::size_t member = next_ < count ? next_ : 0;
  for (std::size_t i = 0; i < count; ++i, member = member + 1 < count ? member + 1 : 0) {
    const Transmitter& transmitter = transmitters_[members()[member]];
    if (transmitter.empty()) {
      continue;
    }
    const HostTime access = access_of(transmitter);
    if (access < earliest) {
      earliest = access;
      chosen = member;
    }
  }
  if (earliest > now) {
    return false;
  }
  transmit(transmitters_[members()[chosen]], earliest);
  next_ = (chosen + 1) % count;
  return true;
}

HostTime Scheduled::access_of(const Transmitter& transmitter) const {
  return std::max(idle_from_ + rules_.difs, transmitters_.head(transmitter).arrived);
}

HostTime Scheduled::next_event() const {
  return first_access([this](const Transmitter& transmitter) { return access_of(transmitter); });
}

void Scheduled::head_changed(Transmitter& transmitter) {
  transmitter.service = std::max(transmitter.service, service_);
  AccessMethod::head_changed(transmitter);
}

// How often the frame at the head takes the air.
int Scheduled::passes_of(const Transmitter& transmitter) const {
  const Transmitter* const receiver = transmitters_.of(transmitters_.head(transmitter).to);
  const bool with_base = transmitter.station.base || (receiver != nullptr && receiver->station.base);
  return rules_.both_ways && !with_base ? 2 : 1;
}

bool Scheduled::step(HostTime now) {
  const HostTime earliest = Scheduled::next_event();
  if (earliest > now) {
    return false;
  }
  const std::span<Transmitter> transmitters = transmitters_.all();
  Transmitter* chosen = nullptr;
  for (const std::uint32_t member : members()) {
    Transmitter& transmitter = transmitters[member];
    const bool waits = !transmitter.empty() && transmitters_.head(transmitter).arrived <= earliest;
    if (waits && (chosen == nullptr || transmitter.service < chosen->service)) {
      chosen = &transmitter;
    }
  }
  const int passes = passes_of(*chosen);
  const AirExchange exchange = exchanges_.begin(*chosen, earliest);
  service_ = chosen->service;
  chosen->service += exchange.length() * passes;
  occupy(earliest, exchange.length() * passes);
  end_later(*chosen, earliest + exchange.length() * passes,
            [&] { exchanges_.end(*chosen, earliest + exchange.frame * passes, AirOutcome::kClean); });
  return true;
}

namespace {

template <class Method>
std::unique_ptr<AccessMethod> make(const AirDomain& rules, Transmitters& transmitters) {
  return std::make_unique<Method>(rules, transmitters);
}

struct AccessMethodType {
  MediumAccess access;
  const char* text;
  std::unique_ptr<AccessMethod> (*make)(const AirDomain& rules, Transmitters& transmitters);
};

constexpr AccessMethodType kTypes[] = {
    {MediumAccess::kDcf, "csma", make<Dcf>},
    {MediumAccess::kOverlappingDcf, "csma, hidden stations", make<OverlappingDcf>},
    {MediumAccess::kUnslottedCsma, "unslotted csma", make<UnslottedCsma>},
    {MediumAccess::kAloha, "aloha", make<Aloha>},
    {MediumAccess::kRoundRobin, "tdm, round robin", make<RoundRobin>},
    {MediumAccess::kTdma, "tdm, slots", make<Tdma>},
    {MediumAccess::kScheduled, "scheduled", make<Scheduled>},
};

const AccessMethodType& type_of(MediumAccess access) {
  return *std::ranges::find(kTypes, access, &AccessMethodType::access);
}

}  // namespace

std::unique_ptr<AccessMethod> make_access_method(const AirDomain& rules, Transmitters& transmitters) {
  return type_of(rules.access).make(rules, transmitters);
}

std::string access_text(const AirDomain& rules) {
  return std::string(type_of(rules.access).text) + (rules.both_ways ? ", TDD" : "");
}

}  // namespace hilgate

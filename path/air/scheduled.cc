// SPDX-License-Identifier: Apache-2.0
#include "path/air/scheduled.h"

#include <algorithm>
#include <span>

namespace hilgate {

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
  exchanges_.end(*chosen, earliest + exchange.frame * passes, AirOutcome::kClean);
  return true;
}

}  // namespace hilgate

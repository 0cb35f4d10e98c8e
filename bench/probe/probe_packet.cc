// SPDX-License-Identifier: Apache-2.0
#include "bench/probe/probe_packet.h"

#include <fmt/format.h>

#include <cassert>
#include <cstddef>
#include <cstring>
#include <stdexcept>

namespace hilgate {
namespace {

constexpr std::uint64_t kMagic = 0x3165626f72706768;                     // "hgprobe1" in little-endian memory
constexpr std::int64_t kLongestRun = 400LL * 24 * 3600 * 1'000'000'000;  // ns; keeps due() far from overflow

struct Wire {
  std::uint64_t magic;
  std::int64_t start_ns;
  std::int64_t interval_ns;
  std::uint64_t count;
  std::uint64_t sequence;
  std::int64_t sent_ns;
};
static_assert(sizeof(Wire) == kProbeBytes);

bool plausible(const Wire& wire) {
  return wire.magic == kMagic && wire.interval_ns >= kShortestProbeInterval.count() && wire.start_ns >= 0 &&
         wire.start_ns < kLongestRun && wire.count <= static_cast<std::uint64_t>(kLongestRun / wire.interval_ns) &&
         wire.sequence < wire.count;
}

}  // namespace

void write_probe(const Probe& probe, std::span<std::byte> payload) {
  assert(payload.size() >= kProbeBytes);
  const Wire wire{.magic = kMagic,
                  .start_ns = probe.plan.start.time_since_epoch().count(),
                  .interval_ns = probe.plan.interval.count(),
                  .count = probe.plan.count,
                  .sequence = probe.sequence,
                  .sent_ns = probe.sent.time_since_epoch().count()};
  std::memcpy(payload.data(), &wire, sizeof wire);
}

std::optional<Probe> read_probe(std::span<const std::byte> payload) {
  Wire wire;
  if (payload.size() < sizeof wire) {
    return std::nullopt;
  }
  std::memcpy(&wire, payload.data(), sizeof wire);
  if (!plausible(wire)) {
    return std::nullopt;
  }
  return Probe{.plan = {.start = HostTime{Nanoseconds{wire.start_ns}},
                        .interval = Nanoseconds{wire.interval_ns},
                        .count = wire.count},
               .sequence = wire.sequence,
               .sent = HostTime{Nanoseconds{wire.sent_ns}}};
}

bool ProbeLedger::arrived(std::uint64_t sequence, HostTime now) {
  if (sequence >= plan_.count) {
    throw std::invalid_argument(fmt::format("probe {} of a run of {}", sequence, plan_.count));
  }
  if (sequence < settled_ || plan_.due(sequence) > now) {
    ++ignored_count_;
    return false;
  }
  const auto place = static_cast<std::size_t>(sequence - settled_);
  if (place < here_.size() && here_[place]) {
    ++ignored_count_;
    return false;
  }
  if (place >= here_.size()) {
    here_.resize(place + 1, false);
  }
  here_[place] = true;
  ++arrived_count_;
  settle_arrived();
  return true;
}

void ProbeLedger::settle(HostTime now, const std::function<void(std::uint64_t)>& lost) {
  while (!complete() && plan_.due(settled_) + grace_ <= now) {
    if (!here_.empty()) {
      here_.pop_front();
    }
    lost(settled_++);
    ++lost_count_;
    settle_arrived();
  }
}

void ProbeLedger::settle_arrived() {
  while (!here_.empty() && here_.front()) {
    here_.pop_front();
    ++settled_;
  }
}

}  // namespace hilgate

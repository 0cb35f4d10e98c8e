// SPDX-License-Identifier: Apache-2.0
// clock: the reference that windows follow. What hilgate serves is in config_serve.cc.
#include "config/plain_text.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_sections.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

enum class Source : std::uint8_t { kAuto, kPtp4l, kPhc, kNtpshm, kTai, kMonotonic };

ReferenceKind kind_of(Source source) {
  switch (source) {
    case Source::kAuto:
    case Source::kPtp4l:
      return ReferenceKind::kPtp4l;
    case Source::kPhc:
      return ReferenceKind::kPhc;
    case Source::kNtpshm:
      return ReferenceKind::kNtpshm;
    case Source::kTai:
      return ReferenceKind::kTai;
    case Source::kMonotonic:
      break;
  }
  return ReferenceKind::kMonotonic;
}

void read_domains(YamlReader& clock, ReferenceOptions& reference) {
  if (!clock.has("domain")) {
    return;
  }
  reference.domains = clock.list<std::uint8_t>("domain");
  constexpr std::uint8_t kLast = 127;
  for (const std::uint8_t domain : reference.domains) {
    if (domain > kLast) {
      clock.fault("domain", fmt::format("{} is out of range; allowed PTP domains: 0 to 127", domain));
    }
  }
  if (reference.domains.empty()) {
    clock.fault("domain", "is empty; give at least one PTP domain, in order of preference");
  }
  const bool told_apart = reference.ptp4l.server.native().find("{domain}") != std::string::npos;
  if (reference.domains.size() > 1 && !told_apart) {
    clock.fault("domain",
                "has several domains, each with its own ptp4l: 'socket' needs '{domain}' where their paths "
                "differ, for example /run/ptp4l-{domain}");
  }
}

void read_ptp4l(YamlReader& clock, ReferenceOptions& reference) {
  const auto socket = clock.optional<std::string>("socket");
  constexpr std::size_t kLongest = 107;  // what fits into a sockaddr_un
  if (socket && (socket->empty() || socket->size() > kLongest)) {
    clock.fault("socket",
                fmt::format("'{}' is not a socket path; allowed: 1 to {} characters", shown(*socket), kLongest));
  }
  reference.ptp4l.server = socket.value_or(reference.ptp4l.server);
  read_domains(clock, reference);
}

void read_servo(YamlReader& clock, DisciplineOptions& options) {
  constexpr Range<Nanoseconds> kLoss{100ms, 1h, "100ms to 1h"};
  constexpr Range<PartsPerBillion> kDrift{{0}, {500'000}, "0 ppb to 500 ppm"};
  constexpr Range<Nanoseconds> kStep{1us, 1s, "1us to 1s"};
  constexpr Range<Nanoseconds> kFarthest{0s, 1h * 24 * 365, "0s to 8760h"};
  options.monitor.loss_after = read_within(clock, "loss_after", kLoss).value_or(options.monitor.loss_after);
  options.monitor.drift_ppb =
      read_within(clock, "drift", kDrift).value_or(PartsPerBillion{options.monitor.drift_ppb}).value;
  options.jumps.threshold = read_within(clock, "step", kStep).value_or(options.jumps.threshold);
  options.jumps.farthest = read_within(clock, "farthest_step", kFarthest).value_or(options.jumps.farthest);
  if (options.jumps.farthest < options.jumps.threshold) {
    clock.fault("farthest_step", "is below 'step', so no jump of the reference would be followed");
  }
}

}  // namespace

void read_clock(YamlReader& root, Configuration& configuration) {
  auto clock = root.optional_child("clock");
  if (!clock) {
    return;
  }
  ClockConfig& config = configuration.clock;
  const auto source = clock->choice<Source>("source",
                                            {{"auto", Source::kAuto},
                                             {"ptp4l", Source::kPtp4l},
                                             {"phc", Source::kPhc},
                                             {"ntpshm", Source::kNtpshm},
                                             {"tai", Source::kTai},
                                             {"monotonic", Source::kMonotonic}},
                                            Source::kMonotonic);
  config.automatic = source == Source::kAuto;
  config.reference.kind = kind_of(source);
  if (config.reference.kind == ReferenceKind::kPtp4l) {
    read_ptp4l(*clock, config.reference);
  }
  if (config.reference.kind == ReferenceKind::kPtp4l || config.reference.kind == ReferenceKind::kPhc) {
    const auto device = clock->optional<std::string>("device", "none");
    config.reference.phc = device == "none" ? std::string() : device;
  }
  if (config.reference.kind == ReferenceKind::kNtpshm) {
    constexpr Range<int> kSegment{0, 255, "0 to 255, as ptp4l's ntpshm_segment"};
    config.reference.ntpshm_unit = read_within(*clock, "segment", kSegment).value_or(0);
  }
  read_servo(*clock, config.discipline);
  read_serve(*clock, configuration);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/clock/clock_doctor.h"

#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <array>

#include "clock/host_now.h"
#include "clock/reference/local_sources.h"

namespace hilgate {
namespace {

using Findings = std::vector<ClockFinding>;

void look_at_reference(const ClockFacts& facts, Findings& out) {
  if (facts.kind == ReferenceKind::kMonotonic) {
    out.push_back({ClockConcern::kNote, "the clock follows no reference; it runs on this host's oscillator",
                   "sufficient on one machine; for robots or several gateways set a source (ptp4l, phc, ntpshm, tai)"});
    return;
  }
  if (facts.status.port_state == PtpPortState::kListening || facts.status.port_state == PtpPortState::kMaster) {
    out.push_back(
        {ClockConcern::kError, fmt::format("ptp4l receives no time (port state {})", name(facts.status.port_state)),
         "the master is down, in another domain, on another transport or behind a switch that drops multicast; "
         "check with `pmc -u -b 0 'GET PORT_DATA_SET'` and docs/how-to/ptp.md"});
  } else if (!facts.status.problem.empty()) {
    out.push_back({facts.status.state == ReferenceState::kTracking ? ClockConcern::kWarning : ClockConcern::kError,
                   facts.status.problem, "without it the gateway runs in holdover"});
  }
}

void look_at_timescale(const ClockFacts& facts, Findings& out) {
  constexpr double kTaiMinusUtc = 37;  // since 2017-01-01, IERS Bulletin C 52
  const double apart = seconds_of(facts.ahead_of_system_tai);
  const bool tracking = facts.status.state == ReferenceState::kTracking;
  if (tracking && std::abs(std::abs(apart) - kTaiMinusUtc) < 0.5) {
    out.push_back(
        {ClockConcern::kWarning,
         fmt::format(
             "the reference differs from this host's CLOCK_TAI by {:+.3f} s, which is TAI - UTC: one of the two "
             "is UTC (the kernel's TAI offset is {} s)",
             apart, facts.system_utc_offset_s),
         "set the kernel's TAI offset (chrony leapsectz, or phc2sys) or make the grandmaster serve TAI with the "
         "PTP timescale flag; all gateways must follow the same"});
  }
  if (tracking && facts.kind == ReferenceKind::kPtp4l && facts.status.properties &&
      !facts.status.properties->ptp_timescale) {
    out.push_back({ClockConcern::kNote, "the grandmaster does not serve TAI (its PTP timescale flag is 0)",
                   "a ptp4l that stamps in software serves UTC; fine while every gateway follows the same master"});
  }
}

void look_at_stamps(const ClockFacts& facts, Findings& out) {
  const bool by_packets = facts.kind == ReferenceKind::kPtp4l || facts.kind == ReferenceKind::kNtpshm;
  if (by_packets && !facts.hardware_stamps) {
    out.push_back(
        {ClockConcern::kNote,
         "PTP messages are timestamped in software: expect errors of microseconds, more on a loaded host",
         "use a NIC with a PTP hardware clock (`ethtool -T`) and set `time_stamping hardware` in ptp4l.conf"});
  }
  if (facts.status.path_delay && *facts.status.path_delay < Nanoseconds{0}) {
    out.push_back(
        {ClockConcern::kWarning, fmt::format("the path delay is negative ({} ns)", facts.status.path_delay->count()),
         "the master's time runs at another rate than this clock, and its delay responses use that time: set it "
         "to answer for slaves that are not steered (`answer: unit`)"});
  }
}

void look_at_masters(const ClockFacts& facts, Findings& out) {
  for (std::size_t i = 0; i < facts.masters.size(); ++i) {
    for (std::size_t k = i + 1; k < facts.masters.size(); ++k) {
      const HeardMaster& a = facts.masters[i];
      const HeardMaster& b = facts.masters[k];
      if (a.domain == b.domain) {
        out.push_back(
            {ClockConcern::kWarning,
             fmt::format("two masters are active in domain {}: {} and {}", a.domain, to_string(a.source),
                         to_string(b.source)),
             "one of them does not yield or does not receive the other; make it slaveOnly, or give it another domain"});
      }
    }
  }
  if (facts.grandmaster_changes > 1) {
    out.push_back({ClockConcern::kWarning, fmt::format("the grandmaster changed {} times", facts.grandmaster_changes),
                   "two masters have the same priority, or one is intermittent: set different priority1 values"});
  }
}

}  // namespace

std::string_view name(ClockConcern concern) {
  constexpr std::array<std::string_view, 3> kNames = {"note", "warning", "error"};
  return kNames[static_cast<std::size_t>(concern)];
}

std::vector<ClockFinding> findings(const ClockFacts& facts) {
  Findings out;
  look_at_reference(facts, out);
  look_at_timescale(facts, out);
  look_at_stamps(facts, out);
  look_at_masters(facts, out);
  std::stable_sort(out.begin(), out.end(),
                   [](const ClockFinding& a, const ClockFinding& b) { return a.concern > b.concern; });
  return out;
}

ClockFacts gather(const DisciplinedClock& clock, const ReferenceOptions& reference, HostTime now) {
  ClockFacts facts;
  facts.kind = reference.kind;
  facts.status = clock.status(now);
  facts.grandmaster_changes = clock.events().count(ClockEventKind::kGrandmasterChanged);
  const ReferenceSample system = read_system_tai();
  // The reference itself, also when the clock refuses to follow it.
  const WallTime wall = clock.last_sample() ? clock.last_sample()->wall + (system.host - clock.last_sample()->host)
                                            : clock.windows().plan().wall(system.host);
  facts.ahead_of_system_tai = wall - system.wall;
  facts.system_utc_offset_s = system_utc_offset_s();
  facts.hardware_stamps = !reference.phc.empty();
  return facts;
}

std::vector<HeardMaster> listen_for_masters(PtpTransportKind kind, const std::string& interface,
                                            std::chrono::milliseconds time) {
  const auto transport = open_ptp_transport(kind, interface, false);
  std::vector<pollfd> waits;
  for (const int number : transport->descriptors()) {
    waits.push_back({number, POLLIN, 0});
  }
  std::vector<HeardMaster> heard;
  const auto take = [&](const PtpArrival& arrival) {
    const auto header = parse_ptp_header(arrival.message);
    if (!header || header->type != PtpType::kAnnounce) {
      return;
    }
    const auto same = [&](const HeardMaster& one) {
      return one.source == header->source && one.domain == header->domain;
    };
    const auto announce = parse_announce(arrival.message);
    constexpr std::size_t kMost = 32;
    if (announce && heard.size() < kMost && std::none_of(heard.begin(), heard.end(), same)) {
      heard.push_back({header->source, header->domain, *announce});
    }
  };
  const HostTime end = host_now() + time;
  for (HostTime now = host_now(); now < end; now = host_now()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - now);
    if (poll(waits.data(), waits.size(), static_cast<int>(left.count())) > 0) {
      transport->drain(take);
    }
  }
  return heard;
}

}  // namespace hilgate

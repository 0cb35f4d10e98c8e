// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/clock/clock_command.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <cmath>
#include <csignal>
#include <deque>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>

#include "clock/host_now.h"
#include "clock/reference/local_sources.h"
#include "clock/servo/clock_report.h"
#include "config/svg_plot.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

/// Polls a clock until the time is over or the user interrupts; calls `after` after every poll.
class Observation {
 public:
  explicit Observation(const ClockOptions& options)
      : options_(options),
        clock_(make_reference(options.reference), options.discipline, read_system_tai()),
        timer_(loop_),
        signals_(loop_, SIGINT, SIGTERM) {}

  void run(std::optional<std::chrono::milliseconds> duration, std::function<void(HostTime)> after) {
    after_ = std::move(after);
    if (duration) {
      end_ = host_now() + *duration;
    }
    signals_.async_wait([this](const asio::error_code&, int) { loop_.stop(); });
    timer_.expires_after(0ms);
    turn();
    loop_.run();
  }

  [[nodiscard]] const DisciplinedClock& clock() const { return clock_; }

 private:
  void turn() {
    timer_.async_wait([this](const asio::error_code& error) {
      const HostTime now = host_now();
      if (error || (end_ && now >= *end_)) {
        loop_.stop();
        return;
      }
      clock_.poll(now);
      after_(host_now());
      timer_.expires_after(options_.poll_every);
      turn();
    });
  }

  const ClockOptions& options_;
  DisciplinedClock clock_;
  asio::io_context loop_;
  asio::steady_timer timer_;
  asio::signal_set signals_;
  std::function<void(HostTime)> after_;
  std::optional<HostTime> end_;
};

bool is_well(const ClockStatus& status) {
  return status.state == ReferenceState::kTracking || status.state == ReferenceState::kFree;
}

int show_status(const ClockOptions& options, std::ostream& out) {
  Observation seen{options};
  seen.run(options.duration.value_or(3s), [](HostTime) {});
  const ClockStatus status = seen.clock().status(host_now());
  out << (options.json ? to_json(status, seen.clock().events()) + "\n" : to_text(status, seen.clock().events()));
  return is_well(status) ? 0 : 1;
}

int watch(const ClockOptions& options, std::ostream& out) {
  constexpr std::size_t kColumns = 72;
  constexpr std::size_t kLines = 11;
  constexpr Nanoseconds kRedraw = 500ms;
  Observation seen{options};
  std::deque<double> offsets;
  HostTime drawn{};
  seen.run(options.duration, [&](HostTime now) {
    if (seen.clock().last_sample()) {
      offsets.push_back(static_cast<double>(seen.clock().last_offset().count()));
    }
    if (offsets.size() > kColumns) {
      offsets.pop_front();
    }
    if (now - drawn >= kRedraw) {
      drawn = now;
      out << "\033[H\033[2J" << to_text(seen.clock().status(now), seen.clock().events()) << "\n"
          << plot(offsets, kColumns, kLines, "ns") << std::flush;
    }
  });
  return is_well(seen.clock().status(host_now())) ? 0 : 1;
}

int trace(const ClockOptions& options, std::ostream& out) {
  Observation seen{options};
  out << trace_heading() << "\n";
  std::uint64_t told = 0;
  seen.run(options.duration, [&](HostTime now) {
    if (seen.clock().last_sample()) {
      out << trace_line(seen.clock(), now) << "\n" << std::flush;
    }
    // Events are written in between as comments, so that a step can be distinguished from an error.
    const ClockEvents& events = seen.clock().events();
    const std::size_t fresh = std::min<std::size_t>(events.total() - told, events.recent().size());
    for (std::size_t i = events.recent().size() - fresh; i < events.recent().size(); ++i) {
      const ClockEvent& event = events.recent()[i];
      out << "# " << event.at.time_since_epoch().count() << " " << name(event.kind) << ": " << event.text << "\n";
    }
    told = seen.clock().events().total();
  });
  return is_well(seen.clock().status(host_now())) ? 0 : 1;
}

int examine(const ClockOptions& options, std::ostream& out) {
  Observation seen{options};
  seen.run(options.duration.value_or(3s), [](HostTime) {});
  ClockFacts facts = gather(seen.clock(), options.reference, host_now());
  if (!options.listen_interface.empty()) {
    facts.masters = listen_for_masters(options.listen_transport, options.listen_interface, 5s);
  }
  const std::vector<ClockFinding> found = findings(facts);
  nlohmann::json json = nlohmann::json::array();
  for (const ClockFinding& finding : found) {
    if (options.json) {
      json.push_back({{"concern", name(finding.concern)}, {"what", finding.what}, {"advice", finding.advice}});
    } else {
      out << fmt::format("{:<8} {}\n         {}\n", name(finding.concern), finding.what, finding.advice);
    }
  }
  if (options.json) {
    out << json.dump() << "\n";
  } else if (found.empty()) {
    out << "no faults found\n";
  }
  return !found.empty() && found.front().concern == ClockConcern::kError ? 1 : 0;
}

}  // namespace

int clock_command(const ClockOptions& options, std::ostream& out) {
  switch (options.task) {
    case ClockTask::kStatus:
      return show_status(options, out);
    case ClockTask::kWatch:
      return watch(options, out);
    case ClockTask::kTrace:
      return trace(options, out);
    case ClockTask::kDoctor:
      break;
  }
  return examine(options, out);
}

int clock_command(const ClockOptions& options) {
  return clock_command(options, std::cout);
}

std::string plot(const std::deque<double>& values, std::size_t width, std::size_t height, const std::string& unit) {
  double largest = 1;
  const std::size_t shown = std::min(width, values.size());
  for (std::size_t i = values.size() - shown; i < values.size(); ++i) {
    largest = std::max(largest, std::abs(values[i]));
  }
  const double scale = round_up(largest);
  const auto middle = static_cast<double>(height - 1) / 2;
  std::string text;
  for (std::size_t row = 0; row < height; ++row) {
    const double at = height > 1 ? (middle - static_cast<double>(row)) / middle * scale : 0;
    text += fmt::format("{:>+10.0f} {} |", at, unit);
    for (std::size_t i = values.size() - shown; i < values.size(); ++i) {
      const auto place = static_cast<std::size_t>(std::lround(middle - values[i] / scale * middle));
      text += place == row ? '*' : (row == height / 2 ? '-' : ' ');
    }
    text += '\n';
  }
  return text;
}

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

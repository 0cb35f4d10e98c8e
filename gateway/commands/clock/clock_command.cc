// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/clock/clock_command.h"

#include <fmt/format.h>

#include <algorithm>
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
#include "gateway/commands/clock/clock_doctor.h"

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

namespace {

// 1, 2 or 5 times a power of ten: the next that is not below.
double round_scale(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(std::max(value, 1e-9))));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (value <= step * power) {
      return step * power;
    }
  }
  return 10 * power;
}

}  // namespace

std::string plot(const std::deque<double>& values, std::size_t width, std::size_t height, const std::string& unit) {
  double largest = 1;
  const std::size_t shown = std::min(width, values.size());
  for (std::size_t i = values.size() - shown; i < values.size(); ++i) {
    largest = std::max(largest, std::abs(values[i]));
  }
  const double scale = round_scale(largest);
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

}  // namespace hilgate

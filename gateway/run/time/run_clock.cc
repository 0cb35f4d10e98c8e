// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/time/run_clock.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/timex.h>

#include <algorithm>
#include <stdexcept>

#include "clock/hardware/phc_device.h"
#include "clock/host_now.h"
#include "clock/reference/local_sources.h"

namespace hilgate {
namespace {

bool ptp4l_is_there(const ReferenceOptions& options) {
  return std::any_of(options.domains.begin(), options.domains.end(), [&](std::uint8_t domain) {
    std::error_code none;
    return std::filesystem::is_socket(ptp4l_socket(options, domain), none);
  });
}

bool system_is_disciplined() {
  timex facts{};  // modes 0: asks, changes nothing
  return adjtimex(&facts) >= 0 && (facts.status & STA_UNSYNC) == 0;
}

std::string phc_of_ports(const std::vector<PortConfig>& ports) {
  std::string why;
  for (const PortConfig& port : ports) {
    if (port.driver == PortDriver::kElsewhere) {
      continue;
    }
    try {
      return phc_of_interface(port.interface);
    } catch (const std::runtime_error& none) {
      why += fmt::format("; port '{}': {}", port.name, none.what());
    }
  }
  throw std::runtime_error(
      fmt::format("clock.source: phc without a 'device' uses the clock of a port, but no port has one{}", why));
}

}  // namespace

ReferenceOptions chosen_reference(const Configuration& configuration) {
  ReferenceOptions options = configuration.clock.reference;
  if (configuration.clock.automatic && !ptp4l_is_there(options)) {
    options.kind = system_is_disciplined() ? ReferenceKind::kTai : ReferenceKind::kMonotonic;
  }
  if (options.kind == ReferenceKind::kPhc && options.phc.empty()) {
    options.phc = phc_of_ports(configuration.ports);
  }
  return options;
}

namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kPollEvery = 50ms;
// A reference that lets us wait this long hangs; windows shall not wait with us twenty times a second.
constexpr Nanoseconds kSlow = 5ms;
constexpr Nanoseconds kPollSlowEvery = 1s;
constexpr Nanoseconds kStepEvery = 4ms;  // pace follow

bool is_trouble(ClockEventKind kind) {
  switch (kind) {
    case ClockEventKind::kReferenceLost:
    case ClockEventKind::kJump:
    case ClockEventKind::kStep:
    case ClockEventKind::kJumpRefused:
    case ClockEventKind::kRogueMaster:
    case ClockEventKind::kGrandmasterChanged:
      return true;
    default:
      return false;
  }
}

std::optional<FollowOptions> follow_options(const Configuration& configuration) {
  return configuration.pace == Pace::kFollow ? std::optional(configuration.follow.options) : std::nullopt;
}

}  // namespace

void ClockEventLog::tell(const ClockEvents& events) {
  const auto& recent = events.recent();
  const std::size_t fresh = std::min<std::size_t>(events.total() - told_, recent.size());
  for (std::size_t i = recent.size() - fresh; i < recent.size(); ++i) {
    spdlog::log(is_trouble(recent[i].kind) ? spdlog::level::warn : spdlog::level::info, "{}: {}: {}", who_,
                name(recent[i].kind), recent[i].text);
  }
  told_ = events.total();
}

RunClock::RunClock(asio::io_context& context, const Configuration& configuration)
    : reference_(chosen_reference(configuration)),
      clock_(make_reference(reference_), configuration.clock.discipline, read_system_tai()),
      timeline_(clock_, host_now(), configuration.dilation, follow_options(configuration), configuration.begin.at,
                configuration.begin.site_zero),
      timer_(context),
      step_timer_(context),
      followed_(configuration.follow.source) {}

void RunClock::start(std::function<void()> moved) {
  moved_ = std::move(moved);
  poll();
  if (timeline_.follower() != nullptr) {
    keep_step();
  }
  const ClockStatus status = clock_.status(host_now());
  spdlog::info("clock: {}", status.source);
  if (!status.problem.empty()) {
    spdlog::warn("clock: {}: {}", name(status.state), status.problem);
  }
}

void RunClock::poll_after(Nanoseconds pause) {
  timer_.expires_after(pause);
  timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      poll();
    }
  });
}

void RunClock::poll() {
  const HostTime before = host_now();
  clock_.poll(before);
  const HostTime after = host_now();
  timeline_.advance(after);
  log_.tell(clock_.events());
  moved_();
  poll_after(after - before > kSlow ? kPollSlowEvery : kPollEvery);
}

void RunClock::keep_step() {
  timeline_.keep_step(host_now());
  if (timeline_.factor() != told_factor_) {
    told_factor_ = timeline_.factor();
    moved_();
  }
  tell_follower();
  step_timer_.expires_after(kStepEvery);
  step_timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      keep_step();
    }
  });
}

void RunClock::tell_follower() {
  const FollowReport& now = timeline_.follower()->report();
  if (now.heard > 0 && told_.heard == 0) {
    spdlog::info("follow: physics' clock was received; simulation time keeps step with it");
  }
  if (now.jumps > told_.jumps) {
    spdlog::warn("follow: physics' clock jumped; simulation time continues and counts it from there");
  }
  if (now.lags > told_.lags && told_.lags == 0) {
    spdlog::warn(
        "follow: physics' clock advanced by more than simulation time could follow, because it was not received "
        "or runs faster than `fastest`; simulation time counts it from there");
  }
  if (now.state == FollowState::kHolding && told_.state != FollowState::kHolding) {
    spdlog::warn("follow: physics' clock stands; simulation time is held until it continues");
  } else if (now.state == FollowState::kFollowing && told_.state == FollowState::kHolding) {
    spdlog::info("follow: physics' clock continues, and simulation time with it");
  }
  if (now.saturated && !told_.saturated) {
    spdlog::warn("follow: {}", beyond_bounds_text(now, timeline_.follower()->options()));
  }
  told_ = now;
}

void RunClock::set_pace(Dilation dilation) {
  timeline_.set_factor(host_now(), dilation);
  moved_();
}

void RunClock::pause() {
  timeline_.pause(host_now());
  moved_();
}

void RunClock::resume() {
  timeline_.resume(host_now());
  moved_();
}

}  // namespace hilgate

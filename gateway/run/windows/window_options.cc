// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/windows/window_options.h"

#include <stdexcept>
#include <string_view>

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace hilgate {
namespace {

void check_step(std::string_view name, Nanoseconds step, Nanoseconds window) {
  if (step.count() < 0 || (step.count() > 0 && window.count() % step.count() != 0)) {
    throw std::runtime_error(fmt::format("{} of {} does not divide the window of {}", name, step, window));
  }
}

}  // namespace

void WindowOptions::check() const {
  if (window.count() <= 0) {
    throw std::runtime_error(fmt::format("window of {}; it must be longer than 0", window));
  }
  check_step("a physics step", physics_step, window);
  check_step("a network step", network_step, window);
  if (dilation.ppm == 0 || dilation.ppm > 1'000'000'000) {
    throw std::runtime_error(fmt::format("pace of {} ppm of wall time; allowed: 1 to 1000000000", dilation.ppm));
  }
  if (packet_hold.count() <= 0) {
    throw std::runtime_error(fmt::format("packet expiry of {}; it must be longer than 0", packet_hold));
  }
}

Nanoseconds WindowOptions::causality_floor() const {
  return pace == Pace::kLockstep ? Nanoseconds{0} : 2 * window;
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// The window engine's end. Simulators that compute a step when the run ends would answer into a closed connection,
// which ends others' programs with a broken pipe: they are waited for.
#include <fmt/format.h>

#include "gateway/run/windows/window_engine.h"

namespace hilgate {
namespace {

constexpr Nanoseconds kLastAnswer = std::chrono::seconds(2);

}  // namespace

void WindowEngine::fail(const Side& side, const std::string& why) {
  stop(fmt::format("{} cannot go on: {}", side.name, why));
}

void WindowEngine::stop(const std::string& why) {
  if (!stopped_) {
    stopped_ = true;
    running_ = false;
    why_ = why;
    timer_.at(timer_.now() + kLastAnswer, [this] { finish(); });
  }
  finish_when_answered();
}

void WindowEngine::finish_when_answered() {
  if (stopped_ && !physics_.answering() && !network_.answering()) {
    finish();
  }
}

void WindowEngine::finish() {
  if (finished_) {
    return;
  }
  finished_ = true;
  timer_.cancel();
  physics_.close();
  network_.close();
  sink_.ended(why_);
}

}  // namespace hilgate

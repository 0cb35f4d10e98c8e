// SPDX-License-Identifier: Apache-2.0
// The scenario that is played as the status document has it.
#pragma once

#include "gateway/status/model/status_table.h"

namespace hilgate {

struct ScenarioStepStatus {
  int line = 0;
  Nanoseconds at{0};
  std::string text{};
  std::uint64_t times = 1, done = 0;
};
template <>
struct StatusTable<ScenarioStepStatus> {
  using S = ScenarioStepStatus;
  static constexpr std::array rows = {
      status_row<&S::line>("line", "line in its file"),
      status_row<&S::at>("at_s", "when it happens for the first time, simulated time of the run, s"),
      status_row<&S::text>("text", "what happens, one line"), status_row<&S::times>("times", "how often it happens"),
      status_row<&S::done>("done", "how often it has")};
};

struct ExpectationStatus {
  int line = 0;
  std::string text{};
  Nanoseconds from{0}, until{0};
  std::string_view verdict{};
  std::optional<std::string> failure{};
};
template <>
struct StatusTable<ExpectationStatus> {
  using S = ExpectationStatus;
  static constexpr std::array rows = {
      status_row<&S::line>("line", "line in its file"),
      status_row<&S::text>("text", "what is expected, one line"),
      status_row<&S::from>("from_s", "since when, simulated time of the run, s"),
      status_row<&S::until>("until_s", "until when, when it is judged, likewise"),
      status_row<&S::verdict>("verdict", "ahead, watched, met, failed, or left_out (its time began before the run)"),
      status_row<&S::failure>("failure", "FILE:LINE: what was seen instead; absent where it has not failed")};
};

struct ScenarioStatus {
  std::string file{};
  bool asked = false, over = false;
  SimTime begin{};
  Nanoseconds end{0};
  std::optional<SimTime> next{};
  std::size_t steps_total = 0;
  std::vector<ScenarioStepStatus> steps{};
  std::size_t expectations_total = 0;
  std::vector<ExpectationStatus> expectations{};
  std::size_t failures = 0;
  std::optional<std::string> failure{};
};
template <>
struct StatusTable<ScenarioStatus> {
  using S = ScenarioStatus;
  static constexpr std::array rows = {
      status_row<&S::file>("file",
                           "the scenario's file, or what a request called it; `scenario` is absent where none was "
                           "played"),
      status_row<&S::asked>("asked",
                            "whether it was started by a request; the run continues after the end of such a one"),
      status_row<&S::over>("over", "its end has come, or a step could not be carried out"),
      status_row<&S::begin>("begin_s",
                            "where it began, simulated time of the run, s; its own times are relative to that"),
      status_row<&S::end>("end_s", "where it ends, simulated time of the run, s"),
      status_row<&S::next>("next_s", "when something is due next, likewise; absent when nothing is"),
      status_row<&S::steps_total>("steps_total", "steps that it has"),
      status_row<&S::steps>("steps", "at most 64 of them, around the next"),
      status_row<&S::expectations_total>("expectations_total", "expectations that it has"),
      status_row<&S::expectations>("expectations", "at most 64 of them, around the next that is judged"),
      status_row<&S::failures>("failures", "expectations that failed, and steps that could not be carried out"),
      status_row<&S::failure>("failure", "the last of these when it is over; absent without a failure")};
};

}  // namespace hilgate

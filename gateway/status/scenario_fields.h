// SPDX-License-Identifier: Apache-2.0
// Further keys of the status document: the scenario that is played.
#pragma once

#include "gateway/status/status_fields.h"

namespace hilgate {

inline constexpr auto kScenarioFields = std::to_array<StatusField>({
    {"scenario.file", "the scenario's file, or what a request called it; `scenario` is absent where none was played"},
    {"scenario.asked", "whether it was started by a request; the run goes on behind the end of such a one"},
    {"scenario.over", "its end has come, or a step could not be carried out"},
    {"scenario.begin_s", "where it began, simulated time of the run, s; its own times are behind that"},
    {"scenario.end_s", "where it ends, simulated time of the run, s"},
    {"scenario.next_s", "when something is due next, likewise; absent when nothing is"},
    {"scenario.steps_total", "steps that it has"},
    {"scenario.steps", "at most 64 of them, around the next"},
    {"scenario.steps[].line", "line in its file"},
    {"scenario.steps[].at_s", "when it happens for the first time, simulated time of the run, s"},
    {"scenario.steps[].text", "what happens, one line"},
    {"scenario.steps[].times", "how often it happens"},
    {"scenario.steps[].done", "how often it has"},
    {"scenario.expectations_total", "expectations that it has"},
    {"scenario.expectations", "at most 64 of them, around the next that is judged"},
    {"scenario.expectations[].line", "line in its file"},
    {"scenario.expectations[].text", "what is expected, one line"},
    {"scenario.expectations[].from_s", "since when, simulated time of the run, s"},
    {"scenario.expectations[].until_s", "until when, when it is judged, likewise"},
    {"scenario.expectations[].verdict", "ahead, watched, met, failed, or left_out (its time began before the run)"},
    {"scenario.expectations[].failure", "FILE:LINE: what was seen instead; absent where it has not failed"},
    {"scenario.failures", "expectations that failed, and steps that could not be carried out"},
    {"scenario.failure", "the last of these when it is over; absent when there is none"},
});

}  // namespace hilgate

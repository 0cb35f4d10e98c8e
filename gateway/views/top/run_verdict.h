// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gateway/views/top/seen_run.h"

namespace hilgate {

/// The parts of a full frame's delay on an idle air, by the link's state: names, us.
std::vector<std::pair<std::string, double>> delay_parts(const SeenLink& link);

enum class Grade { kGood, kDoubtful, kBad };

struct RunVerdict {
  Grade grade = Grade::kGood;
  std::string text;
};

/// Whether all is well with a run; else what is not, the worst first.
RunVerdict verdict_of(const SeenRun& run);

}  // namespace hilgate

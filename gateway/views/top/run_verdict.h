// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "gateway/views/top/seen_run.h"

namespace hilgate {

enum class Grade { kGood, kDoubtful, kBad };

struct RunVerdict {
  Grade grade = Grade::kGood;
  std::string text;
};

/// Whether all is well with a run; else what is not, the worst first.
RunVerdict verdict_of(const SeenRun& run);

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "bench/certify/certify.h"
#include "bench/certify/figure.h"
#include "bench/certify/subjects.h"

namespace hilgate {

/// What the command line asks for, checked.
struct CertifyPlan {
  const CertifyForm& form;
  std::vector<std::string> sizes;
  std::vector<CertifySubject> subjects;
  std::vector<std::vector<CertifyFigure>> figures;  // of each subject, with the limits that were given
};

/// Throws ConfigError with all that is wrong with limits, subjects and sizes.
CertifyPlan certify_plan(const CertifyOptions& options);

}  // namespace hilgate

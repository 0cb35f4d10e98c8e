// SPDX-License-Identifier: Apache-2.0
// hilgate certify: measures what this host can do, each figure with a yardstick of the same run and a verdict per line.
// docs/how-to/certify.md describes each line and its measurement.
#pragma once

#include <string>
#include <vector>

#include "bench/certify/figure.h"
#include "bench/certify/subjects.h"

namespace hilgate {

struct CertifyOptions {
  bool full = false;                     // the long form: all frame sizes, longer trials
  std::vector<std::string> only = {};    // subjects; empty: all
  std::vector<std::string> sizes = {};   // frame sizes, "64" or "imix"; empty: those of the form
  std::string limits_file = {};          // YAML, KEY: LIMIT; empty: none
  std::vector<std::string> limits = {};  // KEY=LIMIT, after the file's
  std::string json = {};                 // files to write; empty: none
  std::string html = {};
};

/// Measures, prints a table and writes the files. SIGINT and SIGTERM end the measuring; what was measured is reported.
/// All that it makes is in processes and namespaces that end with it, however it ends. Returns the exit status: 0 when
/// no verdict is `fail`, else 1, also when it was interrupted. Throws ConfigError for invalid limits, subjects and
/// sizes, and for files that cannot be written, before it measures.
int certify_command(const CertifyOptions& options);

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

// SPDX-License-Identifier: Apache-2.0
// What was measured, as people and programs read it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/certify/figure.h"

namespace hilgate {

struct Certificate {
  std::string form;    // "short"
  std::string began;   // 2026-11-23T16:00:00Z
  double seconds = 0;  // all together
  bool interrupted = false;
  nlohmann::ordered_json host;    // processor, processors, kernel, load, checks as `hilgate doctor --json`
  nlohmann::ordered_json method;  // trials and precision of the form
  std::vector<CertifyLine> lines;
  CertifySamples samples;  // of each round, yardsticks and all

  /// Why its figures do not count: what else the host did; empty where they do.
  [[nodiscard]] std::string doubt() const;
  /// 0, or 1 when a verdict is `fail` or the measuring was interrupted.
  [[nodiscard]] int status() const;
};

/// Numbers with four digits and a prefix from 10 000 on: "21.4", "123 k".
std::string certify_number(double value);

std::string certificate_text(const Certificate& certificate);
nlohmann::ordered_json certificate_json(const Certificate& certificate);
std::string certificate_page(const Certificate& certificate);

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hilgate {

enum class CheckState { kOk, kWarn, kFail, kUnknown };
std::string_view name(CheckState state);

/// One thing about this host: how it is, and what to do when that is not well.
struct Finding {
  std::string check;  // "tsc", "port red-port: xdp"
  CheckState state = CheckState::kUnknown;
  std::string found;
  std::string advice;  // empty when there is nothing to do
};
using Findings = std::vector<Finding>;

/// `advice` is kept only when the state is not kOk.
Finding finding(std::string check, CheckState state, std::string found, std::string advice = "");

}  // namespace hilgate

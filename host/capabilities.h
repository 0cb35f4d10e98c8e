// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hilgate {

/// A Linux capability by number and name; see capabilities(7).
struct Capability {
  int number;
  std::string_view name;
};

/// Those of `needed` that this process lacks, "CAP_A and CAP_B"; empty when it has all.
std::string missing_capabilities(std::span<const Capability> needed);

/// Throws std::runtime_error, naming those of `needed` that this process lacks and how to give them. `what` begins the
/// sentence: "hilgate lab up".
void require_capabilities(std::string_view what, std::span<const Capability> needed);

}  // namespace hilgate

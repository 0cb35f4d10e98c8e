// SPDX-License-Identifier: Apache-2.0
// The key of KEY=VALUE. It may have the filter of a flow, in which any character may stand:
//   links.red.blue["tcp[13] = 2"].loss=1 %
#pragma once

#include <cstddef>
#include <string_view>

namespace hilgate {

inline constexpr std::string_view kFilterBegins = "[\"";
inline constexpr std::string_view kFilterEnds = "\"]";

/// Where the filter that begins at `at` ends; npos when none begins there, or it does not end.
std::size_t end_of_filter(std::string_view text, std::size_t at);

/// Where the key ends, at its '='; npos without a value.
std::size_t end_of_key(std::string_view assignment);

/// The key; all of it without a value.
std::string_view key_of(std::string_view assignment);

}  // namespace hilgate

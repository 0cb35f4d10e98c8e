// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hilgate {

/// The known word nearest to a mistyped one (edit distance, swapped neighbours counted once); empty when none is
/// close enough to be meant.
std::string nearest_word(std::string_view word, std::span<const std::string> known);

/// "did you mean 'x'?" when something is near, else "allowed: a, b, c".
std::string hint_for(std::string_view word, std::span<const std::string> known);

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hilgate {

/// The known word nearest to a mistyped one (edit distance, swapped neighbours counted once); empty when none is
/// close enough to be meant.
std::string nearest_word(std::string_view word, std::span<const std::string> known);

/// "did you mean 'x' or 'y'?": the known words that `word` is the beginning of (three letters or more), else the
/// nearest one. Empty when there is neither.
std::string guess_for(std::string_view word, std::span<const std::string> known);

/// The result of guess_for(), else "allowed: a, b, c".
std::string hint_for(std::string_view word, std::span<const std::string> known);

}  // namespace hilgate

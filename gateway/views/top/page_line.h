// SPDX-License-Identifier: Apache-2.0
// What stands in a line of a terminal, without knowing any.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hilgate {

enum class Ink { kPlain, kDim, kStrong, kGood, kDoubtful, kBad };

struct Words {
  std::string text;
  Ink ink = Ink::kPlain;
};

struct PageLine {
  std::vector<Words> words;
  bool reversed = false;  // over its whole width
};
using PageLines = std::vector<PageLine>;

/// How many columns a text takes; a character takes one.
std::size_t columns_of(const std::string& text);
/// The text as it may stand in a line: what a terminal would obey is a question mark, and what is too long ends in "~".
std::string clipped(const std::string& text, std::size_t columns);
/// Clipped, and filled up to that width; with `right`, in front.
std::string padded(const std::string& text, std::size_t columns, bool right = false);
/// A text in lines of at most that width, broken between words, all but the first behind `indent` blanks.
std::vector<std::string> wrapped(const std::string& text, std::size_t columns, std::size_t indent = 0);
/// The text of all words of a line.
std::string text_of(const PageLine& line);
/// Whether `part`, in small letters, is somewhere in `text`, in letters of any size.
bool has_text(const std::string& text, const std::string& part);

}  // namespace hilgate

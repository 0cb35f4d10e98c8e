// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

// Contents of terminal lines, independent of a terminal.

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
/// The text as shown in a line: control characters become question marks, and a text that is too long ends in "~".
std::string clipped(const std::string& text, std::size_t columns);
/// Clipped, and filled up to that width; with `right`, in front.
std::string padded(const std::string& text, std::size_t columns, bool right = false);
/// A text in lines of at most that width, broken between words, all but the first behind `indent` blanks.
std::vector<std::string> wrapped(const std::string& text, std::size_t columns, std::size_t indent = 0);
/// Whether `part`, in small letters, is somewhere in `text`, in letters of any size.
bool has_text(const std::string& text, const std::string& part);

/// A table whose columns are as wide as what is in them; the last one takes what is left of the line.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> headings) : headings_(std::move(headings)) {}

  /// As many texts as there are headings.
  void add(std::vector<std::string> texts, Ink ink = Ink::kPlain) { rows_.push_back({std::move(texts), ink}); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// The rows that have this text, under the headings.
  [[nodiscard]] PageLines lines(const std::string& filter) const;

 private:
  struct Row {
    std::vector<std::string> texts;
    Ink ink;
  };

  std::vector<std::string> headings_;
  std::vector<Row> rows_;
};

}  // namespace hilgate

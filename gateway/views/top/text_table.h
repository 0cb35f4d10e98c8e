// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gateway/views/top/page_line.h"

namespace hilgate {

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

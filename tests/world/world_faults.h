// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include <fmt/format.h>

namespace hilgate::test {

/// What a world did wrong first. Filled from within the path, which must not throw, and read after each step.
class WorldFaults {
 public:
  template <class... Values>
  void add(fmt::format_string<Values...> text, Values&&... values) {
    if (first_.empty()) {
      first_ = fmt::format(text, std::forward<Values>(values)...);
    }
  }
  template <class... Values>
  void require(bool good, fmt::format_string<Values...> text, Values&&... values) {
    if (!good) {
      add(text, std::forward<Values>(values)...);
    }
  }
  [[nodiscard]] bool any() const { return !first_.empty(); }
  [[nodiscard]] const std::string& first() const { return first_; }

 private:
  std::string first_;
};

}  // namespace hilgate::test

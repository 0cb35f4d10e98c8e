// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "gateway/views/top/text_table.h"
#include "gateway/views/top/top_keys.h"
#include "gateway/views/top/top_page.h"

struct screen;  // of ncurses

namespace hilgate {

/// The terminal that this process has, for pages and keys as long as this lives; then it is as it was. One at a time.
class Terminal {
 public:
  /// Throws std::runtime_error when standard input and output are no terminal, or one of an unknown type.
  Terminal();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  [[nodiscard]] ScreenSize size() const;
  /// Asks the terminal how large it is by now.
  void resize();
  /// Writes what has changed since the last one.
  void show(const PageLines& lines);
  /// The next key that was pressed; empty without a key. Keys without a meaning are skipped.
  std::optional<Key> key();
  /// Whether the terminal has been closed.
  [[nodiscard]] bool gone() const;

 private:
  screen* screen_;
};

}  // namespace hilgate

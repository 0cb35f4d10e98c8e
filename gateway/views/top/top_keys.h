// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "gateway/views/top/top_page.h"

namespace hilgate {

/// A key that was pressed: a character by its code, or one of these.
enum class Key : std::uint32_t {
  kTab = '\t',
  kEnter = '\n',
  kEscape = 0x1B,
  kSpace = ' ',
  kLess = '<',
  kGreater = '>',
  kJ = 'j',
  kK = 'k',
  kR = 'r',
  kBackspace = 0x7F,
  kUp = 0x110000,
  kDown,
  kLeft,
  kRight,
  kPageUp,
  kPageDown,
  kHome,
  kEnd,
};

/// What a key changes of a view, of which `shown` was on the screen. False when it asks for the end.
bool press(Key key, TopView& view, const TopPage& shown);

}  // namespace hilgate

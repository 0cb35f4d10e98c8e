// SPDX-License-Identifier: Apache-2.0
// Keys that files of earlier versions may have: an upgrade must not stop what has run so far.
#pragma once

#include <string_view>

namespace hilgate {

struct OldKey {
  /// Keys joined by dots; "*" is any key of a map and any item of a list: "links.*.jitter".
  std::string_view path;
  /// What it is called now, in the same map, with the same meaning; empty: it has no effect any more.
  std::string_view now;
  /// For people, what replaces a key without effect: "the radio profile has it".
  std::string_view note{};
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/reader/old_keys.h"

#include <array>

namespace hilgate {
namespace {

constexpr std::array<OldKey, 1> kOldKeys = {{{"hot_loop", "packet_loop"}}};

}  // namespace

// Version 0.1.0 is the first; tests/gateway/configuration/earlier has configurations from before it, which still load.
std::span<const OldKey> old_keys() {
  return kOldKeys;
}

}  // namespace hilgate

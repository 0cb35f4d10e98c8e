// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/reader/old_keys.h"

namespace hilgate {

// Version 0.1.0 is the first; tests/gateway/configuration/earlier has configurations from before it, which still load.
std::span<const OldKey> old_keys() {
  return {};
}

}  // namespace hilgate

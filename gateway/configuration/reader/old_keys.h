// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "config/yaml_reader.h"

namespace hilgate {

/// Keys of earlier versions that have been renamed or have no effect any more. A key whose meaning has changed is not
/// listed: it stays an unknown key, and the new meaning has a new name.
std::span<const OldKey> old_keys();

}  // namespace hilgate

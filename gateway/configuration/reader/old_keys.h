// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "config/old_key.h"

namespace hilgate {

/// Keys of configurations of earlier versions that are called otherwise now or have no effect any more. A key whose
/// meaning has changed is none of them: it stays an unknown key, with a name of its own for the new meaning.
std::span<const OldKey> old_keys();

}  // namespace hilgate

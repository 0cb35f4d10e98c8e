// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hilgate::dancers {

/// v1.0 writes a BEGIN without payload as a frame without body; the versions before do not know that shortcut. Those of
/// March to December 2024 have another message, with a time in it.
enum class Version : std::uint8_t { kV1, kLegacy, kTimed };

}  // namespace hilgate::dancers

// SPDX-License-Identifier: Apache-2.0
// Bytes as texts without zeros, which DDS carries.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hilgate {

/// Two digits a byte, small letters.
std::string hexadecimal(std::span<const std::byte> bytes);
/// Nothing where the text is not of that kind.
std::optional<std::vector<std::byte>> bytes_of_hexadecimal(std::string_view text);

}  // namespace hilgate

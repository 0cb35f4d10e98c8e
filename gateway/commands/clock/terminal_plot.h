// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>

namespace hilgate {

/// Draws the last values as columns of text, newest at the right, with the zero line in the middle and the scale at the
/// left. `width` in columns and `height` in lines, both above 0.
std::string plot(const std::deque<double>& values, std::size_t width, std::size_t height, const std::string& unit);

}  // namespace hilgate

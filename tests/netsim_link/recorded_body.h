// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "physics_link/connection/framing.h"
#include "tests/hex.h"

namespace hilgate::test {

/// The body of the one frame in what was recorded of a simulator, in hexadecimal digits.
inline std::string recorded_body(std::string_view recorded) {
  const std::string bytes = from_hex(recorded);
  FrameReader reader(kDefaultFrameLimit);
  std::ranges::copy(bytes, static_cast<char*>(reader.space(bytes.size())));
  reader.received(bytes.size());
  std::string_view body;
  EXPECT_EQ(reader.next(body), FrameReader::Status::kFrame);
  return std::string(body);
}

}  // namespace hilgate::test

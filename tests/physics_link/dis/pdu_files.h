// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace hilgate::dis::test {

/// pdus/NAME.bin: a datagram that another program wrote.
inline std::vector<std::byte> pdu_file(const std::string& name) {
  std::ifstream file(std::string(HILGATE_SOURCE_DIR) + "/tests/physics_link/dis/pdus/" + name + ".bin",
                     std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.empty()) {
    throw std::runtime_error("there is no PDU " + name);
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

}  // namespace hilgate::dis::test

// SPDX-License-Identifier: Apache-2.0
#include "physics_link/feeds/position_formats.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)hilgate::parse_cornet2(text);
  (void)hilgate::parse_cornet_position(text);
  (void)hilgate::parse_cornet_clock(text);
  (void)hilgate::parse_flynetsim(text);
  (void)hilgate::parse_avens(std::string(text));
  (void)hilgate::robonetsim::decode_positions(text);
  return 0;
}

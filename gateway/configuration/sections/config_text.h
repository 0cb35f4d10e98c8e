// SPDX-License-Identifier: Apache-2.0
// How addresses and ethertypes are read from a configuration.
#pragma once

#include "config/quantity.h"
#include "frame/address.h"

namespace hilgate {

/// An EtherType, host byte order, at least 0x0600 (IEEE 802.3: below, the field is a length).
struct Ethertype {
  std::uint16_t value = 0x0600;
};

/// A robot's own address: of one station, of one host.
template <>
struct TextOf<MacAddress> {
  static MacAddress parse(std::string_view text);
};
template <>
struct TextOf<IpAddress> {
  static IpAddress parse(std::string_view text);
};
template <>
struct TextOf<Ethertype> {
  static Ethertype parse(std::string_view text);
};

}  // namespace hilgate

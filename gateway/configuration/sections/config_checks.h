// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/nearest.h"
#include "config/quantity.h"
#include "config/range.h"
#include "config/yaml_reader.h"
#include "frame/address.h"
#include "gateway/configuration/scene_config.h"
#include "physics_link/connection/endpoint.h"

// How addresses and ethertypes are read from a configuration.

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

// Checks that several sections of a configuration share.

namespace hilgate {

/// Reads `insecure`, without which `address` may not be reached from other machines: TCP carries no proof of who the
/// peer is.
void check_reach(YamlReader& map, const Endpoint& address);

/// Names end up in namespaces, sockets and metrics: a letter or digit, then up to 31 of these, '-' and '_'.
void check_name(const YamlReader& node, std::string_view name);

/// Whether the kernel takes it as the name of a network interface.
bool is_interface_name(std::string_view name);

/// The index of `name` among `names`; a fault that lists them for an unknown name.
std::optional<std::uint32_t> place_of(const YamlReader& node, const std::string& name, std::string_view what,
                                      std::span<const std::string> names);

/// Where the gateway listens, HOST:PORT under `address`; of another host than this one needs `insecure`.
Endpoint read_host_and_port(YamlReader& map, const std::string& usual);

/// The address of a host, a multicast group or a broadcast address: where no robot's address is meant, all are right.
IpAddress read_host_or_group(YamlReader& map, std::string_view key);

/// A fault where x, y and z of the scene, which has been read, are not positions on the earth.
void check_geographic(YamlReader& map, const SceneConfig& scene);

/// "'x' is no radio profile; did you mean 'y'? There are: a, b, y"
std::string none_of(std::string_view name, std::string_view what, std::span<const std::string> names);

/// Names of robots, ports, ... in their order.
template <class T>
std::vector<std::string> names_of(const std::vector<T>& things) {
  std::vector<std::string> names;
  for (const T& thing : things) {
    names.push_back(thing.name);
  }
  return names;
}

}  // namespace hilgate

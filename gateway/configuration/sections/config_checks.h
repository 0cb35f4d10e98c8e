// SPDX-License-Identifier: Apache-2.0
// Checks that several sections of a configuration share.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/nearest.h"
#include "config/range.h"
#include "config/yaml_reader.h"
#include "physics_link/connection/endpoint.h"

namespace hilgate {

/// Reads `insecure`, without which `address` may not be reached from other machines: TCP carries no proof of who the
/// peer is.
void check_reach(YamlReader& map, const Endpoint& address);

/// Names end up in namespaces, sockets and metrics: a letter or digit, then up to 31 of these, '-' and '_'.
void check_name(const YamlReader& node, std::string_view name);

/// Whether the kernel takes it as the name of a network interface.
bool is_interface_name(std::string_view name);

/// The place of `name` among `names`; a fault that says what there is when it is none of them.
std::optional<std::uint32_t> place_of(const YamlReader& node, const std::string& name, std::string_view what,
                                      std::span<const std::string> names);

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

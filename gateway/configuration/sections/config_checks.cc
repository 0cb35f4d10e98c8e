// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/sections/config_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <net/if.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>

#include "config/plain_text.h"

namespace hilgate {

MacAddress TextOf<MacAddress>::parse(std::string_view text) {
  const auto address = MacAddress::parse(text);
  if (!address) {
    throw std::invalid_argument(fmt::format("'{}' is not a MAC address; example: 02:68:67:00:00:01", shown(text)));
  }
  if (address->is_group() || *address == MacAddress{}) {
    throw std::invalid_argument(
        fmt::format("'{}' is not a unicast address; the first octet must be even, and not all octets 0", shown(text)));
  }
  return *address;
}

IpAddress TextOf<IpAddress>::parse(std::string_view text) {
  const auto address = IpAddress::parse(text);
  if (!address) {
    throw std::invalid_argument(
        fmt::format("'{}' is not an IP address; example: 10.77.0.1 or fd77::1, without a prefix length", shown(text)));
  }
  if (address->is_multicast() || address->is_unspecified()) {
    throw std::invalid_argument(fmt::format("'{}' is not a unicast address", shown(text)));
  }
  return *address;
}

Ethertype TextOf<Ethertype>::parse(std::string_view text) {
  Ethertype type;
  const char* end = text.data() + text.size();
  if (text.starts_with("0x")) {
    const auto [stop, error] = std::from_chars(text.data() + 2, end, type.value, 16);
    if (error == std::errc{} && stop == end && type.value >= 0x0600) {
      return type;
    }
  }
  throw std::invalid_argument(
      fmt::format("'{}' is not an ethertype; allowed: 0x0600 to 0xffff, for example 0x88cc", shown(text)));
}

void check_name(const YamlReader& node, std::string_view name) {
  const auto is_alnum = [](unsigned char letter) { return letter < 128 && std::isalnum(letter) != 0; };
  const bool good = !name.empty() && name.size() <= 32 && is_alnum(static_cast<unsigned char>(name[0])) &&
                    std::all_of(name.begin(), name.end(), [&](char letter) {
                      return letter == '-' || letter == '_' || is_alnum(static_cast<unsigned char>(letter));
                    });
  if (!good) {
    node.fault(fmt::format(
        "'{}' is not a name; allowed: up to 32 letters, digits, '-' and '_', a letter or digit first", shown(name)));
  }
}

// The rule of the kernel's dev_valid_name().
bool is_interface_name(std::string_view name) {
  return !name.empty() && name.size() < IFNAMSIZ && name != "." && name != ".." &&
         name.find_first_of("/: \t\n\r\v\f") == std::string_view::npos && name.find('\0') == std::string_view::npos;
}

std::optional<std::uint32_t> place_of(const YamlReader& node, const std::string& name, std::string_view what,
                                      std::span<const std::string> names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    node.fault(none_of(name, what, names));
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(found - names.begin());
}

IpAddress read_host_or_group(YamlReader& map, std::string_view key) {
  const std::string text = map.required<std::string>(key);
  const auto address = IpAddress::parse(text);
  if (!text.empty() && (!address || address->is_unspecified())) {
    map.fault(key, fmt::format("'{}' is not the IP address of a host or group; example: 239.2.3.1", shown(text)));
  }
  return address.value_or(IpAddress{});
}

void check_geographic(YamlReader& map, const SceneConfig& scene) {
  if (!scene.origin || !scene.has_altitude) {
    map.fault(
        "needs physics.origin with `latitude`, `longitude` and `altitude`, which make positions on the earth of "
        "x, y and z");
  }
}

Endpoint read_host_and_port(YamlReader& map, const std::string& usual) {
  const auto text = map.optional<std::string>("address", usual);
  try {
    const Endpoint address = Endpoint::parse("tcp:" + text);
    check_reach(map, address);
    return address;
  } catch (const std::runtime_error&) {
    map.fault("address", fmt::format("'{}' is not a host and port; example: {}", shown(text), usual));
    return {};
  }
}

std::string none_of(std::string_view name, std::string_view what, std::span<const std::string> names) {
  const std::string guess = guess_for(name, names);
  return fmt::format("'{}' is not a {};{}{} {}", shown(name), what, guess.empty() ? "" : " ", guess,
                     names.empty() ? "none is defined" : fmt::format("known: {}", fmt::join(names, ", ")));
}

}  // namespace hilgate

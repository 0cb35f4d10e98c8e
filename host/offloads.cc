// SPDX-License-Identifier: Apache-2.0
#include "host/offloads.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string_view>

#include "host/file_descriptor.h"

namespace hilgate {
namespace {

/// An ethtool request in the kernel's layout: a header followed by a flexible array. Words keep it aligned.
template <class Header>
class Request {
 public:
  Request(std::uint32_t command, std::size_t payload_bytes)
      : words_((sizeof(Header) + payload_bytes + sizeof(std::uint32_t) - 1) / sizeof(std::uint32_t)) {
    get()->cmd = command;
  }
  Header* get() { return reinterpret_cast<Header*>(words_.data()); }

 private:
  std::vector<std::uint32_t> words_;
};

class Ethtool {
 public:
  explicit Ethtool(const std::string& interface) : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    interface.copy(request_.ifr_name, IFNAMSIZ - 1);
  }
  /// Throws with the interface's and the request's name. Returns what the ioctl returns.
  int call(void* data, const char* what) {
    request_.ifr_data = static_cast<char*>(data);
    const int result = ioctl(socket_.get(), SIOCETHTOOL, &request_);
    if (result < 0) {
      throw std::runtime_error(fmt::format("interface {}: {}: {}", request_.ifr_name, what, std::strerror(errno)));
    }
    return result;
  }

 private:
  FileDescriptor socket_;
  ifreq request_{};
};

std::uint32_t feature_count(Ethtool& ethtool) {
  Request<ethtool_sset_info> info(ETHTOOL_GSSET_INFO, sizeof(std::uint32_t));
  info.get()->sset_mask = 1ULL << ETH_SS_FEATURES;
  ethtool.call(info.get(), "count features");
  return info.get()->sset_mask == 0 ? 0 : info.get()->data[0];
}

std::vector<std::string> feature_names(Ethtool& ethtool, std::uint32_t count) {
  Request<ethtool_gstrings> strings(ETHTOOL_GSTRINGS, std::size_t{count} * ETH_GSTRING_LEN);
  strings.get()->string_set = ETH_SS_FEATURES;
  strings.get()->len = count;
  ethtool.call(strings.get(), "read feature names");
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < count; ++i) {
    const char* name = reinterpret_cast<const char*>(strings.get()->data) + std::size_t{i} * ETH_GSTRING_LEN;
    names.emplace_back(name, strnlen(name, ETH_GSTRING_LEN));
  }
  return names;
}

std::size_t blocks_of(std::uint32_t features) {
  return (features + 31) / 32;
}

std::vector<std::uint32_t> active_features(Ethtool& ethtool, std::uint32_t count) {
  const std::size_t blocks = blocks_of(count);
  Request<ethtool_gfeatures> features(ETHTOOL_GFEATURES, blocks * sizeof(ethtool_get_features_block));
  features.get()->size = static_cast<std::uint32_t>(blocks);
  ethtool.call(features.get(), "read features");
  std::vector<std::uint32_t> active;
  for (std::size_t i = 0; i < blocks; ++i) {
    active.push_back(features.get()->features[i].active);
  }
  return active;
}

bool must_be_off(std::string_view feature) {
  constexpr std::array<std::string_view, 6> kPrefixes = {"tx-checksum-", "rx-checksum", "tx-scatter-gather",
                                                         "rx-gro",       "rx-lro",      "tx-gso-"};
  constexpr std::array<std::string_view, 3> kSuffixes = {"-segmentation", "-hw-insert", "-hw-parse"};
  return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](auto prefix) { return feature.starts_with(prefix); }) ||
         std::any_of(kSuffixes.begin(), kSuffixes.end(), [&](auto suffix) { return feature.ends_with(suffix); });
}

bool takes_vlan_tags_out(std::string_view feature) {
  return feature.starts_with("rx-vlan-") && feature.ends_with("-hw-parse");
}

/// Indices (in the kernel's table) of the features that are on and must not be.
std::vector<std::uint32_t> places_on(Ethtool& ethtool, const std::vector<std::string>& names,
                                     bool (*must_not_be)(std::string_view) = must_be_off) {
  const auto active = active_features(ethtool, static_cast<std::uint32_t>(names.size()));
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    if ((active[i / 32] >> (i % 32) & 1U) != 0 && must_not_be(names[i])) {
      places.push_back(i);
    }
  }
  return places;
}

void turn_off(Ethtool& ethtool, std::uint32_t count, const std::vector<std::uint32_t>& places) {
  const std::size_t blocks = blocks_of(count);
  Request<ethtool_sfeatures> change(ETHTOOL_SFEATURES, blocks * sizeof(ethtool_set_features_block));
  change.get()->size = static_cast<std::uint32_t>(blocks);
  for (const std::uint32_t place : places) {
    change.get()->features[place / 32].valid |= 1U << (place % 32);
  }
  ethtool.call(change.get(), "turn features off");
}

std::vector<std::string> named(const std::vector<std::uint32_t>& places, const std::vector<std::string>& names) {
  std::vector<std::string> result;
  result.reserve(places.size());
  for (const std::uint32_t place : places) {
    result.push_back(names[place]);
  }
  return result;
}

/// Returns those that were on.
std::vector<std::string> turn_off_where(const std::string& interface, bool (*must_not_be)(std::string_view)) {
  Ethtool ethtool(interface);
  const auto names = feature_names(ethtool, feature_count(ethtool));
  const auto on = places_on(ethtool, names, must_not_be);
  if (!on.empty()) {
    turn_off(ethtool, static_cast<std::uint32_t>(names.size()), on);
  }
  const auto left = named(places_on(ethtool, names, must_not_be), names);
  if (!left.empty()) {
    throw std::runtime_error(
        fmt::format("interface {}: cannot turn off these offloads: {}", interface, fmt::join(left, ", ")));
  }
  return named(on, names);
}

}  // namespace

std::vector<std::string> offloads_on(const std::string& interface) {
  Ethtool ethtool(interface);
  const auto names = feature_names(ethtool, feature_count(ethtool));
  return named(places_on(ethtool, names), names);
}

void turn_offloads_off(const std::string& interface) {
  turn_off_where(interface, must_be_off);
}

std::vector<std::string> leave_vlan_tags_in_frames(const std::string& interface) {
  return turn_off_where(interface, takes_vlan_tags_out);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/ros2/bridge/domains.h"

#include <fmt/format.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "host/file_descriptor.h"
#include "host/interface_addresses.h"

namespace hilgate::ros2 {

std::string ros_type(std::string_view dds_type) {
  constexpr std::string_view kMark = "::dds_::";
  const std::size_t mark = dds_type.find(kMark);
  if (mark == std::string_view::npos || !dds_type.ends_with('_')) {
    return std::string(dds_type);
  }
  std::string name(dds_type.substr(0, mark));
  for (std::size_t colons = 0; (colons = name.find("::", colons)) != std::string::npos;) {
    name.replace(colons, 2, "/");
  }
  const std::string_view last = dds_type.substr(mark + kMark.size());
  return name + "/" + std::string(last.substr(0, last.size() - 1));
}

namespace {

std::string configuration_of(const std::set<std::string>& interfaces) {
  const char* const further = std::getenv("CYCLONEDDS_URI");
  std::string text = further != nullptr && *further != '\0' ? std::string(further) + "," : "";
  text += "<CycloneDDS><Domain><General>";
  if (!interfaces.empty()) {
    text += "<Interfaces>";
    for (const std::string& name : interfaces) {
      text += fmt::format(R"(<NetworkInterface name="{}"/>)", name);
    }
    text += "</Interfaces>";
  }
  return text + "</General></Domain></CycloneDDS>";
}

}  // namespace

std::string interface_fault(const std::string& name) {
  if (name.empty()) {
    return {};
  }
  const FileDescriptor query(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  const bool exists = ::ioctl(query.get(), SIOCGIFFLAGS, &request) == 0;
  const bool up = exists && (request.ifr_flags & IFF_UP) != 0;
  if (up && std::ranges::any_of(interface_addresses(name), is_ipv4)) {
    return {};
  }
  return fmt::format("interface '{}' {}", name, !exists ? "does not exist" : !up ? "is down" : "has no IPv4 address");
}

dds_entity_t made(dds_entity_t entity, const std::string& what) {
  if (entity < 0) {
    throw std::runtime_error(fmt::format("{}: DDS: {}", what, dds_strretcode(entity)));
  }
  return entity;
}

Domains::Domains(const std::vector<Ros2Place>& places) : places_(places) {
  std::map<std::uint32_t, std::set<std::string>> interfaces;
  for (const Ros2Place& place : places) {
    std::set<std::string>& named = interfaces[place.domain];
    if (!place.interface.empty()) {
      named.insert(place.interface);
    }
  }
  for (const auto& [domain, named] : interfaces) {
    const std::string what = fmt::format("ROS domain {}", domain);
    made(dds_create_domain(domain, configuration_of(named).c_str()), what);
    participants_[domain] = made(dds_create_participant(domain, nullptr, nullptr), what);
  }
}

// Cyclone DDS 0.10 wakes its receiving threads by packets to itself, and waits for them for ever when the interface
// that these take is gone or down. Nobody can be notified over such an interface either.
Domains::~Domains() {
  if (std::ranges::all_of(places_, [](const Ros2Place& place) { return interface_fault(place.interface).empty(); })) {
    dds_delete(DDS_CYCLONEDDS_HANDLE);
  }
}

}  // namespace hilgate::ros2

// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/bus/bus_domain.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <sys/socket.h>

#include <memory>
#include <set>
#include <stdexcept>

namespace hilgate::bus {
namespace {

constexpr int kGatewaysOfOneAddress = 16;

std::string on_network(const std::string& address) {
  return address.starts_with("127.") ? "127.0.0.1" : address;
}

bool is_here(const std::string& address) {
  in_addr wanted{};
  ifaddrs* list = nullptr;
  if (::inet_pton(AF_INET, address.c_str(), &wanted) != 1 || ::getifaddrs(&list) != 0) {
    return false;
  }
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(list, ::freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr != nullptr && entry->ifa_addr->sa_family == AF_INET &&
        reinterpret_cast<const sockaddr_in*>(entry->ifa_addr)->sin_addr.s_addr == wanted.s_addr) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string domain_configuration(const BusSettings& settings) {
  const std::string own = on_network(settings.address);
  if (!is_here(own)) {
    throw std::runtime_error(fmt::format("no interface has the gateway's address {}", own));
  }
  std::set<std::string> peers{own};
  for (const std::string& other : settings.others) {
    peers.insert(on_network(other));
  }
  std::string text = fmt::format(
      "<CycloneDDS><Domain><General><Interfaces><NetworkInterface address=\"{}\"/></Interfaces>"
      "<AllowMulticast>false</AllowMulticast></General>"
      "<Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>{}</MaxAutoParticipantIndex>"
      "<SPDPInterval>1s</SPDPInterval><LeaseDuration>3s</LeaseDuration><Peers>",
      own, kGatewaysOfOneAddress);
  for (const std::string& peer : peers) {
    text += fmt::format("<Peer address=\"{}\"/>", peer);
  }
  return text + "</Peers></Discovery></Domain></CycloneDDS>";
}

dds_entity_t made(dds_entity_t entity, const std::string& what) {
  if (entity < 0) {
    throw std::runtime_error(fmt::format("{}: DDS reports: {}", what, dds_strretcode(entity)));
  }
  return entity;
}

}  // namespace hilgate::bus

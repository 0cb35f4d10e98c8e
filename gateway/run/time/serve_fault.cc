// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/time/serve_fault.h"

#include <fmt/format.h>
#include <ifaddrs.h>
#include <sys/socket.h>

namespace hilgate {
namespace {

bool has_ipv4_address(const std::string& interface) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) {
    return true;  // whoever cannot say lets the sockets speak
  }
  bool found = false;
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    found = found || (one->ifa_addr != nullptr && one->ifa_addr->sa_family == AF_INET && interface == one->ifa_name);
  }
  freeifaddrs(all);
  return found;
}

}  // namespace

std::string serve_fault(const ServeConfig& serve, const std::string& port, const std::string& interface) {
  // Linux drops what comes to such a group from 0.0.0.0.
  if (serve.transport != PtpTransportKind::kUdp4 || has_ipv4_address(interface)) {
    return {};
  }
  return fmt::format(
      "port '{0}': {1} has no IPv4 address, and slaves ignore PTP over UDP/IPv4 without one; give it one (`ip address "
      "add 10.0.0.254/24 dev {1}`) or serve with `transport: l2`",
      port, interface);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "tests/support/net_lab.h"

#include <fmt/format.h>

namespace hilgate::test {

NetLab::NetLab(std::string_view purpose, const std::vector<std::string>& robots, const VethOptions& options)
    : gateway_(std::string(purpose) + "-gw") {
  for (std::size_t n = 0; n < robots.size(); ++n) {
    robots_.push_back(std::make_unique<NetNs>(std::string(purpose) + "-" + robots[n]));
    ports_.push_back("hg-" + robots[n]);
    VethPair({&gateway_, ports_[n]}, {robots_[n].get(), "eth0", mac(n), {ipv4(n) + "/24", ipv6(n) + "/64"}}, options);
  }
}

void NetLab::silence() const {
  for (const auto& robot : robots_) {
    robot->run_ok("echo 1 > /proc/sys/net/ipv6/conf/eth0/disable_ipv6");
  }
}

std::string NetLab::mac(std::size_t n) {
  return fmt::format("02:68:67:00:00:{:02x}", n + 1);
}
std::string NetLab::ipv4(std::size_t n) {
  return fmt::format("10.77.0.{}", n + 1);
}
std::string NetLab::ipv6(std::size_t n) {
  return fmt::format("fd77::{:x}", n + 1);
}

}  // namespace hilgate::test

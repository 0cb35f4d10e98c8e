// SPDX-License-Identifier: Apache-2.0
// The usual bench: a gateway's namespace in the middle, one robot's namespace per name, a veth between each two.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/netns.h"

namespace hilgate::test {

/// Robot n (from 0) is plugged in at `hg-<name>` of the gateway's namespace; its own end is `eth0` with MAC
/// 02:68:67:00:00:<n+1>, 10.77.0.<n+1>/24 and fd77::<n+1>/64, as in examples/first/two-robots.yaml.
class NetLab {
 public:
  NetLab(std::string_view purpose, const std::vector<std::string>& robots, const VethOptions& options = {});

  [[nodiscard]] const NetNs& gateway() const { return gateway_; }
  [[nodiscard]] const NetNs& robot(std::size_t n) const { return *robots_.at(n); }
  [[nodiscard]] const std::string& port(std::size_t n) const { return ports_.at(n); }
  /// No robot's kernel speaks IPv6 any more, so that none sends a multicast listener report (RFC 3810) unasked: for
  /// tests that count frames.
  void silence() const;
  [[nodiscard]] static std::string mac(std::size_t n);
  [[nodiscard]] static std::string ipv4(std::size_t n);
  [[nodiscard]] static std::string ipv6(std::size_t n);

 private:
  NetNs gateway_;
  std::vector<std::unique_ptr<NetNs>> robots_;
  std::vector<std::string> ports_;
};

}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// Network namespaces and veth pairs for tests, gone when the objects are, and when a test died: cleaned by the next.
//
//   NetNs gateway("gw"), red("red");
//   VethPair wire({&gateway, "hg-red"}, {&red, "eth0", "02:68:67:00:00:01", {"10.77.0.1/24", "fd77::1/64"}});
//   red.run_ok("ping -c1 10.77.0.2");
//   auto here = gateway.enter();   // sockets made by this thread from here on belong to the gateway's namespace
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/netns.h"
#include "tests/support/process.h"

namespace hilgate::test {

/// False when this process may not make namespaces; tests then GTEST_SKIP() (they carry the label `root`).
bool can_make_namespaces();

/// The calling thread is in another network namespace as long as this lives. /sys stays that of the old one.
using InNetNs = NetnsScope;

/// A namespace known to `ip netns` as `hgt-<purpose>-<pid>-<n>`. The first one made in a process removes those whose
/// process is dead. Nothing in it speaks unasked: no router solicitations, no duplicate address detection.
class NetNs {
 public:
  explicit NetNs(std::string_view purpose);
  ~NetNs();
  NetNs(const NetNs&) = delete;
  NetNs& operator=(const NetNs&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] InNetNs enter() const { return InNetNs(name_); }

  /// Runs a shell command line in here; see process.h.
  [[nodiscard]] Finished run(const std::string& command) const;
  std::string run_ok(const std::string& command) const;  // NOLINT(modernize-use-nodiscard)

  /// Starts a program in here (no shell). Its pid is the program's own.
  [[nodiscard]] std::unique_ptr<Process> start(const std::vector<std::string>& argv) const;

 private:
  std::string name_;
};

/// One end of a veth pair. An end without addresses is a dumb port: IPv6 is off on it.
struct VethEnd {
  const NetNs* where;
  std::string name;                      // at most 15 characters
  std::string mac = {};                  // empty: the kernel chooses
  std::vector<std::string> addresses{};  // with prefix length, IPv4 and IPv6
};

struct VethOptions {
  unsigned mtu = 1500;
  unsigned queues = 1;    // rx and tx queues at both ends
  bool offloads = false;  // true leaves the kernel's defaults: partial checksums, GSO, VLAN tags beside the frame
};

/// Two veth ends, up and running. The pair goes with either namespace.
class VethPair {
 public:
  VethPair(const VethEnd& one, const VethEnd& other, const VethOptions& options = {});
};

/// Every offload that would make frames on a veth differ from frames on a wire: checksum, segmentation, receive
/// coalescing, VLAN tags kept beside the frame (an XDP program and an AF_XDP socket do not see those).
void offloads_off(const NetNs& where, const std::string& interface);

/// The offloads of the list above that are on, by ethtool's names; empty when frames are as on a wire.
std::vector<std::string> offloads_on(const NetNs& where, const std::string& interface);

}  // namespace hilgate::test

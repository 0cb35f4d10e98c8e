// SPDX-License-Identifier: Apache-2.0
#include "bench/bench_network.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "host/offloads.h"
#include "host/process.h"

namespace hilgate {
namespace {

FileDescriptor new_namespace() {
  FileDescriptor made;
  int error = 0;
  std::thread([&] {  // which leaves this thread where it is
    if (unshare(CLONE_NEWNET) == 0) {
      made = FileDescriptor(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    }
    error = errno;
  })
      .join();
  if (!made.valid()) {
    throw std::runtime_error(fmt::format("cannot make a network namespace: {}", std::strerror(error)));
  }
  return made;
}

// Of the calling thread's namespace; nothing on a kernel without IPv6.
void silence(const std::string& interface) {
  std::ofstream("/proc/sys/net/ipv6/conf/" + interface + "/disable_ipv6") << 1;
}

void bring_up(const std::string& interface) {
  turn_offloads_off(interface);
  run_or_throw({"ip", "link", "set", "dev", interface, "up"});
}

}  // namespace

BenchNetwork::BenchNetwork()
    : BenchEnds({new_namespace(), kRobotEnd}, {new_namespace(), kRobotEnd}), gateway_(new_namespace()) {
  for (std::size_t n = 0; n < kRobots; ++n) {
    plug_in(n);
  }
}

void BenchNetwork::plug_in(std::size_t n) const {
  const std::string robot = fmt::format("/proc/{}/fd/{}", getpid(), robot_netns(n));
  {
    const NetnsScope here = enter_gateway();
    // The kernel announces the carrier at once only where the ends' indexes differ (linkwatch_urgent_event in
    // net/core/link_watch.c), else within a second.
    run_or_throw({"ip", "link", "add", "name", port(n), "type", "veth", "peer", "name", kRobotEnd, "index", "1000",
                  "address", fmt::format("02:68:67:00:00:{:02x}", n + 1), "netns", robot});
    silence(port(n));
    bring_up(port(n));
  }
  const NetnsScope there = enter_robot(n);
  silence(kRobotEnd);
  attach_pass_program(kRobotEnd);
  bring_up(kRobotEnd);
}

BenchBridge::BenchBridge(const BenchNetwork& network) : network_(&network) {
  const NetnsScope here = network.enter_gateway();
  run_or_throw({"ip", "link", "add", "name", "br0", "type", "bridge"});
  silence("br0");
  run_or_throw({"ip", "link", "set", "dev", "br0", "up"});
  for (std::size_t n = 0; n < BenchNetwork::kRobots; ++n) {
    run_or_throw({"ip", "link", "set", "dev", BenchNetwork::port(n), "master", "br0"});
  }
}

BenchBridge::~BenchBridge() {
  try {
    const NetnsScope here = network_->enter_gateway();
    run_or_throw({"ip", "link", "del", "dev", "br0"});
  } catch (const std::exception&) {
    // It goes with the namespace.
  }
}

}  // namespace hilgate

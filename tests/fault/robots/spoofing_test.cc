// SPDX-License-Identifier: Apache-2.0
// A robot that says it is another one.
#include <utility>

#include "tests/fault/robots/robot_fault.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST_F(RobotFault, NeighboursMacAddress) {
  const std::size_t sent = flood({ethernet({robot_mac(kBlue), robot_mac(kRed)}, 0x9999, counting(60)),
                                  ethernet({kBroadcast, robot_mac(kBlue)}, 0x9999, counting(60))});
  const std::uint64_t refused = expect_refused("spoofed_sender", sent);
  expect_mallory_heard();
  conclude({"A robot sends with its neighbours' MAC addresses, as quickly as it can",
            "Dropped as spoofed_sender; no robot receives them", fmt::format("{} dropped", refused)});
}

// The claim is payload, as on any network; it does not move whose frames are whose.
TEST_F(RobotFault, ArpClaims) {
  const Layer2 from_mallory{.destination = kBroadcast, .source = robot_mac(kMallory)};
  std::vector<Bytes> claims;
  for (const unsigned victim : {1U, 2U, 4U}) {
    claims.push_back(arp_request(from_mallory, victim, victim));  // gratuitous: this address is mine
  }
  // Until nothing of mallory's is on its way into the path: counts of links are read one after the other.
  const auto when_all_is_in = [] {
    return gateway().status_when([last = std::uint64_t{0}](const GatewayStatus& now) mutable {
      const std::uint64_t count = now.link("mallory", "blue").counts("in") + now.link("mallory", "red").counts("in");
      return std::exchange(last, count) == count;
    });
  };
  gateway().mute();
  const GatewayStatus muted = when_all_is_in();  // the robots' kernels have answered each other
  const std::size_t sent = flood(claims, 200ms);
  const GatewayStatus now = when_all_is_in();
  const auto taken_in = [&](const char* from, const char* to) {
    return now.link(from, to).counts("in") - muted.link(from, to).counts("in");
  };
  EXPECT_GT(taken_in("mallory", "blue"), kMany);
  EXPECT_EQ(taken_in("mallory", "blue"), taken_in("mallory", "red"));
  EXPECT_EQ(taken_in("red", "green"), 0U) << "a claim counts as its sender's";
  conclude({"A robot claims its neighbours' IP addresses by ARP",
            "Frames belong to the robot whose MAC address they have; directed frames of others go to their receivers",
            fmt::format("{} claims", sent)});
}

TEST_F(RobotFault, NeighboursIpAddress) {
  const Bytes lie =
      ip_frame({.destination = robot_mac(kGreen), .source = robot_mac(kMallory)},
               {.source = NetLab::ipv4(kRed), .destination = NetLab::ipv4(kGreen)}, 17, udp(counting(64)));
  const std::size_t sent = flood({lie}, 200ms);
  const GatewayStatus now = gateway().settled(0);
  const auto of = [](const GatewayStatus& status, const char* from) { return status.link(from, "green").counts("in"); };
  EXPECT_GT(of(now, "mallory"), of(before(), "mallory") + kMany) << "of " << sent;
  EXPECT_EQ(of(now, "red"), of(before(), "red"));
  conclude({"A robot sends with its neighbour's IP address",
            "The frames meet the sender's own air and count as its own",
            fmt::format("{} on its own link, 0 on its neighbour's", of(now, "mallory") - of(before(), "mallory"))});
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// A gateway that tells a network simulator of packets from robots that it never named.
#include <gtest/gtest.h>

#include "netsim_link/native/native_network_codec.h"
#include "physics_link/native/native.pb.h"
#include "physics_link/native/native_protocol.h"
#include "tests/fault/fault_record.h"

namespace hilgate::test {
namespace {

TEST(Fault, FramesOfUnknownRobotsAreFaults) {
  wire::native::Message message;
  for (const std::uint32_t sender : {1U, 2U, 4'000'000'000U}) {
    auto& packet = *message.mutable_begin()->add_packets();
    packet.set_id(sender);
    packet.set_sender(sender);
    packet.set_receiver(-1);
  }
  native::NetworkBegin begin;
  bool has_scene = false;
  Scene scene;
  std::vector<CapturedPacket> packets;
  const MaybeFault fault = native::decode(message.SerializeAsString(), 2, begin, has_scene, scene, packets);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->error, ProtocolError::kBadValue);
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_EQ(packets[0].id, 1U);

  native::Hello hello;
  hello.robots.assign(5000, "r");
  std::string body;
  native::encode(hello, body);
  native::Hello read;
  EXPECT_TRUE(native::decode(body, read)) << "a scene of 5000 robots has 12 million pairs";
  record({"`hilgate serve` receives packets from unknown robots, and of 5000 robots",
          "Ignored, and a fault is reported", "1 of 3 packets taken"});
}

}  // namespace
}  // namespace hilgate::test

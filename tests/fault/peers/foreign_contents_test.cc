// SPDX-License-Identifier: Apache-2.0
// Simulators that keep to ROS-NetSim's or DANCERS' messages and say in them what cannot be.
#include <cmath>
#include <functional>
#include <limits>
#include <ostream>
#include <vector>

#include "tests/fault/peers/foreign_fault.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using wire::dancers::PoseVector;
using wire::rosnetsim::ChannelData;
using wire::rosnetsim::NetworkUpdate;

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::uint32_t kFirstAddress = 0x0A4D0001;  // of the first robot

// What is said, and what it is told as.
struct Content {
  ForeignSide foreign;
  const char* fault;
  const char* promise;
  const char* told;
  std::function<std::string(std::uint64_t window)> answer;  // a whole frame
  friend void PrintTo(const Content& content, std::ostream* out) { *out << content.fault; }
};

Content channels(const char* fault, const char* promise, const char* told,
                 const std::function<void(ChannelData&)>& words) {
  return {{"rosnetsim", Side::kPhysics}, fault, promise, told, [words](std::uint64_t window) {
            ChannelData data;
            words(data);
            return end_with(data, window);
          }};
}

Content deliveries(const char* fault, const char* promise, const char* told,
                   const std::function<void(NetworkUpdate&)>& words) {
  return {{"rosnetsim", Side::kNetsim}, fault, promise, told, [words](std::uint64_t window) {
            NetworkUpdate update;
            words(update);
            return end_with(update, window);
          }};
}

Content poses(const char* fault, const char* promise, const char* told, const std::function<void(PoseVector&)>& words) {
  PoseVector vector;
  words(vector);
  return {
      {"dancers", Side::kPhysics}, fault, promise, told, [frame = end_with(vector)](std::uint64_t) { return frame; }};
}

void add_node(ChannelData& data, double metres) {
  for (const double number : {metres, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0}) {
    data.add_node_list(number);
  }
}

void deliver(NetworkUpdate& update, std::uint32_t packet, std::uint32_t receiver, double ber) {
  update.add_pkt_id(packet);
  update.add_src_ip(kFirstAddress);
  update.add_dst_ip(kFirstAddress + 1);
  update.add_rx_ip(receiver);
  update.add_ber(ber);
}

const std::vector<Content> kChannels = {
    channels("answers with 5000 robots for four", "The first four are taken; named", "node_list has",
             [](ChannelData& data) {
               for (int n = 0; n < 5000; ++n) {
                 add_node(data, n);
               }
             }),
};

const std::vector<Content> kDeliveries = {
    deliveries("delivers and clears 10000 packets that were not offered", "Ignored; frames continue", "",
               [](NetworkUpdate& update) {
                 for (std::uint32_t n = 0; n < 10'000; ++n) {
                   deliver(update, 1'000'000 + n, kFirstAddress + 1, 0);
                   update.add_clear_pkt_id(1'000'000 + n);
                   update.add_clear_src_ip(kFirstAddress);
                   update.add_clear_dst_ip(kFirstAddress);
                 }
               }),
};

const std::vector<Content> kPoses = {
    poses("answers with positions of NaN, infinity and 1e300 m", "Refused by name; robots stay in the world",
          "within 1e8 m",
          [](PoseVector& vector) {
            std::uint32_t agent = 0;
            for (const double metres : {kNotANumber, kInfinite, -kInfinite, 1e300}) {
              auto& pose = *vector.add_pose();
              pose.set_agent_id(agent++);
              pose.set_x(metres);
              pose.set_qw(metres);
            }
          }),
    {{"dancers", Side::kPhysics},
     "sends CLOSE in place of each answer",
     "Named; it may reconnect after 200 ms",
     "the peer ended the run",
     [](std::uint64_t window) {
       return ForeignSide{"dancers", Side::kPhysics}.message(2, window);
     }},
};

class ForeignContents : public ForeignFault, public testing::WithParamInterface<Content> {
 protected:
  void SetUp() override { start_foreign(GetParam().foreign); }
};

TEST_P(ForeignContents, AreRefusedByName) {
  const Content& content = GetParam();
  conclude_foreign(content.fault, content.promise, answering([&content](StreamPeer& peer, const auto& begin) {
                     peer.send(content.answer(begin.window()));
                   }),
                   {.told = content.told, .questions = 3});
  for (const auto& position : gateway().status().positions) {
    for (const double metres : position) {
      EXPECT_LE(std::abs(metres), 1e7);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(RosNetSimPhysics, ForeignContents, testing::ValuesIn(kChannels));
INSTANTIATE_TEST_SUITE_P(RosNetSimNetwork, ForeignContents, testing::ValuesIn(kDeliveries));
INSTANTIATE_TEST_SUITE_P(DancersPhysics, ForeignContents, testing::ValuesIn(kPoses));

}  // namespace
}  // namespace hilgate::test

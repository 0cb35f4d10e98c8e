// SPDX-License-Identifier: Apache-2.0
// Robots behind one cable: with a VLAN each, and kept apart by their switch. One of them takes those of others for its
// own.
#include "tests/fault/live/live_fault.h"
#include "tests/support/raw_socket.h"
#include "tests/support/traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr unsigned kWhite = 9;  // as a robot of NetLab: behind the same cable as mallory
constexpr std::uint16_t kMallorysVlan = 10;
constexpr std::uint16_t kWhitesVlan = 20;
constexpr std::uint16_t kMostVlan = 4095;
constexpr std::uint16_t kOwnEthertype = 0x88b6;  // not that of the traffic beside
constexpr std::uint64_t kSome = 200;             // of a flood get in at least, also on a busy machine

std::string wiring(const std::string& shared, const std::string& mallory, const std::string& white) {
  std::string ports = fmt::format(
      "ports: {{red: {{interface: hg-red}}, blue: {{interface: hg-blue}}, "
      "shared: {{interface: hg-mallory{}}}, green: {{interface: hg-green}}}}\nrobots:\n",
      shared);
  const auto robot = [&ports](const char* name, const char* port, unsigned n, const std::string& more) {
    ports += fmt::format("  {}: {{port: {}, mac: '{}'{}}}\n", name, port, NetLab::mac(n), more);
  };
  robot("red", "red", 0, "");
  robot("blue", "blue", 1, "");
  robot("mallory", "shared", 2, mallory);
  robot("white", "shared", kWhite, white);
  robot("green", "green", 3, "");
  return ports;
}

Bytes frame(unsigned from, unsigned to, const std::vector<VlanTag>& tags) {
  return ethernet({.destination = robot_mac(to), .source = robot_mac(from), .tags = tags}, kOwnEthertype, counting(60));
}

/// Two robots at one port, mallory and white.
class SharedPortFault : public LiveFault {
 protected:
  /// How many of the test's frames somebody gets until none comes any more; of them, how many are not as expected.
  struct Heard {
    std::size_t frames = 0;
    std::size_t others = 0;
  };
  static Heard hear(const RawSocket& socket, const std::vector<Bytes>& expected) {
    Heard heard;
    while (const auto next = socket.receive(300ms)) {
      ++heard.frames;
      heard.others += std::find(expected.begin(), expected.end(), *next) == expected.end() ? 1 : 0;
    }
    return heard;
  }
};

class TrunkFault : public SharedPortFault {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    start({.yaml = "memory: {frames: 16384}\nnetsim: {type: wire}\n",
           .robots = {"red", "blue", "mallory", "green"},
           .wiring = wiring("", fmt::format(", vlan: {}", kMallorysVlan), fmt::format(", vlan: {}", kWhitesVlan))});
    begin();
  }
};

TEST_F(TrunkFault, TagsOfOthersAndUnassignedTags) {
  const RawSocket green(robot(kGreen), "eth0", kOwnEthertype);
  const std::size_t sent =
      flood({frame(kMallory, kGreen, {{.control = kWhitesVlan}}), frame(kWhite, kGreen, {{.control = kMallorysVlan}}),
             frame(kMallory, kGreen, {}), frame(kMallory, kGreen, {{.control = 0}}),
             frame(kMallory, kGreen, {{.control = kMostVlan}}),
             frame(kMallory, kGreen, {{.control = 0}, {.control = kMallorysVlan}}),
             frame(kMallory, kGreen, {{.control = 1}, {.control = kMallorysVlan}}),
             frame(kMallory, kGreen, {{.type = 0x88a8, .control = kMallorysVlan}})},
            600ms);
  gateway().settled(0);
  const std::uint64_t spoofed = dropped("spoofed_sender");
  const std::uint64_t unknown = dropped("unknown_vlan");
  EXPECT_GT(spoofed, kSome);
  EXPECT_GT(unknown, kSome);
  EXPECT_EQ(hear(green, {}).frames, 0U);
  conclude(
      {"A robot of a trunk floods with the VLANs and addresses of another, without a tag, with VLAN 0 and 4095, and "
       "with its own VLAN after another tag",
       "Dropped and counted; no frame passes as another robot's",
       fmt::format("{} frames: {} dropped as unknown_vlan, {} as spoofed_sender, 0 passed", sent, unknown, spoofed)});
}

TEST_F(TrunkFault, ManyTagsWithinItsOwn) {
  const RawSocket green(robot(kGreen), "eth0");
  const RawSocket trunk(robot(kMallory), "eth0");
  std::vector<Bytes> sent;
  std::vector<Bytes> as_received;
  for (std::size_t inner = 0; inner < 6; ++inner) {
    std::vector<VlanTag> tags(inner, VlanTag{.control = kWhitesVlan});
    as_received.push_back(frame(kMallory, kGreen, tags));
    tags.insert(tags.begin(), VlanTag{.control = kMallorysVlan});
    sent.push_back(frame(kMallory, kGreen, tags));
  }
  flood(sent, 300ms);
  const Heard at_green = hear(green, as_received);
  EXPECT_GT(at_green.frames, 0U);
  EXPECT_EQ(at_green.others, 0U);
  EXPECT_EQ(hear(trunk, {}).frames, 0U) << "nothing of it is white's";
  conclude({"A robot of a trunk puts up to five tags of another one's VLAN after its own",
            "Its own is taken off, the rest is payload: to its receiver, and not to the other robot",
            fmt::format("{} frames at the receiver, {} of them changed otherwise; 0 at the other", at_green.frames,
                        at_green.others)});
}

class IsolatedPortFault : public SharedPortFault {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    start({.yaml = "memory: {frames: 16384}\nnetsim: {type: wire}\n"
                   "links: [{from: mallory, to: white, loss: 100 %}]\n",
           .robots = {"red", "blue", "mallory", "green"},
           .wiring = wiring(", isolated: true", "", "")});
    begin();
  }
};

TEST_F(IsolatedPortFault, FramesToANeighbourMeetTheAir) {
  const RawSocket shared(robot(kMallory), "eth0", kOwnEthertype);
  const std::size_t sent =
      flood({frame(kMallory, kWhite, {}), frame(kWhite, kWhite, {}), frame(kMallory, kMallory, {}),
             ethernet({.destination = kBroadcast, .source = robot_mac(kMallory)}, kOwnEthertype, counting(60))},
            600ms);
  gateway().settled(0);
  EXPECT_EQ(hear(shared, {}).frames, 0U);
  const std::uint64_t lost =
      grew([](const GatewayStatus& status) { return status.link("mallory", "white").counts("in"); });
  EXPECT_GT(lost, kSome);
  conclude(
      {"A robot of an isolated port floods its neighbour on the same switch, itself, and all",
       "Frames for the neighbour go through the air between them; frames that the air lost do not return to the port",
       fmt::format("{} frames, {} of them to the neighbour; 0 came back", sent, lost)});
}

}  // namespace
}  // namespace hilgate::test

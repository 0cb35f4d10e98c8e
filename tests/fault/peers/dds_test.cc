// SPDX-License-Identifier: Apache-2.0
// A robot that announces participants of DDS as no ROS 2 does; the control thread hears it beside the windows.
#include <algorithm>
#include <cstring>
#include <random>

#include "tests/fault/peers/peer_fault.h"
#include "tests/support/eventually.h"
#include "tests/support/packets.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t kAnnouncements = 7400;  // of domain 0
constexpr const char* kGroup = "239.255.0.1";

/// A participant's announcement (RTPS 2.5, 8.5.3): with this number in its prefix and a lease of 2^31 - 1 s.
Bytes announcement(std::uint32_t number, bool farewell = false) {
  const auto text = [](std::initializer_list<unsigned> bytes) {
    Bytes all;
    for (const unsigned byte : bytes) {
      all.push_back(static_cast<std::byte>(byte));
    }
    return all;
  };
  Bytes all = text({'R', 'T', 'P', 'S', 2, 1, 1, 0x10, 'h', 'g', 't', 0});
  for (unsigned byte = 0; byte < 8; ++byte) {
    all.push_back(static_cast<std::byte>(byte < 4 ? number >> (8U * byte) : 0));
  }
  const auto add = [&all](const Bytes& more) { all.insert(all.end(), more.begin(), more.end()); };
  if (farewell) {
    add(text({0x15, 0x03, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 1, 0, 0xc2, 0, 0, 0, 0, 1, 0, 0, 0}));
    add(text({0x71, 0, 4, 0, 0, 0, 0, 3, 1, 0, 0, 0}));
  } else {
    add(text({0x15, 0x05, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 1, 0, 0xc2, 0, 0, 0, 0, 1, 0, 0, 0}));
    add(text({0, 3, 0, 0, 2, 0, 8, 0, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0}));
  }
  return all;
}

class DdsPeers : public PeerFault {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    start_between({.further = "dds: {domains: [0]}\n"});
    begin_quietly();
  }
  static Bytes from(std::size_t robot, const Bytes& data) {
    return ip_frame(
        {.destination = *MacAddress::parse("01:00:5e:7f:00:01"), .source = robot_mac(static_cast<unsigned>(robot))},
        {.source = NetLab::ipv4(robot), .destination = kGroup}, 17, udp(data, kAnnouncements, 40000));
  }
  static std::size_t participants_of(const std::string& robot) {
    const auto status = status_json().at("dds");
    const auto& all = status.at("participants");
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [&robot](const auto& row) { return row.at("robot") == robot; }));
  }
  static std::size_t unread() { return status_json().at("dds").at("unread").get<std::size_t>(); }
  /// Green announces this participant of its own until it has so many.
  static bool green_has(std::size_t count, std::uint32_t newest) {
    const RawSocket green(robot(kGreen), "eth0");
    return eventually([&] {
      green.send(from(kGreen, announcement(newest)));
      return participants_of("green") == count;
    });
  }
};

// Cut off, and with other bytes here and there.
void add_malformed(std::vector<Bytes>& announcements) {
  std::mt19937_64 random(9);
  const Bytes good = announcement(1);
  for (std::size_t n = 0; n < 2048; ++n) {
    Bytes bad(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(4 + n % (good.size() - 4)));
    for (std::size_t flip = 0; bad.size() > 4 && flip < n % 7; ++flip) {
      bad[4 + random() % (bad.size() - 4)] = static_cast<std::byte>(random());  // it stays RTPS
    }
    announcements.push_back(bad);
  }
}

TEST_F(DdsPeers, FloodOfAnnouncements) {
  constexpr std::uint32_t kGreens = 100'007;
  ASSERT_TRUE(green_has(1, kGreens));
  std::vector<Bytes> announcements{announcement(kGreens, true), announcement(kGreens)};
  for (std::uint32_t n = 0; n < 8192; ++n) {
    announcements.push_back(announcement(n));
  }
  add_malformed(announcements);
  std::vector<Bytes> frames;
  for (const Bytes& one : announcements) {
    frames.push_back(from(kMallory, one));
  }
  const std::size_t before = unread();
  const std::size_t sent = flood(frames, 1s);
  EXPECT_GT(participants_of("mallory"), 0U);
  EXPECT_EQ(participants_of("green"), 1U) << "its end was not mallory's to announce";
  EXPECT_GT(unread(), before);
  EXPECT_TRUE(green_has(2, kGreens + 1)) << "however many mallory has";
  const auto heard = status_json().at("dds");
  conclude_windows(
      {"A robot floods with announcements of DDS: of 8192 participants that never leave, of the end of another robot's "
       "and of it as its own, cut off, and with other bytes here and there",
       "1024 at most, and another robot's are shown all the same; announcements apply to the robot's own participants "
       "alone; unread where nothing can be read",
       fmt::format("{} datagrams; {} participants of mallory, {} of green, {} refused, {} unread", sent,
                   participants_of("mallory"), participants_of("green"), heard.at("refused").get<std::uint64_t>(),
                   heard.at("unread").get<std::uint64_t>())},
      {Side::kPhysics, Side::kNetsim});
}

}  // namespace
}  // namespace hilgate::test

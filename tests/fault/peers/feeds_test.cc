// SPDX-License-Identifier: Apache-2.0
// Who sends to the sockets on which programs push positions, beside the one that belongs there.
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <span>

#include "physics_link/feeds/position_formats.h"
#include "tests/fault/peers/peer_fault.h"
#include "tests/support/eventually.h"
#include "tests/support/udp_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

Bytes bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string folder_of_feeds() {
  return (std::filesystem::temp_directory_path() / fmt::format("hgt-feed-{}", ::getpid())).string();
}

class FeedPeers : public PeerFault, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    std::filesystem::create_directories(folder_of_feeds());
    start_between(
        {.physics = "physics: {type: " + std::string(GetParam()) + keys() + "}\n", .numbered = is("robonetsim")});
    begin_quietly();
  }
  static bool is(const char* kind) { return std::string(GetParam()) == kind; }
  static std::string keys() {
    return is("cornet") ? fmt::format(", clock: '{0}/clock', positions: '{0}/positions'", folder_of_feeds()) : "";
  }
  static std::string feed_address() {
    return is("cornet") ? "unix:" + folder_of_feeds() + "/positions" : "tcp:127.0.0.1:12345";
  }
  static std::string words(const std::string& robot, const std::string& x) {
    if (is("cornet")) {
      return fmt::format("{{\"name\": \"{}\", \"x\": {}, \"y\": 0, \"z\": 0}}\n", robot, x);
    }
    if (is("cornet2")) {
      return fmt::format("set.{}.setPosition(\"{},0,0\")", robot, x);
    }
    return robonetsim::node_positions({.timestamp_s = 1, .nodes = {{.robot = robot, .at = {std::stod(x), 0, 0}}}});
  }
  // Says it once, on a connection or in a datagram of its own.
  static void say(const std::string& text) {
    if (is("robonetsim")) {
      UdpSocket(host(), "127.0.0.1", 0).send("127.0.0.1", 9999, bytes_of(text));
    } else {
      StreamPeer(host(), feed_address()).send(text);
    }
  }
  // Again and again for a while; how often.
  static std::size_t flood_with(const std::vector<std::string>& texts, std::chrono::milliseconds length) {
    std::size_t said = 0;
    if (is("robonetsim")) {
      const UdpSocket socket(host(), "127.0.0.1", 0);
      for (const auto end = Clock::now() + length; Clock::now() < end; ++said) {
        socket.send("127.0.0.1", 9999, bytes_of(texts[said % texts.size()]));
      }
      return said;
    }
    for (const auto end = Clock::now() + length; Clock::now() < end;) {
      StreamPeer peer(host(), feed_address());
      do {
        ++said;
      } while (peer.send(texts[said % texts.size()], 20ms) && Clock::now() < end);
    }
    return said;
  }
  static std::uint64_t count(const char* what) { return status_json().at("window").at("feed").at(what); }
};

// Beside peers that say nothing and stay.
TEST_P(FeedPeers, FloodOfNoiseAndPositionsThatCannotBe) {
  const std::string red = is("robonetsim") ? "0" : "red";
  std::vector<std::unique_ptr<StreamPeer>> silent;
  for (int n = 0; n < 8 && !is("robonetsim"); ++n) {
    silent.push_back(std::make_unique<StreamPeer>(host(), feed_address()));
  }
  std::vector<std::string> texts;
  for (unsigned n = 0; n < 64; ++n) {
    const Bytes bytes = payload(500, n);
    texts.push_back(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) + "\n");
    texts.push_back(words(fmt::format("{}{}", is("robonetsim") ? "10" : "ghost", n), "1"));
    texts.push_back(words(red, n % 2 == 0 ? "1e300" : "-1e20"));
  }
  const std::uint64_t malformed = count("malformed");
  const std::uint64_t unknown = count("unknown");
  const std::size_t said = flood_with(texts, 700ms);
  silent.clear();
  constexpr double kX = 3;
  GatewayStatus status;
  const auto took = time_of([&] {
    EXPECT_TRUE(eventually([&] {
      say(texts[1]);  // whole: the flood may have been read in pieces of which none was
      say(texts[2]);
      say(words(red, fmt::format("{}", kX)));
      status = gateway().status();
      return !status.positions.empty() && status.positions[0][0] == kX && count("unknown") > unknown;
    })) << "the right program is received";
  });
  for (const auto& position : status.positions) {
    EXPECT_LE(std::abs(position[0]), 1e7);
  }
  EXPECT_GT(count("malformed"), malformed);
  conclude_windows(
      {fmt::format("A peer sends noise, positions of unknown robots and of 1e20 m and more without a pause, "
                   "beside silent peers, to the socket of the position feed {}",
                   GetParam()),
       "Counted as malformed and unknown; the right program is received",
       fmt::format("{} sent, {} malformed, {} unknown; a position is taken after {}", said,
                   count("malformed") - malformed, count("unknown") - unknown, text_of(took))},
      {Side::kNetsim});
}

INSTANTIATE_TEST_SUITE_P(Cornet, FeedPeers, testing::Values("cornet"));
INSTANTIATE_TEST_SUITE_P(Cornet2, FeedPeers, testing::Values("cornet2"));
INSTANTIATE_TEST_SUITE_P(RoboNetSim, FeedPeers, testing::Values("robonetsim"));

}  // namespace
}  // namespace hilgate::test

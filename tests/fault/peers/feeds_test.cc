// SPDX-License-Identifier: Apache-2.0
// Who sends to the sockets on which programs push positions, beside the one that belongs there.
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <span>

#include "physics_link/feeds/position_formats.h"
#include "tests/fault/peers/peer_fault.h"
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
  static std::size_t flood_with(const std::vector<std::string>& texts, std::chrono::milliseconds length = 700ms) {
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
  // The right program moves red, and this count of what is wrong has grown.
  void conclude_feed(const std::string& fault, const char* counted, std::uint64_t before, std::size_t said) {
    const double x = static_cast<double>(++moved_);
    GatewayStatus status;
    const auto took = time_of([&] {
      const auto end = Clock::now() + 20s;
      do {
        say(words(is("robonetsim") ? "0" : "red", fmt::format("{}", x)));
        status = gateway().status();
      } while ((status.positions.empty() || status.positions[0][0] != x) && Clock::now() < end);
    });
    ASSERT_FALSE(status.positions.empty());
    EXPECT_EQ(status.positions[0][0], x) << "the right program is received";
    for (const auto& position : status.positions) {
      EXPECT_LE(std::abs(position[0]), 1e7);
    }
    const std::uint64_t grown = count(counted) - before;
    EXPECT_GT(grown, 0U) << counted;
    conclude_windows({fault + std::string(" to the socket of the position feed ") + GetParam(),
                      fmt::format("Counted as {}; the right program is received", counted),
                      fmt::format("{} sent, {} {}; a position is taken after {}", said, grown, counted, text_of(took))},
                     {Side::kNetsim});
  }

 private:
  static inline int moved_ = 0;
};

TEST_P(FeedPeers, FloodOfNoise) {
  const std::uint64_t before = count("malformed");
  std::vector<std::string> noise;
  for (unsigned n = 0; n < 64; ++n) {
    const Bytes bytes = payload(500, n);
    noise.push_back(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) + "\n");
  }
  const std::size_t said = flood_with(noise);
  conclude_feed("A peer sends noise without a pause", "malformed", before, said);
}

TEST_P(FeedPeers, PositionsOfUnknownRobots) {
  const std::uint64_t before = count("unknown");
  std::vector<std::string> texts;
  for (unsigned n = 0; n < 64; ++n) {
    texts.push_back(words(fmt::format("{}{}", is("robonetsim") ? "10" : "ghost", n), "1"));
  }
  const std::size_t said = flood_with(texts);
  say(texts.front());  // whole: the flood may have been read in pieces of which none was
  conclude_feed("A peer sends positions of unknown robots, without a pause", "unknown", before, said);
}

TEST_P(FeedPeers, InvalidPositions) {
  const std::uint64_t before = count("malformed");
  std::vector<std::string> texts;
  for (const char* x : {"1e300", "-1e20", "1e308"}) {
    texts.push_back(words(is("robonetsim") ? "0" : "red", x));
  }
  const std::size_t said = flood_with(texts, 300ms);
  conclude_feed("A peer sends positions of 1e20 m and more", "malformed", before, said);
}

TEST_P(FeedPeers, StormAndSilence) {
  const std::uint64_t before = count("malformed");
  std::vector<std::unique_ptr<StreamPeer>> silent;
  std::size_t said = 0;
  for (const auto end = Clock::now() + 500ms; Clock::now() < end; ++said) {
    if (is("robonetsim")) {
      say("");
    } else if (silent.size() < 8) {
      silent.push_back(std::make_unique<StreamPeer>(host(), feed_address()));
    } else {
      say("{");
    }
  }
  say("nonsense\n");
  silent.clear();
  conclude_feed("Peers come, send nothing or half a line, and disconnect,", "malformed", before, said);
}

INSTANTIATE_TEST_SUITE_P(Cornet, FeedPeers, testing::Values("cornet"));
INSTANTIATE_TEST_SUITE_P(Cornet2, FeedPeers, testing::Values("cornet2"));
INSTANTIATE_TEST_SUITE_P(RoboNetSim, FeedPeers, testing::Values("robonetsim"));

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// A robot at a port that is served time over PTP.
#include <array>

#include "clock/ptp/ptp_message.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/fault/peers/peer_fault.h"
#include "tests/support/eventually.h"
#include "tests/support/raw_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::uint16_t kServedEthertype = 0x88f7;

// What a slave hears of its master: how many Sync messages, and the longest time between two.
class SyncEar {
 public:
  explicit SyncEar(const NetNs& robot)
      : socket_(robot, "eth0"), thread_([this](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            const auto frame = socket_.receive(50ms);
            const auto header = frame && get16(*frame, 12) == kServedEthertype
                                    ? parse_ptp_header(std::span<const std::byte>(*frame).subspan(14))
                                    : std::nullopt;
            if (header && header->type == PtpType::kSync) {
              note(Clock::now());
            }
          }
        }) {}
  struct Heard {
    std::size_t syncs = 0;
    Clock::duration longest{};
  };
  Heard finish() {
    thread_ = {};
    return heard_;
  }

 private:
  void note(Clock::time_point now) {
    heard_.longest = heard_.syncs > 0 ? std::max(heard_.longest, now - last_) : Clock::duration{};
    last_ = now;
    ++heard_.syncs;
  }
  RawSocket socket_;
  Heard heard_;
  Clock::time_point last_{};
  std::jthread thread_;
};

class ServedTime : public PeerFault {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    start_between({.further = "clock: {serve: [{port: blue, transport: l2, sync_every: 15.625ms}, "
                              "{port: mallory, transport: l2, sync_every: 15.625ms}]}\n"});
    ASSERT_TRUE(eventually([] { return served(0)["syncs"] > 0 && served(1)["syncs"] > 0; })) << "no time is served";
    SyncEar ear(robot(kBlue));
    begin_quietly();
    quiet_ = ear.finish();
  }
  static nlohmann::ordered_json served(std::size_t n) {
    return control_request(control_socket(gateway().run()), {{"command", "clock"}})["serves"][n];
  }
  static Bytes l2(const PtpMessage& message) {
    return ethernet({MacAddress{0x011b'1900'0000ULL}, robot_mac(kMallory)}, kServedEthertype,
                    Bytes(std::vector<std::byte>(message.span().begin(), message.span().end())));
  }
  static PtpHeader header_of(unsigned name) {
    PtpHeader header;
    header.source.clock.bytes[0] = static_cast<std::uint8_t>(name / 256);
    header.source.clock.bytes[7] = static_cast<std::uint8_t>(name);
    header.source.port = 1;
    header.sequence = static_cast<std::uint16_t>(name);
    return header;
  }

  SyncEar::Heard quiet_;
};

// Blue, at another served port, and its master notice nothing of what mallory sends to its own.
TEST_F(ServedTime, FloodToTheClockThatServesIt) {
  std::vector<Bytes> frames;
  for (unsigned name = 0; name < 1000; ++name) {
    frames.push_back(l2(make_delay_req(header_of(name))));
    PtpAnnounce better;
    better.priority1 = 1;
    better.grandmaster = header_of(name).source.clock;
    frames.push_back(l2(make_announce(header_of(name), better)));
    Bytes noise = payload(20 + name % 60, name);
    noise[1] = std::byte{2};
    frames.push_back(ethernet({MacAddress{0x011b'1900'0000ULL}, robot_mac(kMallory)}, kServedEthertype, noise));
  }
  const std::array before{served(0), served(1)};
  SyncEar ear(robot(kBlue));
  const std::size_t sent = flood(frames, 1s);
  const SyncEar::Heard heard = ear.finish();
  const std::array after{served(0), served(1)};
  const auto grown = [&](std::size_t n, const char* key) {
    return after[n][key].get<std::uint64_t>() - before[n][key].get<std::uint64_t>();
  };
  for (const char* counted : {"limited", "foreign_announces", "malformed"}) {
    EXPECT_GT(grown(1, counted), 0U) << counted;
    EXPECT_EQ(grown(0, counted), 0U) << counted << " of another port's clock";
  }
  EXPECT_GE(grown(0, "syncs"), 16U) << "of 64";
  EXPECT_GE(heard.syncs, 16U) << "of 64";
  conclude_windows(
      {"A robot floods the clock that serves it with Delay_Req, Announce of better clocks, and noise",
       "Counted by name; others' Sync interval and the packet path are as before",
       fmt::format("{} sent, {} limited, {} foreign_announces, {} malformed, {} answers; blue: a Sync each 15.6 ms, {} "
                   "heard, at most {} apart (quiet: {})",
                   sent, grown(1, "limited"), grown(1, "foreign_announces"), grown(1, "malformed"),
                   grown(1, "delay_answers"), heard.syncs, text_of(heard.longest), text_of(quiet_.longest))},
      {Side::kPhysics, Side::kNetsim});
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// Somebody with the address of a gateway that is gone asks another one to decide frames. The site has no key.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <random>
#include <thread>

#include "clock/reference/local_sources.h"
#include "gateway/site/site_packet.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/site_lab.h"
#include "tests/support/raw_socket.h"
#include "tests/support/udp_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using SiteForgery = GatewayTest;

WallTime now() {
  return read_system_tai().wall;
}

/// Speaks as gateway c to gateway a, and knows of the site what a's beacons say.
class Forger {
 public:
  Forger(const SiteLab& site, const std::string& name)
      : network_(site_network(name)),
        socket_(site.gateway(2), "192.0.2.3", 6081),
        other_port_(site.gateway(2), "192.0.2.3", 6082),
        epoch_(static_cast<std::uint64_t>(now().time_since_epoch().count())) {
    for (int i = 0; i < 100; ++i) {
      const auto bytes = socket_.receive(1s);
      const auto parsed = parse_site_packet(bytes.value_or(Bytes{}), network_);
      if (parsed.fault == SiteFault::kNone && parsed.packet.kind == SitePacket::Kind::kBeacon &&
          parsed.packet.gateway == 0) {
        beacon_ = parsed.packet;
        words_ = *BeaconWords::parse(std::span(*bytes).subspan(parsed.payload));
        beacons_ = std::jthread([this](const std::stop_token& stop) {
          for (; !stop.stop_requested(); std::this_thread::sleep_for(100ms)) {
            beacon();
          }
        });
        return;
      }
    }
    ADD_FAILURE() << "no beacon of gateway a";
  }

  /// One that is in order, to be spoiled; robot r4, of gateway c, to r0.
  SitePacket request() {
    const WallTime sent = now();
    return {.kind = SitePacket::Kind::kRequest,
            .gateway = 2,
            .digest = beacon_.digest,
            .epoch = epoch_,
            .sequence = ++sequence_,
            .sent = sent,
            .instant = sent - 100us,
            .sender = 4,
            .receiver = 0};
  }
  void send(const SitePacket& packet, const Bytes& payload = udp_frame(5, 1, 100), bool other_port = false) {
    (other_port ? other_port_ : socket_).send("192.0.2.1", 6081, bytes_of(packet, payload));
  }
  void send(const Bytes& bytes) { socket_.send("192.0.2.1", 6081, bytes); }
  [[nodiscard]] Bytes bytes_of(const SitePacket& packet, const Bytes& payload) const {
    Bytes bytes(kSiteHeader);
    write_site_header(packet, network_, bytes);
    bytes.insert(bytes.end(), payload.begin(), payload.end());
    return bytes;
  }

 private:
  void beacon() {
    SitePacket packet = beacon_;
    packet.gateway = 2;
    packet.epoch = epoch_;
    packet.sequence = ++sequence_;
    packet.sent = now();
    BeaconWords words = words_;
    words.echo_sent = packet.sent - 200us;
    words.echo_heard = packet.sent - 100us;
    words.decides_from = WallTime{};
    Bytes payload(BeaconWords::kBytes);
    words.write(std::span(payload).first<BeaconWords::kBytes>());
    send(packet, payload);
  }

  std::uint32_t network_;
  UdpSocket socket_, other_port_;
  std::uint64_t epoch_;
  std::atomic<std::uint64_t> sequence_ = 0;
  SitePacket beacon_;
  BeaconWords words_;
  std::jthread beacons_;
};

std::size_t heard(const RawSocket& socket) {
  std::size_t count = 0;
  while (socket.receive(500ms)) {
    ++count;
  }
  return count;
}

}  // namespace

TEST_F(SiteForgery, RequestsThatAreNotInOrderAreRefusedAndCounted) {
  const std::vector<std::string> radios(SiteLab::kRobots, "wifi_11n_2g4_adhoc");
  std::string yaml = "netsim: {type: embedded}\nphysics:\n  type: trajectory\n  tracks:\n";
  for (std::size_t i = 0; i < SiteLab::kRobots; ++i) {
    yaml += fmt::format("    r{}: [{{at: 0s, position: [{}m, 5m, 2m]}}]\n", i, 3 * i);
  }
  SiteLab site(yaml, radios);
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    site.start(i);
  }
  ASSERT_TRUE(site.until_all_here()) << site.output(0);
  site.kill(2);
  ASSERT_TRUE(site.until_state(0, 2, "missing", 5s));
  Forger forger(site, site.status(0)["site"]["name"].get<std::string>());
  ASSERT_TRUE(site.until_state(0, 2, "here", 10s)) << "without a key, whoever has the address is believed";
  const RawSocket robot(site.robot(0), "eth0", 0x0800);
  const nlohmann::json before = site.status(0)["site"];

  forger.send(forger.request());
  EXPECT_EQ(heard(robot), 1) << "so is a request in order";

  const SitePacket once = forger.request();
  forger.send(once);
  forger.send(once);  // replay
  SitePacket packet = forger.request();
  packet.sender = 1;
  forger.send(packet);  // robot
  packet = forger.request();
  packet.receiver = 77;
  forger.send(packet);  // robot
  packet = forger.request();
  packet.instant = packet.sent + 1ms;
  forger.send(packet);  // instant
  packet = forger.request();
  packet.digest ^= 1;
  forger.send(packet);  // digest
  packet = forger.request();
  packet.epoch -= 1;
  forger.send(packet);  // epoch
  packet = forger.request();
  packet.sent -= 3s;
  packet.instant -= 3s;
  forger.send(packet);                             // replay
  forger.send(forger.request(), Bytes(13));        // malformed
  forger.send(forger.request(), Bytes(60), true);  // source
  packet = forger.request();
  packet.kind = static_cast<SitePacket::Kind>(3);
  forger.send(packet);  // version
  EXPECT_EQ(heard(robot), 1);
  nlohmann::json site_status = site.status(0)["site"];
  const auto refused = [&](const char* why) {
    return site_status["refused"].value(why, 0) - before["refused"].value(why, 0);
  };
  EXPECT_EQ(site_status["requests_taken"].get<int>() - before["requests_taken"].get<int>(), 2);
  EXPECT_EQ(refused("replay"), 2);
  EXPECT_EQ(refused("robot"), 2);
  for (const char* why : {"instant", "digest", "epoch", "malformed", "source", "version"}) {
    EXPECT_EQ(refused(why), 1) << why;
  }

  // Of a thousand that are spoiled anywhere, none stops it.
  std::minstd_rand random(3);
  for (int i = 0; i < 1000; ++i) {
    Bytes bytes = forger.bytes_of(forger.request(), udp_frame(5, 1, 100));
    for (int j = 0; j < 3; ++j) {
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    }
    bytes.resize(bytes.size() - random() % 4 * (random() % bytes.size()) / 4);
    forger.send(bytes);
    if (i % 20 == 0) {
      std::this_thread::sleep_for(2ms);
    }
  }
  const nlohmann::json status = site.status(0);
  ASSERT_TRUE(status.is_object()) << site.output(0);
  EXPECT_TRUE(status["totals"]["balanced"]);
  EXPECT_EQ(site.send(0, 1, 100).size(), 100);
}

}  // namespace hilgate::test

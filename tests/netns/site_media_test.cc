// SPDX-License-Identifier: Apache-2.0
// Stations of one medium at three gateways, beside the same stations at one.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <random>
#include <regex>
#include <sstream>
#include <thread>

#include "tests/netns/gateway_test.h"
#include "tests/netns/site_lab.h"
#include "tests/support/raw_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using SiteMedia = GatewayTest;
using Clock = std::chrono::steady_clock;

// 802.11a at 6 Mbit/s alone, so that few frames fill the air.
class SlowRadios {
 public:
  SlowRadios() : folder_(std::filesystem::path(runs_.write("")).parent_path() / "radios") {
    std::filesystem::create_directory(folder_);
    std::ifstream file(HILGATE_SOURCE_DIR "/rf_profiles/profiles/wifi_11ag.yaml");
    std::stringstream text;
    text << file.rdbuf();
    std::string profile = std::regex_replace(text.str(), std::regex("id: wifi_11ag"), "id: slow");
    profile = std::regex_replace(profile, std::regex("modes: \\[ofdm6,[^\n]*"), "modes: [ofdm6]");
    std::ofstream(folder_ / "slow.yaml") << profile;
  }
  [[nodiscard]] std::string yaml() const {
    std::string text = fmt::format("seed: 5\nprofiles: ['{}']\nnetsim: {{type: embedded}}\n", folder_.string());
    text += "links: [{from: \"*\", to: \"*\", delay: 5ms}]\nphysics:\n  type: trajectory\n  tracks:\n";
    for (std::size_t i = 0; i < SiteLab::kRobots; ++i) {
      text += fmt::format("    r{}: [{{at: 0s, position: [{}m, {}m, 5m]}}]\n", i, 5 * (i % 3), 5 * (i / 3));
    }
    return text;
  }
  /// By robot.
  [[nodiscard]] std::vector<std::string> radios() const { return std::vector<std::string>(SiteLab::kRobots, "slow"); }

 private:
  RunFolder runs_;
  std::filesystem::path folder_;
};

// Of all gateways of a lab.
struct Sums {
  double released = 0, collisions = 0, queue_full = 0, busy_s = 0;
  double captured = 0, requests_sent = 0, requests_taken = 0;
  bool balanced = true;
};

double number(const nlohmann::json& object, const char* name) {
  return object.contains(name) ? object[name].get<double>() : 0;
}

Sums sums_of(const SiteLab& lab, std::size_t gateways) {
  Sums sums;
  for (std::size_t i = 0; i < gateways; ++i) {
    const nlohmann::json status = lab.status(i);
    const nlohmann::json& totals = status["totals"];
    sums.released += number(totals, "out");
    sums.captured += number(totals, "frames_captured");
    sums.collisions += number(totals["dropped"], "collision");
    sums.queue_full += number(totals["dropped"], "queue_full");
    sums.balanced = sums.balanced && totals["balanced"].get<bool>();
    for (const nlohmann::json& medium : status["media"]) {
      sums.busy_s += number(medium, "busy_s");
    }
    if (status.contains("site")) {
      sums.requests_sent += number(status["site"], "requests_sent");
      sums.requests_taken += number(status["site"], "requests_taken");
    }
  }
  return sums;
}

constexpr auto kBetween = 8ms;

// Each robot sends to the next but one, which is at another gateway, or to all, more than the air takes.
void fill_air(const SiteLab& lab, std::chrono::milliseconds span, bool group) {
  std::vector<std::thread> senders;
  for (std::size_t from = 0; from < SiteLab::kRobots; ++from) {
    senders.emplace_back([&lab, from, span, group] {
      const RawSocket socket(lab.robot(from), "eth0");
      const auto to = static_cast<unsigned>((from + 2) % SiteLab::kRobots);
      const Clock::time_point begin = Clock::now();
      std::minstd_rand random(static_cast<unsigned>(from + 1));
      std::uniform_int_distribution<std::int64_t> somewhere(0, std::chrono::microseconds(kBetween).count());
      for (std::size_t i = 0; i * kBetween < span; ++i) {
        std::this_thread::sleep_until(begin + i * kBetween + std::chrono::microseconds(somewhere(random)));
        Bytes frame = udp_frame(static_cast<unsigned>(from + 1), to + 1, 1300, i + 1);
        if (group) {
          std::fill_n(frame.begin(), 6, std::byte{0xff});
        }
        socket.send(frame);
      }
    });
  }
  for (std::thread& sender : senders) {
    sender.join();
  }
}

// Until nothing is on its way any more.
Sums settled(const SiteLab& lab, std::size_t gateways) {
  Sums before = sums_of(lab, gateways);
  for (int i = 0; i < 100; ++i) {
    std::this_thread::sleep_for(300ms);
    const Sums now = sums_of(lab, gateways);
    if (now.released == before.released && now.requests_taken == before.requests_taken) {
      return now;
    }
    before = now;
  }
  return before;
}

void print(const char* what, const Sums& sums) {
  std::cout << fmt::format(
      "{}: captured {}, released {}, collisions {}, queue full {}, busy {:.2f} s, requests {} -> {}\n", what,
      sums.captured, sums.released, sums.collisions, sums.queue_full, sums.busy_s, sums.requests_sent,
      sums.requests_taken);
}

std::string decided_at(const SiteLab& lab, std::size_t gateway) {
  const nlohmann::json status = lab.status(gateway);
  return status.is_object() && !status["site"]["media"].empty() ? status["site"]["media"][0]["decided_at"] : "";
}

bool until_decided_at(const SiteLab& lab, std::size_t gateway, const std::string& by) {
  for (int i = 0; i < 500; ++i) {
    if (decided_at(lab, gateway) == by) {
      return true;
    }
    std::this_thread::sleep_for(20ms);
  }
  return false;
}

void start_all(SiteLab& site) {
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    site.start(i);
  }
  ASSERT_TRUE(site.until_all_here()) << site.output(0);
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    ASSERT_TRUE(until_decided_at(site, i, "a")) << site.status(i)["site"];
  }
}

void expect_the_air_of_one(bool group) {
  constexpr auto kSpan = 4s;
  const SlowRadios radios;
  Sums one;
  {
    SiteLab lab(radios.yaml(), radios.radios(), true);
    lab.start(0);
    for (int i = 0; i < 1000 && !lab.status(0).is_object(); ++i) {
      std::this_thread::sleep_for(20ms);
    }
    fill_air(lab, kSpan, group);
    one = settled(lab, 1);
  }
  SiteLab site(radios.yaml(), radios.radios());
  start_all(site);
  fill_air(site, kSpan, group);
  const Sums all = settled(site, SiteLab::kGateways);
  print("one gateway   ", one);
  print("three gateways", all);
  EXPECT_TRUE(one.balanced && all.balanced);
  EXPECT_GT(group ? one.collisions : one.queue_full, 100) << "the air was full";
  // Of frames to all, one that has met another is lost, and queues are no measure: chance has more to say.
  const double within = group ? 0.1 : 0.05;
  EXPECT_NEAR(all.busy_s, one.busy_s, within * one.busy_s);
  EXPECT_NEAR(all.released, one.released, within * one.released);
  // Of unicast hardly any is lost to them, after all its tries: one or none.
  EXPECT_NEAR(all.collisions, one.collisions, group ? 0.15 * one.collisions : 0.005 * one.released);
  EXPECT_NEAR(all.busy_s / all.released, one.busy_s / one.released, 0.5 * within * one.busy_s / one.released)
      << "as many collisions and tries for a frame";
  EXPECT_EQ(all.requests_sent, all.requests_taken);
  EXPECT_GT(all.requests_sent, 0.6 * all.captured) << "four of six robots are not at the gateway that decides";
  EXPECT_EQ(site.status(0)["site"]["requests_sent"], 0);
  EXPECT_EQ(site.status(1)["site"]["requests_taken"], 0);
}

}  // namespace

TEST_F(SiteMedia, StationsAtThreeGatewaysShareTheAirAsAtOne) {
  expect_the_air_of_one(false);
}

TEST_F(SiteMedia, GroupFramesToo) {
  expect_the_air_of_one(true);
}

// Where nobody else is on the air, draws alone decide: by link and frame number.
TEST_F(SiteMedia, FramesHaveTheFatesThatOneGatewayWouldHaveGivenThem) {
  constexpr std::size_t kSent = 300;
  const std::vector<std::string> radios(SiteLab::kRobots, "wifi_11n_2g4_adhoc");
  std::string yaml =
      "seed: 11\nnetsim: {type: embedded}\n"
      "links: [{from: \"*\", to: \"*\", delay: 30ms, loss: 10 %, ber: 1e-4, policy: corrupt_raw}]\n"
      "physics:\n  type: trajectory\n  tracks:\n";
  for (std::size_t i = 0; i < SiteLab::kRobots; ++i) {
    yaml += fmt::format("    r{}: [{{at: 0s, position: [{}m, 5m, 2m]}}]\n", i, 3 * i);
  }
  const std::vector<std::pair<std::size_t, std::size_t>> ways = {{4, 2}, {2, 3}, {5, 0}, {0, 4}};
  std::vector<std::vector<Bytes>> at_one;
  {
    SiteLab one(yaml, radios, true);
    one.start(0);
    for (int i = 0; i < 1000 && !one.status(0).is_object(); ++i) {
      std::this_thread::sleep_for(20ms);
    }
    for (const auto& [from, to] : ways) {
      at_one.push_back(one.send(from, to, kSent));
    }
  }
  SiteLab site(yaml, radios);
  start_all(site);
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const std::vector<Bytes> arrived = site.send(ways[i].first, ways[i].second, kSent);
    EXPECT_GT(arrived.size(), kSent * 7 / 10);
    EXPECT_LT(arrived.size(), kSent);
    EXPECT_EQ(arrived, at_one[i]) << "from r" << ways[i].first << " to r" << ways[i].second;
  }
}

// Six stations in a line, of which each is in reach of its neighbours alone: frames from end to end go over the robots
// of all three gateways. Frames of one flow meet one another on the air, so that fates depend on when each was
// captured.
TEST_F(SiteMedia, AMeshAcrossGatewaysForwardsAsAtOne) {
  constexpr std::size_t kSent = 100;
  const std::vector<std::string> radios(SiteLab::kRobots, "wifi_11s");
  std::string yaml =
      "seed: 11\nnetsim: {type: embedded}\nlinks:\n  - {from: \"*\", to: \"*\", delay: 2ms, path_loss: 200 dB}\n";
  for (std::size_t i = 1; i < SiteLab::kRobots; ++i) {
    yaml += fmt::format(
        "  - {{from: r{0}, to: r{1}, path_loss: 80 dB}}\n  - {{from: r{1}, to: r{0}, path_loss: 80 dB}}\n", i - 1, i);
  }
  yaml += "physics:\n  type: trajectory\n  tracks:\n";
  for (std::size_t i = 0; i < SiteLab::kRobots; ++i) {
    yaml += fmt::format("    r{}: [{{at: 0s, position: [{}m, 0m, 1.5m]}}]\n", i, 10 * i);
  }
  SiteLab site(yaml, radios);
  start_all(site);
  const std::vector<std::pair<std::size_t, std::size_t>> ways = {{0, 5}, {5, 0}, {2, 4}};
  for (const auto& [from, to] : ways) {
    EXPECT_GE(site.send(from, to, kSent).size(), kSent * 95 / 100) << "from r" << from << " to r" << to;
  }
  const Sums sums = settled(site, SiteLab::kGateways);
  EXPECT_TRUE(sums.balanced);
  EXPECT_EQ(sums.requests_sent, 2 * kSent) << "of r5 and r2, which are not at the gateway that decides";
  EXPECT_EQ(sums.requests_taken, 2 * kSent);
  EXPECT_THAT(run({hilgate_program(), "status", site.run(2)}).output,
              testing::HasSubstr("r0 -> r5 over r1, r2, r3, r4"));
}

// A station's frames go over an access point, which is at no gateway, to another station.
TEST_F(SiteMedia, StationsOfOneAccessPointMayBeAtSeveralGateways) {
  const std::vector<std::string> radios(SiteLab::kRobots, "wifi_11n_2g4_adhoc");
  std::string yaml =
      "seed: 5\nlinks: [{from: \"*\", to: \"*\", delay: 5ms}]\nnetsim:\n  type: embedded\n  access_points:\n"
      "    west: {position: [0m, 0m, 3m], radio: wifi_11n_2g4_adhoc}\nphysics:\n  type: trajectory\n  tracks:\n";
  for (std::size_t i = 0; i < SiteLab::kRobots; ++i) {
    yaml += fmt::format("    r{}: [{{at: 0s, position: [{}m, 5m, 2m]}}]\n", i, 3 * i);
  }
  SiteLab site(yaml, radios);
  start_all(site);
  EXPECT_EQ(site.send(0, 2, 100).size(), 100) << "from the gateway that decides to another";
  EXPECT_EQ(site.send(4, 1, 100).size(), 100) << "from another to it";
  EXPECT_EQ(site.send(4, 2, 100).size(), 100) << "between two others";
  EXPECT_EQ(site.send(2, 3, 100).size(), 100) << "within another";
  const Sums sums = sums_of(site, SiteLab::kGateways);
  EXPECT_EQ(sums.requests_sent, 300);
  EXPECT_EQ(sums.requests_taken, 300);
  EXPECT_EQ(sums.released, 400);
  EXPECT_TRUE(sums.balanced);
  EXPECT_EQ(site.status(0)["site"]["media"][0]["name"], "access points");
}

}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// Three real gateways of one site, with simulators of their own processes at some of them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/netns/gateway_test.h"
#include "tests/netns/site_lab.h"

namespace hilgate::test {
namespace {

using SiteSimulator = GatewayTest;
using ::testing::HasSubstr;

constexpr std::size_t kSent = 400;
constexpr std::uint64_t kTakeover = 5;  // windows, docs/how-to/site.md

// Robots drive on circles at one angle, so that no distance between two of them ever changes: without shadowing links
// stay as they are.
class FlatRadios {
 public:
  FlatRadios() : folder_(std::filesystem::path(runs_.write("")).parent_path() / "radios") {
    std::filesystem::create_directory(folder_);
    std::ifstream file(HILGATE_SOURCE_DIR "/rf_profiles/profiles/wifi_11ag.yaml");
    std::stringstream text;
    text << file.rdbuf();
    std::string profile = std::regex_replace(text.str(), std::regex("id: wifi_11ag"), "id: flat");
    profile = std::regex_replace(profile, std::regex("  shadowing:\n(    [^\n]*\n)+"), "");
    profile = std::regex_replace(profile, std::regex("  channel\\.shadowing[^\n]*\n"), "");
    std::ofstream(folder_ / "flat.yaml") << profile;
  }
  [[nodiscard]] std::string yaml() const {
    return fmt::format(
        "profiles: ['{}']\nseed: 11\nwindow: 100ms\nnetsim: {{type: embedded}}\n"
        "physics: {{type: native, address: \"tcp:127.0.0.1:7400\"}}\n"
        "links: [{{from: \"*\", to: \"*\", delay: 30ms, loss: 10 %}}]\n",
        folder_.string());
  }

 private:
  RunFolder runs_;
  std::filesystem::path folder_;
};
constexpr const char* kLag = "  air_lag: 500ms\n";
constexpr const char* kFlat = ", radio: flat";

std::unique_ptr<Process> physics_at(const SiteLab& lab, std::size_t gateway) {
  lab.gateway(gateway).run_ok("ip link set lo up");
  return lab.gateway(gateway).start({hilgate_program(), "sim", "physics", "--protocol", "native", "--socket",
                                     "tcp:127.0.0.1:7400", "--robots", std::to_string(SiteLab::kRobots)});
}

bool until_author(const SiteLab& lab, std::size_t gateway, const nlohmann::json& author) {
  return lab.until(gateway, [&](const nlohmann::json& status) {
    return status.contains("site") && status["site"].contains("air") && status["site"]["air"]["author"] == author;
  });
}

// What links are like, without what has been counted on them.
nlohmann::json air_of(const nlohmann::json& status) {
  nlohmann::json air = nlohmann::json::array();
  for (const nlohmann::json& link : status["links"]) {
    air.push_back({link["from"], link["to"], link["reachable"], link["snr_db"], link["rssi_dbm"]});
  }
  return air;
}

bool is_heard(const nlohmann::json& status) {
  for (const nlohmann::json& link : status["links"]) {
    if (!link["reachable"].get<bool>()) {
      return false;
    }
  }
  return !status["links"].empty();
}

std::size_t lines_with(const std::string& output, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = output.find(text); at != std::string::npos; at = output.find(text, at + 1)) {
    ++count;
  }
  return count;
}

}  // namespace

TEST_F(SiteSimulator, PhysicsAtOneGatewayMovesTheRobotsOfAll) {
  const FlatRadios radios;
  std::vector<Bytes> at_one;
  nlohmann::json air;
  {
    SiteLab one(radios.yaml(), true, {.robot = kFlat});
    const auto physics = physics_at(one, 0);
    one.start(0);
    ASSERT_TRUE(one.until(0, is_heard)) << one.output(0);
    air = air_of(one.status(0));
    at_one = one.send(0, 4, kSent);
  }
  EXPECT_GT(at_one.size(), kSent * 8 / 10);
  EXPECT_LT(at_one.size(), kSent);
  SiteLab site(radios.yaml(), false, {.robot = kFlat, .site = kLag});
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    site.start(i);
  }
  ASSERT_TRUE(site.until_all_here()) << site.output(0);
  ASSERT_TRUE(site.until_commands(0)) << site.output(0);
  EXPECT_THAT(site.status(0)["conditions"].dump(), HasSubstr("air_without_author"));
  EXPECT_FALSE(is_heard(site.status(0))) << "nobody has placed the robots";
  const auto physics = physics_at(site, 2);
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    ASSERT_TRUE(until_author(site, i, "c")) << site.status(i)["site"]["air"] << site.output(2);
    ASSERT_TRUE(site.until(i, is_heard)) << site.status(i)["links"];
    EXPECT_EQ(air_of(site.status(i)), air) << i;
    EXPECT_EQ(site.status(i)["site"]["air"]["refused"], 0);
  }
  EXPECT_EQ(site.send(0, 4, kSent), at_one);
}

TEST_F(SiteSimulator, TheNextGatewayWithASimulatorIsAuthorWhenOneIsKilled) {
  const FlatRadios radios;
  SiteLab site(radios.yaml(), false, {.robot = kFlat, .site = kLag});
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    site.start(i);
  }
  ASSERT_TRUE(site.until_all_here()) << site.output(0);
  ASSERT_TRUE(site.until_commands(2)) << site.output(2);
  const auto first = physics_at(site, 0);
  auto second = physics_at(site, 1);
  ASSERT_TRUE(until_author(site, 2, "a")) << site.status(2)["site"]["air"];
  ASSERT_TRUE(site.until(2, [](const nlohmann::json& status) { return status["site"]["air"]["authors"].size() == 2; }))
      << site.status(2)["site"]["air"];
  ASSERT_TRUE(site.until(2, is_heard));
  const nlohmann::json before = site.status(2);
  site.kill(0);
  ASSERT_TRUE(until_author(site, 2, "b")) << site.status(2)["site"]["air"];
  const nlohmann::json after = site.status(2);
  const auto without = after["site"]["air"]["without_word"].get<std::uint64_t>() -
                       before["site"]["air"]["without_word"].get<std::uint64_t>();
  std::cout << "windows without a word of an author: " << without << "\n";
  EXPECT_LT(without, kTakeover);
  EXPECT_EQ(after["site"]["air"]["changes"].get<int>(), before["site"]["air"]["changes"].get<int>() + 1);
  EXPECT_EQ(air_of(after), air_of(before));

  // Nobody has one any more: links stay as they are, and the log says so once.
  const auto stays = "no gateway has a simulator that answers; the last link states stay in force";
  const auto is_said = [&](const nlohmann::json& status) {
    return status["conditions"].dump().find(stays) != std::string::npos;
  };
  ASSERT_TRUE(site.until(2, [&](const nlohmann::json& status) { return !is_said(status); }));
  const std::string warned = std::string("[warning] site: ") + stays;
  const std::size_t lines = lines_with(site.output(2), warned);
  second->stop(SIGKILL);
  ASSERT_TRUE(until_author(site, 2, nullptr)) << site.status(2)["site"]["air"];
  ASSERT_TRUE(site.until(2, is_said)) << site.status(2)["conditions"];
  EXPECT_EQ(air_of(site.status(2)), air_of(before));
  EXPECT_GT(site.send(4, 2, kSent).size(), kSent * 8 / 10);
  EXPECT_EQ(lines_with(site.output(2), warned), lines + 1) << site.output(2);

  const auto third = physics_at(site, 2);
  EXPECT_TRUE(until_author(site, 1, "c")) << site.status(1)["site"]["air"];
  EXPECT_EQ(air_of(site.status(1)), air_of(before));
}

}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// Gateways of one site whose simulations began apart, because the network between them came later.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "tests/netns/gateway_test.h"
#include "tests/netns/site_lab.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using SiteRejoinTest = GatewayTest;
using ::testing::HasSubstr;

/// c begins while nobody hears of it, nor it of them.
bool begin_apart(SiteLab& site) {
  site.part(2);
  site.start(0);
  site.start(1);
  if (!site.until_state(0, 1, "here", 60s)) {
    return false;
  }
  site.start(2);
  return site.until(2, [](const nlohmann::json& status) { return status["window"]["running"].get<bool>(); });
}

// Until a gateway has begun so many more windows.
bool until_windows_later(const SiteLab& site, std::size_t gateway, std::uint64_t more) {
  const auto number = [](const nlohmann::json& status) { return status["window"]["number"].get<std::uint64_t>(); };
  const std::uint64_t wanted = number(site.status(gateway)) + more;
  return site.until(gateway, [&](const nlohmann::json& status) { return number(status) >= wanted; });
}

std::vector<std::filesystem::path> records_of(const SiteLab& site, std::size_t gateway) {
  std::vector<std::filesystem::path> folders;
  for (const auto& each : std::filesystem::directory_iterator(site.folder() / "runs")) {
    if (each.path().filename().string().starts_with(site.run(gateway) + "-")) {
      folders.push_back(each.path());
    }
  }
  std::ranges::sort(folders);
  return folders;
}

/// Of links between robots of a and of c: by window of which there is a table, what is said of the link.
using Said = std::map<std::uint64_t, std::map<std::string, std::string>>;
Said links_of(const std::filesystem::path& record) {
  const std::filesystem::path tables = record / "tables";
  const Finished exported = test::run({hilgate_program(), "record", "export", record.string(), "-o", tables.string()});
  EXPECT_EQ(exported.status, 0) << exported.output;
  std::ifstream file(tables / "links.csv");
  std::string line;
  std::getline(file, line);
  Said said;
  std::map<std::string, std::string> last;
  while (std::getline(file, line)) {
    std::istringstream columns(line);
    std::string utc, sim, window, from, to, rest;
    for (std::string* column : {&utc, &sim, &window, &from, &to}) {
      std::getline(columns, *column, ',');
    }
    std::getline(columns, rest);
    const auto is_of = [](const std::string& robot, char one, char other) {
      return robot == std::string("r") + one || robot == std::string("r") + other;
    };
    if ((is_of(from, '0', '1') && is_of(to, '4', '5')) || (is_of(from, '4', '5') && is_of(to, '0', '1'))) {
      last[from + ">" + to] = rest;
    }
    said[std::stoull(window)] = last;
  }
  return said;
}

}  // namespace

// Its links are those of the others from then on, whose shadowing has gone on for longer than its own.
TEST_F(SiteRejoinTest, RestartedGatewayHasTheOthersAirAndRecordsIt) {
  std::string tracks = "physics:\n  type: trajectory\n  tracks:\n";
  for (std::size_t i = 0; i < SiteLab::kRobots; ++i) {
    tracks += "    r" + std::to_string(i) + ": [{at: 0s, position: [" + std::to_string(40 * i) +
              "m, 0m, 2m]}, {at: 1000s, position: [" + std::to_string(40 * i) + "m, " + std::to_string(5000 * (1 + i)) +
              "m, 2m]}]\n";
  }
  SiteLab site("window: 10ms\nnetsim: {type: embedded}\nrecord: {folder: runs}\n" + tracks, false,
               {.robot = ", radio: lte_cat4", .site = "  media: apart\n"});
  ASSERT_TRUE(begin_apart(site)) << site.output(0);
  ASSERT_TRUE(until_windows_later(site, 2, 200));
  site.join(2);
  ASSERT_TRUE(site.until_state(0, 2, "here", 60s)) << site.output(2);
  ASSERT_TRUE(site.until_all_here());
  ASSERT_TRUE(until_windows_later(site, 2, 150));
  site.stop(0);
  site.stop(2);
  ASSERT_EQ(records_of(site, 0).size(), 1U);
  const auto of_c = records_of(site, 2);
  ASSERT_EQ(of_c.size(), 2U) << "one of each simulation";
  const Finished first = test::run({hilgate_program(), "record", "show", of_c[0].string()});
  EXPECT_EQ(first.status, 0) << first.output;
  EXPECT_THAT(first.output, HasSubstr("whole           true"));
  const Said a = links_of(records_of(site, 0)[0]);
  const Said c = links_of(of_c[1]);
  std::size_t alike = 0;
  for (const auto& [window, links] : c) {
    const auto same = a.find(window);
    if (same != a.end() && links.size() == 8 && same->second.size() == 8) {
      EXPECT_EQ(links, same->second) << "in window " << window;
      ++alike;
    }
  }
  EXPECT_GT(alike, 50U);
  const Said before = links_of(of_c[0]);
  ASSERT_FALSE(before.empty());
  ASSERT_FALSE(c.empty());
  EXPECT_LT(before.rbegin()->first, c.rbegin()->first);
}

}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// The record of a run of the real gateway: whole, killed, and on a full disk.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;
using Row = std::map<std::string, Json>;

// Two radios that drive away from one another.
constexpr const char* kMoving =
    "netsim: {type: embedded}\n"
    "physics:\n"
    "  type: trajectory\n"
    "  tracks:\n"
    "    red: [{at: 0s, position: [0m, 0m, 2m]}]\n"
    "    blue: [{at: 0s, position: [20m, 0m, 2m]}, {at: 100s, position: [1020m, 0m, 2m]}]\n";

class RecordTest : public GatewayTest {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    folder_ = std::filesystem::temp_directory_path() / fmt::format("hilgate-record-{}", ::getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] GatewaySetup setup() const {
    return {.yaml = kMoving + fmt::format("record: {{folder: {}}}\n", path("runs")),
            .robots = {"red", "blue"},
            .robot = ", radio: wifi_11ac_80"};
  }
  /// The status of the record, when it is `good`.
  static Json record_status(const RunningGateway& gateway, const std::function<bool(const Json&)>& good) {
    return status_when(gateway.run(), [&](const Json& now) { return good(now.at("record")); }).at("record");
  }
  /// What `hilgate record show` says, and its exit status.
  static std::pair<Json, int> show(const std::string& record) {
    const Finished finished =
        run({"sh", "-c", fmt::format("{} record show --json {} 2>/dev/null", hilgate_program(), record)});
    return {Json::parse(finished.output), finished.status};
  }
  /// A table of `hilgate record export`.
  [[nodiscard]] std::vector<Row> table(const std::string& record, const std::string& name) const {
    run_ok({hilgate_program(), "record", "export", record, "-o", path("tables"), "--json"});
    std::vector<Row> rows;
    std::ifstream lines(path("tables/" + name + ".jsonl"));
    for (std::string line; std::getline(lines, line);) {
      rows.push_back(Json::parse(line).get<Row>());
    }
    return rows;
  }

 private:
  std::filesystem::path folder_;
};

void pass(const RunningGateway& gateway, Generator& generator, unsigned bursts) {
  for (unsigned i = 0; i < bursts; ++i) {
    generator.burst();
    std::this_thread::sleep_for(4ms);  // the pace of the bursts
  }
  gateway.settled(generator.sent());
}

/// The time of day that a line of the log with `text` begins with.
std::chrono::system_clock::time_point time_of_line(const std::string& log, const std::string& text) {
  const std::size_t line = log.rfind('[', log.rfind('[', log.find(text)) - 1);
  std::tm parts{};
  int milliseconds = 0;
  EXPECT_EQ(std::sscanf(log.c_str() + line, "[%d-%d-%d %d:%d:%d.%d]", &parts.tm_year, &parts.tm_mon, &parts.tm_mday,
                        &parts.tm_hour, &parts.tm_min, &parts.tm_sec, &milliseconds),
            7)
      << log;
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  parts.tm_isdst = -1;
  return std::chrono::system_clock::from_time_t(std::mktime(&parts)) + std::chrono::milliseconds{milliseconds};
}

// Simulation time begins when the record is open.
void expect_record_before_simulation(const RunningGateway& gateway) {
  const auto opened = time_of_line(gateway.output(), "record: ");
  auto began = std::chrono::system_clock::time_point::max();  // no later than this; the quickest answer is the closest
  for (unsigned i = 0; i < 50; ++i) {
    const auto clock = control_request(control_socket(gateway.run()), {{"command", "clock"}});
    const auto after = std::chrono::system_clock::now();
    const std::chrono::nanoseconds simulated(clock.at("sim_ns").get<std::int64_t>());
    began = std::min(began, after - std::chrono::duration_cast<std::chrono::system_clock::duration>(simulated));
  }
  EXPECT_GE(began, opened);
}

TEST_F(RecordTest, HasTheRunFromItsBeginningToItsEnd) {
  std::string folder;
  std::uint64_t in = 0;
  {
    RunningGateway gateway(setup());
    expect_record_before_simulation(gateway);
    gateway.mute();
    Generator generator(gateway.robot(0), "eth0", {.to = robot_mac(1), .from = robot_mac(0), .frame_bytes = 300});
    pass(gateway, generator, 20);
    run_ok({hilgate_program(), "set", "--run", gateway.run(), "links.red.blue.loss=100 %"});
    pass(gateway, generator, 20);
    const Json status = record_status(gateway, [](const Json& now) { return now.at("tables") > 400; });
    folder = status.at("folder");
    EXPECT_EQ(status.at("missed"), 0);
    EXPECT_FALSE(status.contains("problem"));
    in = generator.sent();
    gateway.process().signal(SIGTERM);
    EXPECT_EQ(gateway.process().wait(30s), 0) << gateway.output();
  }
  const auto [summary, whole] = show(folder);
  EXPECT_EQ(whole, 0);
  EXPECT_EQ(summary.at("whole"), true);
  EXPECT_EQ(summary.at("totals").at("frames_captured"), in);
  EXPECT_EQ(summary.at("changes"), 1);
  EXPECT_TRUE(std::filesystem::exists(folder + "/configuration.yaml"));
  EXPECT_TRUE(std::filesystem::exists(folder + "/profiles/wifi_11ac_80.yaml"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    EXPECT_EQ(entry.status().permissions() & std::filesystem::perms::others_all, std::filesystem::perms::none)
        << entry.path();
  }
  EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms{0750});

  const auto links = table(folder, "links");
  ASSERT_GT(links.size(), 4U);
  EXPECT_GT(links.back().at("sim_s"), 0.3);
  for (const Row& row : table(folder, "counts")) {
    EXPECT_EQ(row.at("from"), "red");
    EXPECT_EQ(row.at("to"), "blue");
  }
  std::uint64_t dropped = 0;
  for (const Row& row : table(folder, "drops")) {
    dropped = row.at("reason") == "configured_loss" ? row.at("dropped").get<std::uint64_t>() : dropped;
  }
  EXPECT_EQ(table(folder, "counts").back().at("in"), in);
  EXPECT_GE(dropped, in / 2);
  const auto positions = table(folder, "positions");
  ASSERT_GT(positions.size(), 4U);
  for (const Row& row : positions) {
    if (row.at("robot") == "blue") {
      EXPECT_EQ(row.at("x"), std::round(2000 + row.at("sim_s").get<double>() * 1000) / 100) << "it drives at 10 m/s";
    }
  }
  std::string events;
  for (const Row& row : table(folder, "events")) {
    events += row.at("what").get<std::string>() + ": " + row.at("text").get<std::string>() + "\n";
  }
  EXPECT_THAT(events, testing::HasSubstr("set: links.red.blue.loss=100 %"));
  EXPECT_THAT(events, testing::HasSubstr("info: set: links.red.blue.loss=100 %"));
  EXPECT_THAT(events, testing::HasSubstr("end: "));
  run_ok({hilgate_program(), "report", folder, "-o", path("report.html")});
  std::ostringstream page;
  page << std::ifstream(path("report.html")).rdbuf();
  EXPECT_THAT(page.str(), testing::HasSubstr("red&gt;blue"));
  EXPECT_THAT(page.str(), testing::HasSubstr("configured_loss"));
}

TEST_F(RecordTest, OfAKilledRunCanBeRead) {
  RunningGateway gateway(setup());
  gateway.mute();
  Generator generator(gateway.robot(0), "eth0", {.to = robot_mac(1), .from = robot_mac(0)});
  pass(gateway, generator, 10);
  const std::string folder = record_status(gateway, [](const Json&) { return true; }).at("folder");
  record_status(gateway, [&](const Json&) { return show(folder).first.at("tables") >= 100; });
  const Json status = record_status(gateway, [](const Json&) { return true; });
  gateway.process().signal(SIGKILL);
  ASSERT_EQ(gateway.process().wait(10s), 128 + SIGKILL);
  const auto [summary, whole] = show(folder);
  EXPECT_EQ(whole, 1);
  EXPECT_EQ(summary.at("whole"), false);
  EXPECT_EQ(summary.at("run"), gateway.run());
  EXPECT_GE(summary.at("readable_bytes"), status.at("bytes")) << "all that was said to be written can be read";
  EXPECT_GE(summary.at("tables"), 100);
  EXPECT_GT(table(folder, "links").size(), 2U);
}

TEST_F(RecordTest, OnAFullDiskItEndsAndTrafficContinues) {
  GatewaySetup full = setup();
  full.under = {"unshare",
                "--mount",
                "sh",
                "-c",
                fmt::format("mkdir -p {0} && mount -t tmpfs -o size=100k none {0} && exec \"$@\"", path("runs")),
                "sh"};
  RunningGateway gateway(full);
  gateway.mute();
  Generator generator(gateway.robot(0), "eth0", {.to = robot_mac(1), .from = robot_mac(0)});
  pass(gateway, generator, 5);
  const Json status = record_status(gateway, [](const Json& now) { return now.contains("problem"); });
  EXPECT_THAT(status.value("problem", ""), testing::HasSubstr("No space left on device"));
  EXPECT_THAT(gateway.output(), testing::HasSubstr("traffic continues"));
  const std::uint64_t before = gateway.status().totals("out");
  pass(gateway, generator, 5);
  EXPECT_GT(gateway.status().totals("out"), before);
  std::filesystem::copy(fmt::format("/proc/{}/root{}", gateway.process().pid(), status.at("folder").get<std::string>()),
                        path("copy"), std::filesystem::copy_options::recursive);
  const auto [summary, whole] = show(path("copy"));
  EXPECT_EQ(whole, 1);
  EXPECT_EQ(summary.at("readable_bytes"), status.at("bytes"));
  EXPECT_GT(summary.at("tables"), 0);
  EXPECT_THAT(run_ok({hilgate_program(), "status", gateway.run()}),
              testing::AllOf(testing::HasSubstr("! record: "), testing::HasSubstr("the record has ended")));
  gateway.process().signal(SIGTERM);
  EXPECT_EQ(gateway.process().wait(30s), 1) << gateway.output();
  EXPECT_THAT(gateway.output(), testing::HasSubstr(gateway.file() + ": record: "));
}

/// What of a row is the air: all but the times.
std::string air_of(const Row& row) {
  std::string text;
  for (const char* key : {"reachable", "line_of_sight", "rssi_dbm", "snr_db", "rate_mbps", "frame_loss", "delay_us"}) {
    text += row.at(key).dump() + " ";
  }
  return text;
}

TEST_F(RecordTest, AReplayHasTheRecordedAir) {
  std::string folder;
  {
    RunningGateway gateway(setup());
    folder = record_status(gateway, [](const Json& now) { return now.at("tables") > 500; }).at("folder");
    gateway.process().signal(SIGTERM);
    EXPECT_EQ(gateway.process().wait(30s), 0) << gateway.output();
  }
  std::map<std::pair<std::string, std::uint64_t>, std::string> recorded;  // by link and window
  for (const Row& row : table(folder, "links")) {
    recorded[{row.at("from").get<std::string>(), row.at("window").get<std::uint64_t>()}] = air_of(row);
  }
  // Under another name, which is another configuration. The last argument is the file of the new lab's gateway.
  GatewaySetup replay = setup();
  replay.under = {"sh", "-c",
                  fmt::format("sed -i \"s/^name: .*/$(grep ^name: $3)/\" {1}/configuration.yaml && "
                              "! {0} replay {1} && exec {0} replay {1} --force --record {2}",
                              hilgate_program(), folder, path("replays")),
                  "sh"};
  RunningGateway gateway(replay);
  gateway.mute();
  EXPECT_THAT(gateway.output(), testing::HasSubstr("configuration.yaml is not as the run had it"));
  EXPECT_THAT(gateway.output(), testing::HasSubstr("--force replays it all the same"));
  Generator generator(gateway.robot(0), "eth0", {.to = robot_mac(1), .from = robot_mac(0)});
  pass(gateway, generator, 5);
  EXPECT_GT(gateway.status().totals("out"), 0U);
  const std::string again = record_status(gateway, [](const Json& now) { return now.at("tables") > 700; }).at("folder");
  gateway.process().signal(SIGTERM);
  EXPECT_EQ(gateway.process().wait(30s), 0) << gateway.output();
  const auto rows = table(again, "links");
  EXPECT_GT(rows.size(), 4U);
  for (const Row& row : rows) {
    const auto from = row.at("from").get<std::string>();
    auto before = recorded.upper_bound({from, row.at("window").get<std::uint64_t>()});
    ASSERT_NE(before, recorded.begin());
    --before;
    ASSERT_EQ(before->first.first, from);
    EXPECT_EQ(air_of(row), before->second) << row.at("window");
  }
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// `hilgate bench`: that it measures and leaves nothing behind; how quick the machine is does not matter here.
#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "gateway/configuration/configuration.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"

namespace hilgate::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using BenchTest = GatewayTest;

TEST_F(BenchTest, PassthroughGivesItsFigures) {
  Process bench({hilgate_program(), "bench", "passthrough", "--json", "--seconds", "2"});
  ASSERT_EQ(bench.wait(std::chrono::minutes{1}), 0) << bench.output();
  const auto figures = nlohmann::json::parse(bench.output());
  for (const char* name : {"pps", "xsk_pps", "ratio", "rtt_us", "xsk_rtt_us", "bridge_rtt_us", "rtt_ratio"}) {
    EXPECT_GT(figures.at(name).get<double>(), 0) << name;
  }
  EXPECT_GE(figures.at("offered_pps").get<double>(), figures.at("pps").get<double>() * 0.9);
  EXPECT_FALSE(std::filesystem::exists(control_socket("bench-" + std::to_string(bench.pid()))));
}

/// Two namespaces, and a bridge between them.
class StreamBenchTest : public GatewayTest {
 protected:
  StreamBenchTest() {
    run_ok({"ip", "link", "add", bridge_, "type", "bridge", "forward_delay", "0"});
    run_ok({"ip", "link", "set", bridge_, "up"});
    for (const std::string& end : {from_, to_}) {
      run_ok({"ip", "netns", "add", end});
      run_ok({"ip", "link", "add", end, "type", "veth", "peer", "name", "eth0", "netns", end});
      run_ok({"ip", "link", "set", end, "master", bridge_, "up"});
      run_ok({"ip", "-n", end, "link", "set", "eth0", "up"});
    }
  }
  ~StreamBenchTest() override {
    for (const std::string& end : {from_, to_}) {
      test::run({"ip", "link", "del", end});  // the kernel takes a namespace away some time after it is deleted
      test::run({"ip", "netns", "del", end});
    }
    test::run({"ip", "link", "del", bridge_});
  }
  static std::vector<std::string> stream(const std::string& from, const std::string& to,
                                         const std::vector<std::string>& further) {
    std::vector<std::string> words{hilgate_program(), "bench", "stream", "--from", from, "--to", to};
    words.insert(words.end(), further.begin(), further.end());
    return words;
  }

  std::string from_ = "strf" + std::to_string(::getpid() % 100'000);
  std::string to_ = "strt" + std::to_string(::getpid() % 100'000);
  std::string bridge_ = "strb" + std::to_string(::getpid() % 100'000);
};

TEST_F(StreamBenchTest, MeasuresThePathBetween) {
  Process bench(stream(from_ + ":eth0", to_ + ":eth0",
                       {"--rate", "2000", "--rate", "500", "--duration", "300ms", "--highest", "--trial", "20ms",
                        "--loss", "50 %", "--json"}));
  ASSERT_EQ(bench.wait(std::chrono::minutes{1}), 0) << bench.output();
  const auto said = nlohmann::json::parse(bench.output());
  ASSERT_EQ(said.at("loads").size(), 2U);
  for (const auto& load : said.at("loads")) {
    EXPECT_EQ(load.at("loss"), 0) << load;
    EXPECT_GT(load.at("timed").get<unsigned>(), 0U) << load;
    EXPECT_GT(load.at("p50_us").get<double>(), 0) << load;
    EXPECT_LE(load.at("p50_us").get<double>(), load.at("p99_us").get<double>()) << load;
    EXPECT_LE(load.at("p99_us").get<double>(), load.at("max_us").get<double>()) << load;
    EXPECT_EQ(load.at("early"), 0) << load;
  }
  EXPECT_GT(said.at("highest").at("rate").get<double>(), 0);
}

TEST_F(StreamBenchTest, ReportsZeroDelay) {
  Process bench(
      stream(from_ + ":eth0", to_ + ":eth0", {"--rate", "1000", "--duration", "100ms", "--delay", "10s", "--json"}));
  ASSERT_EQ(bench.wait(std::chrono::minutes{1}), 0) << bench.output();
  const auto load = nlohmann::json::parse(bench.output()).at("loads").at(0);
  EXPECT_EQ(load.at("early"), load.at("timed"));
  EXPECT_GT(load.at("p50_us").get<double>(), 1e6);
}

TEST_F(StreamBenchTest, ReportsLosses) {
  run_ok({"ip", "link", "set", to_, "down"});
  const Finished lost =
      test::run(stream(from_ + ":eth0", to_ + ":eth0", {"--rate", "1000", "--duration", "50ms", "--json"}));
  ASSERT_EQ(lost.status, 0) << lost.output;
  const auto load = nlohmann::json::parse(lost.output).at("loads").at(0);
  EXPECT_EQ(load.at("loss"), 1);
  EXPECT_TRUE(load.at("p99_us").is_null());
}

TEST_F(StreamBenchTest, EndsThatAreNotThere) {
  Finished refused = test::run(stream("nobody:eth0", to_ + ":eth0", {"--rate", "1000"}));
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, AllOf(HasSubstr("nobody"), HasSubstr("/run/netns/nobody")));
  refused = test::run(stream(from_ + ":eth7", to_ + ":eth0", {"--rate", "1000"}));
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, HasSubstr("eth7"));
  EXPECT_EQ(test::run(stream("eth0", to_ + ":eth0", {"--rate", "1000"})).status, 2);
  EXPECT_EQ(test::run(stream(from_ + ":eth0", to_ + ":eth0", {"--rate", "0"})).status, 2);
  EXPECT_EQ(test::run(stream(from_ + ":eth0", to_ + ":eth0", {"--size", "20"})).status, 2);
}

TEST_F(BenchTest, NoRights) {
  const Finished refused =
      test::run({"setpriv", "--bounding-set=-all", "--inh-caps=-all", hilgate_program(), "bench", "passthrough"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output,
              AllOf(HasSubstr("CAP_SYS_ADMIN"), HasSubstr("CAP_NET_ADMIN"), HasSubstr("run it as root")));
}

}  // namespace
}  // namespace hilgate::test

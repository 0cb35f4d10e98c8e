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

TEST_F(BenchTest, NoRights) {
  const Finished refused =
      test::run({"setpriv", "--bounding-set=-all", "--inh-caps=-all", hilgate_program(), "bench", "passthrough"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output,
              AllOf(HasSubstr("CAP_SYS_ADMIN"), HasSubstr("CAP_NET_ADMIN"), HasSubstr("run it as root")));
}

TEST_F(BenchTest, WrongUse) {
  EXPECT_EQ(test::run({hilgate_program(), "bench", "nothing"}).status, 2);
  EXPECT_EQ(test::run({hilgate_program(), "bench", "passthrough", "--seconds", "0"}).status, 2);
}

}  // namespace
}  // namespace hilgate::test

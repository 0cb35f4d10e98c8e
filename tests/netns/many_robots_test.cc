// SPDX-License-Identifier: Apache-2.0
// Labs of many robots: they start with the defaults, and what they take is in the account.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <string>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr std::size_t kRobots = 33;  // rings of 2048 frames each would be more than there are

class ManyRobots : public GatewayTest {
 protected:
  void TearDown() override {
    if (!file_.empty()) {
      test::run({hilgate_program(), "lab", "down", file_});
    }
  }
  void write(const std::string& further = {}) {
    std::string ports = "ports:\n";
    std::string robots = "robots:\n";
    for (std::size_t i = 0; i < kRobots; ++i) {
      ports += fmt::format("  p{}: {{interface: hgm{}-{}}}\n", i, ::getpid() % 10'000, i);
      robots += fmt::format("  r{0}: {{port: p{0}, mac: \"02:68:67:02:00:{1:02x}\", ip: 10.80.0.{1}}}\n", i, i + 1);
    }
    file_ = folder_.write(ports + robots + "netsim: {type: wire}\nlab: {mtu: 1500 B}\n" + further);
  }

  /// Of 1056 links: an answer that a busy machine may not write in time at once.
  [[nodiscard]] std::string status_text() const {
    Finished asked;
    for (int i = 0; i < 5; ++i) {
      asked = test::run({hilgate_program(), "status", folder_.run()});
      if (asked.status == 0) {
        break;
      }
    }
    return asked.output;
  }

  RunFolder folder_;
  std::string file_;
};

TEST_F(ManyRobots, StartWithTheDefaults) {
  write();
  run_ok({hilgate_program(), "lab", "up", file_});
  Process gateway({hilgate_program(), "run", file_});
  ASSERT_TRUE(gateway.wait_for_output("running", 60s)) << gateway.output();
  const Finished ping = test::run(
      {hilgate_program(), "lab", "exec", file_, "r0", "--", "ping", "-c", "3", "-i", "0.2", "-W", "10", "10.80.0.33"});
  EXPECT_EQ(ping.status, 0) << ping.output << gateway.output();
  const auto status = control_request(control_socket(folder_.run()), {{"command", "status"}});
  EXPECT_EQ(status.at("kernel_memory_bytes").get<std::uint64_t>(), 128ULL * 65'536 * kRobots);
  const std::string text = status_text();
  EXPECT_THAT(text, HasSubstr("264.0 MiB in the kernel"));
  EXPECT_THAT(text, HasSubstr("r0 -> r32"));
  EXPECT_THAT(text, HasSubstr("more links, which carry less or nothing: --robot NAME shows"));
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 200);
  gateway.signal(SIGTERM);
  EXPECT_EQ(gateway.wait(20s), 0);
}

// Before anything is made, and with what would be right.
TEST_F(ManyRobots, AreRefusedWhereTheirMemoryIsNotThere) {
  write("memory: {frames: 16777216}\n");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"lab", "up"}, {"check", "--live"}, {"run"}}) {
    std::vector<std::string> argv = {hilgate_program()};
    argv.insert(argv.end(), command.begin(), command.end());
    argv.push_back(file_);
    const Finished refused = test::run(argv);
    EXPECT_EQ(refused.status, 2) << refused.output;
    EXPECT_THAT(refused.output,
                HasSubstr("memory.frames: 33 ports and 16777216 frames take 32768 MiB, and 67584 MiB in the "
                          "kernel; "));
    EXPECT_THAT(refused.output, HasSubstr("set fewer frames, 2817 at least"));
  }
  EXPECT_THAT(run_ok({"ip", "netns", "list"}), Not(HasSubstr(folder_.run())));
}

}  // namespace
}  // namespace hilgate::test

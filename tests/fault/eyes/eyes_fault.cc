// SPDX-License-Identifier: Apache-2.0
#include "tests/fault/eyes/eyes_fault.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <optional>

#include "tests/support/eventually.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr int kAnswers = 4;
constexpr auto kPatience = 10s;  // scrape_timeout of Prometheus, where nothing else is configured
constexpr std::size_t kMostDescriptors = 200;

}  // namespace

std::unique_ptr<Process> EyesFault::server_;
std::uint16_t EyesFault::port_ = 0;

void EyesFault::SetUp() {
  GatewayTest::SetUp();
  if (IsSkipped()) {
    return;
  }
  start({.robots = {"red", "blue", "mallory", "green"}}, [] {
    std::vector<std::string> command{hilgate_program()};
    for (const std::string& word : GetParam().command) {
      command.push_back(word == "RUN" ? gateway().run() : word);
    }
    server_ = host().start(command);
    ASSERT_TRUE(server_->wait_for_output(" http://127.0.0.1:", 30s)) << server_->output();
    ASSERT_TRUE(server_->wait_for_output("\n", 5s));
    const std::string said = server_->output();
    port_ = static_cast<std::uint16_t>(std::stoi(said.substr(said.find("127.0.0.1:") + 10)));
    answer();
  });
  begin();
}

void EyesFault::TearDownTestSuite() {
  if (server_) {
    server_->signal(SIGTERM);
    EXPECT_EQ(server_->wait(10s), 0) << server_->output();
    server_.reset();
  }
  LiveFault::TearDownTestSuite();
}

std::string EyesFault::request(const std::string& path) {
  return fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", path, port_);
}

std::chrono::nanoseconds EyesFault::answer() {
  const Finished curl = host().run(fmt::format("curl -sS --max-time {} -w '\\n%{{time_total}}' http://127.0.0.1:{}{}",
                                               kPatience.count(), port_, GetParam().path));
  EXPECT_EQ(curl.status, 0) << curl.output;
  EXPECT_THAT(curl.output, testing::HasSubstr(GetParam().right));
  const std::string seconds = curl.output.substr(curl.output.rfind('\n') + 1);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(std::stod(seconds)));
}

void EyesFault::suffer(const std::string& fault, const std::string& promise, const Manner& manner) {
  const Holdings before = Holdings::of(server_->pid());
  std::optional<HostileCrowd> crowd(std::in_place, host(), fmt::format("tcp:127.0.0.1:{}", port_), manner);
  EXPECT_TRUE(eventually([&] { return crowd->made() >= manner.at_once; })) << "the crowd is not there";
  std::chrono::nanoseconds slowest{};
  Holdings most;
  for (int n = 0; n < kAnswers; ++n) {
    slowest = std::max(slowest, answer());
    const Holdings held = Holdings::of(server_->pid());
    most.descriptors = std::max(most.descriptors, held.descriptors);
    most.resident_kib = std::max(most.resident_kib, held.resident_kib);
  }
  const std::size_t made = crowd->made();
  crowd.reset();
  EXPECT_LE(most.descriptors, kMostDescriptors);
  EXPECT_LE(most.resident_kib, before.resident_kib + kib_of_slack());
  conclude({fmt::format("{}: {}", GetParam().name, fault), promise,
            fmt::format("{} connections; curl has its answer after {} at most; {} descriptors and {} KiB more in the "
                        "server",
                        made, text_of(slowest), most.descriptors,
                        most.resident_kib - std::min(most.resident_kib, before.resident_kib))});
}

}  // namespace hilgate::test

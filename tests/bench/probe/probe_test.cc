// SPDX-License-Identifier: Apache-2.0
// Both ends of `hilgate probe` over the loopback interface.
#include "bench/probe/probe.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <asio/buffer.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/udp.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "clock/host_now.h"

namespace hilgate::test {
namespace {

using asio::ip::udp;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::uint16_t free_port() {
  asio::io_context loop;
  return udp::socket(loop, {udp::v6(), 0}).local_endpoint().port();
}

std::string error_of(const ProbeOptions& options) {
  try {
    probe_command(options);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

struct Row {
  double sent_s = 0;
  std::string delay_s;
  bool lost = false;
};

class ProbeOverLoopback : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("hilgate-probe-test-" + std::to_string(getpid()));
    std::filesystem::create_directory(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  /// Starts a receiver and waits until it listens.
  std::future<ProbeSummary> start_receiver() {
    auto summary =
        std::async(std::launch::async, receive_probes, ProbeReceiveOptions{.port = port_, .csv = csv().string()});
    const auto deadline = std::chrono::steady_clock::now() + seconds{20};
    while ((!std::filesystem::exists(csv()) || std::filesystem::file_size(csv()) == 0) &&
           std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(milliseconds{1});
    }
    return summary;
  }

  /// Sends probes of a plan by hand.
  void send(const ProbePlan& plan, const std::vector<std::uint64_t>& sequences) const {
    asio::io_context loop;
    udp::socket socket(loop, udp::v4());
    for (const std::uint64_t sequence : sequences) {
      std::array<std::byte, kProbeBytes> payload{};
      write_probe({.plan = plan, .sequence = sequence, .sent = host_now()}, payload);
      socket.send_to(asio::buffer(payload), {asio::ip::address_v4::loopback(), port_});
    }
  }

  [[nodiscard]] std::map<std::uint64_t, Row> rows() const {
    std::ifstream file(csv());
    std::string line;
    std::getline(file, line);
    EXPECT_EQ(line, "sent_s,delay_s,sequence,lost");
    std::map<std::uint64_t, Row> rows;
    while (std::getline(file, line)) {
      std::istringstream fields(line);
      std::string sent, delay, sequence, lost;
      std::getline(fields, sent, ',');
      std::getline(fields, delay, ',');
      std::getline(fields, sequence, ',');
      std::getline(fields, lost);
      EXPECT_TRUE(rows.emplace(std::stoull(sequence), Row{std::stod(sent), delay, lost == "1"}).second) << line;
    }
    return rows;
  }

  [[nodiscard]] std::filesystem::path csv() const { return directory_ / "probe.csv"; }

  std::uint16_t port_ = free_port();
  std::filesystem::path directory_;
};

TEST_F(ProbeOverLoopback, EveryProbeArrivesOnceWithItsDelay) {
  auto summary = start_receiver();
  send_probes({.to = "127.0.0.1", .port = port_, .interval = milliseconds{1}, .duration = milliseconds{200}});
  const ProbeSummary seen = summary.get();
  EXPECT_EQ(seen.received, 200u);
  EXPECT_EQ(seen.lost, 0u);
  EXPECT_EQ(seen.ignored, 0u);
  EXPECT_GT(seen.shortest.count(), 0);
  EXPECT_LE(seen.shortest, seen.mean);
  EXPECT_LE(seen.mean, seen.longest);

  const auto table = rows();
  ASSERT_EQ(table.size(), 200u);
  for (const auto& [sequence, row] : table) {
    EXPECT_FALSE(row.lost) << sequence;
    EXPECT_GE(std::stod(row.delay_s), 0) << sequence;
    EXPECT_GE(row.sent_s, table.at(0).sent_s + 1e-3 * static_cast<double>(sequence) - 1e-3) << "sent early";
  }
}

TEST_F(ProbeOverLoopback, UsesIpv6AndFillsTheSize) {
  auto summary = start_receiver();
  send_probes({.to = "::1", .port = port_, .interval = milliseconds{1}, .duration = milliseconds{10}, .size = 1400});
  EXPECT_EQ(summary.get().received, 10u);
}

TEST_F(ProbeOverLoopback, MissesProbesAtTheStartInTheMiddleAndAtTheEnd) {
  auto summary = start_receiver();
  const ProbePlan plan{.start = host_now() - milliseconds{50}, .interval = milliseconds{5}, .count = 10};
  send(plan, {1, 2, 4, 5, 6, 7, 4});
  const ProbeSummary seen = summary.get();
  EXPECT_EQ(seen.received, 6u);
  EXPECT_EQ(seen.lost, 4u);
  EXPECT_EQ(seen.ignored, 1u) << "the duplicate";

  const auto table = rows();
  ASSERT_EQ(table.size(), 10u);
  for (const std::uint64_t sequence : {0, 3, 8, 9}) {
    EXPECT_TRUE(table.at(sequence).lost) << sequence;
    EXPECT_EQ(table.at(sequence).delay_s, "") << sequence;
    const double due = std::chrono::duration<double>(plan.due(sequence).time_since_epoch()).count();
    EXPECT_NEAR(table.at(sequence).sent_s, due, 1e-6);
  }
}

TEST_F(ProbeOverLoopback, OtherRunsAndForeignDatagramsAreIgnored) {
  auto summary = start_receiver();
  const ProbePlan first{.start = host_now() - milliseconds{10}, .interval = milliseconds{5}, .count = 2};
  const ProbePlan other{.start = first.start + Nanoseconds{1}, .interval = milliseconds{5}, .count = 2};
  send(first, {0});
  send(other, {0, 1});
  asio::io_context loop;
  udp::socket(loop, udp::v4()).send_to(asio::buffer("hello", 5), {asio::ip::address_v4::loopback(), port_});
  send(first, {1});
  const ProbeSummary seen = summary.get();
  EXPECT_EQ(seen.received, 2u);
  EXPECT_EQ(seen.ignored, 3u);
}

TEST_F(ProbeOverLoopback, TakenPortIsNamedInTheError) {
  asio::io_context loop;
  const udp::socket taken(loop, {udp::v6(), port_});
  EXPECT_EQ(error_of(ProbeReceiveOptions{.port = port_}),
            "probe receive: cannot listen on UDP port " + std::to_string(port_) + ": Address already in use");
}

TEST(ProbeOptions, ValuesOutOfRangeAreErrors) {
  EXPECT_EQ(error_of(ProbeSendOptions{.to = "red"}), "probe send: 'red' is not an IPv4 or IPv6 address");
  EXPECT_EQ(error_of(ProbeSendOptions{.to = "127.0.0.1", .port = 0}), "probe send: port is 0; allowed: 1 to 65535");
  EXPECT_EQ(error_of(ProbeSendOptions{.to = "127.0.0.1", .size = 47}),
            "probe send: size is 47 bytes; allowed: 48 to 65507");
  EXPECT_EQ(error_of(ProbeSendOptions{.to = "127.0.0.1", .size = 65508}),
            "probe send: size is 65508 bytes; allowed: 48 to 65507");
  EXPECT_EQ(error_of(ProbeSendOptions{.to = "127.0.0.1", .interval = Nanoseconds{99'999}}),
            "probe send: interval is 99999 ns; allowed: 100us to 1min");
  EXPECT_EQ(error_of(ProbeSendOptions{.to = "127.0.0.1", .duration = milliseconds{9}}),
            "probe send: duration is 9000000 ns; allowed: one interval (10000000 ns) to 24h");
  EXPECT_EQ(error_of(ProbeReceiveOptions{.port = 0}), "probe receive: port is 0; allowed: 1 to 65535");
  EXPECT_EQ(error_of(ProbeReceiveOptions{.port = free_port(), .csv = "/no/such/folder/probe.csv"}),
            "probe receive: cannot write '/no/such/folder/probe.csv': No such file or directory");
}

}  // namespace
}  // namespace hilgate::test

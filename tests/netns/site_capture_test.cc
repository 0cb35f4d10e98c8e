// SPDX-License-Identifier: Apache-2.0
// Captures of two gateways of a site as one, by the tools of Wireshark.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "tests/netns/gateway_test.h"
#include "tests/netns/site_lab.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using SiteCapture = GatewayTest;
using ::testing::HasSubstr;

constexpr std::size_t kCapturedFrames = 400;

/// Where a frame is in a file, and when that was.
struct Seen {
  std::size_t row = 0;
  double at_s = 0;
};
/// By the frame's data, by interface.
using SeenFrames = std::map<std::string, std::map<std::string, Seen>>;

SeenFrames read_merged(const std::string& file) {
  const Finished tshark =
      test::run({"sh", "-c",
                 fmt::format("tshark -r {} -T fields -E separator=/s -e frame.time_epoch -e udp.payload "
                             "-e frame.interface_name 2>&1",
                             file)});
  EXPECT_EQ(tshark.status, 0) << tshark.output.substr(tshark.output.size() -
                                                      std::min<std::size_t>(tshark.output.size(), 300));
  SeenFrames seen;
  std::istringstream rows(tshark.output);
  std::size_t row = 0;
  for (std::string line; std::getline(rows, line); ++row) {
    std::istringstream cells(line);
    double at_s = 0;
    std::string data, interface;
    if (cells >> at_s >> data && std::getline(cells >> std::ws, interface)) {
      seen[data][interface] = {row, at_s};
    }
  }
  return seen;
}

}  // namespace

TEST_F(SiteCapture, CapturesOfTwoGatewaysAreOneByMergecap) {
  if (test::run({"mergecap", "--version"}).status != 0 || test::run({"tshark", "--version"}).status != 0) {
    GTEST_SKIP() << "needs mergecap and tshark";
  }
  SiteLab site("netsim: {type: wire}\nlinks: [{from: \"*\", to: \"*\", delay: 30ms}]\n");
  for (std::size_t i = 0; i < SiteLab::kGateways; ++i) {
    site.start(i);
  }
  ASSERT_TRUE(site.until_all_here()) << site.output(0);
  std::vector<std::unique_ptr<Process>> captures;
  std::vector<std::string> merge = {"mergecap", "-w", site.folder() / "merged.pcapng"};
  for (const std::size_t gateway : {0, 1}) {
    merge.push_back(site.folder() / fmt::format("{}.pcapng", gateway));
    captures.push_back(std::make_unique<Process>(
        std::vector<std::string>{hilgate_program(), "capture", "--run", site.run(gateway), "-w", merge.back()}));
    ASSERT_TRUE(captures.back()->wait_for_output("capturing to", 20s)) << captures.back()->output();
  }
  EXPECT_EQ(site.send(0, 2, kCapturedFrames).size(), kCapturedFrames);
  for (const auto& capture : captures) {
    capture->signal(SIGINT);
    ASSERT_EQ(capture->wait(60s), 0) << capture->output();
    EXPECT_THAT(capture->output(), HasSubstr(" 0 missed"));
  }
  const Finished merged = test::run(merge);
  ASSERT_EQ(merged.status, 0) << merged.output;

  std::size_t both = 0;
  double least_s = 1;
  for (const auto& [data, by_interface] : read_merged(merge[2])) {
    const auto in = by_interface.find("p0 in");
    const auto out = by_interface.find("p2 out");
    if (in == by_interface.end() || out == by_interface.end()) {
      continue;
    }
    ++both;
    EXPECT_LT(in->second.row, out->second.row);
    EXPECT_GE(out->second.at_s - in->second.at_s, 0.0299) << "released no earlier than the link says";
    least_s = std::min(least_s, out->second.at_s - in->second.at_s);
  }
  EXPECT_EQ(both, kCapturedFrames);
  EXPECT_LT(least_s, 0.031);
  std::cout << fmt::format("{:.6f} s at least from in to out\n", least_s);
}

}  // namespace hilgate::test

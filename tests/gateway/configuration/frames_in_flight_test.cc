// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/frames_in_flight.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/gateway/configuration/config_fixture.h"

namespace hilgate::test {
namespace {

using testing::HasSubstr;

// A satellite's link of 1 Gbit/s and 1.2 s: 150 MB are on their way in each direction.
std::string satellite(const std::string& link = "{from: '*', to: '*', delay: 1200ms, rate: 1 Gbit/s}",
                      const std::string& more = {}) {
  return "name: bdp\nports: {p1: {interface: hg-1}, p2: {interface: hg-2}}\n"
         "robots: {r1: {port: p1}, r2: {port: p2}}\nnetsim: {type: wire}\nlinks: [" +
         link + "]\n" + more;
}

TEST(FramesInFlight, AreDelayTimesRateOfEachSendersFullestLink) {
  const FramesInFlight frames = frames_in_flight(read_yaml(satellite()));
  EXPECT_EQ(frames.most, 99'075U);  // 1e9 * 1.2 / 8 / 1514
  EXPECT_EQ(frames.all, 2 * 99'075U);
  EXPECT_EQ(frames_in_flight(read_yaml(satellite("{from: r1, to: r2, delay: 1200ms, rate: 1 Gbit/s}"))).all, 99'075U);
  EXPECT_EQ(frames_in_flight(read_yaml(satellite("{from: r1, to: r2, rate: 1 Gbit/s}"))).all, 0U);
  EXPECT_EQ(frames_in_flight(read_yaml(satellite("{from: r1, to: r2, delay: 1200ms}"))).all, 0U) << "of any rate";
}

TEST(FramesInFlight, MemoryAndHoldHaveDefaultsByTheLinks) {
  const Configuration configuration = read_yaml(satellite());
  EXPECT_GE(configuration.memory.frames, 2 * 99'075U + 99'075U / 4);
  EXPECT_LE(configuration.memory.frames, 256U * 1024);
  EXPECT_GE(2 * configuration.hold_frames, 3 * 99'075U) << "each as much as is left for others";
  EXPECT_EQ(memory_shortage(configuration), "");
  EXPECT_THAT(memory_growth(configuration), HasSubstr("up to 198150 frames in flight"));
  const Configuration small = read_yaml(satellite("{from: '*', to: '*', delay: 10ms, rate: 1 Gbit/s}"));
  EXPECT_EQ(small.memory.frames, 65'536U);
  EXPECT_EQ(small.hold_frames, 65'536U);
  EXPECT_EQ(memory_growth(small), "");
}

// The rate and the delay of a link may come from a trace, from its radio, or from another key.
TEST(FramesInFlight, CountRatesAndDelaysOfTracesAndRadios) {
  const auto folder = std::filesystem::temp_directory_path() / ("hilgate-bdp-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "t.csv") << "time_s,rate_mbps,delay_ms\n0,10,5000\n1,1000,1200\n";
  std::ofstream(folder / "r.csv") << "time_s,rate_mbps\n0,1000\n1,500\n";
  std::ofstream(folder / "o.mahimahi") << "1\n1\n2\n2\n";
  const auto traced = [&](const std::string& file, const std::string& links = {}) {
    return frames_in_flight(
        read_yaml("name: bdp\nports: {p1: {interface: hg-1}, p2: {interface: hg-2}}\n"
                  "robots: {r1: {port: p1}, r2: {port: p2}}\nnetsim: {type: trace, traces: [{from: r1, "
                  "to: r2, file: " +
                  (folder / file).string() + "}]}\n" + links));
  };
  EXPECT_EQ(traced("t.csv").all, 99'075U);
  EXPECT_EQ(traced("r.csv").all, 0U);
  EXPECT_EQ(traced("r.csv", "links: [{from: r1, to: r2, delay: 1200ms}]").all, 99'075U);
  EXPECT_EQ(traced("r.csv", "links: [{from: r1, to: r2, delay: 1200ms, rate: 2 Gbit/s}]").all, 198'150U);
  EXPECT_NEAR(static_cast<double>(traced("o.mahimahi", "links: [{from: r1, to: r2, delay: 60s}]").all), 120'000, 800);
  std::filesystem::remove_all(folder);

  Configuration cable = read_yaml(satellite("{from: '*', to: '*', delay: 1200ms}"));
  cable.robots[0].radio_rate = RadioRate{.bits_per_second = 1e9};
  cable.robots[1].radio_rate = RadioRate{.bits_per_second = 1e9};
  EXPECT_EQ(frames_in_flight(cable).all, 2 * 99'075U);
  cable.robots[0].radio_rate->medium = cable.robots[1].radio_rate->medium = "air";
  EXPECT_EQ(frames_in_flight(cable).all, 99'075U) << "one of them sends at a time";
  EXPECT_TRUE(fills_memory(cable, {.bits_per_second = 1e9}));
  EXPECT_FALSE(fills_memory(cable, {.bits_per_second = 1e6}));
  EXPECT_TRUE(fills_memory(cable, {.bits_per_second = 20e6, .latency = std::chrono::seconds{1}}));
}

TEST(FramesInFlight, CountWhatIsHeldBackDoubledOrQueued) {
  const auto all = [](const std::string& link) { return frames_in_flight(read_yaml(satellite(link))).all; };
  EXPECT_EQ(all("{from: r1, to: r2, reorder: {probability: 50 %, by: 2400ms}, rate: 1 Gbit/s}"), 99'075U);
  EXPECT_EQ(all("{from: r1, to: r2, duplicate: {probability: 100 %, after: 1200ms}, rate: 1 Gbit/s}"), 99'075U);
  EXPECT_EQ(all("{from: r1, to: r2, rate: {limit: 1 Gbit/s, queue: {frames: 100000}}}"), 100'000U);
  EXPECT_EQ(all("{from: r1, to: r2, rate: {limit: 1 Gbit/s, queue: {frames: 100000, time: 1ms}}}"), 0U);
}

TEST(FramesInFlight, ShortageIsReportedWithTheKeyToSet) {
  const std::string text = memory_shortage(read_yaml(satellite("{from: '*', to: '*', delay: 1200ms, rate: 1 Gbit/s}",
                                                               "memory: {frames: 65536}\nhold: {frames: 65536}\n")));
  EXPECT_THAT(text, HasSubstr("1 Gbit/s for 1.2 s are 99075 frames of 1514 B in flight from r1"));
  EXPECT_THAT(text, HasSubstr("there is room for 65536 (memory.frames) and 65536 (hold.frames)"));
  EXPECT_THAT(text, HasSubstr("`hold: {frames: 148613}`"));
  const std::string beyond = memory_shortage(read_yaml(satellite("{from: '*', to: '*', delay: 20s, rate: 1 Gbit/s}")));
  EXPECT_THAT(beyond, HasSubstr("there is room for 524288 (memory.frames)")) << "no more by itself";
  EXPECT_THAT(memory_shortage(read_yaml(satellite("{from: '*', to: '*', delay: 1h, rate: 100 Gbit/s}"))),
              HasSubstr("no memory is large enough, whose most is 16777216 frames"));
}

}  // namespace
}  // namespace hilgate::test

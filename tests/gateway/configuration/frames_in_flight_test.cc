// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/frames_in_flight.h"

#include <gmock/gmock.h>

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

TEST(FramesInFlight, ShortageIsReportedWithTheKeyToSet) {
  const std::string text = memory_shortage(read_yaml(satellite("{from: '*', to: '*', delay: 1200ms, rate: 1 Gbit/s}",
                                                               "memory: {frames: 65536}\nhold: {frames: 65536}\n")));
  EXPECT_THAT(text, HasSubstr("1 Gbit/s for 1.2 s are 99075 frames of 1514 B in flight from r1"));
  EXPECT_THAT(text, HasSubstr("there is room for 65536 (memory.frames) and 65536 (hold.frames)"));
  EXPECT_THAT(text, HasSubstr("`hold: {frames: 148613}`"));
  const std::string beyond = memory_shortage(read_yaml(satellite("{from: '*', to: '*', delay: 20s, rate: 1 Gbit/s}")));
  EXPECT_THAT(beyond, HasSubstr("there is room for 524288 (memory.frames)")) << "no more by itself";
}

}  // namespace
}  // namespace hilgate::test

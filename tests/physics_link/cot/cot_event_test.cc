// SPDX-License-Identifier: Apache-2.0
#include "physics_link/cot/cot_event.h"

#include <gtest/gtest.h>

#include "tests/physics_link/cot/event_files.h"

namespace hilgate::cot::test {
namespace {

using namespace std::chrono_literals;

Fault fault_of(const std::string& text) {
  const Parsed parsed = read_event(text);
  const auto* fault = std::get_if<Fault>(&parsed);
  return fault == nullptr ? Fault::kCount : *fault;
}

TEST(ReadCotEvent, ReadsWhatNodeCotWrites) {
  const Parsed parsed = read_event(event_file("drone"));
  const auto* event = std::get_if<Event>(&parsed);
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(event->uid, "drone-1");
  EXPECT_EQ(event->callsign, "Red & <1>");
  EXPECT_EQ(event->time, *utc_of_text("2026-11-29T12:00:00.25Z"));
  EXPECT_EQ(event->stale - event->time, 30s);
  EXPECT_EQ(event->lat_deg, 47.002);
  EXPECT_EQ(event->lon_deg, 11.001);
  EXPECT_EQ(event->height_m, 560);
  EXPECT_TRUE(std::holds_alternative<Other>(read_event(event_file("ping"))));
}

TEST(ReadCotEvent, AHeightOf9999999IsNotKnown) {
  const Parsed parsed = read_event(with(event_file("drone"), "hae=\"560\"", "hae=\"9999999.0\""));
  ASSERT_TRUE(std::holds_alternative<Event>(parsed));
  EXPECT_FALSE(std::get<Event>(parsed).height_m);
}

TEST(ReadCotEvent, SaysWhatIsWrong) {
  const std::string good = event_file("drone");
  EXPECT_EQ(fault_of(""), Fault::kXml);
  EXPECT_EQ(fault_of(good.substr(0, good.size() / 2)), Fault::kXml);
  EXPECT_EQ(fault_of("\xBF\x01\xBF\x12"), Fault::kProtobuf);
  EXPECT_EQ(fault_of("<events/>"), Fault::kEvent);
  EXPECT_EQ(fault_of(good + good), Fault::kEvent) << "two documents in one datagram";
  EXPECT_EQ(fault_of(with(good, "uid=\"drone-1\"", "")), Fault::kEvent);
  EXPECT_EQ(
      fault_of(with(good, "<point lat=\"47.002\" lon=\"11.001\" hae=\"560\" ce=\"9999999.0\" le=\"9999999.0\"/>", "")),
      Fault::kEvent);
  EXPECT_EQ(fault_of(with(good, "stale=\"2026-11-29T12:00:30.250Z\"", "stale=\"soon\"")), Fault::kTimes);
  EXPECT_EQ(fault_of(with(good, " time=\"2026-11-29T12:00:00.250Z\"", "")), Fault::kTimes);
  EXPECT_EQ(fault_of(with(good, "lat=\"47.002\"", "lat=\"north\"")), Fault::kNumbers);
  EXPECT_EQ(fault_of(with(good, "lat=\"47.002\"", "lat=\"nan\"")), Fault::kNumbers);
  EXPECT_EQ(fault_of(with(good, "lon=\"11.001\"", "lon=\"181\"")), Fault::kNumbers);
  EXPECT_EQ(fault_of(with(good, "hae=\"560\"", "hae=\"1e300\"")), Fault::kNumbers);
  EXPECT_EQ(fault_of(with(good, "lat=\"47.002\"", "lat=\"122.4\"")), Fault::kSwapped);
}

TEST(EventCutter, CutsAStreamOfEventsWhereverItsPiecesEnd) {
  const std::string stream = event_file("drone") + "\n" + event_file("phone") + event_file("ping");
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, stream.size()}) {
    EventCutter cutter;
    std::size_t good = 0;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      cutter.add(std::string_view(stream).substr(at, piece));
      while (const auto event = cutter.next()) {
        good += std::holds_alternative<Fault>(read_event(*event)) ? 0 : 1;
      }
    }
    EXPECT_EQ(good, 3U) << piece;
    EXPECT_FALSE(cutter.too_long());
  }
  EventCutter endless;
  endless.add(std::string(kLongestEvent, 'x'));
  EXPECT_FALSE(endless.too_long());
  endless.add("x");
  EXPECT_TRUE(endless.too_long());
}

}  // namespace
}  // namespace hilgate::cot::test

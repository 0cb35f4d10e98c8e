// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/telemetry/cot_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

const CotRobotConfig kDrone{.uid = "hilgate.t.red", .type = "a-f-A-M-H-Q", .callsign = "RED"};
constexpr mavlink::Geodetic kPlace{47.3977, -8.5456, 488};

TEST(CotEvent, HasTheFieldsOfVersion2) {
  EXPECT_EQ(cot_event({.robot = kDrone,
                       .utc = 1'795'923'859s + 123'000'000ns,
                       .stale = 10s,
                       .place = kPlace,
                       .motion = GroundMotion{.speed_m_s = 5, .course_deg = 270}}),
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>"
            "<event version=\"2.0\" uid=\"hilgate.t.red\" type=\"a-f-A-M-H-Q\" how=\"m-s\" "
            "time=\"2026-11-29T03:44:19.123Z\" start=\"2026-11-29T03:44:19.123Z\" stale=\"2026-11-29T03:44:29.123Z\">"
            "<point lat=\"47.3977000\" lon=\"-8.5456000\" hae=\"488.00\" ce=\"0.0\" le=\"9999999.0\"/>"
            "<detail><contact callsign=\"RED\"/><track course=\"270.00\" speed=\"5.000\"/></detail></event>");
}

TEST(CotEvent, WithoutMotionHasNoTrack) {
  EXPECT_THAT(cot_event({.robot = kDrone, .utc = 0s, .stale = 1s, .place = kPlace}), Not(HasSubstr("<track")));
}

TEST(CotEvent, EscapesXmlCharacters) {
  const CotRobotConfig robot{.uid = "a\"b", .type = "a-f-G", .callsign = "R&D <1> d'été"};
  const std::string event = cot_event({.robot = robot, .utc = 0s, .stale = 1s, .place = kPlace});
  EXPECT_THAT(event, HasSubstr("uid=\"a&quot;b\""));
  EXPECT_THAT(event, HasSubstr("callsign=\"R&amp;D &lt;1&gt; d'été\""));
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// The ExpressLRS profiles: the published rate of bytes comes out at the end of the path, and the published sensitivity
// is where packets begin to be lost.
#include <gtest/gtest.h>

#include "netsim_link/embedded/embedded_netsim.h"
#include "rf_profiles/profile/profile_loader.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

// Of expresslrs.org: time on the air, telemetry at 1:2, sensitivity limit.
struct ElrsRate {
  const char* profile;
  double on_air_us;
  double bytes_per_s;
  double sensitivity_dbm;
};

class ElrsRadioPathTest : public testing::TestWithParam<ElrsRate> {
 protected:
  const std::shared_ptr<const RadioProfile> radio_ = std::make_shared<const RadioProfile>(
      load_radio_profile(std::string(HILGATE_SOURCE_DIR "/rf_profiles/profiles/") + GetParam().profile + ".yaml"));
};

void PrintTo(const ElrsRate& rate, std::ostream* out) {
  *out << rate.profile;
}

TEST_P(ElrsRadioPathTest, CarriesThePublishedBytesASecond) {
  constexpr std::uint32_t kMessage = 40;  // whole packets of 5 and of 10 bytes
  constexpr auto kTime = 20s;
  PathSettings settings = plain_settings(2);
  settings.air = EmbeddedNetsim({radio_, radio_}, {}, 1).air_plan();
  GatewayRig rig(settings);
  rig.publish({});
  rig.iterate();
  const Bytes message =
      ip_frame({.destination = mac_of(2), .source = mac_of(1), .tags = {}}, {}, 17, udp(payload(kMessage), 14'550));
  const HostTime end = rig.clock.now() + kTime;
  while (rig.clock.now() < end) {
    while (rig.path->parts().medium.queued_bytes(RobotSlot{0}) + kMessage < 512) {
      rig.arrive(0, message);
      rig.iterate();
    }
    rig.run(20ms, 1ms);
  }
  const double rate = static_cast<double>(rig.sent(1).size() * kMessage) / std::chrono::duration<double>(kTime).count();
  EXPECT_NEAR(rate, GetParam().bytes_per_s, 0.01 * GetParam().bytes_per_s + kMessage / 10.0);
  EXPECT_EQ(rig.dropped(DropReason::kLostOnAir), 0U);
}

TEST_P(ElrsRadioPathTest, ReceivesToThePublishedSensitivity) {
  const RadioMode& mode = radio_->phy.modes.front();
  const double snr = GetParam().sensitivity_dbm - radio_->phy.noise_floor().value;
  const auto bits = static_cast<double>(mode.phy.shared_bits(mode.phy.fragment_bytes));
  EXPECT_LT(frame_error_rate(mode.hazard(snr), bits), 0.1);
  EXPECT_GT(frame_error_rate(mode.hazard(snr - 3), bits), 0.8);
  const Nanoseconds on_air = mode.phy.shared_time(mode.phy.fragment_bytes);
  EXPECT_NEAR(static_cast<double>(on_air.count()) / 1e3, GetParam().on_air_us, 2);
}

INSTANTIATE_TEST_SUITE_P(
    Rates, ElrsRadioPathTest,
    testing::Values(ElrsRate{"elrs_2g4_500", 1507.4, 1250, -105}, ElrsRate{"elrs_2g4_333_full", 2374.4, 1665, -105},
                    ElrsRate{"elrs_2g4_250", 3330, 625, -108}, ElrsRate{"elrs_2g4_50", 10'798, 125, -115},
                    ElrsRate{"elrs_900_200", 4640, 500, -112}, ElrsRate{"elrs_900_50", 19'580, 125, -120}));

}  // namespace
}  // namespace hilgate::test

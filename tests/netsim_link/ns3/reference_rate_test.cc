// SPDX-License-Identifier: Apache-2.0
// The rates that answers are chosen by, against ns-3's.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <ns3/ht-phy.h>
#include <ns3/vht-phy.h>

#include "rf_profiles/phy/wifi_mode.h"

namespace hilgate::test {
namespace {

TEST(ReferenceRate, IsNs3sForEveryMcsWidthAndNumberOfStreams) {
  for (const unsigned width_mhz : {20U, 40U, 80U}) {
    for (unsigned streams = 1; streams <= 4; ++streams) {
      const WifiFraming framing{.width_mhz = width_mhz, .streams = streams};
      for (std::uint8_t mcs = 0; mcs < 8; ++mcs) {  // ns-3 counts HT's over the streams, as the standard does
        const auto number = static_cast<std::uint8_t>(mcs + 8 * (streams - 1));
        const WifiMode mode = wifi_mode(fmt::format("mcs{}", mcs), WifiFormat::kHt, framing);
        EXPECT_EQ(non_ht_reference_mbps(mode.coding) * 1'000'000, ns3::HtPhy::GetNonHtReferenceRate(number)) << +mcs;
      }
      for (std::uint8_t mcs = 0; mcs < 10; ++mcs) {
        const WifiMode mode = wifi_mode(fmt::format("mcs{}", mcs), WifiFormat::kVht, framing);
        EXPECT_EQ(non_ht_reference_mbps(mode.coding) * 1'000'000, ns3::VhtPhy::GetNonHtReferenceRate(mcs)) << +mcs;
      }
    }
  }
}

}  // namespace
}  // namespace hilgate::test

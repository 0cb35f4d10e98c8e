// SPDX-License-Identifier: Apache-2.0
// Levels that are no numbers, in the link states of a network simulator.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "netsim_link/link_reading.h"
#include "tests/fault/fault_record.h"

namespace hilgate::test {
namespace {

TEST(Fault, InfiniteLevelsAreRead) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  AirPlan air;
  air.modes.resize(1);
  std::size_t read = 0;
  for (const float level : {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(), 3e38F, -3e38F}) {
    LinkTable table;
    table.links.resize(4);
    for (LinkState& link : table.links) {
      link.rssi_dbm = level;
      link.snr_db = level;
    }
    const LinkReading reading = read_link(table, air, 2, RobotIndex{0}, RobotIndex{1});
    EXPECT_TRUE(std::isfinite(reading.rssi_dbm) && std::isfinite(reading.snr_db)) << level;
    // As JSON a number, and read as one by who asks.
    const nlohmann::json json{{"rssi_dbm", reading.rssi_dbm}, {"snr_db", reading.snr_db}};
    const auto again = nlohmann::json::parse(json.dump());
    EXPECT_TRUE(again["rssi_dbm"].is_number() && again["snr_db"].is_number()) << level << ": " << again;
    ++read;
  }
  record({"Link states with levels of infinity, NaN and 3e38 dBm", "Status has numbers, and can be read",
          fmt::format("{} of 5 read", read)});
}

}  // namespace
}  // namespace hilgate::test

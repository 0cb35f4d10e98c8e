// SPDX-License-Identifier: Apache-2.0
// Frames that an independent implementation wrote (make_vectors.js), read here, and what we write against its bytes.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "physics_link/mavlink/messages.h"
#include "tests/hex.h"

namespace hilgate::mavlink {
namespace {

using Json = nlohmann::json;
using Bytes = std::vector<std::byte>;

Bytes bytes_of(const Json& vector) {
  return test::bytes_from_hex(vector["hex"].get<std::string>());
}

std::vector<Json> vectors() {
  std::ifstream file(HILGATE_SOURCE_DIR "/tests/physics_link/mavlink/vectors.jsonl");
  std::vector<Json> all;
  for (std::string line; std::getline(file, line);) {
    all.push_back(Json::parse(line));
  }
  return all;
}

Geodetic place_in(const Json& fields, const char* lat, const char* lon, const char* alt) {
  return {fields[lat].get<double>() * 1e-7, fields[lon].get<double>() * 1e-7, fields[alt].get<double>() * 1e-3};
}
void expect_place(const Geodetic& read, const Geodetic& expected) {
  EXPECT_NEAR(read.lat_deg, expected.lat_deg, 1e-9);
  EXPECT_NEAR(read.lon_deg, expected.lon_deg, 1e-9);
  EXPECT_NEAR(read.alt_m, expected.alt_m, 1e-6);
}
Vec3 enu_in(const Json& fields) {
  return {fields["y"].get<double>(), fields["x"].get<double>(), -fields["z"].get<double>()};
}

struct Expectation {
  const Json& fields;
  void operator()(std::monostate) const { FAIL() << "a message that should be known"; }
  void operator()(const Heartbeat& read) const {
    EXPECT_EQ(read.type, fields["type"]);
    EXPECT_EQ(read.autopilot, fields["autopilot"]);
  }
  void operator()(const SystemTime& read) const {
    EXPECT_EQ(read.since_boot, std::chrono::milliseconds(fields["time_boot_ms"].get<std::int64_t>()));
  }
  void operator()(const Attitude& read) const {
    EXPECT_EQ(read.since_boot, std::chrono::milliseconds(fields["time_boot_ms"].get<std::int64_t>()));
  }
  void operator()(const GlobalPosition& read) const {
    expect_place(read.at, place_in(fields, "lat", "lon", "alt"));
    EXPECT_TRUE(read.fix);
  }
  void operator()(const HighLatency& read) const {
    const bool is_second = fields.contains("altitude");
    Geodetic expected = place_in(fields, "latitude", "longitude", is_second ? "altitude" : "altitudeAmsl");
    expected.alt_m *= 1e3;  // in whole metres
    expect_place(read.at, expected);
    EXPECT_TRUE(read.fix);
    ASSERT_EQ(read.heartbeat.has_value(), is_second);
    if (is_second) {
      EXPECT_EQ(read.heartbeat->type, fields["type"]);
      EXPECT_EQ(read.heartbeat->autopilot, fields["autopilot"]);
    }
  }
  void operator()(const LocalPosition& read) const { EXPECT_EQ(read.enu, enu_in(fields)); }
  void operator()(const Odometry& read) const { EXPECT_EQ(read.enu, enu_in(fields)); }
  void operator()(const GlobalOrigin& read) const {
    expect_place(read.at, place_in(fields, "latitude", "longitude", "altitude"));
  }
  void operator()(const HomePosition& read) const {
    expect_place(read.at, place_in(fields, "latitude", "longitude", "altitude"));
    EXPECT_EQ(read.enu, enu_in(fields));
  }
  void operator()(const TimeSync& read) const {
    EXPECT_EQ(read.tc1, fields["tc1"]);
    EXPECT_EQ(read.ts1, fields["ts1"]);
  }
  void operator()(const RadioStatus& read) const {
    const RadioStatus expected{.rxerrors = fields["rxerrors"],
                               .fixed = fields["fixed"],
                               .rssi = fields["rssi"],
                               .remrssi = fields["remrssi"],
                               .txbuf = fields["txbuf"],
                               .noise = fields["noise"],
                               .remnoise = fields["remnoise"]};
    EXPECT_EQ(read, expected);
  }
};

TEST(MavlinkVectors, AreReadAsTheyWereWritten) {
  const auto all = vectors();
  ASSERT_GT(all.size(), 30U);
  for (const Json& vector : all) {
    SCOPED_TRACE(vector.dump());
    const Bytes bytes = bytes_of(vector);
    const auto frame = first_frame(bytes);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->size, bytes.size());
    EXPECT_EQ(static_cast<int>(frame->version), vector["version"]);
    EXPECT_EQ(frame->is_signed, vector["signed"].get<bool>());
    EXPECT_EQ(frame->sequence, vector["seq"]);
    EXPECT_EQ(frame->system, vector["system"]);
    EXPECT_EQ(frame->component, vector["component"]);
    EXPECT_EQ(frame->message, vector["id"]);
    EXPECT_EQ(check(*frame), Checksum::kRight);
    std::visit(Expectation{vector["fields"]}, read_message(*frame));
  }
}

TEST(MavlinkVectors, RadioStatusIsWrittenByteForByteTheSame) {
  std::size_t compared = 0;
  for (const Json& vector : vectors()) {
    const Json& fields = vector["fields"];
    // The other implementation leaves out a payload of nothing but zeros; the first byte is to stay.
    const bool cut_to_nothing = vector["version"] == 2 && fields.value("txbuf", 0) == 0;
    if (vector["id"] != 109 || vector["signed"].get<bool>() || cut_to_nothing) {
      continue;
    }
    const Bytes bytes = bytes_of(vector);
    const auto status = std::get<RadioStatus>(read_message(*first_frame(bytes)));
    const std::string written = write_radio_status({.version = Version{vector["version"].get<std::uint8_t>()},
                                                    .sequence = vector["seq"],
                                                    .system = vector["system"],
                                                    .component = vector["component"]},
                                                   status);
    const auto as_bytes = std::as_bytes(std::span(written));
    EXPECT_EQ(Bytes(as_bytes.begin(), as_bytes.end()), bytes) << vector.dump();
    ++compared;
  }
  EXPECT_EQ(compared, 3U);
}

TEST(MavlinkFrame, EveryFlippedBitAfterTheLengthIsDetected) {
  for (const Json& vector : vectors()) {
    const Bytes bytes = bytes_of(vector);
    const std::size_t covered = first_frame(bytes)->checked.size() + 1;
    for (std::size_t bit = 16; bit < 8 * covered; ++bit) {
      Bytes damaged = bytes;
      damaged[bit / 8] ^= std::byte{1} << (bit % 8);
      const auto frame = first_frame(damaged);
      EXPECT_TRUE(!frame || check(*frame) != Checksum::kRight) << vector.dump() << " bit " << bit;
    }
  }
}

TEST(MavlinkFrame, TruncatedIsInvalid) {
  for (const Json& vector : vectors()) {
    const Bytes bytes = bytes_of(vector);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(first_frame(std::span(bytes).first(size)));
    }
  }
}

TEST(MavlinkFrame, SeveralInOneDatagramAreAllFound) {
  Bytes datagram;
  std::size_t frames = 0;
  for (const Json& vector : vectors()) {
    const Bytes bytes = bytes_of(vector);
    datagram.insert(datagram.end(), bytes.begin(), bytes.end());
    ++frames;
  }
  datagram.push_back(std::byte{0x00});
  std::size_t found = 0;
  each_frame(datagram, [&found](const Frame& frame) { found += check(frame) == Checksum::kRight ? 1 : 0; });
  EXPECT_EQ(found, frames);
}

TEST(MavlinkFrame, WithUnknownIncompatibilityFlagsIsLeftAlone) {
  for (const Json& vector : vectors()) {
    Bytes bytes = bytes_of(vector);
    if (vector["version"] == 2) {
      bytes[2] |= std::byte{0x02};
      EXPECT_FALSE(first_frame(bytes));
    }
  }
}

TEST(MavlinkFrame, UnreadMessageHasAnUnknownChecksum) {
  const std::array payload{std::byte{1}, std::byte{2}};
  const std::string text = write_frame({.system = 1, .component = 1}, 74, 20, payload);
  const auto frame = first_frame(std::as_bytes(std::span(text)));
  ASSERT_TRUE(frame);
  EXPECT_EQ(check(*frame), Checksum::kUnknown);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(read_message(*frame)));
}

}  // namespace
}  // namespace hilgate::mavlink

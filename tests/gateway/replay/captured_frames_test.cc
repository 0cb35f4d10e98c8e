// SPDX-License-Identifier: Apache-2.0
// Captures that other programs wrote. two-robots.pcapng and two-robots.pcap are dumpcap's (Wireshark 4.0): ARP and
// pings between 10.0.0.1, 02:00:5e:00:00:0a, and 10.0.0.2, 02:00:5e:00:00:0b, on the interface of the first.
#include "gateway/replay/captured_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "gateway/configuration/document/config_document.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/record/pcapng/pcapng.h"
#include "gateway/replay/frame_replay.h"
#include "gateway/replay/sweep.h"

namespace hilgate::test {
namespace {

using testing::HasSubstr;
using testing::Pair;
using testing::ThrowsMessage;
using testing::UnorderedElementsAre;

const std::filesystem::path kFolder = HILGATE_SOURCE_DIR "/tests/gateway/replay";

class CapturedFramesTest : public testing::Test {
 protected:
  CapturedFramesTest()
      : folder_(std::filesystem::temp_directory_path() / ("hilgate-captured-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~CapturedFramesTest() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] ConfigDocument document(const std::string& red, const std::string& blue) const {
    std::ofstream(folder_ / "run.yaml") << "name: pair\nnetsim: {type: wire}\n"
                                           "ports: {p: {interface: a}, q: {interface: b}}\nrobots:\n  red: {port: p, "
                                        << red << "}\n  blue: {port: q, " << blue << "}\n";
    return ConfigDocument::load(folder_ / "run.yaml");
  }
  [[nodiscard]] Configuration read(const std::string& red, const std::string& blue) const {
    return document(red, blue).read(known_names());
  }
  [[nodiscard]] static std::string bytes_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::filesystem::path write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  std::filesystem::path folder_;
};

TEST_F(CapturedFramesTest, RobotsAreIdentifiedByIpAddress) {
  const Configuration configuration =
      read("ip: 10.0.0.1, mac: '02:00:00:00:00:01'", "ip: 10.0.0.2, mac: '02:00:00:00:00:02'");
  CapturedFrames frames(configuration, kFolder / "two-robots.pcapng");
  std::vector<EnteringFrame> all;
  for (EnteringFrame frame; frames.next(frame);) {
    all.push_back(frame);
  }
  ASSERT_EQ(all.size(), 14U);
  EXPECT_TRUE(frames.is_foreign());
  EXPECT_EQ(frames.of_nobody(), 0U);
  EXPECT_EQ(all[0].port, PortIndex{0});
  EXPECT_EQ(all[1].port, PortIndex{1});
  const auto request = parse_ethernet(all[0].bytes);
  EXPECT_TRUE(request->destination.is_group());
  EXPECT_EQ(request->source.text(), "02:00:00:00:00:01") << "as the gateway knows the robot";
  const auto ping = parse_ethernet(all[2].bytes);
  EXPECT_EQ(ping->source.text(), "02:00:00:00:00:01");
  EXPECT_EQ(ping->destination.text(), "02:00:00:00:00:02");
  const double seconds = static_cast<double>(all[12].at.nanoseconds - all[0].at.nanoseconds) / 1e9;
  EXPECT_GT(seconds, 0.8);
  EXPECT_LT(seconds, 5);
}

TEST_F(CapturedFramesTest, RobotsAreIdentifiedByMacAddress) {
  for (const char* file : {"two-robots.pcapng", "two-robots.pcap"}) {
    const bool classic = std::string(file).ends_with(".pcap");
    const CaptureCount count = count_frames(read("mac: '02:00:5e:00:00:0a'", "ip: 10.0.0.9"), kFolder / file);
    EXPECT_TRUE(count.foreign);
    EXPECT_THAT(count.frames, UnorderedElementsAre(Pair("red", classic ? 2U : 8U))) << file;
    EXPECT_EQ(count.of_nobody, classic ? 2U : 6U);
    EXPECT_EQ(count.text(),
              classic ? "2 frames of red; 2 of no robot are left out" : "8 frames of red; 6 of no robot are left out");
  }
}

TEST_F(CapturedFramesTest, FramesGetTheVlanOfTheirRobot) {
  std::ofstream(folder_ / "run.yaml") << "name: pair\nnetsim: {type: wire}\n"
                                         "ports: {p: {interface: a}}\nrobots:\n"
                                         "  red: {port: p, vlan: 7, ip: 10.0.0.1, mac: '02:00:00:00:00:01'}\n"
                                         "  blue: {port: p, vlan: 8, ip: 10.0.0.2, mac: '02:00:00:00:00:02'}\n";
  const Configuration configuration = ConfigDocument::load(folder_ / "run.yaml").read(known_names());
  CapturedFrames frames(configuration, kFolder / "two-robots.pcapng");
  EnteringFrame frame;
  ASSERT_TRUE(frames.next(frame));
  EXPECT_EQ(frame.length, 46U) << "an ARP request and a tag";
  EXPECT_EQ(std::to_integer<int>(frame.bytes[12]), 0x81);
  EXPECT_EQ(std::to_integer<int>(frame.bytes[15]), 7);
}

TEST_F(CapturedFramesTest, UnreadableCapturesAreReported) {
  const Configuration configuration = read("ip: 10.0.0.1", "ip: 10.0.0.2");
  const auto count = [&](const std::filesystem::path& file) {
    return [&configuration, file] { count_frames(configuration, file); };
  };
  EXPECT_THAT(
      [&] { count_frames(read("ip: 10.9.0.1", "ip: 10.9.0.2"), kFolder / "two-robots.pcapng"); },
      ThrowsMessage<std::runtime_error>(HasSubstr("has 14 frames, of no robot; give robots the `mac` or `ip`")));
  std::string any = bytes_of(kFolder / "two-robots.pcap");
  any[20] = 113;  // of the interface 'any'
  EXPECT_THAT(count(write("any.pcap", any)),
              ThrowsMessage<std::runtime_error>(HasSubstr("has link type 113 and not Ethernet")));
  std::string swapped = bytes_of(kFolder / "two-robots.pcap");
  std::reverse(swapped.begin(), swapped.begin() + 4);
  EXPECT_THAT(count(write("swapped.pcap", swapped)),
              ThrowsMessage<std::runtime_error>(HasSubstr("of a machine with another byte order")));
  EXPECT_THAT(count(write("text.pcap", "time,rate\n0,1\n")),
              ThrowsMessage<std::runtime_error>(HasSubstr("is no pcapng or pcap file")));
  std::string two;
  append_section(two, "other", "", "");
  append_interface(two, {.name = "eth0"});
  append_interface(two, {.name = "eth1"});
  const std::vector<std::byte> bytes(60);
  append_packet(two, {.interface = 0, .at = {1}, .length = 60, .bytes = bytes});
  append_packet(two, {.interface = 1, .at = {2}, .length = 60, .bytes = bytes});
  EXPECT_THAT(count(write("two.pcapng", two)),
              ThrowsMessage<std::runtime_error>(HasSubstr("has packets of several interfaces")));
  const std::string whole = bytes_of(kFolder / "two-robots.pcap");
  const CaptureCount cut = count_frames(configuration, write("cut.pcap", whole.substr(0, whole.size() - 1)));
  EXPECT_EQ(cut.text(), "1 frames of blue, 2 of red; the capture ends within a block");
  std::string damaged = bytes_of(kFolder / "two-robots.pcapng");
  damaged.resize(damaged.size() - 100);
  damaged += std::string(200, 'x');
  EXPECT_THAT(count_frames(configuration, write("damaged.pcapng", damaged)).text(),
              HasSubstr("; the capture ends within a block"));
  EXPECT_THAT(count(write("empty.pcap", whole.substr(0, 24))),
              ThrowsMessage<std::runtime_error>(HasSubstr("has no frames")));
  EXPECT_THAT(count(write("whole.pcap.gz", "\x1F\x8B\x08")),
              ThrowsMessage<std::runtime_error>(HasSubstr("is compressed; write it out with gunzip")));
}

TEST_F(CapturedFramesTest, FramesThatAreEarlierThanTheOneInFrontAreCounted) {
  std::string late;
  append_section(late, "other", "", "");
  append_interface(late, {.name = "eth0"});
  std::vector<std::byte> bytes(60);
  MacAddress::parse("02:00:00:00:00:01")->to_wire(bytes.data() + 6);
  for (const std::uint64_t at : {1'000U, 3'000U, 2'000U, 4'000U}) {
    append_packet(late, {.interface = 0, .at = {at}, .length = 60, .bytes = bytes});
  }
  EXPECT_EQ(count_frames(read("mac: '02:00:00:00:00:01'", "ip: 10.0.0.9"), write("late.pcapng", late)).text(),
            "4 frames of red; 1 frames are earlier than the one in front of them, and come in with it: sort them with "
            "reordercap");
}

TEST_F(CapturedFramesTest, CopiesAndReplaysTakeThem) {
  const ConfigDocument config =
      document("ip: 10.0.0.1, mac: '02:00:00:00:00:01'", "ip: 10.0.0.2, mac: '02:00:00:00:00:02'");
  const Sweep sweep = run_sweep(
      config, {.seeds = 1, .frames = kFolder / "two-robots.pcapng", .folder = folder_ / "copies", .capture = true},
      {.version = "test", .host = {}});
  ASSERT_EQ(sweep.failed(), 0U) << sweep.copies[0].failure;
  const std::vector<CopyLink>& links = sweep.copies[0].links;
  ASSERT_EQ(links.size(), 2U);
  EXPECT_EQ(links[0].released, 8U) << "of red: ARP to all, and pings";
  EXPECT_EQ(links[1].released, 6U);

  const FrameReplay replay = replay_frames(
      config.read(known_names()),
      {.record = sweep.copies[0].folder, .capture = kFolder / "two-robots.pcapng", .output = folder_ / "again.pcapng"});
  EXPECT_TRUE(replay.foreign);
  EXPECT_EQ(replay.frames, 14U);
  EXPECT_EQ(replay.again.released(), 14U);
  EXPECT_THAT(replay.doubts(), testing::ElementsAre(HasSubstr("is not of the time of the record")));
}

}  // namespace
}  // namespace hilgate::test

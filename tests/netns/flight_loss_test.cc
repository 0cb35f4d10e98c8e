// SPDX-License-Identifier: Apache-2.0
// Two vehicles that fly apart in real time lose of what they say to each other what their radios' profile says for the
// distances that they say it at.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

#include "physics_link/mavlink/messages.h"
#include "rf_profiles/profile/profile_loader.h"
#include "rf_profiles/report/link_report.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/udp_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr std::uint16_t kFlightPort = 14550;
constexpr double kHeight = 20;               // m, of both
constexpr double kNear = 1800, kFar = 2500;  // m, from nothing lost to everything
constexpr double kSpeed = 30;                // m/s, of each
constexpr std::chrono::milliseconds kPaceOfTurns{5};
constexpr int kStretch = 50;                     // m
constexpr double kDeviations = 3.29;             // 99.9 % of a normal distribution
constexpr std::uint32_t kLocalPositionNed = 32;  // LOCAL_POSITION_NED
constexpr std::uint8_t kExtra = 185;             // its CRC_EXTRA

// An 802.11n radio of one try and without shadowing, so that a distance has one loss.
class PlainRadio {
 public:
  explicit PlainRadio(std::filesystem::path folder) : folder_(std::move(folder)) {
    std::filesystem::create_directory(folder_);
    std::ifstream source(HILGATE_SOURCE_DIR "/rf_profiles/profiles/wifi_11n_2g4_adhoc.yaml");
    std::ofstream plain(file());
    for (std::string line; std::getline(source, line);) {
      const auto has = [&line](const char* text) { return line.find(text) != std::string::npos; };
      if (has("shadowing") || has("sigma:")) {
        continue;
      }
      plain << (has("id: wifi_11n_2g4_adhoc") ? "id: plain" : has("  tries: 7") ? "  tries: 1" : line) << '\n';
    }
  }
  ~PlainRadio() { std::filesystem::remove_all(folder_); }
  PlainRadio(const PlainRadio&) = delete;
  PlainRadio& operator=(const PlainRadio&) = delete;

  [[nodiscard]] std::string folder() const { return folder_; }
  [[nodiscard]] std::string file() const { return folder_ / "plain.yaml"; }

 private:
  std::filesystem::path folder_;
};

// One of the two, on its way along the axis east, `side` -1 or 1. What it says is numbered by its clock.
class Vehicle {
 public:
  Vehicle(const RunningGateway& gateway, std::size_t number, double side)
      : socket_(gateway.robot(number), NetLab::ipv4(number), kFlightPort),
        other_(NetLab::ipv4(1 - number)),
        system_(static_cast<std::uint8_t>(1 + number)),
        side_(side) {}

  /// Says where it is at that time of the flight. Returns the bytes of the frame.
  std::size_t say(std::chrono::milliseconds at) const {
    const auto boot = static_cast<std::uint32_t>(at.count());
    const auto north_east_down =
        std::array{0.0F, static_cast<float>(side_ * kSpeed * seconds(at)), 0.0F, 1.0F, 1.0F, 1.0F};
    std::array<std::byte, 28> payload{};
    std::memcpy(payload.data(), &boot, sizeof(boot));
    std::memcpy(payload.data() + sizeof(boot), north_east_down.data(), sizeof(north_east_down));
    const std::string text =
        mavlink::write_frame({.sequence = static_cast<std::uint8_t>(boot), .system = system_, .component = 1},
                             kLocalPositionNed, kExtra, payload);
    const auto bytes = std::as_bytes(std::span(text));
    socket_.send(other_, kFlightPort, {bytes.begin(), bytes.end()});
    return kUdpHeaders + text.size();
  }
  /// Takes what has come.
  void listen(std::chrono::milliseconds limit) {
    while (const auto datagram = socket_.receive(limit)) {
      const auto frame = mavlink::first_frame(*datagram);
      ASSERT_TRUE(frame && frame->payload.size() == 28) << "nothing is damaged unseen";
      std::uint32_t boot = 0;
      std::memcpy(&boot, frame->payload.data(), sizeof(boot));
      heard_.insert(boot);
    }
  }
  [[nodiscard]] bool has_heard(std::chrono::milliseconds at) const {
    return heard_.contains(static_cast<std::uint32_t>(at.count()));
  }
  static double seconds(std::chrono::milliseconds at) { return static_cast<double>(at.count()) / 1000; }

 private:
  static constexpr std::size_t kUdpHeaders = 14 + 20 + 8;
  UdpSocket socket_;
  std::string other_;
  std::uint8_t system_;
  double side_;
  std::set<std::uint32_t> heard_;
};

// What was said at about one distance.
struct Stretch {
  int said = 0, lost = 0;
  double expected = 0, variance = 0;  // of `lost`

  void add(double loss, bool heard) {
    ++said;
    lost += heard ? 0 : 1;
    expected += loss;
    variance += loss * (1 - loss);
  }
  // One more lost or heard is within any interval.
  [[nodiscard]] double bound() const { return 1 + kDeviations * std::sqrt(variance); }
};

class FlightLossTest : public GatewayTest {
 protected:
  static double distance_at(std::chrono::milliseconds at) { return kNear + 2 * kSpeed * Vehicle::seconds(at); }

  // Both say where they are 100 times a second, in turns, so that they do not meet in the air.
  void fly(Vehicle& red, Vehicle& blue) {
    const auto start = steady_clock::now();
    const auto now = [start] {
      return std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - start);
    };
    while (distance_at(now()) < kFar) {
      for (Vehicle* const vehicle : {&red, &blue}) {
        const auto at = now();
        frame_bytes_ = vehicle->say(at);
        (vehicle == &red ? red_said_ : blue_said_).push_back(at);
        std::this_thread::sleep_for(kPaceOfTurns);
        red.listen(0ms);
        blue.listen(0ms);
      }
    }
    red.listen(500ms);
    blue.listen(500ms);
  }
  [[nodiscard]] std::map<int, Stretch> stretches(const Vehicle& red, const Vehicle& blue,
                                                 const RadioProfile& profile) const {
    const RateTable rates(profile);
    std::map<int, Stretch> all;
    const auto add = [&](const std::vector<std::chrono::milliseconds>& said, const Vehicle& hearer) {
      for (const auto at : said) {
        LinkQuestion question;
        question.distance_m = distance_at(at);
        question.height_m = question.other_height_m = kHeight;
        question.frame_bytes = static_cast<std::uint32_t>(frame_bytes_);
        const LinkReport link = report_link(profile, rates, question);
        all[static_cast<int>(distance_at(at) / kStretch)].add(link.reachable ? 1 - link.delivery : 1,
                                                              hearer.has_heard(at));
      }
    };
    add(red_said_, blue);
    add(blue_said_, red);
    return all;
  }
  [[nodiscard]] std::size_t said() const { return red_said_.size() + blue_said_.size(); }

 private:
  std::vector<std::chrono::milliseconds> red_said_, blue_said_;
  std::size_t frame_bytes_ = 0;
};

TEST_F(FlightLossTest, VehiclesThatFlyApartLoseByTheProfile) {
  const PlainRadio radio(std::filesystem::temp_directory_path() / fmt::format("hilgate-flight-{}", ::getpid()));
  const RunningGateway gateway(
      {.yaml = fmt::format("profiles: ['{}']\nnetsim: {{type: embedded}}\n"
                           "physics: {{type: mavlink, start: {{red: [0m, 0m, {}m], blue: [{}m, 0m, {}m]}}}}\n",
                           radio.folder(), kHeight, kNear, kHeight),
       .robot = ", radio: plain"});
  Vehicle red(gateway, 0, -1);
  Vehicle blue(gateway, 1, 1);
  fly(red, blue);

  int all_lost = 0;
  for (const auto& [number, stretch] : stretches(red, blue, load_radio_profile(radio.file()))) {
    EXPECT_NEAR(stretch.lost, stretch.expected, stretch.bound())
        << fmt::format("of {} from {} m on", stretch.said, number * kStretch);
    RecordProperty(fmt::format("from_{}_m", number * kStretch),
                   fmt::format("{} said, {} lost, {:.1f} expected", stretch.said, stretch.lost, stretch.expected));
    all_lost += stretch.lost;
  }
  EXPECT_GT(all_lost, static_cast<int>(said() / 10)) << "far enough";
  EXPECT_LT(all_lost, static_cast<int>(said() - said() / 10)) << "near enough";
  EXPECT_TRUE(gateway.status().balanced);
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// The embedded 802.11n model against ns-3 in the same scenario, in simulated time: two robots at a distance, one of
// which sends UDP to the other. The embedded side is the packet path with its medium, as production has it, on a clock
// of the test's; the other side is the program hilgate-ns3. Prints CSV for ns3_comparison.py; GPL code is in the other
// process.
#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "netsim_link/embedded/embedded_netsim.h"
#include "rf_profiles/profile/profile_loader.h"
#include "tests/netsim_link/ns3/ns3_rig.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kPayload = 1470;  // bytes of UDP, as iperf3's; frames of 1512
constexpr std::uint32_t kFrame = kPayload + 42;
constexpr Nanoseconds kWarmUp = 500ms;
constexpr double kHeight = 8;  // metres, the patrol's

struct Point {
  double distance_m;
  bool line_of_sight;
  double offered_bps;  // of payload
  Nanoseconds measured;

  [[nodiscard]] Nanoseconds interval() const {
    return Nanoseconds{static_cast<std::int64_t>(1e9 * 8 * kPayload / offered_bps)};
  }
  [[nodiscard]] Scene scene() const {
    Scene scene;
    scene.robots = {{.position = {0, 0, kHeight}, .orientation = {}},
                    {.position = {distance_m, 0, kHeight}, .orientation = {}}};
    scene.sights = {{.line_of_sight = line_of_sight, .walls = {}, .paths = {}}};
    return scene;
  }
};

struct Result {
  double goodput_mbps = 0;
  double delay_ms = 0;  // mean of what arrives
  double loss = 0;
  double retries = 0;  // per frame that arrives, where that is told
};

// Frames that came in during the measurement, by when they did; what becomes of them later counts.
class Meter {
 public:
  explicit Meter(const Point& point) : point_(point) {}
  [[nodiscard]] bool counts(Nanoseconds in) const { return in >= kWarmUp && in < kWarmUp + point_.measured; }
  void offered(Nanoseconds in) { offered_ += counts(in) ? 1 : 0; }
  void delivered(Nanoseconds in, Nanoseconds out, double retries) {
    if (counts(out)) {
      ++throughput_;
    }
    if (counts(in)) {
      ++delivered_;
      delay_s_ += std::chrono::duration<double>(out - in).count();
      retries_ += retries;
    }
  }
  [[nodiscard]] Result result() const {
    const double count = delivered_ > 0 ? delivered_ : 1;
    return {.goodput_mbps = throughput_ * 8 * kPayload / std::chrono::duration<double>(point_.measured).count() / 1e6,
            .delay_ms = 1e3 * delay_s_ / count,
            .loss = 1 - delivered_ / offered_,
            .retries = retries_ / count};
  }

 private:
  const Point& point_;
  double offered_ = 0, delivered_ = 0, throughput_ = 0, delay_s_ = 0, retries_ = 0;
};

// The patrol's radio; shadowing is no part of the comparison, since every draw of it would be another distance, and
// every frame goes alone, as those of ns3() do.
std::shared_ptr<const RadioProfile> radio() {
  std::ifstream file(HILGATE_SOURCE_DIR "/rf_profiles/profiles/wifi_11n_2g4_adhoc.yaml");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string sigma = "sigma: 4 dB";
  for (auto at = text.find(sigma); at != std::string::npos; at = text.find(sigma)) {
    text.replace(at, sigma.size(), "sigma: 0 dB");
  }
  RadioProfile profile = parse_radio_profile(text, "wifi_11n_2g4_adhoc.yaml");
  profile.mac.aggregation = {};
  return std::make_shared<const RadioProfile>(std::move(profile));
}

Result embedded(const Point& point) {
  const auto profile = radio();
  EmbeddedNetsim netsim({profile, profile}, {}, 1);
  PathSettings settings = plain_settings(2);
  settings.air = netsim.air_plan();
  GatewayRig rig(settings);
  rig.newest_feed().back().links.resize(4);
  netsim.link_states(point.scene(), rig.newest_feed().back());
  rig.newest_feed().publish();
  const HostTime start = rig.clock.now();
  const Bytes frame = udp_frame(1, 2, kPayload);
  Meter meter(point);
  Nanoseconds next{0};
  const Nanoseconds end = kWarmUp + point.measured;
  for (Nanoseconds at{0}; at < end + 1s; at += 2us) {
    for (; next <= at && next < end; next += point.interval()) {
      rig.arrive(0, frame);
      meter.offered(next);
    }
    rig.iterate();
    rig.clock.advance(2us);
  }
  for (const Sent& sent : rig.sent(1)) {
    meter.delivered(sent.arrived - start, sent.at - start, 0);
  }
  return meter.result();
}

Result ns3(const Point& point, const std::string& rates, const std::string& weakest_dbm) {
  Ns3Rig rig({.scenario = "network:\n"
                          "  {type: wifi, standard: 802.11n, channel: 1, rate_control: " +
                          rates +
                          ", slot: 20us, tries: 7, ampdu: 0, queue: {frames: 100}}\n"
                          "propagation: {type: tgpp_umi, settings: {ShadowingEnabled: false}}\n"
                          "attributes: {\"ns3::ThresholdPreambleDetectionModel::MinimumRssi\": " +
                          weakest_dbm + "}\n",
              .window = 10ms});
  rig.scene() = point.scene();
  rig.scene_changed();
  Meter meter(point);
  Nanoseconds next{0};
  const Nanoseconds end = kWarmUp + point.measured;
  for (Nanoseconds from{0}; from < end; from += 10ms) {
    for (; next < from + 10ms && next < end; next += point.interval()) {
      rig.send(0, 1, kFrame, next - from);
      meter.offered(next);
    }
    rig.step();
  }
  rig.settle();
  for (const Verdict& verdict : rig.verdicts()) {
    if (verdict.drop == AirDrop::kNone) {
      meter.delivered(rig.packet(verdict.packet).captured - SimTime{}, verdict.release_at - SimTime{}, verdict.retries);
    }
  }
  return meter.result();
}

void print(const Point& point, const char* load, const char* who, const Result& result) {
  fmt::print("{},{},{},{},{:.4f},{:.4f},{:.5f},{:.3f}\n", load, point.line_of_sight ? "los" : "nlos", point.distance_m,
             who, result.goodput_mbps, result.delay_ms, result.loss, result.retries);
  std::fflush(stdout);
}

void compare(const std::string& rates, const std::string& weakest_dbm, Nanoseconds measured) {
  fmt::print("load,sight,distance_m,who,goodput_mbps,delay_ms,loss,retries\n");
  for (const auto& [load, bps] : {std::pair{"8M", 8e6}, std::pair{"saturated", 60e6}}) {
    for (const bool sees : {true, false}) {
      for (int distance = 10; distance <= 120; distance += 10) {
        const Point point{.distance_m = static_cast<double>(distance),
                          .line_of_sight = sees,
                          .offered_bps = bps,
                          .measured = measured};
        print(point, load, "embedded", embedded(point));
        print(point, load, "ns3", ns3(point, rates, weakest_dbm));
      }
    }
  }
}

}  // namespace
}  // namespace hilgate::test

// usage: ns3_comparison RATE_CONTROL SECONDS WEAKEST_DBM
int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: ns3_comparison RATE_CONTROL SECONDS WEAKEST_DBM\n");
    return 2;
  }
  hilgate::test::compare(argv[1], argv[3], hilgate::Nanoseconds{static_cast<std::int64_t>(std::stod(argv[2]) * 1e9)});
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
// Pace follow: real frames and pings beside physics whose speed wanders, stops, jumps and is too slow.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

#include "clock/host_now.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "host/file_descriptor.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/numbered_traffic.h"
#include "tests/netns/simulator_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

using FollowTest = GatewayTest;

constexpr auto kTick = 2ms;

Json followed(const RunningGateway& gateway) {
  return control_request(control_socket(gateway.run()), {{"command", "clock"}})["follow"];
}
// How pace follow is as soon as it is as wanted, or after 20 s.
Json followed_when(const RunningGateway& gateway, const std::function<bool(const Json&)>& good) {
  Json follow;
  gateway.status_when([&](const GatewayStatus&) {
    follow = followed(gateway);
    return good(follow);
  });
  return follow;
}
bool is_pace(const Json& follow, const char* state) {
  return follow["state"] == state;
}

// Stands in for CORNET's bridge of a simulator's clock: writes what the clock shows, and remembers when it showed what.
class WanderingPhysics {
 public:
  explicit WanderingPhysics(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    path.copy(address.sun_path, sizeof(address.sun_path) - 1);
    if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error("cannot connect to " + path);
    }
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

  void stop_for(Nanoseconds span) { stands_until_ = (host_now() + span).time_since_epoch().count(); }
  void jump(Nanoseconds by) { jump_ += by.count(); }
  void run_at(double speed) { speed_ = speed; }

  /// How much time has passed for physics between two instants of the host.
  [[nodiscard]] Nanoseconds between(HostTime from, HostTime to) const {
    const std::lock_guard lock(mutex_);
    return at(to) - at(from);
  }

 private:
  struct Shown {
    HostTime host{};
    Nanoseconds physics{0};
  };

  void run(const std::stop_token& stop) {
    Nanoseconds physics = 4711s;
    HostTime last = host_now();
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(kTick);
      const HostTime now = host_now();
      const bool stands = now.time_since_epoch().count() < stands_until_;
      const double wander = 0.75 + 0.45 * std::sin(static_cast<double>(now.time_since_epoch().count()) / 1e9 * 2);
      const double speed = stands ? 0 : speed_.load() > 0 ? speed_.load() : wander;
      physics += Nanoseconds{std::llround(static_cast<double>((now - last).count()) * speed)};
      last = now;
      {
        const std::lock_guard lock(mutex_);
        shown_.push_back({now, physics});
      }
      const std::string line =
          fmt::format("{{\"t\": {:.9f}}}\n", static_cast<double>((physics + Nanoseconds{jump_}).count()) / 1e9);
      if (::send(socket_.get(), line.data(), line.size(), MSG_NOSIGNAL) < 0) {
        return;
      }
    }
  }
  [[nodiscard]] Nanoseconds at(HostTime host) const {
    const auto next = std::lower_bound(shown_.begin(), shown_.end(), host,
                                       [](const Shown& shown, HostTime instant) { return shown.host < instant; });
    return next == shown_.end() ? shown_.back().physics : next->physics;
  }

  FileDescriptor socket_;
  std::atomic<std::int64_t> stands_until_{0};
  std::atomic<std::int64_t> jump_{0};
  std::atomic<double> speed_{0};  // 0: wandering between 0.3 and 1.2
  mutable std::mutex mutex_;
  std::vector<Shown> shown_;
  std::jthread thread_;
};

std::string socket_path(const std::string& endpoint) {
  return endpoint.substr(std::string("unix:").size());
}

std::string yaml(const SimulatorSockets& sockets, const std::string& further = {}) {
  return fmt::format(
      "pace: follow\nwindow: 5ms\nphysics: {{type: cornet, clock: {}, positions: {}}}\nnetsim: {{type: wire}}\n{}",
      socket_path(sockets.physics()), socket_path(sockets.netsim()), further);
}

// A delay that is configured lasts as long for physics, however fast physics is meanwhile.
TEST_F(FollowTest, ADelayLastsAsLongForPhysicsHoweverItsSpeedWanders) {
  const SimulatorSockets sockets;
  const RunningGateway gateway({.yaml = yaml(sockets, "links: [{from: red, to: blue, delay: 300ms}]\n")});
  WanderingPhysics physics(socket_path(sockets.physics()));
  const Json follow = followed_when(gateway, [](const Json& now) { return is_pace(now, "following"); });
  ASSERT_TRUE(is_pace(follow, "following")) << follow << gateway.output();
  const auto ports = control_request(control_socket(gateway.run()), {{"command", "status"}})["ports"];
  EXPECT_EQ(ports[0]["release_timestamps"]["source"], "none");
  EXPECT_THAT(ports[0]["release_timestamps"]["problem"].get<std::string>(), HasSubstr("pace follow"));
  NumberedTraffic traffic(gateway);
  constexpr std::size_t kFollowFrames = 1200;
  const std::jthread trouble([&physics, &gateway] {
    gateway.status_when([](const GatewayStatus& now) { return now.totals("frames_captured") >= kFollowFrames / 2; });
    physics.stop_for(1s);
  });
  const auto arrivals = traffic.to_one({.frames = kFollowFrames, .interval = 5ms});
  ASSERT_EQ(arrivals.size(), kFollowFrames);
  std::vector<std::int64_t> physical, host;
  for (const Arrival& arrival : arrivals) {
    const HostTime sent{Nanoseconds{arrival.sent_ns}};
    const HostTime heard = sent + Nanoseconds{arrival.delay_ns};
    physical.push_back(physics.between(sent, heard).count());
    host.push_back(arrival.delay_ns);
  }
  std::sort(physical.begin(), physical.end());
  std::sort(host.begin(), host.end());
  const auto share = [](const std::vector<std::int64_t>& sorted, double q) {
    return Nanoseconds{sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))]};
  };
  EXPECT_NEAR(static_cast<double>(share(physical, 0.5).count()), 300e6, 20e6);
  EXPECT_GT(share(physical, 0.02), 230ms) << "offsets are slewed away, and are small";
  EXPECT_LT(share(physical, 0.98), 370ms);
  EXPECT_GT(share(host, 0.99), 1200ms) << "what was under way when physics stopped was held";
  EXPECT_GT(share(host, 0.9) - share(host, 0.1), 200ms) << "on the wall the delays are as different as the speeds";
  const Json end = followed(gateway);
  EXPECT_EQ(end["holds"], 1) << end;
  EXPECT_EQ(end["jumps"], 0) << end;
  EXPECT_THAT(gateway.output(), HasSubstr("physics' clock stands"));
  EXPECT_THAT(gateway.output(), HasSubstr("physics' clock continues"));
  EXPECT_TRUE(gateway.status().balanced);
}

TEST_F(FollowTest, SimulationTimeContinuesThroughJumpsAndReportsExceededBounds) {
  const SimulatorSockets sockets;
  const RunningGateway gateway({.yaml = yaml(sockets, "follow: {slowest: 20 %, fastest: 150 %, jump: 500ms}\n")});
  EXPECT_EQ(followed(gateway)["state"], "waiting");
  EXPECT_EQ(gateway.status().window("number"), 0U) << "physics has not been heard";
  WanderingPhysics physics(socket_path(sockets.physics()));
  ASSERT_TRUE(is_pace(followed_when(gateway, [](const Json& now) { return is_pace(now, "following"); }), "following"));
  physics.jump(60s);
  const Json jumped = followed_when(gateway, [](const Json& now) { return now["jumps"] == 1; });
  EXPECT_EQ(jumped["jumps"], 1) << jumped;
  const auto window = gateway.status().window("number");
  EXPECT_LT(window, 60s / 5ms) << "windows did not jump";
  gateway.status_when([&](const GatewayStatus& now) { return now.window("number") > window + 20; });
  EXPECT_GT(gateway.status().window("number"), window + 20);
  physics.run_at(3);
  const Json fast = followed_when(gateway, [](const Json& now) { return now["saturated"] == true; });
  EXPECT_EQ(fast["saturated"], true) << fast;
  EXPECT_THAT(gateway.output(), HasSubstr("faster than simulation time may (follow: {fastest: 150 %})"));
}

TEST_F(FollowTest, StepsAreFollowedAndHeldWhileTheSimulatorStands) {
  const SimulatorSockets sockets;
  const auto physics = sockets.start("physics", "native", 2);
  const RunningGateway gateway({.yaml = fmt::format("pace: follow\nwindow: 5ms\nfollow: {{fastest: 100 %}}\n"
                                                    "physics: {{type: native, address: '{}'}}\nnetsim: {{type: wire}}\n"
                                                    "links: [{{from: red, to: blue, delay: 200ms}}]\n",
                                                    sockets.physics())});
  // The robots' kernels give up on addresses after 3 s of their own clock, and simulation time may be slow.
  for (std::size_t n = 0; n < 2; ++n) {
    gateway.robot(n).run_ok(
        fmt::format("ip neigh replace {} lladdr {} dev eth0 nud permanent", NetLab::ipv4(1 - n), NetLab::mac(1 - n)));
  }
  windows_running(gateway);
  physics->signal(SIGSTOP);
  const Json held = followed_when(gateway, [](const Json& now) { return is_pace(now, "holding"); });
  EXPECT_EQ(held["state"], "holding") << held << gateway.output();
  const auto window = gateway.status().window("number");
  const auto uptime = [](const Json& now) { return now["uptime_s"].get<double>(); };
  const double since = uptime(status_of(gateway.run()));
  const Json later = status_when(gateway.run(), [&](const Json& now) { return uptime(now) > since + 60 * 0.005; });
  EXPECT_GT(uptime(later), since + 60 * 0.005);
  EXPECT_EQ(later["window"]["number"], window) << "no window passes without physics in the time of 60";
  physics->signal(SIGCONT);
  gateway.status_when([&](const GatewayStatus& now) { return now.window("number") > window + 20; });
  EXPECT_GT(gateway.status().window("number"), window + 20);
  EXPECT_EQ(gateway.status().physics("missed"), 0U) << "a slow simulator costs no window";
  const auto ping = gateway.robot(0).run("ping -c 3 -i 0.2 -W 20 10.77.0.2");
  EXPECT_EQ(ping.status, 0) << ping.output << followed(gateway);
  EXPECT_THAT(ping.output, HasSubstr(" 0% packet loss"));
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
#include "tests/fault/peers/peer_fault.h"

#include <csignal>
#include <nlohmann/json.hpp>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/support/eventually.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

// What a build with sanitizers, on a machine that has other things to do, may take from simulators beside the 1 % that
// is promised. tests/bench/missed_windows.py measures the promise.
constexpr double kRoom = 40;  // per cent of windows

constexpr std::uint64_t kQuietWindows = 50;

const std::vector<std::string> kRobots = {"red", "blue", "mallory", "green"};

// `ports:` and `robots:`, with numbers as the names that physics knows.
std::string numbered_wiring() {
  std::string wiring = ports_and_robots(kRobots);
  for (std::size_t n = 0; n < kRobots.size(); ++n) {
    const std::string port = fmt::format("{{port: {}", kRobots[n]);
    wiring.insert(wiring.find(port) + port.size(), fmt::format(", id: '{}'", n));
  }
  return wiring;
}

}  // namespace

std::unique_ptr<SimulatorSockets> PeerFault::sockets_;
std::unique_ptr<Process> PeerFault::physics_, PeerFault::netsim_;
PeerFault::Between PeerFault::between_;

std::string PeerFault::address(Side side) {
  if (between_.transport == "tcp") {
    return side == Side::kPhysics ? "tcp:127.0.0.1:7801" : "tcp:127.0.0.1:7802";
  }
  return side == Side::kPhysics ? sockets_->physics() : sockets_->netsim();
}

void PeerFault::start_simulator(Side side) {
  const bool physics = side == Side::kPhysics;
  std::vector<std::string> argv = {
      "nice",       "-n",           "-10",      hilgate_program(), "sim",      physics ? "physics" : "network",
      "--protocol", protocol(side), "--socket", address(side),     "--robots", "4",
      "--window",   "10ms"};
  for (std::size_t n = 0; !physics && protocol(side) == "rosnetsim" && n < kRobots.size(); ++n) {
    argv.insert(argv.end(), {"--ip", NetLab::ipv4(n)});
  }
  (physics ? physics_ : netsim_) = host().start(argv);
}

void PeerFault::stop_simulator(Side side) {
  (side == Side::kPhysics ? physics_ : netsim_)->stop(SIGKILL);
}

void PeerFault::start_between(const Between& between) {
  if (!sockets_) {
    between_ = between;
    sockets_ = std::make_unique<SimulatorSockets>();
  }
  const auto simulator = [](Side side, const std::string& keys) {
    return fmt::format("{}: {{type: {}, address: '{}', patience: 0s, timeout: 500ms{}}}\n", name(side), protocol(side),
                       address(side), keys);
  };
  const std::string physics = between.physics.empty() ? simulator(Side::kPhysics, "") : between.physics;
  start(
      {.yaml = fmt::format("memory: {{frames: 16384}}\nwindow: {}ms\nlate: hold_last\n{}{}{}", kWindow.count(), physics,
                           simulator(Side::kNetsim, between.netsim), between.further),
       .robots = kRobots,
       .wiring = between.numbered ? numbered_wiring() : "",
       .before = "ip link set lo up"},
      [&between] {
        if (between.physics.empty()) {
          start_simulator(Side::kPhysics);
        }
        start_simulator(Side::kNetsim);
        const auto running = [](const GatewayStatus& status) { return status.netsim("windows") >= 10; };
        if (!running(gateway().status_when(running))) {
          throw std::runtime_error("the network simulator ends no windows: " + netsim_->output() + gateway().output());
        }
      });
}

void PeerFault::TearDownTestSuite() {
  LiveFault::TearDownTestSuite();
  physics_.reset();
  netsim_.reset();
  sockets_.reset();
}

void PeerFault::begin_quietly() {
  quiet_begin_ = gateway().status();
  const std::uint64_t number = quiet_begin_.window("number");
  gateway().status_when([&](const GatewayStatus& now) { return now.window("number") >= number + kQuietWindows; });
  begin();
  fault_begin_ = before();
  logged_ = gateway().output().size();
}

PeerFault::Windows PeerFault::windows_between(const GatewayStatus& from, const GatewayStatus& to,
                                              const std::vector<Side>& sides) {
  Windows windows;
  for (const Side side : sides) {
    windows.all += to.window("number") - from.window("number");
    windows.missed += counts(to, side)("missed") - counts(from, side)("missed");
  }
  return windows;
}

void PeerFault::conclude_windows(const FaultRow& row, const std::vector<Side>& untouched, const Allowance& allowance) {
  const Windows quiet = windows_between(quiet_begin_, fault_begin_, untouched);
  const Windows fault = windows_between(fault_begin_, gateway().status(), untouched);
  EXPECT_GT(fault.all, 0U) << "windows stand";
  EXPECT_LE(fault.percent(), quiet.percent() + kRoom) << fault.missed << " of " << fault.all << " windows missed";
  conclude({row.fault, row.promise + "; at most 1 % more windows are missed",
            fmt::format("{}; {:.1f} % of {} windows missed (quiet: {:.1f} %)", row.measured, fault.percent(), fault.all,
                        quiet.percent())},
           allowance);
}

std::chrono::nanoseconds PeerFault::answered_again(Side side) {
  const std::uint64_t ended = counts(gateway().status(), side)("windows");
  return time_of([&] {
    const GatewayStatus now =
        gateway().status_when([&](const GatewayStatus& status) { return counts(status, side)("windows") > ended + 2; });
    EXPECT_GT(counts(now, side)("windows"), ended + 2) << name(side) << " ends no windows: " << last_event();
  });
}

nlohmann::ordered_json PeerFault::status_json() {
  return control_request(control_socket(gateway().run()), {{"command", "status"}});
}

std::string PeerFault::last_event() {
  return status_json().at("window").value("last_event", "");
}

void PeerFault::expect_told(const std::string& text) const {
  const bool is_told = eventually([&] {
    return last_event().find(text) != std::string::npos || gateway().output().find(text, logged_) != std::string::npos;
  });
  EXPECT_TRUE(is_told) << "nobody was told '" << text << "', but:\n" << gateway().output().substr(logged_);
}

}  // namespace hilgate::test

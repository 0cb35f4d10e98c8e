// SPDX-License-Identifier: Apache-2.0
#include "tests/fault/peers/peer_fault.h"

#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "gateway/configuration/configuration.h"
#include "gateway/daemon/control/control_client.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

// Of the promise, 1 %, and of what a machine does that has other things to do than to give simulators their turns.
constexpr double kRoom = 40;  // per cent of windows

}  // namespace

std::unique_ptr<SimulatorSockets> PeerFault::sockets_;
std::unique_ptr<Process> PeerFault::physics_, PeerFault::netsim_;
std::string PeerFault::transport_;

std::string PeerFault::address(Side side) {
  if (transport_ == "tcp") {
    return side == Side::kPhysics ? "tcp:127.0.0.1:7801" : "tcp:127.0.0.1:7802";
  }
  return side == Side::kPhysics ? sockets_->physics() : sockets_->netsim();
}

void PeerFault::start_simulator(Side side) {
  auto& place = side == Side::kPhysics ? physics_ : netsim_;
  place = host().start({"nice", "-n", "-10", hilgate_program(), "sim", side == Side::kPhysics ? "physics" : "network",
                        "--protocol", "native", "--socket", address(side), "--robots", "4"});
}

void PeerFault::stop_simulator(Side side) {
  (side == Side::kPhysics ? physics_ : netsim_)->stop(SIGKILL);
}

void PeerFault::start_between(const std::string& transport, const std::string& netsim, const std::string& further) {
  if (!sockets_) {
    transport_ = transport;
    sockets_ = std::make_unique<SimulatorSockets>();
  }
  const auto simulator = [&](Side side, const std::string& keys) {
    return fmt::format("{}: {{type: native, address: '{}', patience: 0s, timeout: 500ms{}}}\n", name(side),
                       address(side), keys);
  };
  start({.yaml = fmt::format("memory: {{frames: 16384}}\nwindow: {}ms\nlate: hold_last\n{}{}{}", kWindow.count(),
                             simulator(Side::kPhysics, ""), simulator(Side::kNetsim, netsim), further),
         .robots = {"red", "blue", "mallory", "green"},
         .before = "ip link set lo up"},
        [] {
          start_simulator(Side::kPhysics);
          start_simulator(Side::kNetsim);
          windows_running(gateway(), 20);
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
  std::this_thread::sleep_for(500ms);
  begin();
  fault_begin_ = before();
  logged_ = gateway().output().size();
}

PeerFault::Windows PeerFault::between(const GatewayStatus& from, const GatewayStatus& to,
                                      const std::vector<Side>& sides) {
  Windows windows;
  for (const Side side : sides) {
    windows.all += to.window("number") - from.window("number");
    windows.missed += counts(to, side)("missed") - counts(from, side)("missed");
  }
  return windows;
}

void PeerFault::conclude_windows(const FaultRow& row, const std::vector<Side>& untouched, const Allowance& allowance) {
  const Windows quiet = between(quiet_begin_, fault_begin_, untouched);
  const Windows fault = between(fault_begin_, gateway().status(), untouched);
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

std::string PeerFault::last_event() {
  const auto status = control_request(control_socket(gateway().run()), {{"command", "status"}});
  return status.at("window").value("last_event", "");
}

void PeerFault::expect_told(const std::string& text) const {
  for (const auto end = std::chrono::steady_clock::now() + 10s; std::chrono::steady_clock::now() < end;) {
    if (last_event().find(text) != std::string::npos || gateway().output().find(text, logged_) != std::string::npos) {
      return;
    }
    std::this_thread::sleep_for(5ms);
  }
  ADD_FAILURE() << "nobody was told '" << text << "', but:\n" << gateway().output().substr(logged_);
}

}  // namespace hilgate::test

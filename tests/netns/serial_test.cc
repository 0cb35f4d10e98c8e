// SPDX-License-Identifier: Apache-2.0
// Serial lines through the real gateway: programs at pseudo-terminals, SiK radios between them.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "host/file_descriptor.h"
#include "physics_link/mavlink/messages.h"
#include "serial/tty.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/eventually.h"
#include "tests/support/mavlink_writer.h"
#include "tests/support/net_lab.h"
#include "tests/support/packets.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr auto kSerialPatience = 20s;

std::string radios() {
  return "window: 10ms\nnetsim: {type: embedded}\nphysics:\n  type: trajectory\n  tracks:\n"
         "    vehicle: [{at: 0s, position: [0m, 0m, 5m]}]\n"
         "    ground: [{at: 0s, position: [20m, 0m, 2m]}]\n";
}
std::string lines(const std::string& keys = {}) {
  return fmt::format(
      "ports:\n  vehicle-port: {{driver: pty{0}}}\n  ground-port: {{driver: pty{0}}}\n"
      "robots:\n  vehicle: {{port: vehicle-port, radio: sik_915_64k}}\n"
      "  ground: {{port: ground-port, radio: sik_915_64k}}\n",
      keys);
}

/// A gateway whose ports are pseudo-terminals: it needs no network.
class LineGateway {
 public:
  explicit LineGateway(const std::string& yaml) : file_(folder_.write(yaml)) {
    process_ = std::make_unique<Process>(std::vector<std::string>{hilgate_program(), "run", file_});
    const bool is_up = eventually(
        [&] {
          return ended() || hilgate::test::run({hilgate_program(), "status", folder_.run(), "--json"}).status == 0;
        },
        30s);
    if (!is_up || ended()) {
      throw std::runtime_error("the gateway does not come up:\n" + process_->output());
    }
  }
  ~LineGateway() {
    process_.reset();
    std::error_code none;
    fs::remove_all(fs::path("/run/hilgate") / folder_.run(), none);
  }
  LineGateway(const LineGateway&) = delete;
  LineGateway& operator=(const LineGateway&) = delete;

  [[nodiscard]] fs::path terminal(const std::string& port) const {
    return fs::path("/run/hilgate") / folder_.run() / port;
  }
  [[nodiscard]] Json status() const { return status_of(folder_.run()); }
  Json status_when(const std::function<bool(const Json&)>& good) const {  // NOLINT(modernize-use-nodiscard)
    return test::status_when(folder_.run(), good);
  }
  /// All that came in has left or was dropped.
  Json settled() const {  // NOLINT(modernize-use-nodiscard)
    return status_when([](const Json& now) {
      return now["totals"]["held"] == 0 && now["ports"][0]["counts"]["bytes_waiting_in"] == 0 &&
             now["ports"][1]["counts"]["bytes_waiting_in"] == 0;
    });
  }
  [[nodiscard]] const std::string& run() const { return folder_.run(); }
  [[nodiscard]] Process& process() { return *process_; }

 private:
  bool ended() { return process_->wait(0ms).has_value(); }

  RunFolder folder_;
  std::string file_;
  std::unique_ptr<Process> process_;
};

bool is_up(const Json& status, std::size_t port) {
  return status["ports"][port]["state"] == "up";
}

/// A program at a terminal.
class Host {
 public:
  Host(const LineGateway& gateway, const std::string& port, std::size_t index, std::uint8_t system)
      : terminal_(checked(::open(gateway.terminal(port).c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC), port)),
        writer_(system) {
    gateway.status_when([index](const Json& now) { return is_up(now, index); });
  }

  Bytes heartbeat() { return writer_.heartbeat(); }
  // One of `bytes` on the line, at least 13.
  Bytes numbered(std::uint8_t number, std::size_t bytes) {
    return writer_.message(300, 0, std::vector<std::uint8_t>(bytes - 12, static_cast<std::uint8_t>(number % 250 + 1)));
  }
  void write(const Bytes& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      pollfd room{.fd = terminal_.get(), .events = POLLOUT, .revents = 0};
      ASSERT_EQ(::poll(&room, 1, 20'000), 1);
      const ssize_t count = ::write(terminal_.get(), bytes.data() + at, bytes.size() - at);
      ASSERT_TRUE(count >= 0 || errno == EAGAIN);
      at += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
  }
  // Up to so many bytes, until they are there or nothing has come for `silence`.
  Bytes read(std::size_t most, std::chrono::milliseconds silence = kSerialPatience) {
    Bytes all;
    pollfd come{.fd = terminal_.get(), .events = POLLIN, .revents = 0};
    while (all.size() < most && ::poll(&come, 1, static_cast<int>(silence.count())) == 1) {
      Bytes some(most - all.size());
      const ssize_t count = ::read(terminal_.get(), some.data(), some.size());
      if (count <= 0) {
        break;
      }
      all.insert(all.end(), some.begin(), some.begin() + count);
    }
    return all;
  }

 private:
  FileDescriptor terminal_;
  MavlinkWriter writer_;
};

std::uint64_t count(const Json& status, std::size_t port, const std::string& name) {
  return status["ports"][port]["counts"][name].get<std::uint64_t>();
}

// Of a settled gateway: no byte is unaccounted for, on either side of the air.
void expect_account(const Json& status) {
  EXPECT_TRUE(status["totals"]["balanced"].get<bool>()) << status["totals"];
  for (std::size_t port = 0; port < 2; ++port) {
    EXPECT_EQ(count(status, port, "bytes_in"), count(status, port, "bytes_to_radio") +
                                                   count(status, port, "bytes_overflow") +
                                                   count(status, port, "bytes_waiting_in"));
    EXPECT_EQ(count(status, port, "bytes_from_radio"), count(status, port, "bytes_out") +
                                                           count(status, port, "bytes_closed") +
                                                           count(status, port, "bytes_waiting_out"));
  }
  EXPECT_EQ(status["totals"]["frames_captured"],
            count(status, 0, "packets_to_radio") + count(status, 1, "packets_to_radio"));
}

using SerialTest = GatewayTest;

TEST_F(SerialTest, MavlinkPassesWholeAndInOrderWithTheRadiosReports) {
  LineGateway gateway(radios() + lines());
  Host vehicle(gateway, "vehicle-port", 0, 1);
  Host ground(gateway, "ground-port", 1, 255);
  Bytes down;
  Bytes up;
  for (std::uint8_t i = 0; i < 30; ++i) {
    const Bytes a = vehicle.numbered(i, 13 + 3 * i);
    const Bytes b = ground.numbered(i, 40);
    down.insert(down.end(), a.begin(), a.end());
    up.insert(up.end(), b.begin(), b.end());
  }
  vehicle.write(down);
  ground.write(up);
  EXPECT_EQ(ground.read(down.size()), down);
  EXPECT_EQ(vehicle.read(up.size()), up);
  const Json status = gateway.settled();
  expect_account(status);
  EXPECT_EQ(status["links"][0]["released"], status["links"][0]["in"]);
  // How many share one depends on when the gateway gets to read the line; tests/serial/packet_cutter_test.cc counts.
  EXPECT_LT(status["links"][0]["in"], 30) << "messages share packets";
  EXPECT_EQ(status["ports"][0]["interface"], gateway.terminal("vehicle-port").string());
  EXPECT_EQ(status["ports"][0]["mode"], "57600 baud, mavlink");

  // A radio reports between messages, to the host that sends heartbeats.
  for (int i = 0; i < 3; ++i) {
    vehicle.write(vehicle.heartbeat());
    ground.write(ground.numbered(9, 200));
    gateway.status_when([i](const Json& now) {
      return count(now, 0, "reports") == static_cast<std::uint64_t>(i) + 1 && count(now, 0, "bytes_waiting_out") == 0;
    });
  }
  const Bytes stream = vehicle.read(3 * 200 + 3 * 21, 1s);
  std::size_t at = 0;
  std::size_t reports = 0;
  mavlink::each_frame(stream, [&](const mavlink::Frame& frame) {
    at += frame.size;
    if (frame.system == 51) {
      ++reports;
      EXPECT_EQ(frame.component, 68);
      EXPECT_EQ(mavlink::check(frame), mavlink::Checksum::kRight);
      const auto report = std::get<mavlink::RadioStatus>(mavlink::read_message(frame));
      EXPECT_GT(report.rssi, report.noise);
      EXPECT_GE(report.txbuf, 80);
    }
  });
  EXPECT_EQ(at, stream.size()) << "whole messages alone";
  EXPECT_EQ(reports, 3U);
  const Json end = gateway.settled();
  expect_account(end);
  EXPECT_EQ(count(end, 1, "reports"), 0U) << "the ground station was silent";
  EXPECT_EQ(end["mavlink"]["radio_status"][0]["robot"], "vehicle");
  EXPECT_EQ(end["mavlink"]["systems"][0]["system"], 1);
}

// What a modem without flow control loses is said everywhere, and lists no vehicle that is none.
TEST_F(SerialTest, AnOverflowIsCountedNamedAndListsNoPhantoms) {
  LineGateway gateway(radios() + lines(", baud: 115200"));
  Host vehicle(gateway, "vehicle-port", 0, 1);
  Host ground(gateway, "ground-port", 1, 255);
  for (std::size_t i = 0; i < 600; ++i) {
    vehicle.write(i % 20 == 0 ? vehicle.heartbeat() : vehicle.numbered(static_cast<std::uint8_t>(i), 40));
  }
  const Json status = gateway.settled();
  expect_account(status);
  const std::uint64_t lost = count(status, 0, "bytes_overflow");
  EXPECT_GT(lost, 1000U);
  EXPECT_EQ(status["ports"][0]["lost_line_bytes"], lost);
  EXPECT_EQ(status["totals"]["lost_line_bytes"], lost);
  const auto overflow_in = [](const Json& now) {
    for (const Json& condition : now["conditions"]) {
      if (condition["name"] == "line_overflow") {
        return condition["about"].get<std::string>();
      }
    }
    return std::string();
  };
  EXPECT_EQ(overflow_in(gateway.status_when([&](const Json& now) { return !overflow_in(now).empty(); })),
            "vehicle-port");
  const std::string text = hilgate::test::run({hilgate_program(), "status", gateway.run()}).output;
  EXPECT_THAT(text, HasSubstr(fmt::format(", {} B at serial lines", lost)));
  EXPECT_THAT(text, HasSubstr(fmt::format("lost {} of {} B to the radio", lost, count(status, 0, "bytes_in"))));
  ASSERT_EQ(status["mavlink"]["systems"].size(), 1U) << status["mavlink"]["systems"];
  EXPECT_EQ(status["mavlink"]["systems"][0]["system"], 1);
}

TEST_F(SerialTest, OtherEndClosesAndReturns) {
  LineGateway gateway(radios() + lines());
  Host vehicle(gateway, "vehicle-port", 0, 1);
  {
    Host ground(gateway, "ground-port", 1, 255);
    vehicle.write(vehicle.numbered(1, 60));
    EXPECT_EQ(ground.read(60).size(), 60U);
  }
  const Json closed = gateway.status_when([](const Json& now) { return !is_up(now, 1); });
  EXPECT_EQ(closed["ports"][1]["state"], "no carrier");
  EXPECT_THAT(closed["ports"][1]["problem"].get<std::string>(), HasSubstr("no program has"));
  EXPECT_TRUE(closed["robots"][1]["unplugged"].get<bool>());
  vehicle.write(vehicle.numbered(2, 60));
  const Json lost = gateway.status_when([](const Json& now) { return now["totals"]["dropped"].contains("unplugged"); });
  EXPECT_EQ(lost["totals"]["dropped"]["unplugged"], 1);
  EXPECT_TRUE(gateway.process().wait_for_output(
      "port ground-port: " + gateway.terminal("ground-port").string() + " is not usable", 5s));
  Host ground(gateway, "ground-port", 1, 255);
  const Bytes third = vehicle.numbered(3, 60);
  vehicle.write(third);
  EXPECT_EQ(ground.read(60), third) << "nothing of what was for somebody else";
  const Json status = gateway.settled();
  expect_account(status);
  EXPECT_EQ(count(status, 1, "closings"), 1U);
}

TEST_F(SerialTest, LinesAndNetworksInOneRunAreSeparate) {
  const NetLab lab("mix", {"red", "blue"}, {});
  const RunFolder folder;
  Tty tty = Tty::pseudo(fs::temp_directory_path() / (folder.run() + "-device"));
  const std::string file = folder.write(fmt::format(
      "netsim: {{type: wire}}\n"
      "ports:\n  red: {{interface: hg-red}}\n  blue: {{interface: hg-blue}}\n"
      "  air: {{driver: pty}}\n  uart: {{driver: serial, device: {0}, framing: raw}}\n"
      "robots:\n  red: {{port: red, mac: \"{1}\", ip: {2}}}\n  blue: {{port: blue, mac: \"{3}\", ip: {4}}}\n"
      "  vehicle: {{port: air}}\n  radio: {{port: uart}}\n",
      (fs::temp_directory_path() / (folder.run() + "-device")).string(), NetLab::mac(0), NetLab::ipv4(0),
      NetLab::mac(1), NetLab::ipv4(1)));
  const auto process = lab.gateway().start({hilgate_program(), "run", file});
  const fs::path link = fs::path("/run/hilgate") / folder.run() / "air";
  ASSERT_TRUE(eventually(
      [&] {
        return run({hilgate_program(), "status", folder.run(), "--json"}).status == 0;
      },
      kSerialPatience))
      << process->output();
  EXPECT_EQ(lab.robot(0).run(fmt::format("ping -c 3 -i 0.2 -W 2 {}", NetLab::ipv4(1))).status, 0) << process->output();
  const FileDescriptor vehicle(checked(::open(link.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC), link.string()));
  const Bytes down(100, std::byte{0x31});
  ASSERT_EQ(::write(vehicle.get(), down.data(), down.size()), 100);
  Bytes got;
  eventually(
      [&] {
        tty.look();
        Bytes some(200);
        some.resize(tty.open() ? tty.read(some) : 0);
        got.insert(got.end(), some.begin(), some.end());
        return got.size() >= down.size();
      },
      kSerialPatience);
  EXPECT_EQ(got, down) << process->output();
  const Json status = control_request(control_socket(folder.run()), {{"command", "status"}});
  EXPECT_TRUE(status["totals"]["balanced"].get<bool>());
  for (const Json& one : status["links"]) {
    const bool from_line = one["from"] == "vehicle" || one["from"] == "radio";
    const bool to_line = one["to"] == "vehicle" || one["to"] == "radio";
    EXPECT_TRUE(from_line == to_line || one["in"] == 0) << one;
  }
  process->stop(SIGTERM);
  EXPECT_FALSE(fs::exists(link.parent_path())) << "nothing of a run stays";
}

}  // namespace
}  // namespace hilgate::test

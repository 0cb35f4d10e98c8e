// SPDX-License-Identifier: Apache-2.0
// A TAP device as a port, with a virtual machine's end that the test plays.
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "frame/headers.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "host/tap_device.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/eventually.h"
#include "tests/support/net_lab.h"
#include "tests/support/packets.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

constexpr const char* kMachineMac = "02:68:67:00:00:77";

class Machine {
 public:
  explicit Machine(const std::string& tap)
      : tun_(checked(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC), "tun")) {
    ifreq request{};
    tap.copy(request.ifr_name, IFNAMSIZ - 1);
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    checked(::ioctl(tun_.get(), TUNSETIFF, &request), tap);
  }
  void send(const Bytes& frame) const {
    ASSERT_EQ(::write(tun_.get(), frame.data(), frame.size()), static_cast<ssize_t>(frame.size()));
  }
  // The next frame that begins with these bytes; others are left out.
  [[nodiscard]] Bytes receive(const Bytes& begin) const {
    const auto deadline = steady_clock::now() + 10s;
    pollfd come{.fd = tun_.get(), .events = POLLIN, .revents = 0};
    while (steady_clock::now() < deadline) {
      ::poll(&come, 1, 100);
      Bytes frame(2048);
      const ssize_t count = ::read(tun_.get(), frame.data(), frame.size());
      frame.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
      if (frame.size() >= begin.size() && std::equal(begin.begin(), begin.end(), frame.begin())) {
        return frame;
      }
    }
    return {};
  }

 private:
  FileDescriptor tun_;
};

using TapTest = GatewayTest;

TEST_F(TapTest, AMachineAtATapIsARobot) {
  const NetLab lab("tap", {"red"}, {});
  const RunFolder folder;
  const std::string file = folder.write(fmt::format(
      "netsim: {{type: wire}}\nports:\n  red: {{interface: hg-red}}\n  vm: {{driver: tap, interface: hg-vm}}\n"
      "robots:\n  red: {{port: red, mac: \"{}\", ip: {}}}\n  machine: {{port: vm, mac: \"{}\", ip: 10.77.0.77}}\n",
      NetLab::mac(0), NetLab::ipv4(0), kMachineMac));
  auto process = lab.gateway().start({hilgate_program(), "run", file});
  const auto deadline = steady_clock::now() + 20s;
  while (run({hilgate_program(), "status", folder.run(), "--json"}).status != 0 && steady_clock::now() < deadline) {
    ASSERT_FALSE(process->wait(20ms)) << process->output();
  }
  EXPECT_EQ(status_of(folder.run())["ports"][1]["state"], "no carrier") << "no machine yet";
  const auto inside = lab.gateway().enter();
  {
    const Machine machine("hg-vm");
    ASSERT_TRUE(eventually([&] { return status_of(folder.run())["ports"][1]["state"] == "up"; }));
    // An answer of ARP that tells red who the machine is, and a ping.
    const MacAddress mac = *MacAddress::parse(kMachineMac);
    const MacAddress red = *MacAddress::parse(NetLab::mac(0));
    lab.robot(0).run_ok(fmt::format("ip neigh replace 10.77.0.77 lladdr {} dev eth0 nud permanent", kMachineMac));
    machine.send(ip_frame({.destination = red, .source = mac, .tags = {}},
                          {.source = "10.77.0.77", .destination = NetLab::ipv4(0)}, 17, udp(payload(100))));
    Bytes to_machine(12);
    store_be(to_machine, 0, static_cast<std::uint16_t>(mac.value() >> 32));
    store_be(to_machine, 2, static_cast<std::uint32_t>(mac.value()));
    store_be(to_machine, 6, static_cast<std::uint16_t>(red.value() >> 32));
    store_be(to_machine, 8, static_cast<std::uint32_t>(red.value()));
    const auto pinging = lab.robot(0).start({"ping", "-c", "5", "-W", "1", "10.77.0.77"});
    const Bytes ping = machine.receive(to_machine);
    EXPECT_GT(ping.size(), 60U);
    const Json status = status_of(folder.run());
    EXPECT_TRUE(status["totals"]["balanced"].get<bool>());
    EXPECT_GE(status["ports"][1]["counts"]["captured"], 1) << status["ports"][1];
    EXPECT_GE(status["links"][1]["released"], 1) << "from the machine to red: " << status["links"];
  }
  process->stop(SIGTERM);
  EXPECT_EQ(if_nametoindex("hg-vm"), 0U) << "it goes with the gateway that made it";
}

TEST_F(TapTest, ATapThatIsThereStays) {
  const NetNs here("tap");
  const auto inside = here.enter();
  here.run_ok("ip tuntap add dev mine mode tap && ip link add dumb type veth peer name dumber");
  {
    const TapDevice taken("mine");
    EXPECT_FALSE(taken.made());
    const TapDevice made("yours", "root");
    EXPECT_TRUE(made.made());
    EXPECT_THROW(TapDevice("dumb"), std::runtime_error);
    EXPECT_THROW(TapDevice("other", "no-such-user-at-all"), std::runtime_error);
    EXPECT_EQ(if_nametoindex("other"), 0U);
  }
  EXPECT_NE(if_nametoindex("mine"), 0U);
  EXPECT_EQ(if_nametoindex("yours"), 0U);
}

}  // namespace
}  // namespace hilgate::test

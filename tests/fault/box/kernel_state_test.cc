// SPDX-License-Identifier: Apache-2.0
// Others who change what the kernel keeps for a running gateway.
#include <filesystem>
#include <fstream>

#include "tests/fault/box/box_fault.h"
#include "tests/support/udp_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kAddress = "10.77.0.253";

// Whether a datagram of mallory's reaches a service of the host.
bool mallory_reaches(const UdpSocket& service, const UdpSocket& mallory) {
  for (int i = 0; i < 20; ++i) {
    mallory.send(kAddress, 7777, {1, 2, 3});
  }
  return service.receive(150ms).has_value();
}

TEST_F(BoxFault, AddressOnAPort) {
  const std::string mac = host().run_ok("cat /sys/class/net/hg-mallory/address").substr(0, 17);
  host().run_ok(fmt::format("ip addr add {}/24 dev hg-mallory", kAddress));
  robot(kMallory).run_ok(fmt::format("ip neigh replace {} dev eth0 lladdr {}", kAddress, mac));
  const UdpSocket service(host(), "0.0.0.0", 7777);
  const UdpSocket mallory(robot(kMallory), "0.0.0.0", 7000);
  EXPECT_FALSE(mallory_reaches(service, mallory));
  host().run_ok(fmt::format("ip addr del {}/24 dev hg-mallory", kAddress));
  conclude({"An operator gives a port's interface an IP address, and its robot talks to the host",
            "The program stands before the address", "0 of 20 reached the host"});
}

TEST_F(BoxFault, ProgramTakenOff) {
  const UdpSocket service(host(), "0.0.0.0", 7777);
  const UdpSocket mallory(robot(kMallory), "0.0.0.0", 7000);
  const std::string mac = host().run_ok("cat /sys/class/net/hg-mallory/address").substr(0, 17);
  host().run_ok(fmt::format("ip addr add {}/24 dev hg-mallory", kAddress));
  robot(kMallory).run_ok(fmt::format("ip neigh replace {} dev eth0 lladdr {}", kAddress, mac));
  for (const char* mode : {"xdp", "xdpdrv", "xdpgeneric"}) {
    static_cast<void>(host().run(fmt::format("ip link set hg-mallory {} off", mode)));
    EXPECT_FALSE(mallory_reaches(service, mallory)) << mode;
  }
  host().run_ok(fmt::format("ip addr del {}/24 dev hg-mallory", kAddress));
  expect_mallory_heard();
  conclude({"Somebody takes the XDP program off a port with `ip link set ... xdp off`",
            "The program stays, or its robot is not let into the host", "0 of 60 datagrams reached the host"});
}

TEST_F(BoxFault, ControlSocketDeleted) {
  const auto path = control_socket(gateway().run());
  const std::string aside = path.string() + ".aside";
  std::filesystem::rename(path, aside);
  EXPECT_NE(refusal_of({{"command", "status"}}), "");
  std::filesystem::rename(aside, path);
  conclude({"The control socket is moved away and back", "Frames and windows continue; clients are told what to do",
            fmt::format("a status after {}", text_of(answer_time()))});
}

TEST_F(BoxFault, PinsDeleted) {
  const std::filesystem::path pins = "/sys/fs/bpf/hilgate/" + gateway().run();
  ASSERT_TRUE(std::filesystem::exists(pins));
  std::filesystem::remove_all(pins);
  set("links.mallory.green.loss=1 %");
  set("links.mallory.green.loss=0 %");
  expect_mallory_heard();
  conclude({"Another program deletes the run's pins under /sys/fs/bpf", "Frames continue, and changes take effect",
            fmt::format("a status after {}", text_of(answer_time()))});
}

}  // namespace
}  // namespace hilgate::test

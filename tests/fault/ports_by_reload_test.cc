// SPDX-License-Identifier: Apache-2.0
// Ports and robots that a reload adds, removes and replaces while others talk.
#include <algorithm>
#include <atomic>
#include <functional>
#include <system_error>
#include <thread>

#include "tests/fault/reload_fixture.h"
#include "tests/support/traffic.h"
#include "tests/support/udp_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kHostAddress = "10.77.0.254";

TEST_F(PortsByReload, AddedAndRemovedUnderTraffic) {
  start_with(2);
  constexpr int kRounds = 3;
  std::chrono::nanoseconds added{};
  std::chrono::nanoseconds removed{};
  for (int round = 0; round < kRounds; ++round) {
    while_others_lose_nothing([&] {
      added = time_of([&] { reload_with({{0}, {1}, {kGreen}, {kWhite}}); });
      removed = time_of([&] { reload_with({{1}, {0}, {kWhite}}); });
    });
    EXPECT_THAT(gateway_->status().port_states, ElementsAre("up", "up", "up"));
    EXPECT_EQ(arriving(kWhite), 100U) << "a port that stays while others go, and in another place of the file";
    EXPECT_EQ(arriving(kGreen), 0U);
    while_others_lose_nothing([&] { reload_with({{0}, {1}}); });
    EXPECT_THAT(gateway_->status().port_states, ElementsAre("up", "up"));
  }
  EXPECT_EQ(said("port green: hg-green, driver af_xdp"), kRounds);
  EXPECT_EQ(said("port green: removed, hg-green stays closed"), kRounds);
  EXPECT_EQ(said("port white: removed"), kRounds);
  EXPECT_EQ(said("port red: "), 1U) << "at the start";
  EXPECT_TRUE(gateway_->status().balanced);
  record({"Two ports and their robots are added by a reload under traffic and removed again, three times",
          "Other pairs lose nothing; one log line for each",
          fmt::format("0 of 18000 frames of the other pair lost; added within {}, one removed within {}",
                      text_of(added), text_of(removed))});

  reload_with({{0}, {1}, {kGreen}});
  std::atomic<std::size_t> sent = 0;
  std::jthread flood([this, &sent](const std::stop_token& stop) {
    const RawSocket socket(green(), "eth0");
    const Bytes frame = ethernet({robot_mac(kWhite), robot_mac(kGreen)}, kTrafficEthertype, Bytes(400));
    while (!stop.stop_requested()) {
      try {
        socket.send(frame);
        ++sent;
      } catch (const std::system_error&) {
        std::this_thread::sleep_for(1ms);  // a pace: the kernel takes no more at the moment
      }
    }
  });
  std::chrono::nanoseconds slowest{};
  for (int round = 0; round < kRounds; ++round) {
    const auto change = [&] {
      slowest = std::max(slowest, time_of([&] { reload_with({{0}, {1}, {kGreen}, {kWhite}}); }));
      const GatewayStatus there = gateway_->status_when(
          [](const GatewayStatus& now) { return now.link("green", "white").counts("released") > 0; });
      EXPECT_GT(there.link("green", "white").counts("released"), 0U) << "the flood reaches whom it is for";
      slowest = std::max(slowest, time_of([&] { reload_with({{0}, {1}, {kGreen}}); }));
    };
    while_others_lose_nothing(change, false);
  }
  flood.request_stop();
  flood.join();
  const GatewayStatus end = gateway_->settled(0);
  EXPECT_TRUE(end.balanced);
  EXPECT_GT(end.dropped("no_receiver"), 0U) << "and nobody while it is not there";
  reload_with({{0}, {1}, {kGreen}, {kWhite}});
  EXPECT_EQ(arriving(kWhite), 100U);
  record({"A port and its robot are added and removed by reloads, three times, while another robot floods it",
          "The pair beside them loses nothing",
          fmt::format("{} frames of the flood; 0 of 9000 frames of the other pair lost; a reload took {} at most",
                      sent.load(), text_of(slowest))});

  reload_with({{0}, {1}});
  const std::size_t complaints = said("port green: hg-green is not usable");
  link("delete hg-green");
  green().run_ok("echo 1 > /proc/sys/net/ipv6/conf/default/disable_ipv6");
  while_others_lose_nothing([&] { reload_with({{0}, {1}, {kGreen}}); });
  when_green_is("absent");
  EXPECT_EQ(said("port green: hg-green is not usable"), complaints + 1);
  while_others_lose_nothing([&] {
    plug_green_in();
    when_green_is("up");
  });
  EXPECT_EQ(arriving(kGreen), 100U);
  link("delete hg-green");
  while_others_lose_nothing([&] { reload_with({{0}, {1}}); });
  record({"A reload adds a port whose interface is not there, and that comes and goes",
          "The port is absent, said once; it is taken when its interface appears", "100 of 100 frames arrive then"});
}

TEST_F(PortsByReload, ReplacedByAnotherInterfaceAddressOrFailMode) {
  start_with(3);
  while_others_lose_nothing([&] { reload_with({{0}, {1}, {.robot = kWhite, .name = "green"}}); });
  EXPECT_EQ(arriving(kWhite), 100U);
  EXPECT_EQ(arriving(kGreen), 0U);
  while_others_lose_nothing([&] { reload_with({{0}, {1}, {kGreen}}); });
  EXPECT_EQ(arriving(kGreen), 100U);
  EXPECT_EQ(arriving(kWhite), 0U);
  record({"A port gets another interface and its robot another address by a reload, and the old ones back",
          "Other pairs lose nothing", "0 of 6000 frames of the other pair lost; 100 of 100 arrive at the new robot"});

  for (const char* fail : {", fail: wire", ", fail: none", ", fail: block", ", kernel: {pass: [lldp]}"}) {
    while_others_lose_nothing([&] { reload_with({{0}, {1}, {.robot = kGreen, .port = fail}}); });
    EXPECT_THAT(gateway_->status().port_states, ElementsAre("up", "up", "up")) << fail << gateway_->output();
    EXPECT_EQ(arriving(kGreen), 100U) << fail;
  }
  record({"A port gets another fail mode, and another list of what the kernel keeps, by a reload",
          "It is opened anew on its interface; other pairs lose nothing",
          "4 of 4 changes; 100 of 100 frames arrive after each"});
}

TEST_F(PortsByReload, RemovedPortStaysClosedUntilDetached) {
  start_with(3);
  const std::string address = host().run_ok("cat /sys/class/net/hg-green/address");
  host().run_ok(fmt::format("ip addr add {}/24 dev hg-green", kHostAddress));
  green().run_ok(fmt::format("ip neigh replace {} dev eth0 lladdr {}", kHostAddress, address));
  const UdpSocket service(host(), "0.0.0.0", 7777);
  const UdpSocket robot(green(), "0.0.0.0", 7000);
  const auto reaches_host = [&] {
    for (int i = 0; i < 20; ++i) {
      robot.send(kHostAddress, 7777, {1, 2, 3});
    }
    return service.receive(200ms).has_value();
  };
  for (const char* fail : {"", ", fail: wire"}) {
    reload_with({{0}, {1}, {.robot = kGreen, .port = fail}});
    EXPECT_FALSE(reaches_host()) << "as a port";
    reload_with({{0}, {1}});
    const std::uint64_t captured = gateway_->status().totals("frames_captured");
    EXPECT_FALSE(reaches_host()) << "removed" << fail;
    EXPECT_EQ(gateway_->status().totals("frames_captured"), captured);
  }
  EXPECT_THAT(pins(), testing::Contains("left-hg-green"));
  const auto detach = host().start({hilgate_program(), "detach", gateway_->run()});
  EXPECT_EQ(detach->wait(10s), 0) << detach->output();
  EXPECT_THAT(detach->output(), HasSubstr("detached hg-green"));
  EXPECT_TRUE(reaches_host()) << "after `hilgate detach`";
  EXPECT_EQ(arriving(1), 100U) << "the run's own ports go on";
  reload_with({{0}, {1}, {kGreen}});
  reload_with({{0}, {1}, {.robot = kGreen, .port = ", fail: none"}});
  reload_with({{0}, {1}});
  EXPECT_TRUE(reaches_host()) << "fail: none";
  record({"A port is removed, and its robot talks to the host",
          "With `fail: block` and `wire` it stays closed until `hilgate detach`, which leaves the run's ports alone",
          "0 of 40 datagrams reached the host before"});
}

TEST_F(PortsByReload, RemovedPortLosesItsHeldFramesAndCanBeUsedByAnotherRun) {
  start_with(3);
  reload_with({{0}, {1}});
  const RunFolder folder;
  const std::string file = folder.write(
      "ports: {white: {interface: hg-white}, green: {interface: hg-green}}\n"
      "robots: {white: {port: white}, green: {port: green}}\nnetsim: {type: wire}\n");
  const auto other = host().start({hilgate_program(), "run", file});
  ASSERT_TRUE(other->wait_for_output("running", 20s)) << other->output();
  EXPECT_THAT(other->output(), HasSubstr("port green: hg-green, driver af_xdp"));
  write({{0}, {1}, {kGreen}});
  EXPECT_THAT(reload(), HasSubstr(fmt::format("ports.green: interface hg-green: the XDP program of run '{}' is "
                                              "attached; it is running: stop it first",
                                              folder.run())));
  EXPECT_THAT(gateway_->status().port_states, ElementsAre("up", "up"));
  EXPECT_EQ(arriving(1), 100U);
  other->stop();
  while_others_lose_nothing([&] { reload_with({{0}, {1}, {kGreen}}); });
  EXPECT_EQ(arriving(kGreen), 100U);
  record({"A reload adds a port that another run has", "Refused with that run's name; the run is unchanged",
          "refused; taken once the other run has ended"});

  yaml_ = "netsim: {type: wire}\nlinks: [{from: red, to: \"*\", delay: 700ms}]\n";
  reload_with({{0}, {1}, {kGreen}});
  const RawSocket red(gateway_->robot(0), "eth0");
  const std::uint64_t before = gateway_->status().totals("frames_captured");
  for (std::size_t i = 0; i < 50; ++i) {
    red.send(ethernet({robot_mac(kGreen)}, kTrafficEthertype, Bytes(46)));
    red.send(ethernet({robot_mac(1)}, kTrafficEthertype, Bytes(46)));
  }
  const GatewayStatus held = gateway_->status_when([](const GatewayStatus& now) { return now.totals("held") == 100; });
  ASSERT_EQ(held.totals("held"), 100U);
  reload_with({{0}, {1}});
  const GatewayStatus end = gateway_->settled(before + 100);
  const auto grown = [&](const std::function<std::uint64_t(const GatewayStatus&)>& count) {
    return count(end) - count(held);
  };
  EXPECT_EQ(grown([](const GatewayStatus& now) { return now.dropped("port_removed"); }), 50U);
  EXPECT_EQ(grown([](const GatewayStatus& now) { return now.totals("dropped_total"); }), 50U);
  EXPECT_EQ(grown([](const GatewayStatus& now) { return now.link("red", "blue").counts("released"); }), 50U);
  EXPECT_TRUE(end.balanced);
  record({"A port is removed while 50 frames are held for its robot and 50 for another",
          "Its frames are dropped as port_removed, the others are released",
          "50 dropped as port_removed, 50 released"});
}

TEST_F(PortsByReload, RefusedReloadChangesNothing) {
  start_with(2, "netsim: {type: wire}\nmemory: {frames: 2752}\n");
  write({{0}, {1}, {kGreen}, {.robot = kGreen, .name = "again"}});
  EXPECT_THAT(reload(), HasSubstr("'hg-green' is already the interface of port 'green'"));
  write({{0}, {1}, {.robot = kGreen, .port = ", xdp: zero-copy"}});
  EXPECT_THAT(reload(),
              HasSubstr("ports.green: mode zero-copy is chosen for all ports together when the gateway starts"));
  write({{0}, {1}, {kGreen}});
  EXPECT_THAT(reload(), HasSubstr("ports.green: 3 rx queues of the ports that are then there need 1024 chunks"));
  write({{0}, {1}, {.robot = kGreen, .port = ", xdp: zero-copy"}});
  EXPECT_EQ(host().run_ok("ip -d link show hg-green").find("xdp"), std::string::npos) << "free again";
  EXPECT_EQ(gateway_->status().totals("changes"), 0U);
  while_others_lose_nothing([] {});
  record({"A reload adds a port on another port's interface, with zero-copy, or beyond the frame memory",
          "Refused by name; the run is unchanged", "3 of 3 refused, 0 changes"});
}

TEST_F(PortsByReload, OnSeveralCores) {
  start_with(2, "netsim: {type: wire}\npacket_loop: {cores: [{ports: [red]}, {ports: [blue]}]}\n");
  for (int round = 0; round < 2; ++round) {
    yaml_ = "netsim: {type: wire}\npacket_loop: {cores: [{ports: [red, white]}, {ports: [blue, green]}]}\n";
    while_others_lose_nothing([&] { reload_with({{0}, {1}, {kGreen}, {kWhite}}); });
    EXPECT_EQ(arriving(kGreen), 100U);
    EXPECT_EQ(arriving(kWhite), 100U);
    yaml_ = "netsim: {type: wire}\npacket_loop: {cores: [{ports: [red]}, {ports: [green, blue]}]}\n";
    while_others_lose_nothing([&] { reload_with({{0}, {kGreen}, {1}}); });
    EXPECT_EQ(arriving(kGreen), 100U);
    EXPECT_EQ(arriving(kWhite), 0U);
  }
  yaml_ = "netsim: {type: wire}\npacket_loop: {cores: [{ports: [red, green]}, {ports: [blue]}]}\n";
  write({{0}, {kGreen}, {1}});
  EXPECT_THAT(reload(), HasSubstr("port 'green' cannot change its core at run time"));
  yaml_ = "netsim: {type: wire}\n";
  write({{0}, {1}});
  EXPECT_THAT(reload(), HasSubstr("packet_loop cannot change at run time"));
  EXPECT_EQ(arriving(1), 100U);
  record({"Ports are added and removed by reloads on two cores, twice; one is to change its core",
          "Other pairs lose nothing; a change of cores is refused", "100 of 100 frames arrive after each"});
}

TEST_F(PortsByReload, RepeatedReloadsLeakNothing) {
  constexpr int kRounds = 25;  // more than there are spare slots
  start_with(2, "netsim: {type: wire}\nmemory: {frames: 8192}\n");
  reload_with({{0}, {1}, {kGreen}});
  reload_with({{0}, {1}});
  const std::size_t files = open_files();
  const auto kept = pins();
  while_others_lose_nothing([&] {
    for (int round = 0; round < kRounds; ++round) {
      reload_with({{0}, {1}, {.robot = kGreen, .name = fmt::format("green-{}", round)}});
      reload_with({{0}, {1}});
    }
  });
  EXPECT_LE(open_files(), files);  // who asked before may be gone by now
  EXPECT_EQ(pins(), kept);
  reload_with({{0}, {1}, {.robot = kGreen, .name = "last"}});
  EXPECT_EQ(arriving(kGreen, 2000), 2000U) << "its ring is full of chunks: 2048 lost a round were all soon";
  EXPECT_EQ(gateway_->status().link("red", "last").counts("in"), 2000U) << "the counts of others are not its own";
  EXPECT_TRUE(gateway_->status().balanced);
  record({fmt::format("A port and a robot, each time of another name, are added and removed {} times", kRounds),
          "No descriptor, chunk, BPF object or slot is lost; other pairs lose nothing",
          fmt::format("{} descriptors before and after, 0 of 3000 frames lost", files)});
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// The real gateway as the modem of a robot's router, which is in a namespace of its own. tshark reads what they said.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "host/byte_cursor.h"
#include "host/file_descriptor.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/udp_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

enum Type : unsigned {
  kInitialization = 1,
  kInitializationResponse = 2,
  kTermination = 5,
  kUp = 7,
  kUpResponse = 8,
  kDown = 11,
  kDownResponse = 12,
  kUpdate = 13,
  kHeartbeat = 16,
};
enum ItemType : unsigned { kStatus = 1, kPeerType = 4, kInterval = 5, kMac = 7, kCdrr = 14, kCdrt = 15, kLatency = 16 };

std::string big_endian(std::uint64_t value, unsigned bytes) {
  std::string text;
  for (unsigned i = bytes; i-- > 0;) {
    text += static_cast<char>(value >> (8 * i) & 0xFF);
  }
  return text;
}
std::string item(unsigned type, const std::string& value) {
  return big_endian(type, 2) + big_endian(value.size(), 2) + value;
}

struct Heard {
  unsigned type = 0;  // 0: nothing came
  std::map<unsigned, std::string> items{};

  [[nodiscard]] std::uint64_t number(unsigned type_of_item) const {
    std::uint64_t value = 0;
    for (const char c : items.at(type_of_item)) {
      value = value << 8 | static_cast<unsigned char>(c);
    }
    return value;
  }
};

/// A router, as RFC 8175 describes it, written without the gateway's code.
class Router {
 public:
  Router(const NetNs& where, std::uint16_t port) {
    sockaddr_in modem{.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {}, .sin_zero = {}};
    inet_pton(AF_INET, "10.9.0.1", &modem.sin_addr);
    connect(where, modem);
  }
  /// To the link-local address that a connection point has.
  Router(const NetNs& where, std::uint16_t port, const std::string& link_local) {
    sockaddr_in6 modem{
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_flowinfo = 0, .sin6_addr = {}, .sin6_scope_id = 0};
    std::memcpy(&modem.sin6_addr, link_local.data(), sizeof modem.sin6_addr);
    const auto inside = where.enter();
    modem.sin6_scope_id = ::if_nametoindex("rt0");
    connect(where, modem);
  }

  void send(unsigned type, const std::string& items) const {
    const std::string message = big_endian(type, 2) + big_endian(items.size(), 2) + items;
    if (::send(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(message.size())) {
      throw std::runtime_error("the modem takes no message");
    }
  }
  void initialize(std::uint32_t heartbeat_ms) const {
    send(kInitialization,
         item(kInterval, big_endian(heartbeat_ms, 4)) + item(kPeerType, std::string("\0test router", 12)));
  }

  /// The next message; type 0 when none comes in time, or the connection is closed.
  Heard next(std::chrono::milliseconds limit = 20s) {
    const auto end = Clock::now() + limit;
    while (input_.size() < 4 || input_.size() < 4 + number_at(2)) {
      pollfd ready{.fd = socket_.get(), .events = POLLIN, .revents = 0};
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
      std::array<char, 4096> bytes{};
      if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) <= 0) {
        return {};
      }
      const ssize_t got = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
      if (got <= 0) {
        closed_ = true;
        return {};
      }
      input_.append(bytes.data(), static_cast<std::size_t>(got));
    }
    Heard heard{.type = number_at(0)};
    const std::size_t length = 4 + number_at(2);
    for (std::size_t at = 4; at + 4 <= length; at += 4 + number_at(at + 2)) {
      heard.items[number_at(at)] = input_.substr(at + 4, number_at(at + 2));
    }
    input_.erase(0, length);
    return heard;
  }
  /// The next message of the type. Up and Down are answered with Success.
  Heard await(unsigned type) {
    for (Heard heard = next(); heard.type != 0; heard = next()) {
      if (heard.type == kUp || heard.type == kDown) {
        send(heard.type + 1, item(kMac, heard.items.at(kMac)) + item(kStatus, std::string(1, '\0')));
      }
      if (heard.type == type) {
        return heard;
      }
    }
    return {};
  }
  [[nodiscard]] bool is_closed() const { return closed_; }

 private:
  template <class Address>
  void connect(const NetNs& where, const Address& modem) {
    const auto inside = where.enter();
    const auto* const address = reinterpret_cast<const sockaddr*>(&modem);
    socket_ = FileDescriptor(::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(socket_.get(), address, sizeof modem) != 0) {
      throw std::runtime_error("no connection to the modem");
    }
  }
  [[nodiscard]] unsigned number_at(std::size_t at) const {
    return static_cast<unsigned>(static_cast<unsigned char>(input_.at(at))) << 8 |
           static_cast<unsigned char>(input_.at(at + 1));
  }

  FileDescriptor socket_;
  std::string input_;
  bool closed_ = false;
};

/// Red's router is behind dlep0.
class DlepTest : public GatewayTest {
 protected:
  static GatewaySetup setup(const NetNs& router, const std::string& keys, const std::string& links = {}) {
    std::string wiring = ports_and_robots({"red", "blue"});
    wiring.insert(wiring.find("}", wiring.find("red: {port")), ", dlep: {interface: dlep0" + keys + "}");
    return {.yaml = "netsim: {type: wire}\n" + links,
            .wiring = std::move(wiring),
            .before = fmt::format("ip link add dlep0 type veth peer name rt0 netns {} && "
                                  "ip address add 10.9.0.1/30 dev dlep0 && ip link set dlep0 up && "
                                  "ip -n {} address add 10.9.0.2/30 dev rt0 && ip -n {} link set rt0 up",
                                  router.name(), router.name(), router.name())};
  }
  static void set(const RunningGateway& gateway, const std::string& value) {
    control_request(control_socket(gateway.run()), {{"command", "set"}, {"values", {value}}});
  }
  static Json modem(const Json& status) { return status["dlep"][0]; }
  static std::string condition(const Json& status, const std::string& name) {
    for (const Json& each : status["conditions"]) {
      if (each["name"] == name) {
        return each["text"];
      }
    }
    return {};
  }
  static std::string await_condition(const RunningGateway& gateway, const std::string& name, const std::string& text) {
    return condition(status_when(gateway.run(),
                                 [&](const Json& now) { return condition(now, name).find(text) != std::string::npos; }),
                     name);
  }
};

std::string blue_mac() {
  return std::string("\x02\x68\x67", 3) + std::string(2, '\0') + '\x02';
}

Bytes discovery_signal() {
  Bytes signal;
  for (const char c : std::string("DLEP\0\1\0\0", 8)) {
    signal.push_back(std::byte(c));
  }
  return signal;
}

// Without an address that a router could connect to, that is a condition.
TEST_F(DlepTest, ARouterWithIpv6AloneIsAnsweredAndHasASession) {
  const NetNs router("router");
  const RunningGateway gateway(setup(router, ""));
  const NetNs& host = gateway.lab().gateway();
  host.run_ok(
      "ip -4 address flush dev dlep0; echo 0 > /proc/sys/net/ipv6/conf/dlep0/disable_ipv6; "
      "ip -6 address flush dev dlep0; ip address add fd01::1/64 dev dlep0 nodad");
  EXPECT_THAT(await_condition(gateway, "dlep_interface", "no router can connect"),
              HasSubstr("interface 'dlep0' has no IPv4 address and no link-local IPv6 address"));
  host.run_ok("ip address add fe80::51/64 dev dlep0 nodad");
  router.run_ok(
      "ip -4 address flush dev rt0; echo 0 > /proc/sys/net/ipv6/conf/rt0/disable_ipv6; "
      "ip address add fe80::52/64 dev rt0 nodad");
  const UdpSocket socket(router, "::", 854);
  socket.join("ff02::1:7", "rt0");
  std::string offer;
  const auto is_offer = [&offer] { return offer.substr(0, 6) == std::string("DLEP\0\2", 6); };
  for (int i = 0; i < 100 && !is_offer(); ++i) {
    socket.send("ff02::1:7", 854, discovery_signal());
    for (auto received = socket.receive(300ms); received && !is_offer(); received = socket.receive(300ms)) {
      offer.assign(reinterpret_cast<const char*>(received->data()), received->size());  // or its own discovery
    }
  }
  const std::string connection_point = big_endian(3, 2) + big_endian(19, 2) + std::string("\0\xFE\x80", 3);
  const std::size_t at = offer.find(connection_point);
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(offer.substr(at + 21, 2), big_endian(854, 2));

  Router peer(router, 854, offer.substr(at + 5, 16));
  peer.initialize(60'000);
  ASSERT_EQ(peer.await(kInitializationResponse).type, kInitializationResponse);
  EXPECT_EQ(peer.await(kUp).items.at(kMac), blue_mac());
  EXPECT_EQ(modem(status_of(gateway.run()))["state"], "in session");
}

TEST_F(DlepTest, RouterDiscoversTheModemAndLearnsLinksAsTheyChange) {
  const NetNs router("router");
  const RunningGateway gateway(setup(router, ", heartbeat: 300ms",
                                     "links: [{from: red, to: blue, delay: 3ms, rate: 5 Mbit/s}, "
                                     "{from: blue, to: red, rate: 2 Mbit/s}]\n"));
  EXPECT_THAT(await_condition(gateway, "dlep_session", "red"), HasSubstr("no router has begun a session yet"));
  const std::string file = fmt::format("/tmp/hilgate-{}-dlep.pcapng", gateway.run());
  const auto capture = router.start({"dumpcap", "-q", "-i", "rt0", "-w", file});
  ASSERT_TRUE(capture->wait_for_output("File:", 30s)) << capture->output();

  const UdpSocket socket(router, "10.9.0.2", 0);
  socket.join("224.0.0.117", "rt0");
  socket.send("224.0.0.117", 854, discovery_signal());
  const auto offer = socket.receive(20s);
  ASSERT_TRUE(offer);
  const std::string text(reinterpret_cast<const char*>(offer->data()), offer->size());
  EXPECT_EQ(text.substr(0, 6), std::string("DLEP\0\2", 6));
  EXPECT_THAT(text, HasSubstr(item(2, std::string("\0\x0A\x09\0\1", 5) + big_endian(854, 2))));
  EXPECT_EQ(modem(status_of(gateway.run()))["discoveries"], 1);

  Router peer(router, 854);
  peer.initialize(60'000);
  const Heard response = peer.await(kInitializationResponse);
  ASSERT_EQ(response.type, kInitializationResponse);
  EXPECT_EQ(response.number(kInterval), 300U);
  EXPECT_EQ(response.items.at(kPeerType).substr(1), "hilgate");
  EXPECT_EQ(response.items.at(kStatus)[0], '\0');
  const Heard up = peer.await(kUp);
  ASSERT_EQ(up.type, kUp);
  EXPECT_EQ(up.items.at(kMac), blue_mac());
  EXPECT_EQ(up.number(kCdrr), 2'000'000U);
  EXPECT_EQ(up.number(kCdrt), 5'000'000U);
  EXPECT_EQ(up.number(kLatency), 3000U);
  ASSERT_EQ(peer.await(kHeartbeat).type, kHeartbeat);

  set(gateway, "links.blue.red.rate=1 Mbit/s");
  EXPECT_EQ(peer.await(kUpdate).number(kCdrr), 1'000'000U);
  set(gateway, "links.red.blue.loss=100 %");
  EXPECT_EQ(peer.await(kDown).items.at(kMac), blue_mac());
  set(gateway, "links.red.blue.loss=0 %");
  EXPECT_EQ(peer.await(kUp).items.at(kMac), blue_mac());

  const Json status = status_when(gateway.run(), [](const Json& now) { return modem(now)["destinations_up"] == 1; });
  EXPECT_EQ(modem(status)["state"], "in session");
  EXPECT_EQ(modem(status)["router"], "test router");
  EXPECT_EQ(modem(status)["malformed"], 0);
  EXPECT_EQ(condition(status, "dlep_session"), "");
  EXPECT_THAT(run({hilgate_program(), "status", gateway.run()}).output,
              HasSubstr("DLEP of red on dlep0, port 854: in session with 'test router'; 1 destinations up"));

  Router second(router, 854);
  EXPECT_EQ(second.next().type, 0U);
  EXPECT_TRUE(second.is_closed()) << "a modem has one session";

  // What dumpcap has received is in its file some time later.
  run({"sh", "-c",
       fmt::format(
           "for i in $(seq 30); do test \"$(tshark -r {} -Y 'dlep.message.type == 7' 2>/dev/null | wc -l)\" -ge 2 "
           "&& break; done",
           file)});
  capture->stop(SIGINT);
  const Finished types =
      run({"sh", "-c", fmt::format("tshark -r {} -T fields -e dlep.message.type 2>/dev/null", file)});
  EXPECT_EQ(types.status, 0);
  for (const unsigned type :
       {kInitialization, kInitializationResponse, kUp, kUpResponse, kDown, kDownResponse, kUpdate, kHeartbeat}) {
    EXPECT_THAT(types.output, testing::ContainsRegex(fmt::format("(^|[\n,]){}([\n,]|$)", type)));
  }
  const Finished faults =
      run({"sh", "-c",
           fmt::format("tshark -r {} -Y '_ws.malformed || _ws.expert.group == \"Malformed\" || "
                       "dlep.message.unexpected_length || dlep.dataitem.unexpected_length' 2>/dev/null",
                       file)});
  EXPECT_EQ(faults.status, 0);
  EXPECT_EQ(faults.output, "");
  const Finished fields =
      run({"sh", "-c",
           fmt::format("tshark -r {} -Y 'dlep.message.type == 7' -T fields -e dlep.dataitem.macaddr_eui48 "
                       "-e dlep.dataitem.cdrr -e dlep.dataitem.latency -e dlep.dataitem.v4addr.addr 2>/dev/null",
                       file)});
  EXPECT_THAT(fields.output, HasSubstr("\n02:68:67:00:00:02\t1000000\t3000\t10.77.0.2\n")) << "the second Up";
  ::unlink(file.c_str());
}

TEST_F(DlepTest, SilentRouterLosesItsSessionAndAnotherMayBeginOne) {
  const NetNs router("router");
  const RunningGateway gateway(setup(router, ", port: 4854"));
  Router peer(router, 4854);
  peer.initialize(200);
  const Heard termination = peer.await(kTermination);
  ASSERT_EQ(termination.type, kTermination);
  EXPECT_EQ(termination.items.at(kStatus)[0], '\x84') << "Timed Out";
  EXPECT_THAT(await_condition(gateway, "dlep_session", "Timed Out"), HasSubstr("router 'test router' has ended"));
  peer.send(6, "");
  EXPECT_EQ(peer.next().type, 0U);
  EXPECT_TRUE(peer.is_closed());

  Router next(router, 4854);
  next.initialize(60'000);
  EXPECT_EQ(next.await(kUp).type, kUp);
  next.send(kHeartbeat, item(kStatus, "\1"));
  EXPECT_EQ(next.await(kTermination).items.at(kStatus)[0], '\x82') << "Invalid Data";
  EXPECT_EQ(modem(status_of(gateway.run()))["malformed"], 1);
  EXPECT_EQ(modem(status_of(gateway.run()))["sessions"], 2);
}

TEST_F(DlepTest, InterfaceMayComeLaterAndChangesTakeEffect) {
  const NetNs router("router");
  const RunningGateway gateway(setup(router, ""));
  set(gateway, "robots.red.dlep.interface=dlep1");
  EXPECT_THAT(await_condition(gateway, "dlep_interface", "no interface"), HasSubstr("there is no interface 'dlep1'"));
  gateway.lab().gateway().run_ok("ip link set dlep0 down && ip link set dlep0 name dlep1 && ip link set dlep1 up");
  status_when(gateway.run(), [](const Json& now) { return modem(now)["state"] == "waiting"; });
  Router peer(router, 854);
  peer.initialize(60'000);
  EXPECT_EQ(peer.await(kUp).type, kUp);
  set(gateway, "robots.red.dlep.heartbeat=1s");
  EXPECT_EQ(peer.await(kTermination).items.at(kStatus)[0], '\xFF') << "Shutting Down";
  status_when(gateway.run(), [](const Json& now) { return modem(now)["state"] == "waiting"; });
  Router again(router, 854);
  again.initialize(60'000);
  EXPECT_EQ(again.await(kInitializationResponse).number(kInterval), 1000U);
  gateway.lab().gateway().run_ok("ip link delete dlep1");
  EXPECT_THAT(await_condition(gateway, "dlep_interface", "no interface"), HasSubstr("there is no interface 'dlep1'"));
}

}  // namespace
}  // namespace hilgate::test

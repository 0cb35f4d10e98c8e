// SPDX-License-Identifier: Apache-2.0
// Bit errors on the real gateway: what kernels and applications make of them. How many there are and where is in
// tests/path/fate.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <sstream>

#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/statistics.h"
#include "tests/support/udp_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

using BitErrors = GatewayTest;

constexpr std::size_t kSentFrames = 2000;
constexpr std::size_t kBurst = 200;  // frames under way that every ring and buffer on the path has room for
constexpr double kSurprise = 1e-3;   // outside the 99.9 % interval
constexpr std::uint16_t kPort = 7000;

GatewaySetup with_errors(const std::string& ber, const std::string& policy) {
  return {.yaml =
              fmt::format("seed: 11\nnetsim: {{type: wire}}\nlinks: [{{from: red, to: blue, ber: {}, policy: {}}}]\n",
                          ber, policy)};
}

/// Bits that differ in bytes [begin, end) of frames of the same length.
std::uint64_t flipped(const std::vector<Bytes>& frames, const Bytes& sent, std::size_t begin, std::size_t end) {
  std::uint64_t bits = 0;
  for (const Bytes& frame : frames) {
    EXPECT_EQ(frame.size(), sent.size());
    for (std::size_t at = begin; at < std::min({end, sent.size(), frame.size()}); ++at) {
      bits += static_cast<std::uint64_t>(std::popcount(std::to_integer<unsigned>(frame[at] ^ sent[at])));
    }
  }
  return bits;
}

void expect_rate(std::uint64_t hits, std::uint64_t of, double probability, const char* what) {
  EXPECT_GT(binomial_tails(hits, of, probability), kSurprise)
      << what << ": " << hits << " of " << of << " at " << probability;
}

/// A column of the receiver's /proc/net/snmp, `Udp:` lines.
std::uint64_t udp_count(const NetNs& where, const std::string& name) {
  std::istringstream text(where.run_ok("grep ^Udp: /proc/net/snmp"));
  std::string names;
  std::string values;
  std::getline(text, names);
  std::getline(text, values);
  std::istringstream name_words(names);
  std::istringstream value_words(values);
  for (std::string key, value; name_words >> key && value_words >> value;) {
    if (key == name) {
      return std::stoull(value);
    }
  }
  throw std::runtime_error("no " + name + " in /proc/net/snmp");
}

void know_each_other(const RunningGateway& gateway) {
  gateway.robot(0).run_ok("ip neigh replace " + NetLab::ipv4(1) + " lladdr " + NetLab::mac(1) + " dev eth0");
}

/// kSentFrames datagrams from red to blue by the kernels' own UDP; what blue's application got, in order.
std::vector<Bytes> converse(const RunningGateway& gateway, const Bytes& payload) {
  know_each_other(gateway);
  const UdpSocket red(gateway.robot(0), "0.0.0.0", kPort);
  const UdpSocket blue(gateway.robot(1), "0.0.0.0", kPort);
  std::vector<Bytes> arrived;
  for (std::size_t sent = 0; sent < kSentFrames;) {
    for (std::size_t n = 0; n < kBurst; ++n) {
      red.send(NetLab::ipv4(1), kPort, payload);
    }
    sent += kBurst;
    gateway.settled(sent);
    while (auto datagram = blue.receive(100ms)) {
      arrived.push_back(std::move(*datagram));
    }
  }
  return arrived;
}

TEST_F(BitErrors, RawDamageIsSeenByTheKernelAndNotByTheApplication) {
  const RunningGateway gateway(with_errors("1e-5", "corrupt_raw"));
  const Bytes payload = counting(1000);
  const auto arrived = converse(gateway, payload);
  // Of two flipped bits at one place of their words, one up and one down, the checksum knows nothing.
  std::uint64_t undetected = 0;
  for (const Bytes& one : arrived) {
    const std::uint64_t bits = flipped({one}, payload, 0, payload.size());
    EXPECT_EQ(bits % 2, 0U);
    undetected += bits > 0 ? 1 : 0;
  }
  EXPECT_LE(undetected, 2U);
  const GatewayStatus status = gateway.status();
  EXPECT_GT(status.totals("damaged"), 0U);
  EXPECT_EQ(arrived.size(), kSentFrames - status.totals("damaged") - status.dropped("header_hit") + undetected);
  EXPECT_EQ(udp_count(gateway.robot(1), "InErrors"), status.totals("damaged") - undetected);
  // A damaged length field is an error of its own; all others are found by the checksum.
  EXPECT_GE(udp_count(gateway.robot(1), "InCsumErrors"), status.totals("damaged") * 9 / 10);
}

TEST_F(BitErrors, RepairedDamageIsSeenByTheApplication) {
  const RunningGateway gateway(with_errors("1e-4", "corrupt_fixsum"));
  const Bytes payload = counting(1000);
  const auto arrived = converse(gateway, payload);
  expect_rate(flipped(arrived, payload, 0, payload.size()), arrived.size() * payload.size() * 8, 1e-4, "flipped bits");
  EXPECT_EQ(udp_count(gateway.robot(1), "InErrors"), 0U);
  EXPECT_EQ(arrived.size(), kSentFrames - gateway.status().dropped("header_hit"));
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// Datagrams between sockets of this kernel: what comes is what was added, whatever goes through it together.
#include "gateway/site/tunnel_socket.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "tests/support/netns.h"

namespace hilgate::test {
namespace {

constexpr std::uint32_t kLoopback = 0x7F000001;

SiteEnd end_at(std::uint16_t port) {
  return {.name = "end", .ipv4 = kLoopback, .port = port};
}

std::vector<std::byte> datagram(std::size_t number, std::size_t length) {
  std::vector<std::byte> bytes(length);
  for (std::size_t i = 0; i < length; ++i) {
    bytes[i] = static_cast<std::byte>(number * 31 + i);
  }
  return bytes;
}

using Datagram = std::vector<std::byte>;

/// What comes until nothing more does, and the most that one receive() gave.
std::vector<Datagram> all_of(TunnelSocket& socket, std::size_t* most = nullptr) {
  std::vector<Datagram> came;
  pollfd readable{.fd = socket.fd(), .events = POLLIN, .revents = 0};
  while (::poll(&readable, 1, 200) > 0) {
    const auto datagrams = socket.receive();
    for (const TunnelSocket::Datagram& each : datagrams) {
      EXPECT_EQ(each.ipv4, kLoopback);
      EXPECT_EQ(each.port, 16081);
      came.emplace_back(each.bytes.begin(), each.bytes.end());
    }
    if (most != nullptr) {
      *most = std::max(*most, datagrams.size());
    }
  }
  return came;
}

/// Sends datagrams of these lengths in turns to these ends, in batches, and says what each end is to get.
class Sender {
 public:
  std::map<std::uint16_t, std::vector<Datagram>> send(const std::vector<std::size_t>& lengths,
                                                      const std::vector<std::uint16_t>& ports) {
    std::map<std::uint16_t, std::vector<Datagram>> sent;
    std::vector<Datagram> kept;
    kept.reserve(lengths.size());
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const std::uint16_t port = ports[i % ports.size()];
      Datagram& bytes = kept.emplace_back(datagram(i, lengths[i]));
      const std::size_t head = std::min<std::size_t>(60, bytes.size());
      const std::array<iovec, 2> parts = {{{.iov_base = bytes.data(), .iov_len = head},
                                           {.iov_base = bytes.data() + head, .iov_len = bytes.size() - head}}};
      if (socket_.waiting() == TunnelSocket::kBatch) {
        flush();
      }
      EXPECT_TRUE(socket_.add(end_at(port), parts));
      sent[port].push_back(bytes);
    }
    flush();
    return sent;
  }
  std::size_t refused = 0;

 private:
  void flush() {
    socket_.flush([&](bool taken) { refused += taken ? 0 : 1; });
  }
  TunnelSocket socket_{end_at(16081)};
};

class TunnelSocketTest : public ::testing::Test {
 protected:
  // Ports and the loopback's MTU are its own.
  TunnelSocketTest() { net_.run_ok("ip link set lo mtu 1500 up"); }

  NetNs net_{"tunnel"};
  InNetNs inside_ = net_.enter();
};

TEST_F(TunnelSocketTest, ReceivesDatagramsInTheirOrder) {
  TunnelSocket one(end_at(16082));
  TunnelSocket other(end_at(16083));
  Sender sender;
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < 400; ++i) {
    lengths.push_back(i % 50 < 30 ? 192 : 92 + i * 7 % 900);
  }
  const auto sent = sender.send(lengths, {16082, 16083, 16082});
  EXPECT_EQ(sender.refused, 0U);
  EXPECT_EQ(all_of(one), sent.at(16082));
  EXPECT_EQ(all_of(other), sent.at(16083));
}

TEST_F(TunnelSocketTest, ManyOfOneLengthComeTogether) {
  TunnelSocket receiver(end_at(16082));
  Sender sender;
  std::size_t most = 0;
  const auto sent = sender.send(std::vector<std::size_t>(64 * 8, 192), {16082});
  EXPECT_EQ(all_of(receiver, &most), sent.at(16082));
  EXPECT_GT(most, 64U) << "of one receive()";
}

// Nobody but this kernel is to see that they were together.
TEST_F(TunnelSocketTest, ForeignSocketReceivesThemOneByOne) {
  const FileDescriptor plain(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(16082);
  address.sin_addr.s_addr = htonl(kLoopback);
  ASSERT_EQ(::bind(plain.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  Sender sender;
  const auto sent = sender.send({500, 500, 500, 400, 500}, {16082});
  std::vector<Datagram> came;
  std::array<std::byte, 4096> room;
  for (ssize_t length = 0; (length = ::recv(plain.get(), room.data(), room.size(), 0)) > 0;) {
    came.emplace_back(room.begin(), room.begin() + length);
  }
  EXPECT_EQ(came, sent.at(16082));
}

TEST_F(TunnelSocketTest, DatagramsAboveTheMtuAreFragmented) {
  TunnelSocket receiver(end_at(16082));
  Sender sender;
  std::vector<std::size_t> lengths(20, 1606);
  lengths.insert(lengths.end(), 20, 1472);
  lengths.insert(lengths.end(), 20, 1473);
  for (int round = 0; round < 3; ++round) {
    const auto sent = sender.send(lengths, {16082});
    EXPECT_EQ(sender.refused, 0U);
    EXPECT_EQ(all_of(receiver), sent.at(16082));
  }
}

// An end that cannot be reached keeps others from nothing.
TEST_F(TunnelSocketTest, MissingRouteIsReportedForItsPeerAlone) {
  TunnelSocket receiver(end_at(16082));
  TunnelSocket sender(end_at(16081));
  Datagram bytes = datagram(1, 200);
  const iovec part{.iov_base = bytes.data(), .iov_len = bytes.size()};
  const SiteEnd nowhere{.name = "nowhere", .ipv4 = 0xC0000201, .port = 6081};
  std::vector<bool> wanted;
  for (std::size_t i = 0; i < TunnelSocket::kBatch; ++i) {
    wanted.push_back(i % 3 != 0);
    ASSERT_TRUE(sender.add(wanted.back() ? end_at(16082) : nowhere, {&part, 1}));
  }
  std::vector<bool> taken;
  sender.flush([&](bool is) { taken.push_back(is); });
  EXPECT_EQ(taken, wanted);
  EXPECT_EQ(all_of(receiver).size(), static_cast<std::size_t>(std::ranges::count(wanted, true)));
}

}  // namespace
}  // namespace hilgate::test

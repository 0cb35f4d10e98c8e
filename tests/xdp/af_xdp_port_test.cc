// SPDX-License-Identifier: Apache-2.0
// AfXdpPort over real veth pairs.
#include "xdp/af_xdp_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "tests/support/net_lab.h"
#include "tests/support/packets.h"
#include "tests/support/raw_socket.h"

namespace hilgate {
namespace {

using namespace hilgate::test;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint32_t kChunks = 4096;
constexpr std::uint32_t kRing = 512;

// Two robots, a port for each, and a path that hands every frame to the other port.
class AfXdpPortTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_make_namespaces()) {
      GTEST_SKIP() << "needs root";
    }
  }

  void open(const VethOptions& options = {}, PortConfig config = {}, std::uint32_t chunk_size = 2048) {
    lab_ = std::make_unique<NetLab>("xdp", std::vector<std::string>{"red", "blue"}, options);
    umem_ = std::make_unique<Umem>(UmemConfig{.chunks = kChunks, .chunk_size = chunk_size});
    const InNetNs here = lab_->gateway().enter();
    memory_ = std::make_unique<XskMemory>(*umem_, kRing, false);
    for (std::size_t n = 0; n < 2; ++n) {
      config.interface = lab_->port(n);
      ports_.push_back(std::make_unique<AfXdpPort>(*memory_, config, clock_));
      robots_.push_back(std::make_unique<RawSocket>(lab_->robot(n), "eth0"));
    }
  }

  // Waits for one frame at port n.
  std::optional<Frame> capture(std::size_t n, milliseconds limit = seconds{5}) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    std::array<Frame, 1> burst;
    do {
      ports_[n]->flush();
      if (ports_[n]->capture(burst) == 1) {
        return burst[0];
      }
    } while (std::chrono::steady_clock::now() < deadline);
    return std::nullopt;
  }

  Bytes bytes_of(const Frame& frame) {
    Bytes bytes;
    umem_->for_each_segment(frame, [&](std::span<std::byte> part) {
      for (const std::byte byte : part) {
        bytes.push_back(std::to_integer<std::uint8_t>(byte));
      }
    });
    return bytes;
  }

  // Red sends, the gateway hands on, blue sees.
  void expect_passes(const Bytes& sent) {
    robots_[0]->send(sent);
    const std::optional<Frame> frame = capture(0);
    ASSERT_TRUE(frame);
    EXPECT_EQ(bytes_of(*frame), sent);
    ASSERT_TRUE(ports_[1]->release(*frame));
    ports_[1]->flush();
    EXPECT_EQ(robots_[1]->receive(seconds{5}), sent);
  }

  TscClock clock_;
  std::unique_ptr<NetLab> lab_;
  std::unique_ptr<Umem> umem_;
  std::unique_ptr<XskMemory> memory_;
  std::vector<std::unique_ptr<AfXdpPort>> ports_;
  std::vector<std::unique_ptr<RawSocket>> robots_;
};

TEST_F(AfXdpPortTest, HandsFramesOnUnchanged) {
  open();
  expect_passes(ethernet({robot_mac(1)}, 0x0800, ipv4(17, udp(7, counting(100)))));
  expect_passes(ethernet({robot_mac(1)}, 0x86dd, ipv6(17, udp(7, counting(1400)))));
  expect_passes(ethernet({kBroadcast}, 0x0806, counting(28)));
  expect_passes(ethernet({robot_mac(1), robot_mac(0), {0x81000064}}, 0x0800, ipv4(17, udp(7, counting(30)))));
  expect_passes(ethernet({robot_mac(1), robot_mac(0), {0x88a80064, 0x81000065}}, 0x0800, ipv4(17, udp(7, {}))));
  expect_passes(ethernet({robot_mac(1)}, 0x9999, {}));
}

TEST_F(AfXdpPortTest, StampsArrivalInTheKernel) {
  open();
  TscReader clock(clock_);
  const HostTime before = clock.now();
  robots_[0]->send(ethernet({robot_mac(1)}, 0x9999, counting(50)));
  const std::optional<Frame> frame = capture(0);
  const HostTime after = clock.now();
  ASSERT_TRUE(frame);
  constexpr Nanoseconds kTolerance{100'000};
  EXPECT_GE(frame->arrived, before - kTolerance);
  EXPECT_LE(frame->arrived, after + kTolerance);
  EXPECT_EQ(ports_[0]->statistics().stamped_late, 0U);
  umem_->free(*frame);
}

}  // namespace
}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// AfXdpPort over real veth pairs: what goes in comes out, and what does not is counted.
#include "xdp/af_xdp_port.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "tests/support/traffic.h"
#include "tests/xdp/port_bench.h"

namespace hilgate::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

class AfXdpPortTest : public PortBench {
 protected:
  // Red sends, the gateway hands on, blue sees.
  void expect_passes(const Bytes& sent) {
    robot(0).send(sent);
    const std::optional<Frame> frame = capture(0);
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->length, sent.size());
    EXPECT_EQ(bytes_of(*frame), sent);
    ASSERT_TRUE(port(1).release(*frame));
    port(1).flush();
    EXPECT_EQ(robot(1).receive(seconds{5}), sent);
  }

  void expect_usual_traffic_passes() {
    expect_passes(ethernet({robot_mac(1)}, 0x0800, ipv4(17, udp(counting(100), 7))));
    expect_passes(ethernet({robot_mac(1)}, 0x86dd, ipv6(17, udp(counting(1400), 7))));
    expect_passes(ethernet({kBroadcast}, 0x0806, counting(28)));
    expect_passes(ethernet({robot_mac(1), robot_mac(0), {{0x8100, 100}}}, 0x0800, ipv4(17, udp(counting(30), 7))));
    expect_passes(ethernet({robot_mac(1), robot_mac(0), {{0x88A8, 100}, {0x8100, 101}}}, 0x0800, ipv4(17, udp({}, 7))));
    expect_passes(ethernet({robot_mac(1)}, 0x9999, {}));  // 14 bytes: no shorter frame is one
    expect_passes(ethernet({robot_mac(1)}, 0x0800, {0x45}));
  }
};

TEST_F(AfXdpPortTest, TakesFramesForAllAddressesAsLongAsItIsOpen) {
  const auto promiscuity = [&] {
    return lab().gateway().run("ip -d link show hg-red | grep -o 'promiscuity [0-9]*'").output;
  };
  open();
  EXPECT_EQ(promiscuity(), "promiscuity 1\n");
  close_ports();
  EXPECT_EQ(promiscuity(), "promiscuity 0\n");
}

TEST_F(AfXdpPortTest, HandsFramesOnUnchangedInTheDriver) {
  open();
  EXPECT_TRUE(port(0).mode().native);
  EXPECT_FALSE(port(0).mode().zero_copy);
  EXPECT_EQ(port(0).mode().driver, "veth");
  EXPECT_EQ(port(0).mode().queues, 1U);
  EXPECT_EQ(port(0).mode().fallback_reason, "");
  expect_usual_traffic_passes();
}

TEST_F(AfXdpPortTest, HandsFramesOnUnchangedInGenericMode) {
  open({.xdp = XdpMode::kGeneric});
  EXPECT_FALSE(port(0).mode().native);
  expect_usual_traffic_passes();
}

TEST_F(AfXdpPortTest, FallsBackToGenericAndReportsWhy) {
  open({}, 0);
  lab().gateway().run_ok("ip link add br0 type bridge && ip link set br0 up");
  PortConfig bridge;
  bridge.interface = "br0";  // no driver's XDP in it
  add_port(bridge);
  EXPECT_FALSE(port(0).mode().native);
  EXPECT_EQ(port(0).mode().fallback_reason, "the driver (bridge) does not support XDP");
}

TEST_F(AfXdpPortTest, HandsJumboFramesOnInSeveralChunks) {
  open({.veth = {.mtu = 9000}});
  if (!port(0).mode().multi_buffer) {
    EXPECT_EQ(port(0).mode().largest_frame, 2048U - 256U);
    GTEST_SKIP() << "a kernel before 6.6: frames up to " << port(0).mode().largest_frame << " bytes";
  }
  EXPECT_GE(port(0).mode().largest_frame, 9014U);
  for (const std::size_t payload : {1792U - 14U, 1792U - 13U, 4000U, 8999U, 9000U}) {
    expect_passes(ethernet({robot_mac(1)}, 0x9999, counting(payload)));
  }
  EXPECT_EQ(everything_back(), kChunks);
}

TEST_F(AfXdpPortTest, LargeChunksHoldJumboFramesInFewer) {
  open({.veth = {.mtu = 9000}, .chunk_size = 4096});
  expect_passes(ethernet({robot_mac(1)}, 0x9999, counting(3826)));
  if (port(0).mode().multi_buffer) {
    expect_passes(ethernet({robot_mac(1)}, 0x9999, counting(9000)));
  }
}

TEST_F(AfXdpPortTest, ServesAllQueues) {
  open({.veth = {.queues = 2}});
  EXPECT_EQ(port(0).mode().queues, 2U);
  constexpr std::uint16_t kFlows = 64;  // the kernel spreads flows over the sender's queues by hash
  std::set<Bytes> sent;
  for (std::uint16_t flow = 0; flow < kFlows; ++flow) {
    const Bytes frame = ethernet({robot_mac(1)}, 0x0800, ipv4(17, udp({}, static_cast<std::uint16_t>(1000 + flow))));
    robot(0).send(frame);
    sent.insert(frame);
  }
  std::set<Bytes> got;
  for (std::uint16_t flow = 0; flow < kFlows; ++flow) {
    const std::optional<Frame> frame = capture(0);
    ASSERT_TRUE(frame);
    got.insert(bytes_of(*frame));
    umem().free(*frame);
  }
  EXPECT_EQ(got, sent);
}

TEST_F(AfXdpPortTest, StampsArrivalInTheKernel) {
  open();
  const std::int64_t before = monotonic_ns();
  robot(0).send(ethernet({robot_mac(1)}, 0x9999, counting(50)));
  const std::optional<Frame> frame = capture(0);
  const std::int64_t after = monotonic_ns();
  ASSERT_TRUE(frame);
  EXPECT_GE(frame->arrived.time_since_epoch().count(), before);
  EXPECT_LE(frame->arrived.time_since_epoch().count(), after);
  EXPECT_EQ(port(0).statistics().stamped_late, 0U);
  umem().free(*frame);
}

class DepartureTest : public AfXdpPortTest {
 protected:
  void open_stamped(const BenchOptions& options = {}, std::size_t ports = 2) {
    open(options, ports);
    if (port(1).stamps().source == StampSource::kNone) {
      GTEST_SKIP() << port(1).stamps().problem;
    }
  }

  HostTime now() { return HostTime{std::chrono::nanoseconds{monotonic_ns()}}; }

  /// Red's frame is released on blue's port, due at `due`.
  void release(const Frame& frame, HostTime due) {
    ASSERT_TRUE(port(1).release(frame, due));
    port(1).flush();
    ASSERT_TRUE(robot(1).receive(seconds{5}));
  }

  Frame frame_from_red(std::size_t payload = 100) {
    robot(0).send(ethernet({robot_mac(1)}, 0x9999, counting(payload)));
    return capture(0).value();
  }
};

TEST_F(DepartureTest, OfEveryFrameIsTimestampedByTheKernelBetweenReleaseAndArrival) {
  open_stamped();
  EXPECT_EQ(port(1).stamps().source, StampSource::kKernel);
  std::chrono::nanoseconds longest{0};
  for (std::uint64_t n = 1; n <= 200; ++n) {
    const Frame frame = frame_from_red();
    const HostTime due = now();
    release(frame, due);
    longest = std::max(longest, now() - due);
    port(1).discipline();
    const StampTotals totals = port(1).stamps().totals;
    ASSERT_EQ(totals.requested, n);
    ASSERT_EQ(totals.count(), n);
    ASSERT_LE(totals.latest, longest + port(1).stamps().margin);
  }
  const StampTotals totals = port(1).stamps().totals;
  EXPECT_EQ(totals.early + totals.missing + totals.unusable, 0U);
  EXPECT_GT(totals.latest, std::chrono::nanoseconds{0});
  EXPECT_EQ(port(0).stamps().totals.requested, 0U);
}

TEST_F(DepartureTest, BeforeTheFrameIsDueIsEarly) {
  open_stamped();
  release(frame_from_red(), now() + seconds{1});
  EXPECT_EQ(port(1).stamps().totals.early, 1U);
  EXPECT_EQ(port(1).stamps().totals.latest, std::chrono::nanoseconds{0});
}

// Multicast lies in the same memory for every port, and only its last owner has it for itself.
TEST_F(DepartureTest, OfAFrameWithOtherOwnersIsNotTimestamped) {
  open_stamped({}, 3);
  const Frame frame = frame_from_red();
  umem().share(frame, 1);
  release(frame, now());
  EXPECT_EQ(port(1).stamps().totals.requested, 0U);
  ASSERT_TRUE(port(2).release(frame, now()));
  port(2).flush();
  EXPECT_TRUE(robot(2).receive(seconds{5}));
  EXPECT_EQ(port(2).stamps().totals.count(), 1U);
  EXPECT_EQ(everything_back(), kChunks);
}

TEST_F(DepartureTest, WithoutADueTimeIsNotTimestamped) {
  open_stamped();
  expect_passes(ethernet({robot_mac(1)}, 0x9999, counting(100)));
  EXPECT_EQ(port(1).stamps().totals.requested, 0U);
}

// A tag is put in front of a frame and taken off it: the request moves with its start.
TEST_F(DepartureTest, PrecedesFramesOfAnyLengthAndStart) {
  open_stamped({.veth = {.mtu = 9000}});
  const bool long_ones = port(0).mode().multi_buffer;
  std::uint64_t frames = 0;
  for (const std::size_t payload : {46U, 1778U, long_ones ? 1779U : 100U, long_ones ? 9000U : 100U}) {
    for (const int by : {-4, 0, 4}) {
      Frame frame = frame_from_red(payload);
      ASSERT_TRUE(umem().move_start(frame, by));
      const Bytes bytes = bytes_of(frame);
      ASSERT_TRUE(port(1).release(frame, now()));
      port(1).flush();
      EXPECT_EQ(robot(1).receive(seconds{5}), bytes);
      EXPECT_EQ(port(1).stamps().totals.count(), ++frames);
    }
  }
  EXPECT_EQ(port(1).stamps().totals.missing + port(1).stamps().totals.unusable, 0U);
  EXPECT_EQ(port(1).statistics().sockets.tx_invalid, 0U);
  EXPECT_EQ(everything_back(), kChunks);
}

// The memory of a frame that has left receives others, whose arrival the program notes where the request was.
TEST_F(DepartureTest, LeavesArrivalsStampedInTheSameMemory) {
  open_stamped();
  for (std::uint32_t n = 0; n < 2 * kChunks; ++n) {
    const Frame frame = frame_from_red();
    release(frame, frame.arrived);
  }
  EXPECT_EQ(port(0).statistics().stamped_late, 0U);
  EXPECT_EQ(port(1).stamps().totals.count(), 2 * kChunks);
}

TEST_F(AfXdpPortTest, ArrivalsWithoutAClockOfTheNicAreTheKernels) {
  open();
  expect_usual_traffic_passes();
  const ArrivalStatistics arrivals = port(0).arrivals();
  EXPECT_EQ(arrivals.source, ArrivalSource::kKernel);
  EXPECT_EQ(arrivals.problem, "the port has no PTP hardware clock");
  EXPECT_EQ(arrivals.count + arrivals.missing + arrivals.unusable, 0U);
}

TEST_F(AfXdpPortTest, OmittedTimestampsAreAbsentWithTheirReason) {
  open({}, 0);
  memory().leave_out_timestamps("the test has no use for them");
  for (std::size_t n = 0; n < 2; ++n) {
    PortConfig config;
    config.interface = lab().port(n);
    add_port(config);
  }
  EXPECT_EQ(port(1).stamps().source, StampSource::kNone);
  EXPECT_EQ(port(1).stamps().problem, "the test has no use for them");
  RawSocket red(lab().robot(0), "eth0");
  red.send(ethernet({robot_mac(1)}, 0x9999, counting(100)));
  const std::optional<Frame> frame = capture(0);
  ASSERT_TRUE(frame);
  ASSERT_TRUE(port(1).release(*frame, frame->arrived));
  port(1).flush();
  EXPECT_EQ(port(1).stamps().totals.requested, 0U);
  EXPECT_EQ(everything_back(), kChunks);
}

TEST_F(AfXdpPortTest, EveryChunkReturnsUnderMulticast) {
  open({}, 3);
  for (unsigned round = 0; round < 2000; ++round) {
    robot(0).send(ethernet({kBroadcast}, 0x9999, counting(46 + round % 1000)));
    const std::optional<Frame> frame = capture(0);
    ASSERT_TRUE(frame);
    umem().share(*frame, 1);
    ASSERT_TRUE(port(1).release(*frame));
    ASSERT_TRUE(port(2).release(*frame));
    port(1).flush();
    port(2).flush();
    const auto sees = robot(1).receive(seconds{5});
    ASSERT_TRUE(sees);
    EXPECT_EQ(robot(2).receive(seconds{5}), sees);
  }
  EXPECT_EQ(everything_back(), kChunks);
}

TEST_F(AfXdpPortTest, AFullRingTakesNothingAndLosesNothing) {
  open();
  robot(0).send(ethernet({robot_mac(1)}, 0x9999, counting(100)));
  const std::optional<Frame> frame = capture(0);
  ASSERT_TRUE(frame);
  umem().share(*frame, kRing + 10);
  std::uint32_t taken = 0;
  while (port(1).release(*frame)) {
    ++taken;
  }
  EXPECT_EQ(taken, kRing);
  port(1).flush();
  for (std::uint32_t left = kRing + 11 - taken; left > 0; --left) {
    umem().free(*frame);
  }
  for (std::uint32_t seen = 0; seen < kRing; ++seen) {
    ASSERT_TRUE(robot(1).receive(seconds{5})) << seen;
  }
  EXPECT_EQ(port(1).statistics().released, kRing);
  EXPECT_EQ(port(1).statistics().lost_at_send, 0U);
  EXPECT_EQ(everything_back(), kChunks);
}

// A generator sends as quickly as it can; the path pauses now and then, so that
// rings overflow.
TEST_F(AfXdpPortTest, UnderLoadEveryFrameIsAccountedFor) {
  open();
  constexpr std::uint64_t kFrames = 20'000;
  constexpr milliseconds kStall{2};
  std::atomic<bool> sent_all = false;
  std::jthread sender([&] {
    Generator generator(lab().robot(0), "eth0");
    while (generator.sent() < kFrames) {
      generator.burst();
    }
    sent_all = true;
  });
  std::array<Frame, 64> burst;
  std::uint64_t dropped = 0;
  AfXdpStatistics red;
  const auto unaccounted = [&] {
    red = port(0).statistics();
    return red.program.by_outcome[HG_OUTCOME_SOCKET].frames - red.captured - red.sockets.rx_dropped -
           red.sockets.rx_ring_full;
  };
  const auto deadline = std::chrono::steady_clock::now() + seconds{30};
  for (std::uint64_t turn = 0; !sent_all || unaccounted() != 0; ++turn) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << unaccounted();
    const std::size_t frames = port(0).capture(burst);
    for (std::size_t i = 0; i < frames; ++i) {
      if (!port(1).release(burst[i])) {
        umem().free(burst[i]);
        ++dropped;
      }
    }
    if (turn % 64 == 0) {
      std::this_thread::sleep_for(kStall);
    }
    port(0).flush();
    port(1).flush();
  }
  const AfXdpStatistics blue = port(1).statistics();
  EXPECT_EQ(red.captured, blue.released + dropped);
  EXPECT_GT(red.captured, 0U);
  EXPECT_EQ(red.stamped_late, 0U);
  EXPECT_EQ(everything_back(), kChunks);
}

TEST_F(AfXdpPortTest, WithoutMemoryFramesAreLostInTheKernelAndCounted) {
  open();
  std::vector<std::uint64_t> all(kChunks);
  all.resize(umem().allocate(all));
  std::vector<Frame> held;
  const Bytes sent = ethernet({robot_mac(1)}, 0x9999, counting(100));
  for (std::uint32_t n = 0; n < kRing; ++n) {
    robot(0).send(sent);
    held.push_back(capture(0).value());
  }
  EXPECT_EQ(umem().available(), 0U);
  robot(0).send(sent);
  EXPECT_FALSE(capture(0, milliseconds{50}));
  const AfXdpStatistics statistics = port(0).statistics();
  EXPECT_GE(statistics.sockets.fill_ring_empty + statistics.sockets.rx_dropped, 1U);
  for (const Frame& frame : held) {
    umem().free(frame);
  }
  for (const std::uint64_t address : all) {
    umem().free_chunk(address);
  }
  port(0).flush();
  expect_passes(sent);
  EXPECT_EQ(everything_back(), kChunks);
}

TEST_F(AfXdpPortTest, LeavesPtpAndManagementToTheKernel) {
  open({.kernel_pass = {{KernelPass::Match::kEthertype, 0x88cc}}, .ptp_served = true});
  RawSocket kernel(lab().gateway(), lab().port(0));
  constexpr MacAddress ptp_group{0x011B'1900'0000};
  const std::vector<Bytes> theirs = {
      ethernet({ptp_group}, 0x88f7, counting(44)),
      ethernet({MacAddress{0x0100'5E00'0181}}, 0x0800,
               addressed_to({224, 0, 1, 129}, ipv4(17, udp(counting(44), 319)))),
      ethernet(
          {MacAddress{0x3333'0000'006B}}, 0x86dd,
          addressed_to({0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x6b}, ipv6(17, udp(counting(44), 320)))),
      ethernet({robot_mac(1)}, 0x88cc, counting(60)),
  };
  for (const Bytes& frame : theirs) {
    robot(0).send(frame);
    EXPECT_EQ(kernel.receive(seconds{5}), frame);
  }
  const Bytes ours = ethernet({robot_mac(1)}, 0x9999, counting(60));
  robot(0).send(ours);
  const std::optional<Frame> frame = capture(0);
  ASSERT_TRUE(frame);
  EXPECT_EQ(bytes_of(*frame), ours);  // the first that came to the socket
  umem().free(*frame);
  EXPECT_FALSE(kernel.receive(milliseconds{0}));
}

TEST_F(AfXdpPortTest, CountsByClassAndOutcome) {
  open({.ptp_served = true});
  const Bytes ptp = ethernet({MacAddress{0x011B'1900'0000}}, 0x88f7, counting(44));
  const Bytes datagram = ethernet({robot_mac(1)}, 0x0800, ipv4(17, udp(counting(100), 7)));
  robot(0).send(ptp);
  for (int n = 0; n < 3; ++n) {
    expect_passes(datagram);
  }
  const AfXdpStatistics red = port(0).statistics();
  EXPECT_EQ(red.program.by_class[HG_CLASS_PTP].frames, 1U);
  EXPECT_EQ(red.program.by_class[HG_CLASS_PTP].bytes, ptp.size());
  EXPECT_EQ(red.program.by_class[HG_CLASS_IPV4].frames, 3U);
  EXPECT_EQ(red.program.by_class[HG_CLASS_IPV4].bytes, 3 * datagram.size());
  EXPECT_EQ(red.program.by_outcome[HG_OUTCOME_KERNEL].frames, 1U);
  EXPECT_EQ(red.program.by_outcome[HG_OUTCOME_SOCKET].frames, 3U);
  EXPECT_EQ(red.captured, 3U);
  EXPECT_EQ(red.released, 0U);
  EXPECT_EQ(port(1).statistics().released, 3U);
  EXPECT_EQ(port(1).statistics().program.by_class[HG_CLASS_IPV4].frames, 0U);
}

TEST_F(AfXdpPortTest, ClosingAPortGivesItsMemoryBackAndFreesTheInterface) {
  open();
  robot(0).send(ethernet({robot_mac(1)}, 0x9999, counting(100)));  // lies in a ring when the port closes
  close_ports();
  EXPECT_EQ(umem().available(), kChunks);
  EXPECT_THAT(lab().gateway().run_ok("ip -d link show " + lab().port(0)), Not(HasSubstr("prog/xdp")));
}

// What an application's datagram looks like on the robot's side of the port.
class OffloadTest : public AfXdpPortTest {
 protected:
  Bytes datagram_from_red() {
    lab().robot(0).run_ok("ip neigh replace " + NetLab::ipv4(1) + " lladdr " + NetLab::mac(1) + " dev eth0");
    const InNetNs here = lab().robot(0).enter();
    const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(7);
    ::inet_pton(AF_INET, NetLab::ipv4(1).c_str(), &to.sin_addr);
    EXPECT_EQ(::sendto(fd, "hello", 5, 0, reinterpret_cast<const sockaddr*>(&to), sizeof to), 5);
    ::close(fd);
    const std::optional<Frame> frame = capture(0);
    const Bytes bytes = frame ? bytes_of(*frame) : Bytes{};
    if (frame) {
      umem().free(*frame);
    }
    return bytes;
  }
};

TEST_F(OffloadTest, WithOffloadsOffChecksumsAreComplete) {
  open();
  const Bytes frame = datagram_from_red();
  ASSERT_EQ(frame.size(), 14U + 20U + 8U + 5U);
  EXPECT_TRUE(transport_checksum_right(frame));
}

TEST_F(OffloadTest, WithOffloadsOnTheyAreNot) {
  open({.veth = {.offloads = true}});
  const Bytes frame = datagram_from_red();
  ASSERT_EQ(frame.size(), 14U + 20U + 8U + 5U);
  EXPECT_FALSE(transport_checksum_right(frame));
}

}  // namespace
}  // namespace hilgate::test

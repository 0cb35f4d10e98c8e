// SPDX-License-Identifier: Apache-2.0
// The XDP program by itself (BPF_PROG_TEST_RUN): frame in, verdict, class and stamp out.
#include <gtest/gtest.h>
#include <linux/bpf.h>

#include <cstring>
#include <ostream>
#include <span>

#include "tests/support/netns.h"
#include "tests/support/packets.h"
#include "tests/support/traffic.h"
#include "tests/xdp/program_run.h"
#include "xdp/xdp_program.h"
#include "xdp/xsk_socket.h"

namespace hilgate::test {
namespace {

constexpr MacAddress kBox{0x0200'0000'0099};  // the port's own
constexpr MacAddress kGroup{0x0100'5E00'0005};
constexpr MacAddress kGroup6{0x3333'0000'0001};
constexpr MacAddress kPtpGroup{0x011B'1900'0000};
constexpr MacAddress kPtpPeers{0x0180'C200'000E};

// PTP's groups and the box, as IPv4 and IPv6 destinations.
const Bytes kPtp4 = {224, 0, 1, 129};
const Bytes kPtpPeers4 = {224, 0, 0, 107};
const Bytes kPtp6 = {0xff, 0x0e, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0x81};
const Bytes kPtpPeers6 = {0xff, 0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x6b};
const Bytes kBox4 = {10, 77, 0, 200};

constexpr VlanTag kTag{0x8100, 100};
constexpr VlanTag kServiceTag{0x88A8, 100};
constexpr VlanTag kOldServiceTag{0x9100, 100};  // of no standard

struct Ran {
  std::uint32_t verdict = 0;
  std::uint32_t frame_class = HG_CLASSES;  // the one whose counter rose
  bool stamped = false;
  hg_frame_meta meta{};
  Bytes frame;  // behind the metadata
};

class CaptureProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_make_namespaces()) {
      GTEST_SKIP() << "needs root";
    }
    gateway_ = std::make_unique<NetNs>("prog");
    robot_ = std::make_unique<NetNs>("prog");
    VethPair({gateway_.get(), "port", "02:00:00:00:00:99"}, {robot_.get(), "eth0"});
    const InNetNs here = gateway_->enter();
    memory_ = std::make_unique<XskMemory>(umem_, 64, false);
    socket_ = std::make_unique<XskSocket>(*memory_, find_interface("port"), 0);
    gateway_->run_ok("ip addr add 10.77.0.200/24 dev port");
    load({.ptp_served = true});
  }

  void load(XdpProgramConfig config) {
    config.kernel_pass = {{KernelPass::Match::kEthertype, 0x88cc},
                          {KernelPass::Match::kTcpPort, 22},
                          {KernelPass::Match::kUdpPort, 5353}};
    const InNetNs here = gateway_->enter();
    program_ = std::make_unique<XdpProgram>(find_interface("port"), config);
    program_->set_socket(0, socket_->fd());
  }

  Ran run(const Bytes& frame) {
    const XdpCounters before = program_->counters();
    const std::optional<ProgramRun> run = run_program(program_->fd(), std::as_bytes(std::span(frame)));
    EXPECT_TRUE(run.has_value()) << std::strerror(errno);
    return read(before, run.value_or(ProgramRun{}));
  }

  std::unique_ptr<NetNs> gateway_, robot_;
  Umem umem_{{.chunks = 64}};
  std::unique_ptr<XskMemory> memory_;
  std::unique_ptr<XskSocket> socket_;
  std::unique_ptr<XdpProgram> program_;

 private:
  Ran read(const XdpCounters& before, const ProgramRun& run) {
    Ran ran;
    ran.verdict = run.verdict;
    ran.stamped = run.metadata == sizeof(hg_frame_meta);
    ran.frame.assign(run.out.begin() + static_cast<std::ptrdiff_t>(run.metadata), run.out.end());
    if (ran.stamped) {
      std::memcpy(&ran.meta, run.out.data(), sizeof ran.meta);
    }
    const XdpCounters now = program_->counters();
    for (std::uint32_t one = 0; one < HG_CLASSES; ++one) {
      const std::uint64_t frames = now.by_class[one].frames - before.by_class[one].frames;
      if (frames == 0) {
        continue;
      }
      EXPECT_EQ(frames, 1U);
      EXPECT_EQ(ran.frame_class, HG_CLASSES) << "counted twice";
      EXPECT_EQ(now.by_class[one].bytes - before.by_class[one].bytes, ran.frame.size());
      ran.frame_class = one;
    }
    return ran;
  }
};

struct Case {
  const char* description;
  Bytes frame;
  std::uint32_t verdict;
  std::uint32_t frame_class;
};

constexpr MacAddress kRobot = robot_mac(1);

std::vector<Case> the_kernels() {
  const std::uint32_t pass = XDP_PASS;
  return {
      {"PTP over Ethernet", ethernet({kPtpGroup}, 0x88f7, counting(44)), pass, HG_CLASS_PTP},
      {"PTP behind a tag", ethernet({kPtpGroup, kRobot, {kTag}}, 0x88f7, counting(44)), pass, HG_CLASS_PTP},
      {"PTP behind two tags", ethernet({kPtpGroup, kRobot, {kServiceTag, kTag}}, 0x88f7, {}), pass, HG_CLASS_PTP},
      {"PTP of peers over Ethernet", ethernet({kPtpPeers}, 0x88f7, counting(44)), pass, HG_CLASS_PTP},
      {"PTP to the box over Ethernet", ethernet({kBox}, 0x88f7, counting(44)), pass, HG_CLASS_PTP},
      {"PTP event, IPv4", ethernet({kGroup}, 0x0800, addressed_to(kPtp4, ipv4(17, udp(counting(44), 319)))), pass,
       HG_CLASS_PTP},
      {"PTP of peers, IPv4", ethernet({kGroup}, 0x0800, addressed_to(kPtpPeers4, ipv4(17, udp({}, 319)))), pass,
       HG_CLASS_PTP},
      {"PTP general, IPv4, to the box", ethernet({kBox}, 0x0800, addressed_to(kBox4, ipv4(17, udp({}, 320)))), pass,
       HG_CLASS_PTP},
      {"PTP behind IPv4 options",
       ethernet({kGroup}, 0x0800, addressed_to(kPtp4, ipv4(17, udp({}, 319), {0x94, 4, 0, 0}))), pass, HG_CLASS_PTP},
      {"PTP, IPv6", ethernet({kGroup6}, 0x86dd, addressed_to(kPtp6, ipv6(17, udp(counting(44), 320)))), pass,
       HG_CLASS_PTP},
      {"PTP of peers, IPv6", ethernet({kGroup6}, 0x86dd, addressed_to(kPtpPeers6, ipv6(17, udp({}, 319)))), pass,
       HG_CLASS_PTP},
      {"PTP, IPv6 behind extension headers",
       ethernet({kGroup6}, 0x86dd,
                addressed_to(kPtp6, ipv6(0, ipv6_extension(60, 0, ipv6_extension(17, 1, udp({}, 319)))))),
       pass, HG_CLASS_PTP},
      {"PTP, IPv4 behind a tag",
       ethernet({kGroup, kRobot, {kTag}}, 0x0800, addressed_to(kPtp4, ipv4(17, udp({}, 319)))), pass, HG_CLASS_PTP},
      {"LLDP by rule", ethernet({kGroup}, 0x88cc, counting(60)), pass, HG_CLASS_MANAGEMENT},
      {"SSH to the box", ethernet({kBox}, 0x0800, ipv4(6, tcp({}, 0, 22))), pass, HG_CLASS_MANAGEMENT},
      {"SSH to the box, IPv6", ethernet({kBox}, 0x86dd, ipv6(6, tcp({}, 0, 22))), pass, HG_CLASS_MANAGEMENT},
      {"mDNS to a group", ethernet({kGroup}, 0x0800, ipv4(17, udp({}, 5353))), pass, HG_CLASS_MANAGEMENT},
  };
}

std::vector<Case> ours() {
  const std::uint32_t redirect = XDP_REDIRECT;
  const Bytes ihl_4 = {0x44, 0, 0, 20, 0, 0, 0, 0, 64, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 63, 1, 63};
  return {
      // A robot chooses its source port: it says nothing about the service that the frame is for.
      {"from SSH's port to another",
       ethernet({kBox}, 0x0800, ipv4(6, {0, 22, 0x1f, 0x90, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, 2, 0, 0, 0, 0, 0, 0})),
       redirect, HG_CLASS_IPV4},
      {"from mDNS's port to another", ethernet({kBox}, 0x0800, ipv4(17, {0x14, 0xe9, 0, 53, 0, 8, 0, 0})), redirect,
       HG_CLASS_IPV4},
      {"PTP between robots", ethernet({kRobot}, 0x0800, ipv4(17, udp({}, 320))), redirect, HG_CLASS_PTP},
      {"PTP's port, to what is behind the box", ethernet({kBox}, 0x0800, ipv4(17, udp({}, 319))), redirect,
       HG_CLASS_PTP},
      {"PTP's port, another group", ethernet({kGroup}, 0x0800, addressed_to({224, 0, 0, 5}, ipv4(17, udp({}, 319)))),
       redirect, HG_CLASS_PTP},
      {"PTP's port, broadcast",
       ethernet({kBroadcast}, 0x0800, addressed_to({255, 255, 255, 255}, ipv4(17, udp({}, 319)))), redirect,
       HG_CLASS_PTP},
      {"PTP's port, another IPv6 group", ethernet({kGroup6}, 0x86dd, ipv6(17, udp({}, 320))), redirect, HG_CLASS_PTP},
      {"PTP over Ethernet to another group", ethernet({kGroup}, 0x88f7, counting(44)), redirect, HG_CLASS_PTP},
      {"PTP over Ethernet between robots", ethernet({kRobot}, 0x88f7, counting(44)), redirect, HG_CLASS_PTP},
      {"SSH between robots", ethernet({kRobot}, 0x0800, ipv4(6, tcp({}, 0, 22))), redirect, HG_CLASS_IPV4},
      {"SSH's port in UDP", ethernet({kBox}, 0x0800, ipv4(17, udp({}, 22))), redirect, HG_CLASS_IPV4},
      {"other traffic to the box", ethernet({kBox}, 0x0800, ipv4(6, tcp({}, 0, 80))), redirect, HG_CLASS_IPV4},
      {"PTP's port in TCP", ethernet({kRobot}, 0x0800, ipv4(6, tcp({}, 0, 319))), redirect, HG_CLASS_IPV4},
      {"IPv4", ethernet({kRobot}, 0x0800, ipv4(17, udp(counting(1000), 7))), redirect, HG_CLASS_IPV4},
      {"IPv4 behind a tag", ethernet({kRobot, kBox, {kTag}}, 0x0800, ipv4(17, udp({}, 7))), redirect, HG_CLASS_IPV4},
      {"IPv4 multicast", ethernet({kGroup}, 0x0800, ipv4(17, udp({}, 7))), redirect, HG_CLASS_IPV4_MULTICAST},
      {"IPv4 broadcast", ethernet({kBroadcast}, 0x0800, ipv4(17, udp({}, 7))), redirect, HG_CLASS_IPV4_MULTICAST},
      {"later fragment that looks like PTP", ethernet({kRobot}, 0x0800, ipv4(17, udp({}, 319), {}, 100)), redirect,
       HG_CLASS_IPV4},
      {"first fragment, ports in reach", ethernet({kRobot}, 0x0800, ipv4(17, udp({}, 7), {}, 0x2000)), redirect,
       HG_CLASS_IPV4},
      {"IPv6", ethernet({kRobot}, 0x86dd, ipv6(17, udp(counting(1000), 7))), redirect, HG_CLASS_IPV6},
      {"IPv6 multicast", ethernet({kGroup6}, 0x86dd, ipv6(17, udp({}, 7))), redirect, HG_CLASS_IPV6_MULTICAST},
      {"ICMPv6 echo", ethernet({kRobot}, 0x86dd, ipv6(58, icmp(Bytes(16), 128))), redirect, HG_CLASS_IPV6},
      {"router solicitation", ethernet({kGroup6}, 0x86dd, ipv6(58, icmp(Bytes(16), 133))), redirect, HG_CLASS_ND},
      {"neighbour solicitation", ethernet({kGroup6}, 0x86dd, ipv6(58, icmp(Bytes(16), 135))), redirect, HG_CLASS_ND},
      {"redirect", ethernet({kRobot}, 0x86dd, ipv6(58, icmp(Bytes(16), 137))), redirect, HG_CLASS_ND},
      {"MLD report behind hop-by-hop",
       ethernet({kGroup6}, 0x86dd, ipv6(0, ipv6_extension(58, 0, icmp(Bytes(16), 143)))), redirect,
       HG_CLASS_IPV6_MULTICAST},
      {"ARP", ethernet({kBroadcast}, 0x0806, counting(28)), redirect, HG_CLASS_ARP},
      {"ARP behind a tag", ethernet({kBroadcast, kRobot, {kTag}}, 0x0806, counting(28)), redirect, HG_CLASS_ARP},
      {"unknown ethertype", ethernet({kRobot}, 0x9999, counting(46)), redirect, HG_CLASS_OTHER},
      {"802.3 length instead of an ethertype", ethernet({kGroup}, 38, counting(38)), redirect, HG_CLASS_OTHER},
      {"three tags", ethernet({kRobot, kBox, {kServiceTag, kTag, kTag}}, 0x0800, ipv4(17, udp({}, 319))), redirect,
       HG_CLASS_OTHER},
      {"PTP behind 0x9100", ethernet({kPtpGroup, kRobot, {kOldServiceTag}}, 0x88f7, counting(44)), redirect,
       HG_CLASS_OTHER},
      {"management behind 0x9100", ethernet({kRobot, kBox, {kOldServiceTag}}, 0x88cc, counting(46)), redirect,
       HG_CLASS_OTHER},
      {"header alone", ethernet({kRobot}, 0x0800, {}), redirect, HG_CLASS_OTHER},
      {"IPv4 header cut short", ethernet({kRobot}, 0x0800, counting(19)), redirect, HG_CLASS_OTHER},
      {"IPv4 header length of 16", ethernet({kRobot}, 0x0800, ihl_4), redirect, HG_CLASS_OTHER},
      {"IPv4 options said, not there", ethernet({kRobot}, 0x0800, Bytes(20, 0x4f)), redirect, HG_CLASS_IPV4},
      {"tag cut short", ethernet({kRobot}, 0x8100, {0, 100}), redirect, HG_CLASS_OTHER},
  };
}

TEST_F(CaptureProgramTest, PassesKernelTrafficToTheKernel) {
  for (const Case& one : the_kernels()) {
    SCOPED_TRACE(one.description);
    const Ran ran = run(one.frame);
    EXPECT_EQ(ran.verdict, one.verdict);
    EXPECT_EQ(ran.frame_class, one.frame_class);
    EXPECT_FALSE(ran.stamped);
    EXPECT_EQ(ran.frame, one.frame);
  }
}

TEST_F(CaptureProgramTest, HandsTheRestToTheSocketStamped) {
  for (const Case& one : ours()) {
    SCOPED_TRACE(one.description);
    const std::int64_t before = monotonic_ns();
    const Ran ran = run(one.frame);
    const std::int64_t after = monotonic_ns();
    EXPECT_EQ(ran.verdict, one.verdict);
    EXPECT_EQ(ran.frame_class, one.frame_class);
    ASSERT_TRUE(ran.stamped);
    EXPECT_EQ(ran.meta.magic, std::uint32_t{HG_META_MAGIC});
    EXPECT_EQ(ran.meta.frame_class, one.frame_class);
    EXPECT_GE(static_cast<std::int64_t>(ran.meta.arrived_ns), before);
    EXPECT_LE(static_cast<std::int64_t>(ran.meta.arrived_ns), after);
    EXPECT_EQ(ran.frame, one.frame);
  }
}

TEST_F(CaptureProgramTest, FramesCutAnywhereAreNeverAborted) {
  std::vector<Case> all = the_kernels();
  const std::vector<Case> more = ours();
  all.insert(all.end(), more.begin(), more.end());
  for (const Case& one : all) {
    SCOPED_TRACE(one.description);
    for (std::size_t length = 14; length < std::min<std::size_t>(one.frame.size(), 100); ++length) {
      const Bytes cut(one.frame.begin(), one.frame.begin() + static_cast<std::ptrdiff_t>(length));
      const Ran ran = run(cut);
      EXPECT_TRUE(ran.verdict == XDP_PASS || ran.verdict == XDP_REDIRECT) << ran.verdict << " at " << length;
      EXPECT_LT(ran.frame_class, std::uint32_t{HG_CLASSES});
      EXPECT_EQ(ran.frame, cut);
    }
  }
}

TEST_F(CaptureProgramTest, WithoutASocketFramesAreDroppedAndCounted) {
  socket_.reset();  // the kernel takes a closed socket out of the map
  const Ran ran = run(ethernet({kRobot}, 0x9999, counting(46)));
  EXPECT_EQ(ran.verdict, std::uint32_t{XDP_DROP});
  EXPECT_EQ(program_->counters().by_outcome[HG_OUTCOME_NO_SOCKET].frames, 1U);
  const Ran ptp = run(ethernet({kPtpGroup}, 0x88f7, counting(44)));
  EXPECT_EQ(ptp.verdict, std::uint32_t{XDP_PASS});
}

TEST_F(CaptureProgramTest, PtpWithoutAServerGoesToTheSocketWithItsTimestamp) {
  load({.ptp_served = false});
  const Ran ran = run(ethernet({kPtpGroup}, 0x88f7, counting(44)));
  EXPECT_EQ(ran.verdict, std::uint32_t{XDP_REDIRECT});
  EXPECT_EQ(ran.frame_class, std::uint32_t{HG_CLASS_PTP});
  EXPECT_TRUE(ran.stamped);
}

// What loading it costs, for each of a gateway's ports.
TEST_F(CaptureProgramTest, TheVerifierDoesNotFollowEachWayThroughTheHeadersToTheEnd) {
  bpf_prog_info info{};
  __u32 size = sizeof info;
  ASSERT_EQ(bpf_obj_get_info_by_fd(program_->fd(), &info, &size), 0);
  if (info.verified_insns == 0) {
    GTEST_SKIP() << "needs Linux 5.16";
  }
  const std::size_t instructions = info.xlated_prog_len / sizeof(bpf_insn);
  EXPECT_LT(info.verified_insns, 8 * instructions);
}

TEST_F(CaptureProgramTest, TakesFramesOfSeveralPages) {
  if (!program_->frags()) {
    GTEST_SKIP() << "a kernel before 5.18";
  }
  const Bytes jumbo = ethernet({kRobot}, 0x0800, ipv4(17, udp(counting(8900), 7)));
  const Ran ran = run(jumbo);
  EXPECT_EQ(ran.verdict, std::uint32_t{XDP_REDIRECT});
  EXPECT_EQ(ran.frame_class, std::uint32_t{HG_CLASS_IPV4});
  EXPECT_TRUE(ran.stamped);
  EXPECT_EQ(ran.frame, jumbo);
}

}  // namespace
}  // namespace hilgate::test

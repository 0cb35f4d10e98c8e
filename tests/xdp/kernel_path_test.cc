// SPDX-License-Identifier: Apache-2.0
// What the kernel does on its own: when the gateway's process is killed or stopped, by hand, and for single links.
#include "xdp/kernel_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>
#include <thread>

#include "tests/support/net_lab.h"
#include "tests/support/packets.h"
#include "tests/support/raw_socket.h"
#include "xdp/af_xdp_port.h"
#include "xdp/xdp_program.h"

namespace hilgate::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::ThrowsMessage;

constexpr std::uint32_t kRobots = 3;
constexpr std::byte kMark{0xaa};  // the gateway's path writes it over the last byte of what it hands on

// A BPF file system of the test's own.
class BpfFileSystem {
 public:
  BpfFileSystem() {
    std::string name = (std::filesystem::temp_directory_path() / "hgt-bpf-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    where_ = name;
    EXPECT_EQ(::mount("bpf", name.c_str(), "bpf", 0, nullptr), 0);
  }
  ~BpfFileSystem() {
    ::umount(where_.c_str());
    ::rmdir(where_.c_str());
  }
  BpfFileSystem(const BpfFileSystem&) = delete;
  BpfFileSystem& operator=(const BpfFileSystem&) = delete;
  [[nodiscard]] std::filesystem::path directory() const { return where_ / "run"; }

 private:
  std::filesystem::path where_;
};

// A gateway that hands every unicast frame to its receiver's port, marked, and others to the next port.
class MarkingGateway {
 public:
  MarkingGateway(const NetLab& lab, const KernelPathConfig& config, FailMode fail, bool decides_links)
      : kernel_(config, robots()) {
    const InNetNs here = lab.gateway().enter();
    for (std::uint32_t n = 0; n < kRobots; ++n) {
      kernel_.set_port(PortSlot{n}, find_interface(lab.port(n)).index);
    }
    for (std::uint32_t n = 0; n < kRobots; ++n) {
      PortConfig port;
      port.interface = lab.port(n);
      port.fail = fail;
      port.ptp_served = true;
      ports_.push_back(
          std::make_unique<AfXdpPort>(memory_, port, clock_, KernelPort{&kernel_, PortSlot{n}, decides_links}));
    }
  }

  void iterate() {
    std::array<Frame, 16> burst;
    for (std::size_t n = 0; n < kRobots; ++n) {
      const std::size_t frames = ports_[n]->capture(burst);
      for (std::size_t i = 0; i < frames; ++i) {
        hand_on(burst[i], n);
      }
    }
    for (const auto& port : ports_) {
      port->flush();
    }
  }

  KernelPath& kernel() { return kernel_; }
  XdpCounters counters(std::size_t port) { return ports_[port]->statistics().program; }

 private:
  static std::vector<KernelRobot> robots() {
    std::vector<KernelRobot> robots;
    for (std::uint32_t n = 0; n < kRobots; ++n) {
      robots.push_back({MacAddress::parse(NetLab::mac(n)).value(), RobotSlot{n}, PortSlot{n}});
    }
    return robots;
  }

  void hand_on(const Frame& frame, std::size_t from) {
    const auto last_byte_of_mac = std::to_integer<std::size_t>(frame.data[5]);
    const std::size_t to = last_byte_of_mac <= kRobots ? last_byte_of_mac - 1 : (from + 1) % kRobots;
    frame.data[frame.length - 1] = kMark;
    if (!ports_[to]->release(frame)) {
      umem_.free(frame);
    }
  }

  TscClock clock_;
  Umem umem_{{.chunks = 2048}};
  XskMemory memory_{umem_, 256, false};
  KernelPath kernel_;
  std::vector<std::unique_ptr<AfXdpPort>> ports_;
};

// A MarkingGateway in a process of its own.
class GatewayProcess {
 public:
  explicit GatewayProcess(const std::function<std::unique_ptr<MarkingGateway>()>& make) {
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe(pipe.data()), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      run(make, pipe[1]);
    }
    ::close(pipe[1]);
    char ready = 0;
    EXPECT_EQ(::read(pipe[0], &ready, 1), 1) << "the gateway did not start";
    ::close(pipe[0]);
  }
  ~GatewayProcess() { kill(); }
  GatewayProcess(const GatewayProcess&) = delete;
  GatewayProcess& operator=(const GatewayProcess&) = delete;

  void signal(int number) const { ::kill(pid_, number); }
  void kill() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
    pid_ = -1;
  }

 private:
  [[noreturn]] static void run(const std::function<std::unique_ptr<MarkingGateway>()>& make, int ready) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
      const auto gateway = make();
      [[maybe_unused]] const ssize_t written = ::write(ready, "r", 1);
      for (;;) {
        gateway->iterate();
      }
    } catch (const std::exception& error) {
      fprintf(stderr, "%s\n", error.what());
    }
    ::_exit(1);
  }

  pid_t pid_ = -1;
};

class KernelPathTest : public testing::Test {
 protected:
  enum class Way { kPath, kKernel, kNone };

  void SetUp() override {
    if (!can_make_namespaces()) {
      GTEST_SKIP() << "needs root";
    }
    lab_ = std::make_unique<NetLab>("wire", std::vector<std::string>{"red", "blue", "green"});
    lab_->silence();
    files_ = std::make_unique<BpfFileSystem>();
    for (std::size_t n = 0; n < kRobots; ++n) {
      // A veth end takes frames that XDP redirects to it only while it polls, which GRO makes it do.
      lab_->robot(n).run_ok("ethtool -K eth0 gro on");
      robots_.push_back(std::make_unique<RawSocket>(lab_->robot(n), "eth0"));
    }
  }

  std::unique_ptr<MarkingGateway> make(FailMode fail, bool decides_links = false, milliseconds stale = seconds{3600}) {
    const KernelPathConfig config{
        .directory = files_->directory(), .ports = kRobots, .robots = kRobots, .stale = stale};
    return std::make_unique<MarkingGateway>(*lab_, config, fail, decides_links);
  }
  std::function<std::unique_ptr<MarkingGateway>()> maker(FailMode fail, milliseconds stale = seconds{3600}) {
    return [this, fail, stale] { return make(fail, false, stale); };
  }

  Bytes frame_to(MacAddress destination) { return ethernet({destination}, 0x9999, Bytes(46, sequence_++ & 0x7f)); }

  // Red sends one frame to blue: how does it get there?
  Way way(milliseconds patience = seconds{5}) {
    const Bytes sent = frame_to(robot_mac(1));
    robots_[0]->send(sent);
    for (;;) {
      const std::optional<Bytes> seen = robots_[1]->receive(patience);
      if (!seen) {
        return Way::kNone;
      }
      if (*seen == sent) {
        return Way::kKernel;
      }
      if ((*seen)[14] == sent[14] && seen->back() == kMark) {
        return Way::kPath;
      }
    }
  }

  // Frames are sent until they go this way; those before may go any.
  bool comes_to_go(Way wanted) {
    const auto deadline = std::chrono::steady_clock::now() + seconds{10};
    while (std::chrono::steady_clock::now() < deadline) {
      if (way(milliseconds{20}) == wanted) {
        return true;
      }
    }
    return false;
  }

  std::string programs() { return lab_->gateway().run_ok("ip link"); }

  std::unique_ptr<NetLab> lab_;
  std::unique_ptr<BpfFileSystem> files_;
  std::vector<std::unique_ptr<RawSocket>> robots_;
  unsigned sequence_ = 0;
};

TEST_F(KernelPathTest, WireCarriesOnWhenTheProcessIsKilled) {
  GatewayProcess gateway(maker(FailMode::kWire));
  EXPECT_EQ(way(), Way::kPath);
  gateway.kill();
  EXPECT_EQ(way(), Way::kKernel);  // the very next frame: the kernel closes the sockets of a dead process
  EXPECT_EQ(way(), Way::kKernel);
}

TEST_F(KernelPathTest, BlockLetsNothingPassWhenTheProcessIsKilled) {
  GatewayProcess gateway(maker(FailMode::kBlock));
  EXPECT_EQ(way(), Way::kPath);
  gateway.kill();
  for (int n = 0; n < 20; ++n) {
    EXPECT_EQ(way(milliseconds{5}), Way::kNone);
  }
  EXPECT_THAT(programs(), HasSubstr("prog/xdp"));
}

TEST_F(KernelPathTest, BlockKeepsTheFramesOfALatePathWaiting) {
  GatewayProcess gateway(maker(FailMode::kBlock, milliseconds{2}));
  EXPECT_EQ(way(), Way::kPath);
  gateway.signal(SIGSTOP);
  EXPECT_EQ(way(milliseconds{50}), Way::kNone);
  EXPECT_EQ(way(milliseconds{50}), Way::kNone);
  gateway.signal(SIGCONT);
  for (int n = 0; n < 2; ++n) {
    const auto seen = robots_[1]->receive(seconds{5});
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->back(), kMark);
  }
}

TEST_F(KernelPathTest, PtpStaysTheKernelsInAFailMode) {
  GatewayProcess gateway(maker(FailMode::kBlock));
  gateway.kill();
  const RawSocket kernel(lab_->gateway(), lab_->port(0));
  const Bytes ptp = ethernet({MacAddress{0x011B'1900'0000}}, 0x88f7, counting(44));
  robots_[0]->send(ptp);
  EXPECT_EQ(kernel.receive(seconds{5}), ptp);
}

TEST_F(KernelPathTest, WireTakesOverFromAPathThatIsLateAndGivesBack) {
  GatewayProcess gateway(maker(FailMode::kWire, milliseconds{50}));
  EXPECT_TRUE(comes_to_go(Way::kPath));
  gateway.signal(SIGSTOP);
  EXPECT_TRUE(comes_to_go(Way::kKernel));
  gateway.signal(SIGCONT);
  EXPECT_TRUE(comes_to_go(Way::kPath));
}

TEST_F(KernelPathTest, TheNextProcessTakesOverWithoutAGap) {
  GatewayProcess first(maker(FailMode::kWire));
  EXPECT_EQ(way(), Way::kPath);
  first.kill();
  std::atomic<bool> stop = false;
  std::atomic<std::uint32_t> sent = 0;
  constexpr milliseconds kBetweenFrames{1};
  std::jthread traffic([&] {
    while (!stop) {
      robots_[0]->send(frame_to(robot_mac(1)));
      ++sent;
      std::this_thread::sleep_for(kBetweenFrames);
    }
  });
  GatewayProcess second(maker(FailMode::kWire));
  const std::uint32_t at_takeover = sent;
  while (sent < at_takeover + 20) {
    std::this_thread::yield();
  }
  stop = true;
  traffic.join();
  std::uint32_t by_path = 0;
  for (std::uint32_t n = 0; n < sent; ++n) {
    const std::optional<Bytes> seen = robots_[1]->receive(seconds{5});
    ASSERT_TRUE(seen) << n << " of " << sent;
    by_path += seen->back() == kMark ? 1 : 0;
  }
  EXPECT_GE(by_path, 20U);
}

TEST_F(KernelPathTest, DetachFreesTheInterfacesOfADeadGatewayOnly) {
  GatewayProcess gateway(maker(FailMode::kWire));
  EXPECT_THAT([&] { KernelPath::detach(files_->directory()); },
              ThrowsMessage<std::runtime_error>(HasSubstr("is running; stop it first")));
  gateway.kill();
  EXPECT_THAT(programs(), HasSubstr("prog/xdp"));
  // Its heartbeat must be stale, for which detach() waits: this one's would be only in an hour.
  { GatewayProcess{maker(FailMode::kWire, milliseconds{2})}; }
  EXPECT_THAT(KernelPath::detach(files_->directory()), ElementsAre("hg-blue", "hg-green", "hg-red"));
  EXPECT_THAT(programs(), Not(HasSubstr("prog/xdp")));
  EXPECT_FALSE(std::filesystem::exists(files_->directory()));
  EXPECT_THAT(KernelPath::detach(files_->directory()), IsEmpty());
}

// A NIC drops unicast frames for other addresses, and a cable must not.
TEST_F(KernelPathTest, WiredInterfacesStayPromiscuousUntilDetach) {
  const auto promiscuous = [&](std::size_t n) {
    return lab_->gateway().run_ok("ip link show " + lab_->port(n)).find("PROMISC") != std::string::npos;
  };
  lab_->gateway().run_ok("ip link set hg-green promisc on");  // by somebody else
  { GatewayProcess{maker(FailMode::kWire, milliseconds{2})}; }
  EXPECT_TRUE(promiscuous(0));
  EXPECT_TRUE(promiscuous(1));
  { GatewayProcess{maker(FailMode::kBlock, milliseconds{2})}; }  // needs none
  EXPECT_FALSE(promiscuous(0));
  { GatewayProcess{maker(FailMode::kWire, milliseconds{2})}; }
  { GatewayProcess{maker(FailMode::kWire, milliseconds{2})}; }  // finds the flag of the one before
  EXPECT_TRUE(promiscuous(0));
  const InNetNs here = lab_->gateway().enter();
  KernelPath::detach(files_->directory());
  EXPECT_FALSE(promiscuous(0));
  EXPECT_FALSE(promiscuous(1));
  EXPECT_TRUE(promiscuous(2));
  EXPECT_FALSE(std::filesystem::exists(files_->directory()));
}

TEST_F(KernelPathTest, WireByHandFromOutsideOutlivesARestart) {
  EXPECT_THAT([&] { KernelPath::set_wired(files_->directory(), true); },
              ThrowsMessage<std::runtime_error>(HasSubstr("no gateway with a fail mode has maps in")));
  GatewayProcess first(maker(FailMode::kBlock));
  KernelPath::set_wired(files_->directory(), true);
  EXPECT_EQ(way(), Way::kKernel);
  first.kill();
  GatewayProcess second(maker(FailMode::kBlock));
  EXPECT_EQ(way(), Way::kKernel);
  KernelPath::set_wired(files_->directory(), false);
  EXPECT_EQ(way(), Way::kPath);
}

// A gateway in this process: the test turns its loop on a thread.
class RunningGatewayTest : public KernelPathTest {
 protected:
  void start(FailMode fail, bool decides_links) {
    gateway_ = make(fail, decides_links);
    loop_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        gateway_->iterate();
      }
    });
  }
  void TearDown() override {
    if (loop_.joinable()) {
      loop_.request_stop();
      loop_.join();
    }
    gateway_.reset();
  }

  std::unique_ptr<MarkingGateway> gateway_;
  std::jthread loop_;
};

TEST_F(RunningGatewayTest, WireIsACableBetweenAllPorts) {
  start(FailMode::kNone, false);
  gateway_->kernel().set_wired(true);
  const Bytes to_blue = frame_to(robot_mac(1));
  robots_[0]->send(to_blue);
  EXPECT_EQ(robots_[1]->receive(seconds{5}), to_blue);
  EXPECT_FALSE(robots_[2]->receive(milliseconds{20}));
  for (const MacAddress everybody : {kBroadcast, MacAddress{0x3333'0000'0001}, MacAddress{0x0209'0909'0909}}) {
    const Bytes frame = frame_to(everybody);  // the last is a MAC that no robot is known by
    robots_[0]->send(frame);
    EXPECT_EQ(robots_[1]->receive(seconds{5}), frame);
    EXPECT_EQ(robots_[2]->receive(seconds{5}), frame);
    EXPECT_FALSE(robots_[0]->receive(milliseconds{20}));
  }
  robots_[0]->send(frame_to(robot_mac(0)));  // to itself
  EXPECT_FALSE(robots_[1]->receive(milliseconds{20}));
  EXPECT_EQ(gateway_->counters(0).by_outcome[HG_OUTCOME_WIRED].frames, 5U);
  EXPECT_EQ(gateway_->counters(0).by_outcome[HG_OUTCOME_SOCKET].frames, 0U);
}

TEST_F(RunningGatewayTest, WireTakesFramesFromThePortsOwnRobotsAlone) {
  start(FailMode::kNone, false);
  gateway_->kernel().set_wired(true);
  const auto from = [](MacAddress source) { return ethernet({robot_mac(1), source}, 0x9999, Bytes(46)); };
  const MacAddress made_up{0x0209'0909'0909};
  for (const MacAddress source : {robot_mac(2), made_up, kBroadcast}) {
    robots_[0]->send(from(source));
    EXPECT_FALSE(robots_[1]->receive(milliseconds{20})) << source.text();
  }
  EXPECT_EQ(gateway_->counters(0).by_outcome[HG_OUTCOME_SPOOFED].frames, 3U);
  EXPECT_EQ(gateway_->counters(0).by_outcome[HG_OUTCOME_WIRED].frames, 0U);
  // A robot without a known address is who sends on its port, but nobody else's.
  gateway_->kernel().set_robots({KernelRobot::without_address(RobotSlot{0}, PortSlot{0}),
                                 {robot_mac(1), RobotSlot{1}, PortSlot{1}},
                                 {robot_mac(2), RobotSlot{2}, PortSlot{2}}});
  robots_[0]->send(from(made_up));
  EXPECT_EQ(robots_[1]->receive(seconds{5}), from(made_up));
  robots_[0]->send(from(robot_mac(2)));
  EXPECT_FALSE(robots_[1]->receive(milliseconds{20}));
}

TEST_F(RunningGatewayTest, LinksDecidedInTheKernel) {
  start(FailMode::kNone, true);
  const RobotSlot red{0};
  const RobotSlot blue{1};
  EXPECT_EQ(way(), Way::kPath);
  gateway_->kernel().set_link(red, blue, LinkDecision::kPass);
  EXPECT_EQ(way(), Way::kKernel);
  gateway_->kernel().set_link(red, blue, LinkDecision::kDrop);
  EXPECT_EQ(way(milliseconds{50}), Way::kNone);
  EXPECT_EQ(gateway_->kernel().link_counter(red, blue).frames, 2U);
  EXPECT_EQ(gateway_->kernel().link_counter(red, blue).bytes, 2U * 60U);
  EXPECT_EQ(gateway_->kernel().link_counter(blue, red).frames, 0U);
  EXPECT_EQ(gateway_->counters(0).by_outcome[HG_OUTCOME_LINK_PASS].frames, 1U);
  EXPECT_EQ(gateway_->counters(0).by_outcome[HG_OUTCOME_LINK_DROP].frames, 1U);
  robots_[0]->send(frame_to(kBroadcast));  // every receiver has a link of its own: the path's business
  EXPECT_EQ(robots_[1]->receive(seconds{5}).value().back(), kMark);
  Bytes spoofed = frame_to(robot_mac(1));
  spoofed[11] = std::byte{3};  // red's port, green's MAC
  gateway_->kernel().set_link(RobotSlot{2}, blue, LinkDecision::kPass);
  robots_[0]->send(spoofed);
  EXPECT_EQ(robots_[1]->receive(seconds{5}).value().back(), kMark);
  gateway_->kernel().set_link(red, blue, LinkDecision::kUser);
  EXPECT_EQ(way(), Way::kPath);
}

// Numbers and names of interfaces are unique in a network namespace alone.
TEST_F(KernelPathTest, AnInterfaceOfAnotherNamespaceIsNotKept) {
  const std::string run = "hgt-namespaces-" + std::to_string(::getpid());
  for (const std::size_t n : {0U, 1U}) {
    lab_->robot(n).run_ok("ip link add hg-same index 4242 type veth peer name hg-peer");
  }
  KernelPath kernel({.directory = kernel_path_directory(run), .ports = 1, .robots = 1, .stale = milliseconds{2}}, {});
  std::optional<XdpProgram> program;
  {
    const InNetNs here = lab_->robot(0).enter();
    const Interface kept = find_interface("hg-same");
    program.emplace(kept, XdpProgramConfig{.fail = FailMode::kBlock, .kernel = &kernel});
    program->attach(XdpMode::kAuto);
    const auto keeper = run_that_keeps(kept);
    ASSERT_TRUE(keeper);
    EXPECT_EQ(keeper->name, run);
  }
  {
    const InNetNs here = lab_->robot(1).enter();
    EXPECT_FALSE(run_that_keeps(find_interface("hg-same")));
  }
  const InNetNs here = lab_->robot(0).enter();
  program.reset();
  EXPECT_THAT(KernelPath::detach(kernel_path_directory(run)), ElementsAre("hg-same"));
}

TEST(KernelPath, RefusesNumbersOutOfRange) {
  if (!can_make_namespaces()) {
    GTEST_SKIP() << "needs root";
  }
  EXPECT_THAT([] { KernelPath({.ports = 1, .robots = 0}, {}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("1 ports and 0 robots; allowed: at least one of each")));
  EXPECT_THAT([] { KernelPath({.ports = 1, .robots = 1, .stale = milliseconds{1}}, {}); },
              ThrowsMessage<std::runtime_error>(HasSubstr("stale after 1 ms; allowed: 2 ms to 1 h")));
  KernelPath path({.ports = 1, .robots = 2}, {});
  EXPECT_THAT([&] { path.set_link(RobotSlot{0}, RobotSlot{2}, LinkDecision::kDrop); },
              ThrowsMessage<std::runtime_error>(HasSubstr("robot 2 of 2")));
  std::vector<KernelRobot> many;
  for (std::uint64_t mac = 0; mac <= KernelPath::kSpareMacs; ++mac) {
    many.push_back({MacAddress{0x0268'6700'0000U + mac}, RobotSlot{0}, PortSlot{0}});
  }
  EXPECT_THAT([&] { path.set_robots(many); },
              ThrowsMessage<std::runtime_error>(HasSubstr("257 MAC addresses, but the table")));
  many.pop_back();
  path.set_robots(many);
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
// What a port says when it cannot be opened, and what it leaves behind when its process is killed.
#include <bpf/bpf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <stdexcept>
#include <string>

#include "tests/xdp/port_bench.h"
#include "xdp/attached_program.h"
#include "xdp/xdp_program.h"

namespace hilgate::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::ThrowsMessage;

class PortErrorsTest : public PortBench {
 protected:
  PortConfig port_on(const std::string& interface, XdpMode mode = XdpMode::kAuto) {
    PortConfig config;
    config.interface = interface;
    config.xdp = mode;
    return config;
  }

  void expect_refused(const PortConfig& config, const testing::Matcher<std::string>& why) {
    EXPECT_THAT([&] { add_port(config); }, ThrowsMessage<std::runtime_error>(why));
    EXPECT_EQ(umem().available(), kChunks) << "a refused port keeps nothing";
  }

  // What opening a port says in a child process that has given something up before.
  std::string refusal_in_child(const std::function<void()>& give_up) {
    std::array<int, 2> pipe{};
    EXPECT_EQ(::pipe(pipe.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      const InNetNs here = lab().gateway().enter();
      give_up();
      std::string message = "opened";
      try {
        const AfXdpPort port(memory(), port_on(lab().port(0)), clock());
      } catch (const std::runtime_error& error) {
        message = error.what();
      }
      [[maybe_unused]] const ssize_t written = ::write(pipe[1], message.data(), message.size());
      ::_exit(0);
    }
    ::close(pipe[1]);
    std::string message(4096, '\0');
    const ssize_t length = ::read(pipe[0], message.data(), message.size());
    message.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    ::close(pipe[0]);
    ::waitpid(child, nullptr, 0);
    return message;
  }
};

void drop_capability(int number) {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> data{};
  ::syscall(SYS_capget, &header, data.data());
  for (const int one : {number, CAP_SYS_ADMIN}) {  // which includes the others on older kernels
    data[static_cast<std::size_t>(one) / 32].effective &= ~(1U << (one % 32));
  }
  ::syscall(SYS_capset, &header, data.data());
}

void keep_capabilities(std::initializer_list<int> numbers) {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, 2> data{};
  for (const int one : numbers) {
    data[static_cast<std::size_t>(one) / 32].effective |= 1U << (one % 32);
    data[static_cast<std::size_t>(one) / 32].permitted |= 1U << (one % 32);
  }
  ::syscall(SYS_capset, &header, data.data());
}

TEST_F(PortErrorsTest, NoSuchInterface) {
  open({}, 0);
  expect_refused(port_on("eth7"), HasSubstr("interface eth7 does not exist; existing: lo, hg-red"));
  expect_refused(port_on("a-name-that-is-much-too-long"), HasSubstr("does not exist; existing: lo, hg-red, hg-blue"));
}

TEST_F(PortErrorsTest, AnInterfaceThatIsDownIsSetUp) {
  open({}, 0);
  lab().gateway().run_ok("ip link set hg-red down");
  EXPECT_NO_THROW(add_port(port_on("hg-red")));
  EXPECT_EQ(port(0).link().state, PortState::kUp);
}

TEST_F(PortErrorsTest, AnotherProgramIsAttached) {
  open({}, 0);
  const InNetNs here = lab().gateway().enter();
  XdpProgram other(find_interface("hg-red"), {});
  other.attach(XdpMode::kNative);
  expect_refused(port_on("hg-red"),
                 MatchesRegex("interface hg-red: another XDP program is attached: id [0-9]+ \\(hg_capture\\); stop its "
                              "owner, or run `ip link set dev hg-red xdp off`"));
}

TEST_F(PortErrorsTest, TheProgramOfAnInterfaceIsItsOwn) {
  open({}, 0);
  const InNetNs here = lab().gateway().enter();
  const Interface red = find_interface("hg-red");
  EXPECT_EQ(attached_program(red.index).id, 0U);
  for (const XdpMode mode : {XdpMode::kNative, XdpMode::kGeneric}) {
    XdpProgram program(red, {});
    program.attach(mode);
    bpf_prog_info info{};
    __u32 size = sizeof info;
    ASSERT_EQ(bpf_obj_get_info_by_fd(program.fd(), &info, &size), 0);
    EXPECT_EQ(attached_program(red.index).id, info.id);
    EXPECT_EQ(attached_program(red.index).native, mode == XdpMode::kNative);
    EXPECT_EQ(attached_program(find_interface("hg-blue").index).id, 0U);
    program.detach();
  }
  EXPECT_EQ(attached_program(red.index).id, 0U);
  EXPECT_EQ(attached_program(1'000'000).id, 0U) << "no such interface";
}

TEST_F(PortErrorsTest, AnotherSocketIsBound) {
  open({}, 0);
  const InNetNs here = lab().gateway().enter();
  Umem other({.chunks = 256});
  XskMemory memory(other, 64, false);
  const XskSocket socket(memory, find_interface("hg-red"), 0);
  expect_refused(port_on("hg-red"), HasSubstr("queue 0: bind: another AF_XDP socket is bound to this queue"));
}

TEST_F(PortErrorsTest, OpensAgainAtOnce) {
  open();
  for (int n = 0; n < 20; ++n) {
    close_ports();
    ASSERT_NO_THROW(add_port(port_on(lab().port(0))));
    ASSERT_NO_THROW(add_port(port_on(lab().port(1))));
  }
}

TEST_F(PortErrorsTest, NativeWhereTheDriverHasNone) {
  open({}, 0);
  lab().gateway().run_ok("ip link add br0 type bridge && ip link set br0 up");
  expect_refused(port_on("br0", XdpMode::kNative),
                 HasSubstr("interface br0: the driver (bridge) does not support XDP"));
}

TEST_F(PortErrorsTest, NativeWhereTheDriverForgetsIt) {
  open({}, 0);
  const InNetNs here = lab().gateway().enter();
  Interface interface = find_interface("hg-red");
  interface.driver = "vmxnet3";
  XdpProgram automatic(interface, {});
  automatic.attach(XdpMode::kAuto);
  EXPECT_FALSE(automatic.native());
  EXPECT_EQ(automatic.fallback_reason(),
            "the driver (vmxnet3) forgets a native XDP program when the interface was down");
  XdpProgram native(interface, {});
  EXPECT_THAT([&] { native.attach(XdpMode::kNative); },
              ThrowsMessage<std::runtime_error>(HasSubstr("interface hg-red: the driver (vmxnet3) forgets a native")));
}

TEST_F(PortErrorsTest, ZeroCopyWhereTheDriverHasNone) {
  open({}, 0);
  const InNetNs here = lab().gateway().enter();
  const std::vector<PortConfig> two = {port_on("hg-red", XdpMode::kZeroCopy), port_on("hg-blue")};
  EXPECT_THAT([&] { choose_mode(two, 4096); },
              ThrowsMessage<std::runtime_error>(testing::AllOf(
                  HasSubstr("interface hg-red: mode zero-copy is not possible"),
                  HasSubstr("interface hg-red: queue 0: bind: the driver has no zero-copy mode; use mode auto"))));
  const std::vector<PortConfig> any = {port_on("hg-red"), port_on("hg-blue")};
  EXPECT_FALSE(choose_mode(any, 4096).mode.zero_copy);
  EXPECT_TRUE(choose_mode(any, 4096).mode.multi_buffer);
  EXPECT_EQ(choose_mode(any, 4096).advice, "");
}

// An MTU of 1500 B and 2048 B for a buffer with its headroom: 82576 and I225 would take 1024 of them.
TEST(ZeroCopy, BufferSizesAreRoundedToKilobytesForTheNic) {
  const Umem usual({.chunks = 64, .chunk_size = 2048});
  const Umem large({.chunks = 64, .chunk_size = 4096});
  EXPECT_EQ(longest_in_one_buffer(usual.segment_capacity()), 1024U);
  EXPECT_EQ(longest_in_one_buffer(large.segment_capacity()), 2048U);
}

TEST_F(PortErrorsTest, NotEnoughMemoryForTheRings) {
  open({}, 0);
  std::vector<std::uint64_t> taken(kChunks - kRing + 1);
  umem().allocate(taken);
  EXPECT_THAT([&] { add_port(port_on("hg-red")); },
              ThrowsMessage<std::runtime_error>(HasSubstr("1 rx queues need 512 chunks of frame memory each; 511")));
}

TEST_F(PortErrorsTest, NamesTheMissingCapability) {
  open({}, 0);
  EXPECT_THAT(refusal_in_child([] { drop_capability(CAP_BPF); }),
              testing::AllOf(HasSubstr("loading an XDP program needs CAP_BPF"), HasSubstr("AmbientCapabilities=")));
  EXPECT_THAT(refusal_in_child([] { drop_capability(CAP_PERFMON); }),
              HasSubstr("loading an XDP program needs CAP_PERFMON"));
  EXPECT_THAT(refusal_in_child([] { drop_capability(CAP_NET_RAW); }), HasSubstr("an AF_XDP socket needs CAP_NET_RAW"));
  EXPECT_THAT(refusal_in_child([] { drop_capability(CAP_NET_ADMIN); }), HasSubstr("needs CAP_NET_ADMIN"));
  EXPECT_EQ(refusal_in_child([] {}), "opened");
}

TEST_F(PortErrorsTest, OpensWithTheServicesCapabilitiesAlone) {
  open({}, 0);
  const auto the_services = [] { keep_capabilities({CAP_NET_ADMIN, CAP_NET_RAW, CAP_BPF, CAP_PERFMON, CAP_IPC_LOCK}); };
  EXPECT_EQ(refusal_in_child(the_services), "opened");
}

TEST_F(PortErrorsTest, NamesTheMemoryLimit) {
  open({}, 0);
  const auto no_memory = [] {
    drop_capability(CAP_IPC_LOCK);
    const rlimit small{1 << 20, 1 << 20};
    ::setrlimit(RLIMIT_MEMLOCK, &small);
  };
  EXPECT_THAT(refusal_in_child(no_memory),
              testing::AllOf(HasSubstr("may not lock 8 MiB"), HasSubstr("CAP_IPC_LOCK"), HasSubstr("LimitMEMLOCK=")));
}

TEST_F(PortErrorsTest, AKilledProcessLeavesNothingAttached) {
  open({}, 0);
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    add_port(port_on("hg-red"));
    add_port(port_on("hg-blue", XdpMode::kGeneric));
    [[maybe_unused]] const ssize_t written = ::write(pipe[1], "r", 1);
    ::pause();
    ::_exit(0);
  }
  ::close(pipe[1]);
  char ready = 0;
  ASSERT_EQ(::read(pipe[0], &ready, 1), 1);
  ::close(pipe[0]);
  const auto links = [&] { return lab().gateway().run_ok("ip link"); };
  EXPECT_THAT(links(), testing::AllOf(HasSubstr("prog/xdp"), HasSubstr("xdpgeneric")));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  const auto deadline = std::chrono::steady_clock::now() + seconds{5};
  while (links().find("xdp ") != std::string::npos && std::chrono::steady_clock::now() < deadline) {
  }
  EXPECT_THAT(links(), testing::AllOf(Not(HasSubstr("prog/xdp")), Not(HasSubstr("xdpgeneric"))));
  add_port(port_on("hg-red"));
}

}  // namespace
}  // namespace hilgate::test

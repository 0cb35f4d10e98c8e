// SPDX-License-Identifier: Apache-2.0
// The program that reads the driver's receive timestamps, in a veth: its driver has the call, and no time.
#include <bpf/bpf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <array>
#include <cstring>
#include <memory>
#include <optional>

#include "tests/xdp/port_bench.h"
#include "tests/xdp/program_run.h"
#include "xdp/attached_program.h"
#include "xdp/xdp_program.h"
#include "xdp/xsk_session.h"

namespace hilgate::test {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint32_t kTimedChunks = 1024;
constexpr std::uint32_t kTimedRing = 128;

// A session with that program, on the gateway's end of a robot's veth.
class TimedArrivals : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_make_namespaces()) {
      GTEST_SKIP() << "needs root";
    }
    lab_ = std::make_unique<NetLab>("xdp", std::vector<std::string>{"red"}, VethOptions{});
    lab_->silence();
  }

  /// False where the kernel does not have it.
  bool open() {
    const InNetNs here = lab_->gateway().enter();
    const Interface interface = find_interface(lab_->port(0));
    program_ = std::make_unique<XdpProgram>(interface, XdpProgramConfig{.timed = true});
    program_->attach(XdpMode::kNative);
    if (!program_->timed()) {
      EXPECT_THAT(program_->untimed_reason(), HasSubstr("takes no XDP program that reads receive timestamps"));
      return false;
    }
    session_ = std::make_unique<XskSession>(
        SessionPlace{memory_, umem_, umem_.add_port(), clock_, counters_, stamps_, arrivals_}, interface);
    session_->refill();
    session_->each_socket([this](std::uint32_t queue, int socket) {
      socket_ = socket;
      program_->set_socket(queue, socket);
    });
    robot_ = std::make_unique<RawSocket>(lab_->robot(0), "eth0");
    return true;
  }

  /// A frame of the robot, in the ring of the socket.
  void arrives() {
    robot_->send(ethernet({robot_mac(0)}, 0x9999, counting(100)));
    pollfd waits{.fd = socket_, .events = POLLIN, .revents = 0};
    ASSERT_EQ(::poll(&waits, 1, 5000), 1);
  }

  std::optional<Frame> capture() {
    std::array<Frame, 1> burst;
    return session_->capture(burst) == 1 ? std::optional(burst[0]) : std::nullopt;
  }

  /// What a driver with a clock would have answered: CLOCK_MONOTONIC's `before` the program ran, in frames not
  /// captured.
  std::size_t answer_for_the_driver(Nanoseconds before) {
    std::size_t answered = 0;
    for (std::uint32_t chunk = 0; chunk < kTimedChunks; ++chunk) {
      std::byte* const place = umem_.data(std::uint64_t{chunk} * 2048 + Umem::kHeadroom - sizeof(hg_timed_meta));
      hg_timed_meta meta{};
      std::memcpy(&meta, place, sizeof meta);
      if (meta.frame.magic == HG_META_MAGIC_TIMED) {
        meta.device_ns = static_cast<std::int64_t>(meta.frame.arrived_ns) - before.count();
        std::memcpy(place, &meta, sizeof meta);
        ++answered;
      }
    }
    return answered;
  }

  Umem umem_{{.chunks = kTimedChunks}};
  XskMemory memory_{umem_, kTimedRing, false};
  TscClock clock_;
  PortCounters counters_;
  PortStamps stamps_;
  PortArrivals arrivals_;
  std::unique_ptr<NetLab> lab_;
  std::unique_ptr<XdpProgram> program_;
  std::unique_ptr<XskSession> session_;
  std::unique_ptr<RawSocket> robot_;
  int socket_ = -1;
};

TEST_F(TimedArrivals, OfADriverWithoutATimeAreTheKernels) {
  if (!open()) {
    GTEST_SKIP() << program_->untimed_reason();
  }
  const HostTime before = clock_.now();
  arrives();
  const std::optional<Frame> frame = capture();
  ASSERT_TRUE(frame);
  EXPECT_GE(frame->arrived, before - microseconds{100});
  EXPECT_LE(frame->arrived, clock_.now());
  EXPECT_EQ(arrivals_.missing.get(), 1U);
  EXPECT_EQ(arrivals_.error.load(), 0);
  EXPECT_EQ(arrivals_.by_device.get() + arrivals_.unusable.get(), 0U);
  EXPECT_EQ(counters_.stamped_late.get(), 0U);
}

// A chunk takes turns: the program's note with the device's time as a frame comes, the request and the kernel's
// timestamp as it goes.
TEST_F(TimedArrivals, ShareTheHeadroomWithTransmitMetadata) {
  if (!open()) {
    GTEST_SKIP() << program_->untimed_reason();
  }
  if (!memory_.no_timestamps().empty()) {
    GTEST_SKIP() << memory_.no_timestamps();
  }
  arrivals_.line.store({.line = {}, .margin = microseconds{1}, .valid = true});
  StampClock kernel({}, StampClock::Of::kKernel);
  constexpr Nanoseconds kBefore{3'000};
  for (std::uint32_t n = 1; n <= 3 * kTimedChunks; ++n) {
    ASSERT_NO_FATAL_FAILURE(arrives());
    ASSERT_EQ(answer_for_the_driver(kBefore), 1U) << "the last frame has left nothing that looks like a note";
    hg_timed_meta note{};
    const std::optional<Frame> frame = capture();
    ASSERT_TRUE(frame);
    std::memcpy(&note, frame->data - sizeof note, sizeof note);
    EXPECT_EQ(note.frame.magic, 0U);
    const Nanoseconds age = clock_.now() - frame->arrived;
    ASSERT_GE(age, kBefore) << n;
    ASSERT_TRUE(session_->release(*frame, clock_.now()));
    stamps_.line.store(kernel.refresh(clock_.last_error()));
    session_->flush();
    ASSERT_EQ(stamps_.totals.load().count(), n);
    ASSERT_TRUE(robot_->receive(seconds{5}));
  }
  EXPECT_EQ(arrivals_.by_device.get(), 3 * kTimedChunks);
  EXPECT_EQ(arrivals_.missing.get() + arrivals_.unusable.get() + counters_.stamped_late.get(), 0U);
  const StampTotals left = stamps_.totals.load();
  EXPECT_EQ(left.requested, 3 * kTimedChunks);
  EXPECT_EQ(left.missing + left.unusable + left.early, 0U);
}

TEST_F(TimedArrivals, AreLeftOutInGenericMode) {
  const InNetNs here = lab_->gateway().enter();
  XdpProgram program(find_interface(lab_->port(0)), {.timed = true});
  program.attach(XdpMode::kGeneric);
  EXPECT_FALSE(program.timed());
  EXPECT_THAT(program.untimed_reason(), testing::Not(IsEmpty()));
  EXPECT_TRUE(run_program(program.fd(), std::array<std::byte, 64>{})) << "bound to no device";
}

// A run that takes over the program of an earlier one, whatever the two of them read.
TEST_F(TimedArrivals, ReplaceAProgramWithoutThemAndAreReplacedByIt) {
  const std::string run = "hgt-timed-" + std::to_string(::getpid());
  const InNetNs here = lab_->gateway().enter();
  const Interface interface = find_interface(lab_->port(0));
  for (const XdpMode mode : {XdpMode::kNative, XdpMode::kGeneric}) {
    KernelPath kernel(
        {.directory = kernel_path_directory(run), .ports = 1, .robots = 1, .stale = std::chrono::milliseconds{2}}, {});
    for (const bool timed : {false, true, false}) {
      XdpProgram program(interface, {.fail = FailMode::kBlock, .timed = timed, .kernel = &kernel});
      program.attach(mode);
      EXPECT_EQ(program.attached_to(), interface.index);
      EXPECT_EQ(program.native(), mode == XdpMode::kNative);
      EXPECT_LE(program.timed(), timed && mode == XdpMode::kNative);
    }
    EXPECT_THAT(KernelPath::detach(kernel_path_directory(run)), testing::ElementsAre(interface.name));
  }
}

}  // namespace
}  // namespace hilgate::test

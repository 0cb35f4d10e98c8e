// SPDX-License-Identifier: Apache-2.0
// A line on real pseudo-terminals, at times that the test says.
#include "serial/serial_line.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <filesystem>

#include "clock/host_now.h"
#include "frame/serial_frame.h"
#include "tests/serial/serial_bytes.h"
#include "tests/support/as_nobody.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class SerialLineTest : public testing::Test {
 protected:
  SerialLineTest() : link_(fs::temp_directory_path() / fmt::format("hgt-line-{}", ::getpid())) {}
  ~SerialLineTest() override {
    std::error_code none;
    fs::remove(link_, none);
  }

  SerialLine& make(const SerialPortConfig& config = {}) {
    line_ = std::make_unique<SerialLine>(PortSlot{1}, config, Tty::pseudo(link_), exchange_);
    return *line_;
  }
  FileDescriptor open() const {
    return FileDescriptor(checked(::open(link_.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC), "the terminal"));
  }
  void run(Nanoseconds length) {
    for (const HostTime end = now_ + length; now_ < end; now_ += 1ms) {
      line_->advance(now_);
    }
  }
  // What has been written, `most` bytes of it; the kernel hands it over when it gets to it.
  static Bytes read(const FileDescriptor& terminal, std::size_t most) {
    Bytes all;
    pollfd come{.fd = terminal.get(), .events = POLLIN, .revents = 0};
    while (all.size() < most && ::poll(&come, 1, 5000) == 1) {
      Bytes some(most - all.size());
      const ssize_t count = ::read(terminal.get(), some.data(), some.size());
      some.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }
  static bool silent(const FileDescriptor& terminal) {
    pollfd come{.fd = terminal.get(), .events = POLLIN, .revents = 0};
    return ::poll(&come, 1, 50) == 0;
  }
  static void write(const FileDescriptor& terminal, const Bytes& bytes) {
    ASSERT_EQ(::write(terminal.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  // As the packet loop does.
  void receive(const Bytes& bytes, EtherType type = kLineStream) {
    SerialPacket* const packet = exchange_.to_line.claim();
    ASSERT_NE(packet, nullptr);
    std::ranges::copy(serial_header(PortSlot{1}, type), packet->bytes.begin());
    std::ranges::copy(bytes, packet->bytes.begin() + kEthernetHeader);
    packet->length = static_cast<std::uint32_t>(kEthernetHeader + bytes.size());
    exchange_.to_line.publish();
  }
  std::optional<Bytes> sent() {
    const SerialPacket* packet = exchange_.to_radio.front();
    if (packet == nullptr) {
      return std::nullopt;
    }
    const Bytes bytes(packet->payload().begin(), packet->payload().end());
    exchange_.to_radio.drop_front();
    return bytes;
  }
  void ask() {
    exchange_.most = 250;
    ++exchange_.asked;
  }

  fs::path link_;
  LoopWaker waker_;
  SerialExchange exchange_{waker_};
  HostTime now_ = host_now();
  std::unique_ptr<SerialLine> line_;
};

TEST_F(SerialLineTest, BytesComeInAtTheRateOfTheLine) {
  make();
  const FileDescriptor terminal = open();
  write(terminal, Bytes(1000, std::byte{'x'}));
  run(100ms);
  EXPECT_NEAR(static_cast<double>(line_->counters().in.get()), 576, 12);
  EXPECT_EQ(line_->free_percent(), 100 - 100 * line_->counters().in.get() / 2048 - 1);
  run(200ms);
  EXPECT_EQ(line_->counters().in.get(), 1000U);
}

TEST_F(SerialLineTest, BytesGoOutAtTheRateOfTheLine) {
  make();
  const FileDescriptor terminal = open();
  run(2ms);
  ASSERT_TRUE(exchange_.open);
  for (int i = 0; i < 4; ++i) {
    receive(Bytes(250, std::byte{'y'}));
  }
  run(100ms);
  EXPECT_NEAR(static_cast<double>(line_->counters().out.get()), 576, 12);
  run(100ms);
  EXPECT_EQ(read(terminal, 1000).size(), 1000U);
  EXPECT_EQ(line_->counters().out.get(), 1000U);
  EXPECT_EQ(line_->counters().from_radio.get(), 1000U);
}

TEST_F(SerialLineTest, PacketsAreMadeWhenTheRadioAsks) {
  make();
  const FileDescriptor terminal = open();
  const Bytes a = mavlink2_like(30, 1);
  const Bytes b = mavlink2_like(40, 2);
  write(terminal, joined({a, b}));
  run(50ms);
  EXPECT_FALSE(sent());
  ask();
  EXPECT_TRUE(line_->called());
  run(1ms);
  EXPECT_EQ(sent(), joined({a, b}));
  EXPECT_FALSE(line_->called());
}

TEST_F(SerialLineTest, WithoutFlowControlAFullBufferLosesBytesAndCountsThem) {
  make({.device = {}, .baud = 115'200, .buffer_bytes = 512});
  const FileDescriptor terminal = open();
  write(terminal, Bytes(2000, std::byte{'x'}));
  run(400ms);
  EXPECT_EQ(line_->counters().in.get(), 2000U);
  EXPECT_EQ(line_->counters().overflow.get(), 2000U - 512U);
  EXPECT_EQ(line_->free_percent(), 0);
}

TEST_F(SerialLineTest, WithFlowControlNothingIsLost) {
  make({.device = {}, .flow = SerialFlow::kRtsCts, .framing = SerialFraming::kRaw, .buffer_bytes = 512});
  const FileDescriptor terminal = open();
  write(terminal, Bytes(2000, std::byte{'x'}));
  run(400ms);
  EXPECT_EQ(line_->counters().in.get(), 512 - SerialLine::kReserve);
  EXPECT_FALSE(line_->watched()) << "it would be readable all the time";
  std::size_t total = 0;
  for (int i = 0; i < 9; ++i) {
    ask();
    run(100ms);
    total += sent().value_or(Bytes{}).size();
  }
  EXPECT_EQ(total, 2000U);
  EXPECT_EQ(line_->counters().overflow.get(), 0U);
}

TEST_F(SerialLineTest, OtherEndClosesAndReturns) {
  make();
  run(2ms);
  EXPECT_FALSE(exchange_.open);
  EXPECT_NE(line_->problem().find("no program has " + link_.string()), std::string::npos) << line_->problem();
  {
    const FileDescriptor terminal = open();
    run(150ms);
    EXPECT_TRUE(exchange_.open);
    EXPECT_EQ(line_->problem(), "");
    receive(Bytes(250, std::byte{'o'}));
    write(terminal, mavlink2_like(9, 1));
    run(10ms);
  }
  run(20ms);
  EXPECT_FALSE(exchange_.open);
  EXPECT_EQ(line_->counters().closings.get(), 1U);
  receive(Bytes(100, std::byte{'o'}));
  run(2ms);
  const SerialCounters& counters = line_->counters();
  EXPECT_EQ(counters.from_radio.get(), counters.out.get() + counters.closed.get());
  EXPECT_EQ(counters.in.get(), 21U) << "what was written before still counts";
  const FileDescriptor again = open();
  run(150ms);
  EXPECT_TRUE(exchange_.open);
  EXPECT_TRUE(silent(again)) << "nothing of what was for somebody else";
  receive(mavlink2_like(9, 2));
  run(10ms);
  EXPECT_EQ(read(again, 21), mavlink2_like(9, 2));
}

TEST_F(SerialLineTest, AProgramThatStoppedAndChangedItLeavesTheNextARawTerminal) {
  make();
  {
    const FileDescriptor terminal = open();
    termios settings{};
    ASSERT_EQ(tcgetattr(terminal.get(), &settings), 0);
    settings.c_iflag |= IXON | ICRNL | PARMRK;
    settings.c_oflag |= OPOST | ONLCR;
    settings.c_lflag |= ICANON | ECHO | ISIG;
    ASSERT_EQ(tcsetattr(terminal.get(), TCSANOW, &settings), 0);
    ASSERT_EQ(tcflow(terminal.get(), TCOOFF), 0);
    run(150ms);
  }
  run(20ms);
  const FileDescriptor again = open();
  run(150ms);
  const Bytes lines(20, std::byte{'\n'});  // which would come as two bytes each
  write(again, lines);
  run(20ms);
  ask();
  run(50ms);
  EXPECT_EQ(sent(), lines);
  termios settings{};
  ASSERT_EQ(tcgetattr(again.get(), &settings), 0);
  EXPECT_EQ(settings.c_lflag & (ICANON | ECHO | ISIG), 0U);
}

TEST_F(SerialLineTest, DataWrittenBeforeTheFirstPollIsRead) {
  make();
  { write(open(), mavlink2_like(9, 1)); }
  ask();
  run(50ms);
  EXPECT_EQ(sent(), mavlink2_like(9, 1));
  EXPECT_FALSE(exchange_.open);
}

TEST_F(SerialLineTest, ReportIsSentBetweenTwoMessages) {
  make();
  const FileDescriptor terminal = open();
  run(2ms);
  const Bytes longest = mavlink2_like(255, 1, true);
  const Bytes report = mavlink2_like(9, 9);
  receive({longest.begin(), longest.begin() + 250});
  receive(report, kLineReport);
  run(100ms);
  EXPECT_EQ(read(terminal, 250).size(), 250U);
  EXPECT_EQ(line_->counters().reports.get(), 0U);
  receive({longest.begin() + 250, longest.end()});
  run(20ms);
  EXPECT_EQ(read(terminal, 30 + 21), joined({{longest.begin() + 250, longest.end()}, report}));
  EXPECT_EQ(line_->counters().reports.get(), 1U);
  // The rest of a message was lost on the air.
  receive({longest.begin(), longest.begin() + 250});
  receive(report, kLineReport);
  run(300ms);
  EXPECT_EQ(read(terminal, 250 + 21), joined({{longest.begin(), longest.begin() + 250}, report}));
}

TEST_F(SerialLineTest, UnreadTerminalHoldsTheRestBack) {
  make({.device = {}, .baud = 4'000'000});
  const FileDescriptor terminal = open();
  run(2ms);
  std::size_t taken = 0;
  for (int i = 0; i < 200; ++i) {
    if (SerialPacket* const packet = exchange_.to_line.claim()) {
      *packet = SerialPacket{.length = kEthernetHeader + 250};
      exchange_.to_line.publish();
      ++taken;
    }
    run(2ms);
  }
  EXPECT_LT(taken, 200U) << "the ring is full";
  EXPECT_LE(line_->counters().waiting_out.load(), SerialLine::kOutBytes);
}

TEST(Tty, ExclusiveUseEndsWithItsHolder) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "root is never shut out, and it takes root to be somebody else";
  }
  EXPECT_EQ(as_nobody([]() -> std::string {
              const fs::path link = fs::temp_directory_path() / fmt::format("hgt-exclusive-{}", ::getpid());
              Tty tty = Tty::pseudo(link);
              const auto open = [&] { return FileDescriptor(::open(link.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC)); };
              if (const FileDescriptor rude = open(); ::ioctl(rude.get(), TIOCEXCL) != 0 || open().valid()) {
                return "nobody was shut out";
              }
              tty.forget_other_end();
              tty.look();
              return open().valid() ? tty.problem() : "still shut out";
            }).substr(0, 15),
            "no program has ");
}

TEST(Tty, ADeviceMayComeLaterAndGoAgain) {
  const fs::path link = fs::temp_directory_path() / fmt::format("hgt-device-{}", ::getpid());
  Tty device(link, 115'200, SerialFlow::kRtsCts);
  device.look();
  EXPECT_FALSE(device.open());
  EXPECT_EQ(device.problem(), "No such file or directory");
  {
    Tty other = Tty::pseudo(link);
    device.look();
    ASSERT_TRUE(device.open()) << device.problem();
    Tty second(link, 115'200, SerialFlow::kNone);
    second.look();
    EXPECT_FALSE(second.open());
    EXPECT_NE(second.problem().find("another program has it open"), std::string::npos) << second.problem();
    const Bytes bytes = mavlink1_like(9, 1);
    EXPECT_EQ(other.write(bytes), bytes.size());
    Bytes seen(100);
    EXPECT_TRUE(device.readable());
    seen.resize(device.read(seen));
    EXPECT_EQ(seen, bytes);
  }
  Bytes none(1);
  EXPECT_EQ(device.read(none), 0U);
  EXPECT_FALSE(device.open());
  EXPECT_NE(device.problem(), "");
  Tty file("/dev/null", 9600, SerialFlow::kNone);
  file.look();
  EXPECT_EQ(file.problem(), "is no terminal");
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
#include "serial/serial_port.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <array>

#include "frame/serial_frame.h"
#include "tests/support/vector_port.h"

namespace hilgate::test {
namespace {

class SerialPortTest : public testing::Test {
 protected:
  // As the I/O thread does.
  void send(std::size_t bytes) {
    SerialPacket* const packet = exchange_.to_radio.claim();
    ASSERT_NE(packet, nullptr);
    std::ranges::copy(serial_header(PortSlot{3}, kLineStream), packet->bytes.begin());
    packet->length = static_cast<std::uint32_t>(kEthernetHeader + bytes);
    exchange_.to_radio.publish();
    ::eventfd_write(exchange_.arrived.get(), 1);
  }
  bool rings() {
    pollfd bell{.fd = exchange_.arrived.get(), .events = POLLIN, .revents = 0};
    return ::poll(&bell, 1, 0) == 1;
  }

  LoopWaker waker_;
  SerialExchange exchange_{waker_};
  VectorPool pool_{64, 1024};
  TscClock clock_;
  SerialPort<VectorPool> port_{exchange_, pool_, clock_};
  std::array<Frame, 8> burst_{};
};
static_assert(FramePort<SerialPort<VectorPool>>);

TEST_F(SerialPortTest, AsksForOnePacketAfterTheOther) {
  EXPECT_TRUE(port_.awaits_ask());
  port_.ask(51);
  EXPECT_FALSE(port_.awaits_ask());
  EXPECT_EQ(exchange_.asked.load(), 1U);
  EXPECT_EQ(exchange_.most.load(), 51U);
  EXPECT_EQ(port_.capture(burst_), 0U);
  send(20);
  ASSERT_EQ(port_.capture(burst_), 1U);
  EXPECT_EQ(burst_[0].length, kEthernetHeader + 20);
  const auto ethernet = parse_ethernet(pool_.bytes(burst_[0]));
  EXPECT_EQ(ethernet->source, serial_mac(PortSlot{3}));
  EXPECT_EQ(ethernet->type, kLineStream);
  EXPECT_GT(burst_[0].arrived, HostTime{});
  EXPECT_TRUE(port_.awaits_ask());
  pool_.free(burst_[0]);
}

TEST_F(SerialPortTest, ABellRingsForALoopThatSleeps) {
  EXPECT_TRUE(port_.arm_arrivals());
  EXPECT_FALSE(rings());
  port_.ask(250);
  send(1);
  EXPECT_TRUE(rings());
  EXPECT_TRUE(port_.arm_arrivals());
  EXPECT_FALSE(rings()) << "what came before is looked for once more";
  ASSERT_EQ(port_.capture(burst_), 1U);
  pool_.free(burst_[0]);
}

TEST_F(SerialPortTest, ReleasesCopiesUntilTheRingIsFull) {
  const auto frame = pool_.make(Bytes(100, std::byte{7}), {}, {14, 40});
  EXPECT_FALSE(port_.release(*frame)) << "nobody is there";
  EXPECT_TRUE(port_.unplugged());
  exchange_.open = true;
  pool_.share(*frame, SerialExchange::kToLine);
  for (std::size_t i = 0; i < SerialExchange::kToLine; ++i) {
    EXPECT_TRUE(port_.release(*frame));
  }
  EXPECT_FALSE(port_.release(*frame)) << "full";
  EXPECT_EQ(exchange_.to_line.front()->length, 100U);
  EXPECT_EQ(exchange_.to_line.front()->payload().back(), std::byte{7});
  pool_.free(*frame);
  EXPECT_EQ(pool_.leaked(), 0U);
  const auto longer = pool_.make(Bytes(400, std::byte{7}));
  EXPECT_FALSE(port_.release(*longer)) << "no packet of a radio";
  pool_.free(*longer);
}

TEST_F(SerialPortTest, WithoutMemoryAPacketIsLostAndTheNextIsRequested) {
  VectorPool none(0, 1024);
  SerialPort<VectorPool> port(exchange_, none, clock_);
  port.ask(250);
  send(20);
  EXPECT_EQ(port.capture(burst_), 0U);
  EXPECT_EQ(port.no_memory(), 1U);
  EXPECT_TRUE(port.awaits_ask());
}

}  // namespace
}  // namespace hilgate::test

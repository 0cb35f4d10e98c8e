// SPDX-License-Identifier: Apache-2.0
// The bytes of a serial line as a telemetry radio cuts them into packets: whatever they are, and in whatever pieces and
// at whatever times they come, packets fit, and are the line's bytes in their order, none of which stays for ever.
#include <vector>

#include "serial/message_boundary.h"
#include "serial/packet_cutter.h"
#include "serial/serial_line.h"
#include "tests/fuzz/fuzz_input.h"

namespace hilgate::test {
namespace {

class Radio {
 public:
  Radio(SerialFraming framing, std::size_t room) : cutter_(framing, byte_time(57'600)), packet_(room) {}

  void hear(std::span<const std::byte> bytes) {
    const std::size_t taken = line_.push(bytes);
    said_.insert(said_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(taken));
    last_byte_ = now_;
  }
  void wait(Nanoseconds span) { now_ += span; }
  /// False when nothing is to be sent yet.
  bool cut() {
    const std::size_t before = line_.size();
    const std::size_t size = cutter_.cut(line_, now_, last_byte_, packet_);
    require(size <= packet_.size(), "a packet fits");
    require(before - line_.size() == size, "what is sent is off the line");
    for (std::size_t i = 0; i < size; ++i) {
      require(packet_[i] == said_[sent_ + i], "packets are the line's bytes");
    }
    sent_ += size;
    boundary_.pass(std::span(packet_).first(size));
    return size > 0;
  }
  void finish() {
    for (std::size_t rounds = 2 * line_.size() + 2; !line_.empty(); --rounds) {
      require(rounds > 0, "bytes do not wait for ever");
      if (!cut()) {
        require(cutter_.patient_until() != HostTime::max(), "somebody looks again");
        now_ = std::max(now_, cutter_.patient_until());
      }
    }
    require(sent_ == said_.size(), "all bytes are sent");
  }

 private:
  ByteFifo line_{1024};
  PacketCutter cutter_;
  MessageBoundary boundary_;
  std::vector<std::byte> packet_;
  std::vector<std::byte> said_;
  std::size_t sent_ = 0;
  HostTime now_{std::chrono::seconds(1)};
  HostTime last_byte_{};
};

}  // namespace
}  // namespace hilgate::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  test::FuzzInput input(data, size);
  const std::uint8_t choice = input.byte();
  test::Radio radio((choice & 1) != 0 ? SerialFraming::kRaw : SerialFraming::kMavlink, 1 + input.byte());
  while (!input.empty()) {
    const std::uint8_t step = input.byte();
    switch (step % 4) {
      case 0:
        radio.wait(Nanoseconds{1'000'000} * (step / 4));
        break;
      case 1:
        (void)radio.cut();
        break;
      default:
        radio.hear(input.bytes(step / 2 + 1));
    }
  }
  radio.finish();
  return 0;
}

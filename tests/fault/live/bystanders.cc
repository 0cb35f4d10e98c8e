// SPDX-License-Identifier: Apache-2.0
#include "tests/fault/live/bystanders.h"

#include <cstring>

#include "tests/support/traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kHead = 14;
constexpr std::uint16_t kPtpEthertype = 0x88f7;
constexpr auto kPause = 2ms;
constexpr auto kQuiet = 100ms;

}  // namespace

Bystanders::Bystanders(const RunningGateway& gateway)
    : red_(gateway.robot(0), "eth0"),
      blue_(gateway.robot(1), "eth0", kTrafficEthertype),
      receiver_([this](const std::stop_token& stop) {
        // Once asked to stop it listens until nothing has come for a while, but for the time that a port is served.
        for (auto last = Clock::now(); !stop.stop_requested() || Clock::now() - last < kQuiet;) {
          const auto frame = blue_.receive(kQuiet);
          if (frame && get16(*frame, 12) != kPtpEthertype) {
            last = Clock::now();
          }
          if (frame && frame->size() >= kHead + sizeof(Stamp) && get16(*frame, 12) == kTrafficEthertype) {
            Stamp stamp;
            std::memcpy(&stamp, frame->data() + kHead, sizeof stamp);
            arrivals_.push_back({stamp.sequence, monotonic_ns() - stamp.sent_ns});
          }
        }
      }),
      sender_([this](const std::stop_token& stop) {
        Bytes frame = ethernet({robot_mac(1), robot_mac(0)}, kTrafficEthertype, Bytes(100));
        for (auto due = std::chrono::steady_clock::now(); !stop.stop_requested(); due += kPause) {
          const Stamp stamp{sent_, monotonic_ns()};
          std::memcpy(frame.data() + kHead, &stamp, sizeof stamp);
          red_.send(frame);
          ++sent_;
          std::this_thread::sleep_until(due + kPause);
        }
      }) {}

Noticed Bystanders::finish() {
  sender_.request_stop();
  sender_.join();
  receiver_.request_stop();
  receiver_.join();
  return {.sent = sent_,
          .lost = lost(arrivals_, sent_).size(),
          .p50 = delay_quantile(arrivals_, 0.5),
          .p99 = delay_quantile(arrivals_, 0.99)};
}

}  // namespace hilgate::test

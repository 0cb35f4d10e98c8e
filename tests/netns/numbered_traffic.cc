// SPDX-License-Identifier: Apache-2.0
#include "tests/netns/numbered_traffic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "tests/support/traffic.h"

namespace hilgate::test {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kHeader = 14;
constexpr std::size_t kChunk = 256;  // frames under way that every ring on the path has room for

void send_numbered(const RawSocket& sender, const Numbered& traffic, std::size_t first, std::size_t last) {
  Bytes frame = ethernet({traffic.to, robot_mac(0)}, kTrafficEthertype, Bytes(traffic.frame_bytes - kHeader));
  auto due = std::chrono::steady_clock::now();
  for (std::size_t n = first; n < last; ++n) {
    const Stamp stamp{n, monotonic_ns()};
    std::memcpy(frame.data() + kHeader, &stamp, sizeof stamp);
    sender.send(frame);
    due += traffic.interval;
    std::this_thread::sleep_until(due);
  }
}

void send_all(const RunningGateway& gateway, const RawSocket& sender, const Numbered& traffic, std::uint64_t before) {
  const std::size_t chunk = traffic.interval.count() > 0 ? traffic.frames : kChunk;
  for (std::size_t first = 0; first < traffic.frames; first += chunk) {
    const std::size_t last = std::min(first + chunk, traffic.frames);
    send_numbered(sender, traffic, first, last);
    gateway.status_when([&](const GatewayStatus& now) { return now.totals("frames_captured") >= before + last; });
  }
}

// Takes what is there; returns false when nothing came in time.
bool receive_some(const RawSocket& receiver, milliseconds limit, std::vector<Arrival>& arrivals) {
  const auto frame = receiver.receive(limit);
  const std::int64_t now = monotonic_ns();
  if (!frame) {
    return false;
  }
  if (frame->size() >= kHeader + sizeof(Stamp) && get16(*frame, 12) == kTrafficEthertype) {
    Stamp stamp;
    std::memcpy(&stamp, frame->data() + kHeader, sizeof stamp);
    arrivals.push_back({stamp.sequence, now - stamp.sent_ns, stamp.sent_ns});
  }
  return true;
}

}  // namespace

NumberedTraffic::NumberedTraffic(const RunningGateway& gateway, const std::vector<std::size_t>& receivers)
    : gateway_(&gateway), sender_(gateway.robot(0), "eth0") {
  for (const std::size_t n : receivers) {
    receivers_.push_back(std::make_unique<RawSocket>(gateway.robot(n), "eth0"));
  }
}

std::vector<std::vector<Arrival>> NumberedTraffic::exchange(const Numbered& traffic) {
  std::vector<std::vector<Arrival>> arrivals(receivers_.size());
  const std::uint64_t before = gateway_->status().totals("frames_captured");
  std::vector<std::jthread> listeners;
  for (std::size_t n = 0; n < receivers_.size(); ++n) {
    const milliseconds patience = traffic.alone ? milliseconds{20} : milliseconds{1000};
    listeners.emplace_back([this, n, patience, &into = arrivals[n]](const std::stop_token& stop) {
      while (receive_some(*receivers_[n], patience, into) || !stop.stop_requested()) {
      }
    });
  }
  send_all(*gateway_, sender_, traffic, before);
  // Released frames are at the receiver when the gateway's ring has been kicked: the listeners' patience covers that.
  const GatewayStatus end = gateway_->settled(before + traffic.frames);
  if (traffic.alone) {
    EXPECT_EQ(end.totals("frames_captured"), before + traffic.frames);
  }
  listeners.clear();  // joins
  return arrivals;
}

std::chrono::nanoseconds delay_quantile(const std::vector<Arrival>& arrivals, double q) {
  std::vector<std::int64_t> delays;
  for (const Arrival& arrival : arrivals) {
    delays.push_back(arrival.delay_ns);
  }
  std::sort(delays.begin(), delays.end());
  return std::chrono::nanoseconds{
      delays.empty() ? 0 : delays[static_cast<std::size_t>(q * static_cast<double>(delays.size() - 1))]};
}

std::vector<std::uint64_t> lost(const std::vector<Arrival>& arrivals, std::size_t frames) {
  std::vector<bool> seen(frames, false);
  for (const Arrival& arrival : arrivals) {
    seen.at(arrival.sequence) = true;
  }
  std::vector<std::uint64_t> missing;
  for (std::size_t n = 0; n < frames; ++n) {
    if (!seen[n]) {
      missing.push_back(n);
    }
  }
  return missing;
}

}  // namespace hilgate::test

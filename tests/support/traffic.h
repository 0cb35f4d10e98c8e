// SPDX-License-Identifier: Apache-2.0
// Traffic for benches and load tests: numbered, stamped frames in bursts, and a sink that accounts for them.
#pragma once

#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/netns.h"
#include "tests/support/packets.h"
#include "tests/support/raw_socket.h"

namespace hilgate::test {

/// IEEE 802 local experimental ethertype 1: nobody else's.
inline constexpr std::uint16_t kTrafficEthertype = 0x88b5;

/// What lies behind the Ethernet header, host byte order: both ends are on this machine.
struct Stamp {
  std::uint64_t sequence = 0;  // 0, 1, 2, ... per generator
  std::int64_t sent_ns = 0;    // CLOCK_MONOTONIC
};

/// CLOCK_MONOTONIC in nanoseconds.
std::int64_t monotonic_ns();

struct TrafficConfig {
  MacAddress to = robot_mac(1);
  MacAddress from = robot_mac(0);
  std::size_t frame_bytes = 60;  // without FCS, [30, 9000]; 60 is 64 on a wire
};

/// Sends bursts as quickly as the kernel takes them. One thread.
class Generator {
 public:
  static constexpr std::size_t kBurst = 64;

  Generator(const NetNs& where, const std::string& interface, const TrafficConfig& config = {});

  /// Sends up to kBurst frames; returns how many the kernel took.
  std::size_t burst();
  /// Sends one frame.
  void one();
  [[nodiscard]] std::uint64_t sent() const { return sent_; }

 private:
  std::size_t send(std::size_t frames);

  RawSocket socket_;
  std::array<Bytes, kBurst> frames_;
  std::array<iovec, kBurst> parts_{};
  std::array<mmsghdr, kBurst> messages_{};
  std::uint64_t sent_ = 0;
};

/// Sends frames that are all alike, much quicker than a Generator: the kernel makes them from one (live frames of
/// BPF_PROG_TEST_RUN, Linux 5.18) and hands them to the interface's other end, which must poll. One thread.
class Flood {
 public:
  static constexpr std::uint32_t kBurst = 4096;

  Flood(const NetNs& where, const std::string& interface, const TrafficConfig& config = {});
  ~Flood();
  Flood(const Flood&) = delete;
  Flood& operator=(const Flood&) = delete;

  /// Sends kBurst frames, or fewer: what the other end does not take in time is lost.
  void burst();
  [[nodiscard]] std::uint64_t sent() const { return sent_; }

 private:
  InNetNs here_;
  Bytes frame_;
  int program_ = -1;
  std::uint64_t sent_ = 0;
};

/// Receives what a Generator sent, and nothing else. One thread.
class Sink {
 public:
  static constexpr std::size_t kBurst = 64;

  Sink(const NetNs& where, const std::string& interface);

  /// Fetches what is there, without waiting; returns how many frames.
  std::size_t drain();
  /// Drains until `total` frames have come since the start; false when the time is over before.
  bool wait_for(std::uint64_t total, std::chrono::milliseconds limit);

  [[nodiscard]] std::uint64_t received() const { return received_; }
  /// Frames whose number is smaller than that of one before them.
  [[nodiscard]] std::uint64_t reordered() const { return reordered_; }
  /// One more than the greatest number seen: with no loss, received().
  [[nodiscard]] std::uint64_t expected() const { return next_; }
  /// Delay of each frame since the last clear(), in ns, from Stamp::sent_ns to drain(); the first 2^20.
  [[nodiscard]] const std::vector<std::int64_t>& delays() const { return delays_; }
  void clear() { delays_.clear(); }

 private:
  void account(const std::byte* frame, std::size_t length, std::int64_t now);

  RawSocket socket_;
  std::vector<std::array<std::byte, 64>> frames_;  // the first bytes are enough
  std::array<iovec, kBurst> parts_{};
  std::array<mmsghdr, kBurst> messages_{};
  std::vector<std::int64_t> delays_;
  std::uint64_t received_ = 0;
  std::uint64_t reordered_ = 0;
  std::uint64_t next_ = 0;
};

/// The frames that came in at an interface, by the kernel's own count.
std::uint64_t frames_received(const NetNs& where, const std::string& interface);

/// The calling thread runs on this CPU only. Throws std::system_error.
void pin_to_cpu(unsigned cpu);

}  // namespace hilgate::test

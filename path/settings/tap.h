// SPDX-License-Identifier: Apache-2.0
// Frames that are copied to the control thread, and frames that it sends on ports of its own accord.
//
// The packet loop copies the beginnings of frames that may be MAVLink or RTPS (DDS) into a ring, whatever their fate,
// and sends what it finds in another ring. Without a listener both cost a comparison a burst.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "clock/time.h"
#include "frame/counters.h"
#include "frame/frame.h"
#include "frame/headers.h"
#include "frame/serial_frame.h"
#include "frame/spsc_ring.h"
#include "host/byte_cursor.h"

namespace hilgate {

/// What is listened for.
struct TapSettings {
  bool on = false;
  std::vector<std::uint16_t> ports{};  // UDP and TCP, either end; empty: no frame is copied
  friend bool operator==(const TapSettings&, const TapSettings&) = default;
};

/// A frame that passed, or its beginning.
struct Overheard {
  static constexpr std::size_t kBytes = 1520;
  HostTime arrived{};
  PortSlot port;
  std::uint32_t length = 0;  // of `bytes` in use
  std::array<std::byte, kBytes> bytes{};

  [[nodiscard]] std::span<const std::byte> head() const { return std::span(bytes).first(length); }
};

/// A frame to send on a port.
struct Injection {
  static constexpr std::size_t kBytes = 1514;
  PortSlot port;
  VlanId vlan = 0;
  std::uint32_t length = 0;
  std::array<std::byte, kBytes> bytes{};

  [[nodiscard]] std::span<const std::byte> frame() const { return std::span(bytes).first(length); }
};

/// Between one packet loop and the control thread.
struct TapRings {
  static constexpr std::size_t kAtOnce = 256;

  explicit TapRings(std::size_t capacity) : overheard(capacity), injections(capacity) {}

  /// Hands copied frames to each(const Overheard&), kAtOnce frames at most: a sender that never pauses must not keep
  /// the control thread from its windows. Control thread.
  template <class Each>
  void hear(Each each) {
    for (std::size_t left = kAtOnce; left > 0; --left) {
      const Overheard* const frame = overheard.front();
      if (frame == nullptr) {
        return;
      }
      each(*frame);
      overheard.drop_front();
    }
  }

  /// Control thread: a frame to be sent by a port. False when it is too long, or too many wait.
  bool inject(PortSlot port, VlanId vlan, std::span<const std::byte> frame) {
    Injection* const slot = frame.size() <= Injection::kBytes ? injections.claim() : nullptr;
    if (slot == nullptr) {
      return false;
    }
    slot->port = port;
    slot->vlan = vlan;
    slot->length = static_cast<std::uint32_t>(frame.size());
    std::copy(frame.begin(), frame.end(), slot->bytes.begin());
    injections.publish();
    return true;
  }

  SpscRing<Overheard> overheard;   // packet loop -> control thread
  SpscRing<Injection> injections;  // control thread -> packet loop
  Counter missed;                  // frames that found `overheard` full
};

/// The packet loop's side. Does not allocate after construction.
class Tap {
 public:
  static constexpr std::size_t kRing = TapRings::kAtOnce;
  static constexpr std::byte kMavlink1{0xFE};
  static constexpr std::byte kMavlink2{0xFD};
  static constexpr std::byte kRtps{'R'};

  explicit Tap(const TapSettings& settings)
      : on_(settings.on), hears_(settings.on && !settings.ports.empty()), rings_(settings.on ? kRing : 0) {
    for (const std::uint16_t port : settings.ports) {
      ports_.set(port);
    }
  }

  [[nodiscard]] bool on() const { return on_; }
  [[nodiscard]] bool hears() const { return hears_; }

  /// Copies those of a burst that may be of a protocol that is listened for.
  void listen(std::span<const Frame> burst, PortSlot port) noexcept {
    for (const Frame& frame : burst) {
      if (is_wanted({frame.data, frame.head_length})) {
        copy(frame, port);
      }
    }
  }
  /// The oldest frame to send, null if the ring is empty; it stays until done().
  [[nodiscard]] const Injection* next() noexcept { return rings_.injections.front(); }
  void done() noexcept { rings_.injections.drop_front(); }

  [[nodiscard]] TapRings& rings() { return rings_; }
  [[nodiscard]] std::size_t bytes() const { return rings_.overheard.bytes() + rings_.injections.bytes(); }

 private:
  static constexpr std::size_t kTcpHeader = 20;

  [[nodiscard]] bool is_wanted(std::span<const std::byte> head) const noexcept {
    const auto ethernet = parse_ethernet(head);
    if (ethernet && ethernet->type == kLineStream) {
      return head.size() > ethernet->payload && begins_mavlink(head[ethernet->payload]);
    }
    const auto ip = ethernet ? parse_ip(head, *ethernet) : std::nullopt;
    if (!ip || ip->fragment || (ip->protocol != IpProtocol::kUdp && ip->protocol != IpProtocol::kTcp)) {
      return false;
    }
    const std::size_t start = ip->payload;
    if (head.size() < start + kTcpHeader || !(ports_[load_be<std::uint16_t>(head.data() + start)] ||
                                              ports_[load_be<std::uint16_t>(head.data() + start + 2)])) {
      return false;
    }
    const std::size_t header =
        ip->protocol == IpProtocol::kUdp ? kUdpHeader : 4 * std::to_integer<std::size_t>(head[start + 12] >> 4);
    return head.size() > start + header && (begins_mavlink(head[start + header]) || head[start + header] == kRtps);
  }
  static bool begins_mavlink(std::byte byte) noexcept { return byte == kMavlink1 || byte == kMavlink2; }

  void copy(const Frame& frame, PortSlot port) noexcept {
    Overheard* slot = rings_.overheard.claim();
    if (slot == nullptr) {
      rings_.missed.add();
      return;
    }
    slot->arrived = frame.arrived;
    slot->port = port;
    slot->length = static_cast<std::uint32_t>(std::min<std::size_t>(frame.head_length, Overheard::kBytes));
    std::memcpy(slot->bytes.data(), frame.data, slot->length);
    rings_.overheard.publish();
  }

  const bool on_;
  const bool hears_;
  std::bitset<65536> ports_;
  TapRings rings_;
};

}  // namespace hilgate

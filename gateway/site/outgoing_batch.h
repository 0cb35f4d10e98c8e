// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <vector>

#include "frame/frame_bytes.h"
#include "gateway/site/site_packet.h"
#include "gateway/site/site_socket.h"
#include "gateway/site/tunnel_peers.h"
#include "path/cores/crossings.h"
#include "path/fate/damage.h"

namespace hilgate {

/// Frames on their way into the socket, with their headers, and copies of those that are damaged: others may own a
/// frame, too. For one thread; allocates in the constructor alone.
template <FramePool Pool>
class OutgoingBatch {
 public:
  struct Item {
    HeldFrame held;  // of a request, what is known of it: the frame
    std::uint32_t gateway = 0;
    bool request = false;
  };

  OutgoingBatch(Pool& pool, SiteSocket& socket)
      : pool_(pool),
        socket_(socket),
        headers_(SiteSocket::kBatch),
        copies_(SiteSocket::kBatch * SiteSocket::kMostBytes),
        items_(SiteSocket::kBatch) {}

  /// The headers of the next frame. Requires !full().
  [[nodiscard]] std::span<std::byte> next_header(const TunnelPeers& peers) noexcept {
    return std::span(headers_[socket_.waiting()]).first(peers.header_bytes());
  }
  [[nodiscard]] bool full() const noexcept { return socket_.waiting() == SiteSocket::kBatch; }

  /// A frame after its headers, damaged as noted, null for not. False: the socket does not take it. Requires !full().
  bool add(const HeldFrame& held, const DamageNote* note, std::uint32_t gateway, const TunnelPeers& peers) noexcept {
    return add({held, gateway, false}, note, peers);
  }
  /// The same for one that is not decided yet.
  bool add_request(const Frame& frame, std::uint32_t gateway, const TunnelPeers& peers) noexcept {
    return add({HeldFrame::of(frame, LinkSlot{}, frame.arrived), gateway, true}, nullptr, peers);
  }

  /// Sends; each(Item, bool) for whether the kernel took it.
  template <class Each>
  void flush(Each each) noexcept {
    std::size_t at = 0;
    socket_.flush([&](bool taken) { each(items_[at++], taken); });
  }
  [[nodiscard]] std::size_t bytes() const { return copies_.size(); }

 private:
  bool add(const Item& item, const DamageNote* note, const TunnelPeers& peers) noexcept {
    const HeldFrame& held = item.held;
    const std::size_t at = socket_.waiting();
    std::array<iovec, FrameBytes::kMaxSegments + 1> parts;
    static_assert(std::tuple_size_v<decltype(parts)> <= SiteSocket::kMostParts);
    std::size_t count = 0;
    parts[count++] = {.iov_base = headers_[at].data(), .iov_len = peers.header_bytes()};
    if (note != nullptr) {
      const std::span<std::byte> copy = damaged_copy(held, *note, at);
      parts[count++] = {.iov_base = copy.data(), .iov_len = copy.size()};
    } else {
      pool_.for_each_segment(held.frame(), [&](std::span<std::byte> segment) {
        if (count < parts.size()) {
          parts[count++] = {.iov_base = segment.data(), .iov_len = segment.size()};
        }
      });
    }
    items_[at] = item;
    peers.prove(item.gateway, std::span(parts).first(count));
    return socket_.add(peers.terms().gateways[item.gateway], std::span(parts).first(count));
  }

  std::span<std::byte> damaged_copy(const HeldFrame& held, const DamageNote& note, std::size_t at) noexcept {
    const std::span<std::byte> room = std::span(copies_).subspan(at * SiteSocket::kMostBytes, SiteSocket::kMostBytes);
    std::size_t length = 0;
    pool_.for_each_segment(held.frame(), [&](std::span<std::byte> segment) {
      const std::size_t fits = std::min(segment.size(), room.size() - length);
      std::memcpy(room.data() + length, segment.data(), fits);
      length += fits;
    });
    FrameBytes bytes;
    bytes.append(room.first(length));
    apply_errors(note, bytes);
    return room.first(length);
  }

  Pool& pool_;
  SiteSocket& socket_;
  std::vector<std::array<std::byte, kProvenHeader>> headers_;
  std::vector<std::byte> copies_;
  std::vector<Item> items_;
};

}  // namespace hilgate

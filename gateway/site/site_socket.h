// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "gateway/site/site_meeting.h"

namespace hilgate {

/// A gateway's datagrams to and from the others: TunnelSocket on a machine, a simulated network in worlds
/// (tests/world). Frames are gathered here, and go to it by the batch. For one thread.
class SiteSocket {
 public:
  static constexpr std::size_t kBatch = 64;
  static constexpr std::size_t kMostParts = 20;      // headers, and a frame's segments
  static constexpr std::size_t kMostBytes = 10'240;  // of a datagram: a jumbo frame with its headers

  struct Datagram {
    std::uint32_t ipv4 = 0;  // sender, host byte order
    std::uint16_t port = 0;
    std::span<const std::byte> bytes{};  // valid until the next receive()
  };

  virtual ~SiteSocket() = default;
  SiteSocket(const SiteSocket&) = delete;
  SiteSocket& operator=(const SiteSocket&) = delete;

  /// What has come, as many as the socket takes at a time.
  virtual std::span<const Datagram> receive() noexcept = 0;
  /// Readable when there is something to receive; -1: it cannot be waited for.
  [[nodiscard]] virtual int fd() const = 0;

  /// One of several parts to be sent by flush(), which they must outlive. False: kBatch of them wait, or it has more
  /// than kMostParts.
  bool add(const SiteEnd& to, std::span<const iovec> parts) noexcept;
  /// Sends what was added, each(bool) for whether it was taken, in their order.
  template <class Each>
  void flush(Each each) noexcept {
    send();
    for (std::size_t i = 0; i < added_; ++i) {
      each(outgoing_[i].taken);
    }
    added_ = 0;
  }
  [[nodiscard]] std::size_t waiting() const { return added_; }

 protected:
  struct Outgoing {
    std::uint32_t ipv4 = 0;  // receiver, host byte order
    std::uint16_t port = 0;
    std::array<iovec, kMostParts> parts{};
    std::size_t count = 0;   // of parts
    std::size_t length = 0;  // of all parts, bytes
    bool taken = false;
  };

  SiteSocket() = default;
  /// Sends what waits, and notes what was taken.
  virtual void send() noexcept = 0;
  [[nodiscard]] std::span<Outgoing> outgoing() { return std::span(outgoing_).first(added_); }

 private:
  std::array<Outgoing, kBatch> outgoing_{};
  std::size_t added_ = 0;
};

/// Opens a gateway's socket at its own end. Throws std::runtime_error with what would be right.
using OpenSiteSocket = std::function<std::unique_ptr<SiteSocket>(const SiteEnd& own)>;

}  // namespace hilgate

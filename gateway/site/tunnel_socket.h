// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gateway/site/site_terms.h"
#include "host/file_descriptor.h"

namespace hilgate {

/// A gateway's UDP socket to the others. For one thread.
class TunnelSocket {
 public:
  static constexpr std::size_t kBatch = 64;
  static constexpr std::size_t kMostParts = 20;      // headers, and a frame's segments
  static constexpr std::size_t kMostBytes = 10'240;  // of a datagram: a jumbo frame with its headers

  struct Datagram {
    std::uint32_t ipv4 = 0;  // whence, host byte order
    std::uint16_t port = 0;
    std::span<const std::byte> bytes{};  // valid until the next receive()
  };

  /// Bound to the own end. Throws std::runtime_error that says what would be right.
  explicit TunnelSocket(const SiteEnd& own);

  /// At most kBatch, as many as there are.
  std::span<const Datagram> receive() noexcept;
  /// One of several parts to be sent by flush(). False: kBatch of them wait.
  bool add(const SiteEnd& to, std::span<const iovec> parts) noexcept;
  /// Sends what was added, each(bool) for whether the kernel took it, in their order.
  template <class Each>
  void flush(Each each) noexcept {
    send();
    for (std::size_t i = 0; i < added_; ++i) {
      each(taken_[i]);
    }
    added_ = 0;
  }
  [[nodiscard]] std::size_t waiting() const { return added_; }
  [[nodiscard]] int fd() const { return socket_.get(); }

 private:
  void send() noexcept;

  FileDescriptor socket_;
  std::vector<std::byte> room_;
  std::array<sockaddr_in, kBatch> from_{};
  std::array<iovec, kBatch> into_{};
  std::array<mmsghdr, kBatch> in_{};
  std::array<Datagram, kBatch> datagrams_{};
  std::array<sockaddr_in, kBatch> to_{};
  std::array<std::array<iovec, kMostParts>, kBatch> parts_{};
  std::array<mmsghdr, kBatch> out_{};
  std::array<bool, kBatch> taken_{};
  std::size_t added_ = 0;
};

}  // namespace hilgate

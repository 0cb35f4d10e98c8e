// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "clock/time.h"
#include "gateway/site/site_socket.h"
#include "host/file_descriptor.h"

namespace hilgate {

/// Until one of the descriptors is readable, at most for `span`. Returns at once when that is not above 0.
void sleep_until(int waker, int socket, Nanoseconds span) noexcept;

/// A gateway's UDP socket to the others. For one thread.
///
/// Datagrams of one length for one gateway go through the kernel as one (UDP_SEGMENT and UDP_GRO, udp(7)), which
/// divides them where they leave the host, and leaves them joined where they stay on it; on the wire they are as they
/// were added.
class TunnelSocket final : public SiteSocket {
 public:
  /// Bound to the own end. Throws std::runtime_error with what would be right.
  explicit TunnelSocket(const SiteEnd& own);

  /// As many as there are, at most kMessages of what the kernel has joined.
  std::span<const Datagram> receive() noexcept override;
  [[nodiscard]] int fd() const override { return socket_.get(); }

 private:
  static constexpr std::size_t kMessages = 16;
  static constexpr std::size_t kMostJoined = 65'000;  // bytes of a message
  static constexpr std::size_t kMostSegments = 64;    // of one that is sent; newer kernels take twice as many
  struct Control {
    alignas(cmsghdr) std::array<std::byte, CMSG_SPACE(sizeof(int))> bytes;
  };
  /// Datagrams that go as one.
  struct Message {
    std::array<std::uint8_t, kBatch> members;
    std::size_t count = 0;
    std::size_t length = 0;  // of each but the last, which may be shorter
  };

  void receive_from(std::size_t message);
  void join() noexcept;
  void fill(std::size_t message) noexcept;
  void send() noexcept override;
  void send_apart(std::size_t message, int error) noexcept;
  void note(const Message& message, bool taken) noexcept;

  FileDescriptor socket_;
  std::vector<std::byte> room_;
  std::array<sockaddr_in, kMessages> from_{};
  std::array<iovec, kMessages> into_{};
  std::array<Control, kMessages> said_{};
  std::array<mmsghdr, kMessages> in_{};
  std::vector<Datagram> datagrams_;
  std::array<sockaddr_in, kBatch> to_{};  // by message

  std::array<Message, kBatch> messages_{};
  std::size_t made_ = 0;  // of these
  std::vector<iovec> joined_;
  std::array<Control, kBatch> asked_{};
  std::array<mmsghdr, kBatch> out_{};
  std::size_t joinable_ = kMostBytes;  // longer ones the way does not take joined
};

/// OpenSiteSocket of a machine.
std::unique_ptr<SiteSocket> open_tunnel_socket(const SiteEnd& own);

}  // namespace hilgate

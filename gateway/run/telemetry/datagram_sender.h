// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/udp.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "frame/address.h"

namespace hilgate {

/// Sends datagrams from this machine's own network to one host, multicast group or broadcast address, without waiting,
/// and logs when that begins to fail and when it no longer does. Control thread.
class DatagramSender {
 public:
  /// For people: what is sent ("Cursor on Target"), and the key with the address ("cot.to").
  DatagramSender(asio::io_context& context, std::string what, std::string key);

  /// Throws std::system_error when there is no socket.
  void open(const IpAddress& to, std::uint16_t port);
  /// After open(). False, and counted, when the kernel does not take it.
  bool send(std::span<const std::byte> datagram);

  /// "127.0.0.1:3000", "[::1]:3000".
  [[nodiscard]] std::string to() const;
  [[nodiscard]] std::uint64_t sent() const { return sent_; }
  [[nodiscard]] std::uint64_t refused() const { return refused_; }
  /// Why the last datagram was refused; nothing when it was sent.
  [[nodiscard]] std::optional<std::string> fault() const;

 private:
  std::string what_, key_;
  asio::ip::udp::socket socket_;
  asio::ip::udp::endpoint to_;
  std::uint64_t sent_ = 0, refused_ = 0;
  std::string fault_;
};

}  // namespace hilgate

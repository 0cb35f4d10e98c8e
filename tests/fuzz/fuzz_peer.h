// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <asio/io_context.hpp>
#include <cstring>
#include <string>
#include <string_view>

#include "host/file_descriptor.h"
#include "tests/fuzz/fuzz_input.h"

namespace hilgate::test {

/// Everything that is to be done now is done; timers are not waited for.
inline void settle(asio::io_context& io) {
  do {
    io.restart();
  } while (io.poll() > 0);
}

/// The other end of a Unix stream socket of this process.
class Peer {
 public:
  void connect(const std::string& path) {
    socket_ = FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    require(path.size() < sizeof address.sun_path, "the socket's path fits");
    std::memcpy(address.sun_path, path.c_str(), path.size());
    require(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0,
            "a server that listens can be connected to");
  }
  [[nodiscard]] bool connected() const { return socket_.valid(); }
  /// Sends what the socket takes; what it does not is not sent.
  void send(std::string_view text) { (void)!::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL); }
  /// What has come.
  std::string receive() {
    static std::array<char, 65536> heard;
    const ssize_t count = ::recv(socket_.get(), heard.data(), heard.size(), 0);
    return {heard.data(), count > 0 ? static_cast<std::size_t>(count) : 0};
  }
  /// Says no more, and still listens.
  void finish() { ::shutdown(socket_.get(), SHUT_WR); }
  void close() { socket_ = {}; }
  /// Whether the other end is there.
  [[nodiscard]] bool alive() const {
    pollfd state{socket_.get(), POLLRDHUP, 0};
    return ::poll(&state, 1, 0) == 0 || (state.revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0;
  }

 private:
  FileDescriptor socket_;
};

}  // namespace hilgate::test

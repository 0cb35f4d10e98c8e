// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>

namespace hilgate {

/// The run's control socket: a local stream socket; a client writes one line of JSON {"command": NAME, ...} and reads
/// one line of JSON back, {"ok": true, "result": ...} or {"ok": false, "error": TEXT}. Several requests may follow
/// each other. Control thread.
class ControlServer {
 public:
  /// Carries out a request; may throw std::exception, whose text the client gets.
  using Handler = std::function<nlohmann::ordered_json(const nlohmann::json& request)>;

  /// Listens at `path`, mode 0660. A socket left by a dead process is replaced. Throws std::runtime_error when another
  /// process listens there, when the path is something else than a socket, or when it cannot be made.
  ControlServer(asio::io_context& context, std::filesystem::path path, Handler handler);
  /// Removes the socket.
  ~ControlServer();
  ControlServer(const ControlServer&) = delete;
  ControlServer& operator=(const ControlServer&) = delete;

 private:
  class Session;
  void accept();

  std::filesystem::path path_;
  Handler handler_;
  asio::local::stream_protocol::acceptor acceptor_;
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/buffer.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/read_until.hpp>
#include <asio/write.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "gateway/run/control/control_server.h"
#include "tests/loop.h"

namespace hilgate::test {

/// A control server on a thread of its own.
class ControlFixture {
 public:
  explicit ControlFixture(ControlServer::Handler handler)
      : server_(io_, folder_.file("run.sock"), {.changes = {"set"}, .streams = {}}, std::move(handler), {}),
        thread_([this] { io_.run(); }) {}
  ~ControlFixture() {
    io_.stop();
    thread_.join();
  }
  ControlFixture(const ControlFixture&) = delete;
  ControlFixture& operator=(const ControlFixture&) = delete;

  [[nodiscard]] std::string path() const { return folder_.file("run.sock"); }
  /// Sends bytes, and reads one line.
  [[nodiscard]] nlohmann::json ask(const std::string& bytes) const {
    asio::io_context io;
    asio::local::stream_protocol::socket socket(io);
    socket.connect(path());
    std::error_code cut;  // who says too much may be cut off
    asio::write(socket, asio::buffer(bytes), cut);
    std::string line;
    asio::read_until(socket, asio::dynamic_buffer(line), '\n');
    return nlohmann::json::parse(line);
  }

 private:
  TempDir folder_;
  asio::io_context io_;
  ControlServer server_;
  std::thread thread_;
};

}  // namespace hilgate::test

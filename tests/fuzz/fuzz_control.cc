// SPDX-License-Identifier: Apache-2.0
// The control server and clients that write requests in pieces, say no more, or go, as the input says. Each whole line
// of a client who stays gets one line of JSON that says whether it was carried out, and nothing is left of who went.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "config/config_file.h"
#include "gateway/run/control/control_server.h"
#include "tests/fuzz/fuzz_peer.h"

namespace hilgate::test {
namespace {

// A handler that uses what it is asked, and fails in each way it may.
nlohmann::ordered_json carry_out(const nlohmann::json& request) {
  const auto command = request.at("command").get<std::string>();
  if (command == "fault") {
    throw ConfigError(
        {{"fuzz.yaml", 3, request.value("path", std::string()), request.value("text", std::string("no"))}});
  }
  if (command == "echo") {
    return request.at("value");
  }
  if (command == "set") {
    return {{"assignments", request.at("assignments").get<std::vector<std::string>>().size()}};
  }
  throw std::runtime_error("unknown command '" + command + "'");
}

/// A server whose questions wait for nobody, and that takes connections as quickly as they come; it stays until an
/// input stops it.
class Server {
 public:
  Server() { start(); }
  void start() {
    if (!server_) {
      server_.emplace(io, path(), ControlServer::Commands{.changes = {"set"}, .streams = {}}, carry_out,
                      ControlServer::Stream{},
                      ControlServer::Limits{.thread_share = 1, .connections = {.per_second = 1e9, .burst = 1e9}});
      settle(io);
    }
  }
  void stop() {
    server_.reset();
    settle(io);
  }
  static const std::string& path() {
    static const std::string name = std::filesystem::temp_directory_path() / "control";
    return name;
  }

  asio::io_context io;

 private:
  std::optional<ControlServer> server_;
};

class Clients {
 public:
  explicit Clients(Server& server) : server_(server), io_(server.io) { server_.start(); }
  ~Clients() {
    for (Client& client : clients_) {
      client.peer.close();
    }
    settle(io_);
  }
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;

  void connect(std::size_t who) {
    if (Client& client = clients_[who]; !client.peer.connected() && connections_ < kMostConnections) {
      ++connections_;
      client = {};
      client.peer.connect(Server::path());
      settle(io_);
    }
  }
  void write(std::size_t who, std::string_view text) {
    Client& client = clients_[who];
    if (!client.peer.connected() || client.said_all) {
      return;
    }
    client.peer.send(text);
    client.written += text.size();
    client.lines += static_cast<std::size_t>(std::ranges::count(text, '\n'));
    settle(io_);
  }
  void finish(std::size_t who) {
    if (Client& client = clients_[who]; client.peer.connected()) {
      client.peer.finish();
      client.said_all = true;
      settle(io_);
    }
  }
  void leave(std::size_t who) {
    clients_[who].peer.close();
    settle(io_);
  }
  void listen(std::size_t who) {
    Client& client = clients_[who];
    if (!client.peer.connected() || client.written > kShort) {
      return;
    }
    settle(io_);
    take_answers(client);
    require(client.answers >= client.lines, "each request is answered");
    require(client.answers == client.lines, "nothing is answered twice");
  }
  void stop_server() { server_.stop(); }

 private:
  static constexpr int kMostConnections = 16;       // of an input
  static constexpr std::size_t kShort = 32 * 1024;  // what a socket takes at once, and a request may have
  struct Client {
    Peer peer{};
    std::size_t written = 0, lines = 0, answers = 0;
    bool said_all = false;
    std::string heard{};
  };

  static void take_answers(Client& client) {
    client.heard += client.peer.receive();
    std::size_t end = 0;
    while ((end = client.heard.find('\n')) != std::string::npos) {
      const auto answer = nlohmann::json::parse(client.heard.substr(0, end), nullptr, false);
      require(answer.is_object() && answer.contains("ok") && answer["ok"].is_boolean(), "an answer says ok or not");
      require(answer.contains(answer["ok"].get<bool>() ? "result" : "error"), "an answer has a result or a reason");
      client.heard.erase(0, end + 1);
      ++client.answers;
    }
  }

  Server& server_;
  asio::io_context& io_;
  std::array<Client, 3> clients_{};
  int connections_ = 0;
};

}  // namespace
}  // namespace hilgate::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate::test;
  static Server server;
  FuzzInput input(data, size);
  Clients clients(server);
  for (int steps = 0; !input.empty() && steps < 64; ++steps) {
    const std::uint8_t step = input.byte();
    const std::size_t who = step / 8U % 3;
    switch (step % 8) {
      case 0:
        clients.leave(who);
        break;
      case 1:
        clients.finish(who);
        break;
      case 2:
        clients.listen(who);
        break;
      case 3:
        clients.connect(who);
        clients.write(who, "\n");
        break;
      default:
        clients.connect(who);
        clients.write(who, input.text(input.byte()));
    }
  }
  if (size % 16 == 1) {
    clients.stop_server();
    return 0;
  }
  for (std::size_t who = 0; who < 3; ++who) {
    clients.listen(who);
  }
  return 0;
}

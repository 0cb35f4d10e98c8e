// SPDX-License-Identifier: Apache-2.0
#include "tests/world/control_clients.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "tests/world/world_socket.h"

namespace hilgate::test {
namespace {

constexpr std::size_t kMostClients = 6;
constexpr std::string_view kStatus = "{\"command\": \"status\"}\n";

FileDescriptor connect_to(const std::filesystem::path& path) {
  FileDescriptor socket = connect_socket(path);
  if (!socket.valid()) {
    throw std::system_error(errno, std::generic_category(), "control socket " + path.string());
  }
  return socket;
}

}  // namespace

ControlOperator::ControlOperator(const std::filesystem::path& socket) : socket_(connect_to(socket)) {}

void ControlOperator::ask(const nlohmann::json& request) {
  send_some(socket_, request.dump() + "\n");
  waits_ = true;
}

std::optional<nlohmann::json> ControlOperator::answer() {
  std::array<char, 65536> room{};
  while (true) {
    const ssize_t count = ::recv(socket_.get(), room.data(), room.size(), 0);
    if (count == 0) {
      throw std::runtime_error("the daemon has closed the operator's connection");
    }
    if (count < 0) {
      break;
    }
    read_.append(room.data(), static_cast<std::size_t>(count));
  }
  const std::size_t end = read_.find('\n');
  if (end == std::string::npos) {
    return std::nullopt;
  }
  auto line = nlohmann::json::parse(read_.substr(0, end));
  read_.erase(0, end + 1);
  waits_ = false;
  return line;
}

void HostileClients::act() {
  if (clients_.size() < kMostClients && random_.chance(0.4)) {
    clients_.push_back(connect_to(socket_));
    return;
  }
  if (clients_.empty()) {
    return;
  }
  const std::size_t which = random_.below(static_cast<std::uint32_t>(clients_.size()));
  const FileDescriptor& client = clients_[which];
  switch (random_.below(8)) {
    case 0: {
      std::string noise(1 + random_.below(300), ' ');
      for (char& byte : noise) {
        byte = static_cast<char>(random_.below(256));
      }
      return send_some(client, noise);
    }
    case 1:
      return send_some(client, R"({"command": "sta)");
    case 2:
      return send_some(client, std::string(70'000, '{'));
    case 3:
      return send_some(client, "{\"command\": \"subscribe\"}\n");
    case 4:
      return send_some(client, "{\"command\": \"status\"}\n{\"command\": \"set\", \"values\": 7}\n");
    case 5:
      return send_some(client, kStatus.substr(random_.below(kStatus.size()), 1));
    case 6:
      for (int n = 0; n < 100; ++n) {
        send_some(client, kStatus);
      }
      return;
    default:
      clients_.erase(clients_.begin() + static_cast<std::ptrdiff_t>(which));
  }
}

}  // namespace hilgate::test

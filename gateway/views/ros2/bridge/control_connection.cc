// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/ros2/bridge/control_connection.h"

#include <sys/socket.h>

#include <array>

#include "gateway/views/ros2/bridge/unix_socket.h"

namespace hilgate::ros2 {
namespace {

constexpr std::chrono::seconds kPatience{5};

}  // namespace

std::optional<nlohmann::json> ControlConnection::ask(const std::string& command) {
  const std::string request = nlohmann::json{{"command", command}}.dump() + "\n";
  if (!socket_.valid() || !exchange(request)) {  // none yet, or closed since, as when nothing was asked for 30 s
    socket_ = connected(path_, kPatience);
    if (!socket_.valid() || !exchange(request)) {
      socket_.close();
      return std::nullopt;
    }
  }
  nlohmann::json answer = nlohmann::json::parse(received_, nullptr, false);
  if (!answer.is_object() || !answer.value("ok", false)) {
    return std::nullopt;
  }
  return std::move(answer["result"]);
}

bool ControlConnection::exchange(const std::string& request) {
  received_.clear();
  if (!send_all(socket_, request)) {
    return false;
  }
  std::array<char, 65536> part;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  while (!received_.ends_with('\n')) {
    const ssize_t bytes = ::recv(socket_.get(), part.data(), part.size(), 0);
    if (bytes <= 0) {
      return false;
    }
    received_.append(part.data(), static_cast<std::size_t>(bytes));
  }
  return true;
}

}  // namespace hilgate::ros2

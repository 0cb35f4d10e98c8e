// SPDX-License-Identifier: Apache-2.0
#include "tests/netns/control_connection.h"

#include <sys/socket.h>

#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/host/unix_pair.h"

namespace hilgate::test {

ControlConnection::ControlConnection(const std::filesystem::path& socket) : socket_(connect_to(socket.string())) {
  const timeval patience{.tv_sec = 30, .tv_usec = 0};
  for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO}) {
    checked(::setsockopt(socket_.get(), SOL_SOCKET, option, &patience, sizeof patience), socket.string());
  }
}

nlohmann::json ControlConnection::ask(const nlohmann::json& request) {
  const std::string question = request.dump() + "\n";
  if (::send(socket_.get(), question.data(), question.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(question.size())) {
    throw std::runtime_error("the gateway takes no request");
  }
  const auto answer = nlohmann::json::parse(line());
  if (!answer.value("ok", false)) {
    throw std::runtime_error(answer.dump());
  }
  return answer.at("result");
}

std::string ControlConnection::line() {
  std::array<char, 65536> buffer{};
  std::size_t end = 0;
  while ((end = received_.find('\n')) == std::string::npos) {
    const ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (got <= 0) {
      throw std::runtime_error("the gateway gives no answer");
    }
    received_.append(buffer.data(), static_cast<std::size_t>(got));
  }
  const std::string line = received_.substr(0, end);
  received_.erase(0, end + 1);
  return line;
}

}  // namespace hilgate::test

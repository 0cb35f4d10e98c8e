// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/ros2/bridge/control_connection.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace hilgate::ros2 {

FileDescriptor connected(const std::string& path, std::chrono::seconds patience) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return {};
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket.valid() || ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return {};
  }
  const timeval limit{.tv_sec = patience.count(), .tv_usec = 0};
  const bool limited = ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) == 0 &&
                       ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0;
  return limited ? std::move(socket) : FileDescriptor();
}

bool send_all(const FileDescriptor& socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      text.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

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

namespace {

using Json = nlohmann::json;

Connection connection_by(const Json& part, const char* peer) {
  return {.rate_mbps = number_in(part, "rate_mbps"),
          .rssi_dbm = number_in(part, "rssi_dbm"),
          .snr_db = number_in(part, "snr_db"),
          .peer = part.at(peer).get<std::string>()};
}

const Json* station_of(const Json& status, const std::string& robot) {
  if (status.contains("stations")) {
    for (const Json& station : status.at("stations")) {
      if (station.at("robot") == robot) {
        return &station;
      }
    }
  }
  return nullptr;
}

const Json* best_link_to(const Json& status, const std::string& robot) {
  const Json* best = nullptr;
  for (const Json& link : status.at("links")) {
    if (link.at("to") == robot && link.at("reachable").get<bool>() &&
        (best == nullptr || number_in(link, "rssi_dbm") > number_in(*best, "rssi_dbm"))) {
      best = &link;
    }
  }
  return best;
}

std::string medium_of(const Json& status, const std::string& robot) {
  for (const Json& medium : status.at("media")) {
    const Json& robots = medium.at("robots");
    if (std::find(robots.begin(), robots.end(), robot) != robots.end()) {
      return medium.at("domain").get<std::string>();
    }
  }
  return {};
}

}  // namespace

std::optional<Connection> connection_of(const Json& status, const std::string& robot) {
  std::optional<Connection> found;
  if (const Json* const station = station_of(status, robot)) {
    if (station->contains("access_point")) {
      found = connection_by(*station, "access_point");
    }
  } else if (const Json* const link = best_link_to(status, robot)) {
    found = connection_by(*link, "from");
  }
  if (found) {
    found->medium = medium_of(status, robot);
  }
  return found;
}

bool GatewayLink::send(std::string_view lines) {
  if (!socket_.valid()) {
    socket_ = connected(path_, std::chrono::seconds(1));
  }
  if (!socket_.valid() || !send_all(socket_, lines)) {
    socket_.close();  // a line may have been cut
    return false;
  }
  return true;
}

}  // namespace hilgate::ros2

// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/control/control_client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <asio/buffer.hpp>
#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/read_until.hpp>
#include <asio/write.hpp>
#include <cerrno>
#include <chrono>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "config/config_error.h"

namespace hilgate {
namespace {

std::string connection_help(const std::error_code& error, const std::filesystem::path& socket) {
  if (error == std::errc::no_such_file_or_directory || error == std::errc::connection_refused) {
    return fmt::format("no gateway of this name is running (no process listens on {})", socket.string());
  }
  if (error == std::errc::permission_denied) {
    return fmt::format("{}: permission denied; run as root or join the group that owns the socket", socket.string());
  }
  return fmt::format("{}: {}", socket.string(), error.message());
}

std::vector<Fault> faults_of(const nlohmann::ordered_json& list) {
  std::vector<Fault> faults;
  for (const auto& fault : list) {
    faults.push_back({.file = fault.value("file", ""),
                      .line = fault.value("line", 0),
                      .path = fault.value("path", ""),
                      .text = fault.value("text", "")});
  }
  return faults;
}

// A gateway that hangs must not hang who asks it.
[[noreturn]] void say_it_hangs(std::chrono::seconds patience, const std::filesystem::path& socket) {
  throw std::runtime_error(
      fmt::format("the gateway at {} does not answer within {} s: it hangs, is stopped or overloaded", socket.string(),
                  patience.count()));
}

void run_within(asio::io_context& context, std::chrono::seconds patience, const std::filesystem::path& socket) {
  context.run_for(patience);
  if (!context.stopped()) {
    say_it_hangs(patience, socket);
  }
}

// Where it takes nobody and its queue is full, to connect would wait for ever.
FileDescriptor connect_within(std::chrono::seconds patience, const std::filesystem::path& socket) {
  const asio::local::stream_protocol::endpoint endpoint(socket.string());
  FileDescriptor connection(checked(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), socket.string()));
  const timeval limit{.tv_sec = patience.count(), .tv_usec = 0};
  checked(::setsockopt(connection.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit), socket.string());
  if (::connect(connection.get(), endpoint.data(), static_cast<socklen_t>(endpoint.size())) != 0) {
    const std::error_code error(errno, std::generic_category());
    if (error == std::errc::resource_unavailable_try_again) {
      say_it_hangs(patience, socket);
    }
    throw std::runtime_error(connection_help(error, socket));
  }
  return connection;
}

nlohmann::ordered_json result_of(const std::string& line) {
  auto reply = nlohmann::ordered_json::parse(line);
  if (reply.contains("faults")) {
    throw ConfigError(faults_of(reply["faults"]));
  }
  if (!reply.value("ok", false)) {
    throw std::runtime_error(reply.value("error", std::string("the gateway refused the request and gave no reason")));
  }
  return reply["result"];
}

}  // namespace

nlohmann::ordered_json control_request(const std::filesystem::path& socket, const nlohmann::json& request,
                                       std::chrono::seconds patience) {
  asio::io_context context;
  asio::local::stream_protocol::socket connection(context);
  const FileDescriptor connected = connect_within(patience, socket);
  connection.assign(asio::local::stream_protocol(),
                    checked(::fcntl(connected.get(), F_DUPFD_CLOEXEC, 0), socket.string()));
  asio::error_code error;
  const std::string question = request.dump() + "\n";
  std::string line;
  // Who is refused may be answered before all is written: reading says more than the failed write.
  asio::async_write(connection, asio::buffer(question), [](const asio::error_code&, std::size_t) {});
  asio::async_read_until(connection, asio::dynamic_buffer(line), '\n',
                         [&error](const asio::error_code& failed, std::size_t) { error = failed; });
  run_within(context, patience, socket);
  if (error) {
    throw std::runtime_error(
        fmt::format("the gateway at {} closed the connection without an answer: {}", socket.string(), error.message()));
  }
  return result_of(line);
}

FileDescriptor control_stream(const std::filesystem::path& socket, const nlohmann::json& request,
                              std::chrono::seconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  FileDescriptor answered = connect_within(patience, socket);
  const std::string question = request.dump() + "\n";
  if (::send(answered.get(), question.data(), question.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(question.size())) {
    throw std::runtime_error(fmt::format("the gateway at {} takes no request", socket.string()));
  }
  // Byte by byte: what follows the line is the stream.
  std::string line;
  for (char byte = 0; byte != '\n'; line.push_back(byte)) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd state{answered.get(), POLLIN, 0};
    if (left.count() <= 0 || ::poll(&state, 1, static_cast<int>(left.count())) == 0) {
      say_it_hangs(patience, socket);
    }
    if (::recv(answered.get(), &byte, 1, 0) != 1) {
      throw std::runtime_error(fmt::format("the gateway at {} gives no answer", socket.string()));
    }
  }
  static_cast<void>(result_of(line));
  const timeval none{};
  checked(::setsockopt(answered.get(), SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none), socket.string());
  return answered;
}

bool is_listened_to(const std::filesystem::path& socket) {
  const asio::local::stream_protocol::endpoint endpoint(socket.string());
  const FileDescriptor connection(
      checked(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), socket.string()));
  return ::connect(connection.get(), endpoint.data(), static_cast<socklen_t>(endpoint.size())) == 0 ||
         (errno != ECONNREFUSED && errno != ENOENT);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/control/control_client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <asio/buffer.hpp>
#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/read_until.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/config_error.h"

namespace hilgate {
namespace {

constexpr std::chrono::seconds kAnswerPatience{60};

std::string connection_help(const std::error_code& failed, const std::filesystem::path& socket) {
  // Asio's own category does not know which of its codes are std::errc's.
  const std::error_code error(failed.value(), std::generic_category());
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
void run_within(asio::io_context& context, std::chrono::seconds patience, const std::filesystem::path& socket) {
  context.run_for(patience);
  if (!context.stopped()) {
    throw std::runtime_error(
        fmt::format("the gateway at {} does not answer within {} s: it hangs, is stopped or overloaded",
                    socket.string(), patience.count()));
  }
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
  asio::error_code error;
  connection.connect(asio::local::stream_protocol::endpoint(socket.string()), error);
  if (error) {
    throw std::runtime_error(connection_help(error, socket));
  }
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

FileDescriptor control_stream(const std::filesystem::path& socket, const nlohmann::json& request) {
  asio::io_context context;
  asio::local::stream_protocol::socket connection(context);
  asio::error_code error;
  connection.connect(asio::local::stream_protocol::endpoint(socket.string()), error);
  if (error) {
    throw std::runtime_error(connection_help(error, socket));
  }
  const FileDescriptor stream(connection.release());
  FileDescriptor answered(checked(::fcntl(stream.get(), F_DUPFD_CLOEXEC, 0), socket.string()));
  const timeval patience{.tv_sec = kAnswerPatience.count(), .tv_usec = 0};
  checked(::setsockopt(answered.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), socket.string());
  const std::string question = request.dump() + "\n";
  if (::send(answered.get(), question.data(), question.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(question.size())) {
    throw std::runtime_error(fmt::format("the gateway at {} takes no request", socket.string()));
  }
  // Byte by byte: what follows the line is the stream.
  std::string line;
  for (char byte = 0; byte != '\n'; line.push_back(byte)) {
    if (::recv(answered.get(), &byte, 1, 0) != 1) {
      throw std::runtime_error(fmt::format("the gateway at {} gives no answer", socket.string()));
    }
  }
  static_cast<void>(result_of(line));
  return answered;
}

}  // namespace hilgate

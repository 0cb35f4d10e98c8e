// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/control/control_client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <asio/buffer.hpp>
#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/read_until.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "config/config_file.h"
#include "gateway/configuration/configuration.h"
#include "host/process.h"
#include "host/unix_socket.h"

namespace hilgate {
namespace {

constexpr std::size_t kLongestAnswer = std::size_t{64} << 20;

class ControlCall : public std::enable_shared_from_this<ControlCall> {
 public:
  ControlCall(asio::io_context& context, std::string request, std::function<void(std::string)> done)
      : socket_(context), deadline_(context), request_(std::move(request) + "\n"), done_(std::move(done)) {}

  void start(const std::string& path, std::chrono::seconds patience) {
    deadline_.expires_after(patience);
    deadline_.async_wait([self = shared_from_this()](const asio::error_code& error) {
      if (!error) {
        self->fail("the gateway does not answer: it hangs, is stopped or overloaded");
      }
    });
    socket_.async_connect(asio::local::stream_protocol::endpoint(path),
                          [self = shared_from_this()](const asio::error_code& error) {
                            if (error == asio::error::access_denied) {
                              self->fail("permission denied; run as root or join the group that owns the socket");
                            } else {
                              error ? self->fail("the gateway is not running") : self->ask();
                            }
                          });
  }

 private:
  void ask() {
    // A refusal may arrive before all is written: the answer has more detail than the failed write.
    asio::async_write(socket_, asio::buffer(request_),
                      [self = shared_from_this()](const asio::error_code&, std::size_t) {});
    asio::async_read_until(socket_, asio::dynamic_buffer(answer_, kLongestAnswer), '\n',
                           [self = shared_from_this()](const asio::error_code& error, std::size_t length) {
                             if (error) {
                               return self->fail("the gateway has closed the connection without an answer");
                             }
                             self->answer_.resize(length - 1);
                             self->finish(std::move(self->answer_));
                           });
  }

  void fail(const std::string& why) { finish(nlohmann::json{{"ok", false}, {"error", why}}.dump()); }

  void finish(std::string answer) {
    deadline_.cancel();
    std::error_code ignored;
    socket_.close(ignored);
    if (const auto done = std::exchange(done_, nullptr)) {
      done(std::move(answer));
    }
  }

  asio::local::stream_protocol::socket socket_;
  asio::steady_timer deadline_;
  std::string request_;
  std::string answer_;
  std::function<void(std::string)> done_;
};

}  // namespace

void control_call(asio::io_context& context, const std::string& socket, std::string request,
                  std::chrono::seconds patience, std::function<void(std::string answer)> done) {
  std::make_shared<ControlCall>(context, std::move(request), std::move(done))->start(socket, patience);
}

std::filesystem::path running_gateway(const std::string& run) {
  if (!run.empty()) {
    return control_socket(run);
  }
  std::vector<std::string> runs = runs_of_this_machine();
  if (runs.empty() && ::access(control_folder().c_str(), R_OK) != 0 && errno == EACCES) {
    throw std::runtime_error(fmt::format("{}: permission denied; run as root or join the group that owns the folder",
                                         control_folder().string()));
  }
  if (runs.size() > 1) {
    // Gateways that were killed leave their sockets.
    std::erase_if(runs, [](const std::string& name) { return !is_listened_to(control_socket(name)); });
  }
  if (runs.empty()) {
    throw std::runtime_error(
        fmt::format("no gateway is running (no socket in {} has a listener)", control_folder().string()));
  }
  if (runs.size() > 1) {
    throw std::runtime_error(fmt::format("several gateways are running ({}); name one", fmt::join(runs, ", ")));
  }
  return control_socket(runs.front());
}

std::vector<std::string> runs_of_this_machine() {
  std::vector<std::string> runs;
  std::error_code none;  // no folder: nothing runs
  for (const auto& entry : std::filesystem::directory_iterator(control_folder(), none)) {
    std::error_code gone;
    if (entry.is_socket(gone) && entry.path().extension() == ".sock") {
      runs.push_back(entry.path().stem().string());
    }
  }
  std::ranges::sort(runs);
  return runs;
}

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

// Time without an answer after which the process state is checked and reported, and the interval of later checks.
constexpr std::chrono::milliseconds kFirstLook{1500};
constexpr std::chrono::milliseconds kNextLooks{500};

// A gateway that hangs must not block its clients.
[[noreturn]] void say_it_hangs(std::chrono::seconds patience, const std::filesystem::path& socket) {
  throw std::runtime_error(
      fmt::format("the gateway at {} does not answer within {} s: it hangs, is stopped or overloaded", socket.string(),
                  patience.count()));
}

/// The listening process, as seen by a waiting client.
class Listener {
 public:
  Listener(int connection, std::filesystem::path socket) : peer_(local_peer(connection)), socket_(std::move(socket)) {}

  /// No answer so far. Throws std::runtime_error when the process is stopped and cannot answer until it is continued.
  void look() {
    if (is_process_halted(peer_.process)) {
      throw std::runtime_error(fmt::format(
          "the gateway at {} does not answer: {} is {}; `kill -CONT {}` continues a process that is stopped",
          socket_.string(), peer_.text(), process_state(peer_.process), peer_.process));
    }
  }
  /// Once, for people who wait.
  void tell() {
    if (!std::exchange(told_, true)) {
      fmt::print(stderr, "hilgate: waiting for the gateway at {}: {} has not answered for {:.1f} s; its state: {}\n",
                 socket_.string(), peer_.text(), std::chrono::duration<double>(kFirstLook).count(),
                 process_state(peer_.process));
    }
  }
  [[noreturn]] void give_up(std::chrono::seconds patience) const {
    throw std::runtime_error(
        fmt::format("the gateway at {} does not answer within {} s: it hangs or is overloaded; {}, its state: {}",
                    socket_.string(), patience.count(), peer_.text(), process_state(peer_.process)));
  }

 private:
  LocalPeer peer_;
  std::filesystem::path socket_;
  bool told_ = false;
};

void run_within(asio::io_context& context, std::chrono::seconds patience, Listener& listener) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  std::chrono::milliseconds next = std::min<std::chrono::milliseconds>(kFirstLook, patience);
  for (;;) {
    context.run_for(next);
    if (context.stopped()) {
      return;
    }
    listener.look();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      listener.give_up(patience);
    }
    listener.tell();
    next = std::min(kNextLooks, left);
  }
}

// Returns when there is one, or the connection has ended.
void await_byte(int connection, std::chrono::seconds patience, std::chrono::steady_clock::time_point deadline,
                Listener& listener) {
  std::chrono::milliseconds next = kFirstLook;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      listener.give_up(patience);
    }
    pollfd state{connection, POLLIN, 0};
    if (::poll(&state, 1, static_cast<int>(std::min(left, next).count())) != 0) {
      return;
    }
    listener.look();
    if (left > next) {
      listener.tell();
    }
    next = kNextLooks;
  }
}

// When the queue of a server that accepts no connections is full, a blocking connect would never return.
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
  // A refusal may arrive before all is written: the answer has more detail than the failed write.
  asio::async_write(connection, asio::buffer(question), [](const asio::error_code&, std::size_t) {});
  asio::async_read_until(connection, asio::dynamic_buffer(line), '\n',
                         [&error](const asio::error_code& failed, std::size_t) { error = failed; });
  Listener listener(connected.get(), socket);
  run_within(context, patience, listener);
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
  Listener listener(answered.get(), socket);
  // Byte by byte: what follows the line is the stream.
  std::string line;
  for (char byte = 0; byte != '\n'; line.push_back(byte)) {
    await_byte(answered.get(), patience, deadline, listener);
    if (::recv(answered.get(), &byte, 1, 0) != 1) {
      throw std::runtime_error(fmt::format("the gateway at {} gives no answer", socket.string()));
    }
  }
  static_cast<void>(result_of(line));
  const timeval none{};
  checked(::setsockopt(answered.get(), SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none), socket.string());
  return answered;
}

void await_run(const std::filesystem::path& socket, std::chrono::seconds patience,
               const std::function<bool()>& goes_on) {
  constexpr std::chrono::milliseconds kEach{20};
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (goes_on() && std::chrono::steady_clock::now() < deadline) {
    if (std::filesystem::exists(socket) && is_listened_to(socket)) {
      const auto left = std::chrono::ceil<std::chrono::seconds>(deadline - std::chrono::steady_clock::now());
      control_request(socket, {{"command", "get"}, {"keys", {"name"}}}, std::max(left, std::chrono::seconds(1)));
      return;
    }
    std::this_thread::sleep_for(kEach);
  }
  throw std::runtime_error(fmt::format("no gateway answers at {} within {} s; start it with `hilgate run`",
                                       socket.string(), patience.count()));
}

bool is_listened_to(const std::filesystem::path& socket) {
  const asio::local::stream_protocol::endpoint endpoint(socket.string());
  const FileDescriptor connection(
      checked(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), socket.string()));
  return ::connect(connection.get(), endpoint.data(), static_cast<socklen_t>(endpoint.size())) == 0 ||
         (errno != ECONNREFUSED && errno != ENOENT);
}

}  // namespace hilgate

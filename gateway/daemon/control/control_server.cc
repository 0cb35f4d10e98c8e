// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/control/control_server.h"

#include <fmt/format.h>

#include <asio/buffer.hpp>
#include <asio/read_until.hpp>
#include <asio/streambuf.hpp>
#include <asio/write.hpp>
#include <istream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace hilgate {
namespace {

using Protocol = asio::local::stream_protocol;
constexpr std::size_t kLongestRequest = 64 * 1024;

// Makes room for our socket, or says why it cannot be had.
void clear_way(asio::io_context& context, const std::filesystem::path& path) {
  const auto status = std::filesystem::symlink_status(path);
  if (!std::filesystem::exists(status)) {
    return;
  }
  if (!std::filesystem::is_socket(status)) {
    throw std::runtime_error(fmt::format("control socket {}: exists and is not a socket; remove it", path.string()));
  }
  Protocol::socket probe(context);
  asio::error_code error;
  probe.connect(Protocol::endpoint(path.string()), error);
  if (!error) {
    throw std::runtime_error(fmt::format(
        "control socket {}: a run of this name is already there; stop it or choose another name", path.string()));
  }
  std::filesystem::remove(path);
}

nlohmann::ordered_json answer(const ControlServer::Handler& handler, const std::string& line) {
  try {
    return {{"ok", true}, {"result", handler(nlohmann::json::parse(line))}};
  } catch (const std::exception& error) {
    return {{"ok", false}, {"error", error.what()}};
  }
}

}  // namespace

class ControlServer::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Protocol::socket socket, Handler handler)
      : socket_(std::move(socket)), handler_(std::move(handler)), input_(kLongestRequest) {}

  void read() {
    asio::async_read_until(socket_, input_, '\n',
                           [self = shared_from_this()](const asio::error_code& error, std::size_t) {
                             if (!error) {
                               self->reply();
                             }
                           });
  }

 private:
  void reply() {
    std::string line;
    std::istream stream(&input_);
    std::getline(stream, line);
    output_ = answer(handler_, line).dump() + "\n";
    asio::async_write(socket_, asio::buffer(output_),
                      [self = shared_from_this()](const asio::error_code& error, std::size_t) {
                        if (!error) {
                          self->read();
                        }
                      });
  }

  Protocol::socket socket_;
  Handler handler_;
  asio::streambuf input_;
  std::string output_;
};

ControlServer::ControlServer(asio::io_context& context, std::filesystem::path path, Handler handler)
    : path_(std::move(path)), handler_(std::move(handler)), acceptor_(context) {
  try {
    std::filesystem::create_directories(path_.parent_path());
    clear_way(context, path_);
    acceptor_.open(Protocol());
    acceptor_.bind(Protocol::endpoint(path_.string()));
    std::filesystem::permissions(path_, std::filesystem::perms{0660});
    acceptor_.listen();
  } catch (const std::system_error& error) {
    throw std::runtime_error(fmt::format("control socket {}: {}", path_.string(), error.what()));
  }
  accept();
}

ControlServer::~ControlServer() {
  std::error_code ignored;  // it may be gone already
  std::filesystem::remove(path_, ignored);
}

void ControlServer::accept() {
  acceptor_.async_accept([this](const asio::error_code& error, Protocol::socket socket) {
    if (error == asio::error::operation_aborted) {
      return;
    }
    if (!error) {
      std::make_shared<Session>(std::move(socket), handler_)->read();
    }
    accept();
  });
}

}  // namespace hilgate

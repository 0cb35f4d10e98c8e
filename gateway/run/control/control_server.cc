// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/control/control_server.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gateway/run/control/control_session.h"
#include "host/shared_files.h"
#include "host/unix_socket.h"

namespace hilgate {

void clear_socket_path(const std::filesystem::path& path) {
  const auto status = std::filesystem::symlink_status(path);
  if (!std::filesystem::exists(status)) {
    return;
  }
  if (!std::filesystem::is_socket(status)) {
    throw std::runtime_error(fmt::format("control socket {}: exists and is not a socket; remove it", path.string()));
  }
  if (socket_listener(path.string())) {
    throw std::runtime_error(fmt::format(
        "control socket {}: a run of this name is already running; stop it or choose another name", path.string()));
  }
  std::filesystem::remove(path);
}

nlohmann::ordered_json refusal(const std::string& why) {
  return {{"ok", false}, {"error", why}};
}

nlohmann::ordered_json refusal(const ConfigError& error) {
  nlohmann::ordered_json line = refusal(std::string(error.what()));
  for (const Fault& fault : error.faults()) {
    auto& said = line["faults"].emplace_back(nlohmann::ordered_json{{"file", fault.file}});
    if (fault.line > 0) {  // what was set has no place in the file
      said["line"] = fault.line;
    }
    said.update({{"path", fault.path}, {"text", fault.text}});
  }
  return line;
}

namespace {

using Protocol = asio::local::stream_protocol;
using Clock = ControlClock;
constexpr int kBacklog = 16;  // connections are accepted quickly enough that the last in the queue waits briefly

}  // namespace

void ControlServer::Desk::ask(std::shared_ptr<Session> session) {
  waiting.push_back(std::move(session));
  if (waiting.size() == 1 && writing == nullptr) {
    serve();
  }
}

void ControlServer::Desk::close() {
  closed = true;
  timer.cancel();
  writing.reset();
  const auto asked = std::move(waiting);   // sessions hold the desk, and it them
  const auto unmade = std::move(changes);  // likewise
  for (Session* session : sessions) {
    session->leave();
  }
}

// One question at a time, together with all equal ones; then all wait until the server has its share again.
void ControlServer::Desk::serve() {
  const auto begin = Clock::now();
  if (begin < next) {
    timer.expires_at(next);
    timer.async_wait([this, alive = waiting.front()](const asio::error_code& error) {
      if (!error && !closed) {
        serve();
      }
    });
    return;
  }
  const std::shared_ptr<Session> session = std::move(waiting.front());
  waiting.pop_front();
  if (session->has_gone()) {
    session->leave();
  } else {
    const auto equal = std::stable_partition(waiting.begin(), waiting.end(),
                                             [&](const auto& other) { return !other->asks_the_same(*session); });
    std::vector<std::shared_ptr<Session>> others(std::make_move_iterator(equal),
                                                 std::make_move_iterator(waiting.end()));
    waiting.erase(equal, waiting.end());
    if (Document document = session->question()) {
      others.push_back(session);
      return write(std::move(document), std::move(others), begin);
    }
    for (const auto& other : others) {
      other->answer(session->output());
    }
  }
  take_time(Clock::now() - begin);
  if (!waiting.empty()) {
    serve();
  }
}

void ControlServer::Desk::write(Document document, std::vector<std::shared_ptr<Session>> readers,
                                Clock::time_point begin) {
  const auto make = [document = std::move(document)] {
    try {
      nlohmann::ordered_json answer{{"ok", true}};
      answer["result"] = document();  // may be megabytes, which are not copied
      return Session::line_of(answer);
    } catch (const std::exception& error) {
      return Session::line_of(refusal(std::string(error.what())));
    }
  };
  const auto done = [this, begin, readers = std::move(readers)](std::string text) {
    const auto line = std::make_shared<const std::string>(std::move(text));
    for (const auto& reader : readers) {
      reader->answer(line);
    }
    writing.reset();
    take_time(Clock::now() - begin);
    for (const auto& change : std::exchange(changes, {})) {
      change();
    }
    if (!waiting.empty() && !closed) {
      serve();
    }
  };
  writing = std::make_unique<BackgroundText>(timer.get_executor(), commands.background, make, done);
}

void ControlServer::Desk::after_document(std::function<void()> change) {
  writing != nullptr ? changes.push_back(std::move(change)) : change();
}

ControlServer::ControlServer(asio::io_context& context, std::filesystem::path path, Commands commands, Handler handler,
                             Stream stream)
    : ControlServer(context, std::move(path), std::move(commands), std::move(handler), std::move(stream), Limits{}) {}

ControlServer::ControlServer(asio::io_context& context, std::filesystem::path path, Commands commands, Handler handler,
                             Stream stream, const Limits& limits)
    : path_(std::move(path)),
      desk_(std::make_shared<Desk>(context, std::move(commands), std::move(handler), std::move(stream),
                                   limits.thread_share)),
      acceptor_(context) {
  try {
    make_run_root(path_.parent_path());
    clear_socket_path(path_);
    acceptor_.open(Protocol());
    acceptor_.bind(Protocol::endpoint(path_.string()));
    share_socket_path(path_.string());
    acceptor_.listen(kBacklog);
  } catch (const std::system_error& error) {
    const bool is_refused = error.code() == std::errc::permission_denied;
    throw std::runtime_error(fmt::format("control socket {}: {}{}", path_.string(), error.what(),
                                         is_refused ? "; be root or the user of its folder, as the service is" : ""));
  }
  accept_loop_.emplace(
      acceptor_, limits.connections,
      [this](Protocol::socket socket, ConnectionSeat seat) {
        std::make_shared<Session>(std::move(socket), desk_, std::move(seat))->read();
      },
      [this] { return desk_->giving_way.make_room(); });
}

ControlServer::~ControlServer() {
  desk_->close();
  std::error_code ignored;  // it may be gone already
  std::filesystem::remove(path_, ignored);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/control/control_server.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <asio/buffer.hpp>
#include <asio/read_until.hpp>
#include <asio/steady_timer.hpp>
#include <asio/streambuf.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <deque>
#include <istream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "config/config_error.h"
#include "gateway/daemon/control/clear_socket_path.h"
#include "gateway/daemon/control/control_refusal.h"
#include "host/giving_way.h"
#include "host/local_peer.h"
#include "host/socket_path.h"

namespace hilgate {
namespace {

using Protocol = asio::local::stream_protocol;
using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;
constexpr std::size_t kLongestRequest = 64 * 1024;
constexpr int kBacklog = 16;  // at the rate at which connections are taken, who comes behind others waits for a moment
constexpr auto kSilence = 30s;
constexpr auto kSlowest = 10s;

bool is_operator(Protocol::socket& socket) try {
  return local_peer(socket.native_handle()).trusted;
} catch (const std::system_error&) {  // it has gone already
  return false;
}

}  // namespace

/// What all sessions share; it outlives the server until the last of them has heard that it is closed.
struct ControlServer::Desk {
  Desk(asio::io_context& context, Commands known, Handler take, Stream hand_over, int share_of_thread)
      : commands(std::move(known)),
        handler(std::move(take)),
        stream(std::move(hand_over)),
        thread_share(share_of_thread),
        timer(context) {}

  Commands commands;
  Handler handler;
  Stream stream;
  int thread_share;
  asio::steady_timer timer;
  GivingWay giving_way;
  std::deque<std::shared_ptr<Session>> waiting;  // with a question
  std::set<Session*> sessions;                   // all of them
  Clock::time_point next{};                      // when the next question may be answered
  bool closed = false;                           // the handler is not called any more

  void ask(std::shared_ptr<Session> session);
  void serve();
  void close();
  /// Questions have taken so much of the thread: until they may go on, the others' share passes.
  void take_time(Clock::duration time) { next = std::max(next, Clock::now()) + time * (thread_share - 1); }
};

class ControlServer::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Protocol::socket socket, std::shared_ptr<Desk> desk, ConnectionSeat seat)
      : operator_(is_operator(socket)),
        socket_(std::move(socket)),
        deadline_(socket_.get_executor()),
        desk_(std::move(desk)),
        seat_(std::move(seat)),
        input_(kLongestRequest) {
    desk_->sessions.insert(this);
  }
  ~Session() { desk_->sessions.erase(this); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void read() {
    give_way(std::exchange(has_asked_, true) ? GivingWay::Because::kSaysNoMore : GivingWay::Because::kSaysNothing);
    close_after(kSilence);
    asio::async_read_until(
        socket_, input_, '\n', [self = shared_from_this()](const asio::error_code& error, std::size_t) {
          if (self->desk_->closed) {
            self->leave();
          } else if (!error) {
            self->take();
          } else if (error == asio::error::not_found) {
            self->write(refusal(fmt::format("a request has at most {} bytes", kLongestRequest)), true);
          } else {
            self->deadline_.cancel();
          }
        });
  }
  /// Answers its question, or says why it was none.
  void reply() {
    if (fault_) {
      return write(refusal(*std::exchange(fault_, std::nullopt)), false);
    }
    answer_with([this] {
      nlohmann::ordered_json answer{{"ok", true}};
      answer["result"] = desk_->handler(request_);  // may be megabytes, which nobody copies
      write(answer, false, desk_->commands.streams.contains(request_.value("command", std::string())));
    });
  }
  /// A change that takes a while is begun, and answered when it is over; any other at once.
  void change() {
    answer_with([this] {
      const Later& later = desk_->commands.later;
      if (!later || !later(request_, [self = shared_from_this()](const auto& line) { self->write(line, false); })) {
        reply();
      }
    });
  }
  [[nodiscard]] bool asks_the_same(const Session& other) const {
    return !fault_ && !other.fault_ && request_ == other.request_;
  }
  /// What the other one was answered.
  void repeat(const Session& other) { send(other.output_, false, false); }
  /// Gives its seat to the next.
  void leave() {
    place_.reset();
    std::error_code ignored;
    socket_.close(ignored);
    deadline_.cancel();
  }
  /// Whether nobody is there any more to hear an answer; who only says no more may still listen.
  [[nodiscard]] bool has_gone() {
    pollfd state{socket_.native_handle(), 0, 0};
    return !socket_.is_open() || (::poll(&state, 1, 0) == 1 && (state.revents & (POLLHUP | POLLERR)) != 0);
  }

 private:
  void answer_with(const std::function<void()>& work) {
    try {
      work();
    } catch (const ConfigError& error) {
      write(refusal(error), false);
    } catch (const std::exception& error) {
      write(refusal(std::string(error.what())), false);
    }
  }

  // Whatever a client sends, there is an answer.
  void take() {
    place_.reset();
    std::string line;
    std::istream stream(&input_);
    std::getline(stream, line);
    const auto begin = Clock::now();
    try {
      request_ = nlohmann::json::parse(line);
      const auto command = request_.value("command", std::string());
      const bool streams = desk_->commands.streams.contains(command);
      if (!streams && !desk_->commands.changes.contains(command)) {
        desk_->ask(shared_from_this());
      } else if (operator_) {
        streams ? reply() : change();
      } else {
        write(refusal(fmt::format("'{}' is for operators: root, the user that the gateway runs as, and members of the "
                                  "group '{}'",
                                  command, kServiceGroup)),
              false);
      }
    } catch (const std::exception& error) {  // what is no request is a question, too, and takes of its share
      fault_ = error.what();
      desk_->take_time(Clock::now() - begin);
      desk_->ask(shared_from_this());
    }
  }

  // Text of others need not be UTF-8.
  void write(const nlohmann::ordered_json& answer, bool last, bool streams = false) {
    constexpr auto kReplace = nlohmann::ordered_json::error_handler_t::replace;
    send(std::make_shared<const std::string>(answer.dump(-1, ' ', false, kReplace) + '\n'), last, streams);
  }

  void send(std::shared_ptr<const std::string> output, bool last, bool streams) {
    output_ = std::move(output);
    give_way(GivingWay::Because::kReadsNothing);
    close_after(kSlowest);
    asio::async_write(socket_, asio::buffer(*output_),
                      [self = shared_from_this(), last, streams](const asio::error_code& error, std::size_t) {
                        if (!error && streams && !self->desk_->closed) {
                          self->hand_over();
                        } else if (!error && !last && !self->desk_->closed) {
                          self->read();
                        } else {
                          self->deadline_.cancel();
                        }
                      });
  }

  void hand_over() {
    place_.reset();
    deadline_.cancel();
    desk_->stream(request_, FileDescriptor(socket_.release()), std::move(seat_));
  }

  void give_way(GivingWay::Because because) {
    place_ = desk_->giving_way.enter(because, [session = weak_from_this()] {
      if (const auto self = session.lock()) {
        self->leave();
      }
    });
  }

  void close_after(Clock::duration time) {
    deadline_.expires_after(time);
    deadline_.async_wait([self = shared_from_this()](const asio::error_code& error) {
      if (!error) {
        std::error_code ignored;
        self->socket_.close(ignored);
      }
    });
  }

  bool operator_;
  Protocol::socket socket_;
  asio::steady_timer deadline_;
  std::shared_ptr<Desk> desk_;
  ConnectionSeat seat_;
  GivingWay::Place place_;
  bool has_asked_ = false;
  asio::streambuf input_;
  nlohmann::json request_;
  std::optional<std::string> fault_;  // why what came was no request
  std::shared_ptr<const std::string> output_;
};

void ControlServer::Desk::ask(std::shared_ptr<Session> session) {
  waiting.push_back(std::move(session));
  if (waiting.size() == 1) {
    serve();
  }
}

void ControlServer::Desk::close() {
  closed = true;
  timer.cancel();
  const auto asked = std::move(waiting);  // sessions hold the desk, and it them
  for (Session* session : sessions) {
    session->leave();
  }
}

// One question after the other, with all who ask the same; behind it all wait until the server has its share again.
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
    const auto others = std::stable_partition(waiting.begin(), waiting.end(),
                                              [&](const auto& other) { return !other->asks_the_same(*session); });
    session->reply();
    std::for_each(others, waiting.end(), [&](const auto& other) { other->repeat(*session); });
    waiting.erase(others, waiting.end());
  }
  take_time(Clock::now() - begin);
  if (!waiting.empty()) {
    serve();
  }
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
    std::filesystem::create_directories(path_.parent_path());
    clear_socket_path(path_);
    acceptor_.open(Protocol());
    acceptor_.bind(Protocol::endpoint(path_.string()));
    share_socket_path(path_.string());
    acceptor_.listen(kBacklog);
  } catch (const std::system_error& error) {
    throw std::runtime_error(fmt::format("control socket {}: {}", path_.string(), error.what()));
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

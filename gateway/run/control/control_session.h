// SPDX-License-Identifier: Apache-2.0
// One client of the control socket, and what all of them share.
#pragma once

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <asio/buffer.hpp>
#include <asio/read_until.hpp>
#include <asio/streambuf.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <istream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "config/config_file.h"
#include "config/plain_text.h"
#include "gateway/run/control/control_server.h"
#include "host/accept_loop.h"
#include "host/background_work.h"
#include "host/control_clock.h"
#include "host/unix_socket.h"

namespace hilgate {

/// Shared by all sessions; outlives the server until the last session has noticed that it is closed.
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
  ControlTimer timer;
  ConnectionEviction giving_way;
  std::deque<std::shared_ptr<Session>> waiting;  // with a question
  std::unique_ptr<BackgroundText> writing;       // null: none
  std::vector<std::function<void()>> changes;    // after what is being written
  std::set<Session*> sessions;                   // all of them
  ControlClock::time_point next{};               // when the next question may be answered
  bool closed = false;                           // the handler is not called any more

  void ask(std::shared_ptr<Session> session);
  void serve();
  void write(Document document, std::vector<std::shared_ptr<Session>> readers, ControlClock::time_point begin);
  /// At once or, while a document is being made, after it: no client that has its change confirmed gets an answer from
  /// before it.
  void after_document(std::function<void()> change);
  void close();
  /// Charges time that questions have taken: they resume once the others' share has passed.
  void take_time(ControlClock::duration time) {
    next = std::max(next, ControlClock::now()) + time * (thread_share - 1);
  }
};

class ControlServer::Session : public std::enable_shared_from_this<Session> {
 public:
  Session(asio::local::stream_protocol::socket socket, std::shared_ptr<Desk> desk, ConnectionSeat seat)
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
    allow_eviction(std::exchange(has_asked_, true) ? EvictionReason::kHalfClosed : EvictionReason::kSilent);
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
  /// Answers its question, or reports why it is invalid, and returns null; or returns the document that it asks for.
  Document question() {
    Document document;
    const Gather& gather = desk_->commands.gather;
    const bool is_refused = !fault_ && gather && !answer_with([&] { document = gather(request_); });
    if (!document && !is_refused) {
      reply();
    }
    return document;
  }
  void reply() {
    if (fault_) {
      return write(refusal(*std::exchange(fault_, std::nullopt)), false);
    }
    answer_with([this] {
      nlohmann::ordered_json answer{{"ok", true}};
      answer["result"] = desk_->handler(request_);  // may be megabytes, which are not copied
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
  /// What it was answered last.
  [[nodiscard]] const std::shared_ptr<const std::string>& output() const { return output_; }
  void answer(std::shared_ptr<const std::string> line) { send(std::move(line), false, false); }
  /// Text of others need not be UTF-8. Any thread.
  static std::string line_of(const nlohmann::ordered_json& answer) { return json_line(answer) + '\n'; }
  /// Gives its seat to the next.
  void leave() {
    place_.reset();
    std::error_code ignored;
    socket_.close(ignored);
    deadline_.cancel();
  }
  /// Whether the client is gone and cannot read an answer; a half-closed client may still read.
  [[nodiscard]] bool has_gone() {
    pollfd state{socket_.native_handle(), 0, 0};
    return !socket_.is_open() || (::poll(&state, 1, 0) == 1 && (state.revents & (POLLHUP | POLLERR)) != 0);
  }

 private:
  static constexpr std::size_t kLongestRequest = 64 * 1024;
  static constexpr std::chrono::seconds kSilence{30};
  static constexpr std::chrono::seconds kSlowest{10};

  static bool is_operator(asio::local::stream_protocol::socket& socket) try {
    return local_peer(socket.native_handle()).trusted;
  } catch (const std::system_error&) {  // it has gone already
    return false;
  }

  // False: what `work` threw was the answer.
  bool answer_with(const std::function<void()>& work) {
    try {
      work();
      return true;
    } catch (const ConfigError& error) {
      write(refusal(error), false);
    } catch (const std::exception& error) {
      write(refusal(std::string(error.what())), false);
    }
    return false;
  }

  // Whatever a client sends, there is an answer.
  void take() {
    place_.reset();
    deadline_.cancel();  // it is not silent while it waits: some answers take longer, as `coverage` on a busy machine
    std::string line;
    std::istream stream(&input_);
    std::getline(stream, line);
    const auto begin = ControlClock::now();
    try {
      request_ = nlohmann::json::parse(line);
      const auto command = request_.value("command", std::string());
      const bool streams = desk_->commands.streams.contains(command);
      if (!streams && !desk_->commands.changes.contains(command)) {
        desk_->ask(shared_from_this());
      } else if (operator_) {
        streams ? reply() : desk_->after_document([self = shared_from_this()] { self->change(); });
      } else {
        write(refusal(fmt::format("'{}' is for operators: root, the user that the gateway runs as, and members of the "
                                  "group '{}'",
                                  shown(command), kServiceGroup)),
              false);
      }
    } catch (const std::exception& error) {  // what is no request is a question, too, and takes of its share
      fault_ = error.what();
      desk_->take_time(ControlClock::now() - begin);
      desk_->ask(shared_from_this());
    }
  }

  void write(const nlohmann::ordered_json& answer, bool last, bool streams = false) {
    send(std::make_shared<const std::string>(line_of(answer)), last, streams);
  }

  void send(std::shared_ptr<const std::string> output, bool last, bool streams) {
    output_ = std::move(output);
    allow_eviction(EvictionReason::kNotReading);
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

  void allow_eviction(EvictionReason because) {
    place_ = desk_->giving_way.enter(because, [session = weak_from_this()] {
      if (const auto self = session.lock()) {
        self->leave();
      }
    });
  }

  void close_after(ControlClock::duration time) {
    deadline_.expires_after(time);
    deadline_.async_wait([self = shared_from_this()](const asio::error_code& error) {
      if (!error) {
        std::error_code ignored;
        self->socket_.close(ignored);
      }
    });
  }

  bool operator_;
  asio::local::stream_protocol::socket socket_;
  ControlTimer deadline_;
  std::shared_ptr<Desk> desk_;
  ConnectionSeat seat_;
  ConnectionEviction::Place place_;
  bool has_asked_ = false;
  asio::streambuf input_;
  nlohmann::json request_;
  std::optional<std::string> fault_;  // why what came was no request
  std::shared_ptr<const std::string> output_;
};

}  // namespace hilgate

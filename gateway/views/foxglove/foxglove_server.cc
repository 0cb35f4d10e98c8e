// SPDX-License-Identifier: Apache-2.0
// Beast's websockets need Boost's Asio, which does not go into one file with the Asio of all others: no header here may
// include that, and unity builds leave this file out.
#include "gateway/views/foxglove/foxglove_server.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "gateway/views/foxglove/foxglove_channels.h"

namespace hilgate {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using boost::asio::ip::tcp;
using boost::system::error_code;
using namespace std::chrono_literals;

constexpr std::string_view kProtocol = "foxglove.websocket.v1";
constexpr std::size_t kMostClients = 16;
constexpr std::size_t kMostSubscriptions = 64;   // of a client
constexpr std::size_t kMostRequest = 64 * 1024;  // bytes of a client's message
constexpr std::size_t kMostQueued = 32;          // messages that wait for a client,
constexpr std::size_t kMostBytes = 16 << 20;     // and bytes of them, but for one message
constexpr std::uint32_t kLongestHeader = 8 * 1024;
constexpr auto kHandshakeTime = 5s;
constexpr int kPause = 4;  // times as long as an answer took, as the page does
constexpr auto kNoticeEvery = 5s;

using Text = std::shared_ptr<const std::string>;

std::uint32_t number_in(const nlohmann::json& object, const char* key) {
  const auto value = object.find(key);
  return value != object.end() && value->is_number_unsigned() ? value->get<std::uint32_t>() : 0;
}

/// The clients, and the messages for all of them.
class Room {
 public:
  class Client {
   public:
    virtual ~Client() = default;
    virtual void receive(const FoxgloveMessages::Message& message, Nanoseconds utc) = 0;
  };

  Room(const FoxgloveRun& run, FoxgloveCounts& counts)
      : run_(run), info_(foxglove_server_info(run.name)), counts_(counts) {
    counts_.clients = 0;  // those of a process before this one are gone
  }

  void publish(const std::vector<FoxgloveMessages::Message>& messages, Nanoseconds utc) {
    for (Client* client : clients_) {
      for (const FoxgloveMessages::Message& message : messages) {
        client->receive(message, utc);
      }
    }
  }
  void enter(Client* client) {
    clients_.push_back(client);
    counts_.clients = clients_.size();
  }
  void leave(Client* client) {
    std::erase(clients_, client);
    counts_.clients = clients_.size();
  }
  void leave_out() { ++counts_.left_out; }
  [[nodiscard]] bool full() const { return clients_.size() >= kMostClients; }
  /// Any thread.
  [[nodiscard]] std::size_t present() const { return counts_.clients; }
  [[nodiscard]] const std::string& info() const { return info_; }
  FoxgloveMessages& messages() { return messages_; }
  [[nodiscard]] const FoxgloveRun& run() const { return run_; }

 private:
  const FoxgloveRun& run_;
  std::string info_;
  FoxgloveMessages messages_;
  std::vector<Client*> clients_;
  FoxgloveCounts& counts_;
};

/// One connection: an HTTP request that becomes a websocket.
class Visit final : public Room::Client, public std::enable_shared_from_this<Visit> {
 public:
  Visit(tcp::socket socket, Room& room, const FoxgloveConfig& config)
      : peer_(peer_of(socket)), socket_(std::move(socket)), room_(room), config_(config) {}
  ~Visit() override { room_.leave(this); }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  void start() {
    parser_.header_limit(kLongestHeader);
    parser_.body_limit(0);
    beast::get_lowest_layer(socket_).expires_after(kHandshakeTime);
    http::async_read(socket_.next_layer(), input_, parser_, [self = shared_from_this()](error_code error, std::size_t) {
      if (!error) {
        self->take_request();
      }
    });
  }

  void receive(const FoxgloveMessages::Message& message, Nanoseconds utc) override {
    const auto channel = static_cast<std::uint32_t>(message.topic) + 1;
    for (const auto& [subscription, subscribed] : subscriptions_) {
      if (subscribed == channel) {
        push(std::make_shared<const std::string>(foxglove_data(subscription, utc, message.json)), true);
      }
    }
  }

 private:
  struct Queued {
    Text text;
    bool binary = false;
  };

  static std::string peer_of(const tcp::socket& socket) {
    error_code error;
    const tcp::endpoint peer = socket.remote_endpoint(error);
    return error ? "a client" : fmt::format("{} port {}", peer.address().to_string(), peer.port());
  }

  // Browsers say which page a websocket is of; programs need not. Pages of others could read this machine's runs.
  [[nodiscard]] bool may_come(std::string_view origin) const {
    return origin.empty() || origin == "file://" || std::ranges::find(config_.origins, origin) != config_.origins.end();
  }

  void take_request() {
    const auto& request = parser_.get();
    const std::string origin(request[http::field::origin]);
    if (!websocket::is_upgrade(request)) {
      return refuse(http::status::upgrade_required,
                    "This is a websocket of Foxglove: open a connection to ws://, "
                    "\"Foxglove WebSocket\".\n");
    }
    if (!may_come(origin)) {
      spdlog::warn("Foxglove: refused a page of {}; add it to `foxglove.origins` if it may read this run", origin);
      return refuse(http::status::forbidden, "Pages of this origin may not read the run (foxglove.origins).\n");
    }
    const std::string offered(request[http::field::sec_websocket_protocol]);
    if (offered.find(kProtocol) == std::string::npos) {
      return refuse(http::status::bad_request, fmt::format("The subprotocol is {}.\n", kProtocol));
    }
    if (room_.full()) {
      return refuse(http::status::service_unavailable, "Too many clients watch already; close one.\n");
    }
    beast::get_lowest_layer(socket_).expires_never();
    socket_.set_option(websocket::stream_base::timeout::suggested(beast::role_type::server));
    socket_.set_option(websocket::stream_base::decorator([](websocket::response_type& response) {
      response.set(http::field::sec_websocket_protocol, kProtocol.data());
    }));
    socket_.read_message_max(kMostRequest);
    socket_.async_accept(request, [self = shared_from_this()](error_code error) {
      if (!error) {
        self->greet();
      }
    });
  }

  void refuse(http::status status, std::string why) {
    auto response = std::make_shared<http::response<http::string_body>>(status, 11);
    response->set(http::field::content_type, "text/plain; charset=utf-8");
    response->body() = std::move(why);
    response->keep_alive(false);
    response->prepare_payload();
    http::async_write(socket_.next_layer(), *response, [self = shared_from_this(), response](error_code, std::size_t) {
      error_code ignored;
      self->socket_.next_layer().socket().shutdown(tcp::socket::shutdown_send, ignored);
    });
  }

  void greet() {
    room_.enter(this);
    push(std::make_shared<const std::string>(room_.info()), false);
    push(std::make_shared<const std::string>(foxglove_advertisement()), false);
    read();
  }

  void read() {
    input_.clear();
    socket_.async_read(input_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) {
        return self->end();
      }
      self->take({static_cast<const char*>(self->input_.data().data()), self->input_.size()});
      self->read();
    });
  }

  void take(std::string_view text) {
    const auto message = nlohmann::json::parse(text, nullptr, false);
    if (!message.is_object()) {
      return;
    }
    const auto op = message.find("op");
    const auto items = message.find(op != message.end() && *op == "subscribe" ? "subscriptions" : "subscriptionIds");
    if (op == message.end() || items == message.end() || !items->is_array()) {
      return;
    }
    for (const auto& item : *items) {
      if (*op == "subscribe" && item.is_object()) {
        subscribe(number_in(item, "id"), number_in(item, "channelId"));
      } else if (*op == "unsubscribe" && item.is_number_unsigned()) {
        subscriptions_.erase(item.get<std::uint32_t>());
      }
    }
  }

  void subscribe(std::uint32_t id, std::uint32_t channel) {
    if (channel == 0 || channel > kFoxgloveTopics || subscriptions_.size() >= kMostSubscriptions) {
      return push(std::make_shared<const std::string>(foxglove_warning(fmt::format(
                      "there is no channel {}, or there are {} subscriptions already", channel, kMostSubscriptions))),
                  false);
    }
    subscriptions_[id] = channel;
    if (channel == static_cast<std::uint32_t>(FoxgloveTopic::kConditions) + 1) {
      const Nanoseconds utc = room_.run().utc_now();
      for (const FoxgloveMessages::Message& message : room_.messages().standing(utc)) {
        push(std::make_shared<const std::string>(foxglove_data(id, utc, message.json)), true);
      }
    }
  }

  // The oldest of too many messages are lost: what is newer replaces them.
  void push(Text text, bool binary) {
    bytes_ += text->size();
    queue_.push_back({std::move(text), binary});
    while (queue_.size() > kMostQueued || (bytes_ > kMostBytes && queue_.size() > 1)) {
      const auto oldest = std::ranges::find(queue_, true, &Queued::binary);
      const auto least = oldest == queue_.end() ? queue_.begin() : oldest;
      bytes_ -= least->text->size();
      queue_.erase(least);
      room_.leave_out();
      if (++lost_ == 1) {
        spdlog::warn("Foxglove: {} takes messages too slowly, and loses some: `hilgate status` has their number",
                     peer_);
      }
    }
    if (!writing_) {
      write();
    }
  }

  void write() {
    if (const auto now = std::chrono::steady_clock::now(); lost_ > reported_ && now >= report_at_) {
      auto notice = std::make_shared<const std::string>(
          foxglove_warning(fmt::format("{} messages were left out so far: this client takes them too slowly", lost_)));
      bytes_ += notice->size();
      queue_.push_back({std::move(notice), false});
      reported_ = lost_;
      report_at_ = now + kNoticeEvery;
    }
    if (queue_.empty()) {
      return;
    }
    sending_ = std::move(queue_.front());
    queue_.pop_front();
    bytes_ -= sending_.text->size();
    writing_ = true;
    socket_.binary(sending_.binary);
    socket_.async_write(boost::asio::buffer(*sending_.text),
                        [self = shared_from_this()](error_code error, std::size_t) {
                          self->writing_ = false;
                          error ? self->end() : self->write();
                        });
  }

  void end() {
    room_.leave(this);
    error_code ignored;
    socket_.next_layer().socket().close(ignored);
  }

  std::string peer_;
  websocket::stream<beast::tcp_stream> socket_;
  Room& room_;
  const FoxgloveConfig& config_;
  beast::flat_buffer input_{kMostRequest};
  http::request_parser<http::string_body> parser_;
  std::map<std::uint32_t, std::uint32_t> subscriptions_;  // channels
  std::deque<Queued> queue_;
  std::size_t bytes_ = 0;  // in it
  Queued sending_;
  bool writing_ = false;
  std::uint64_t lost_ = 0, reported_ = 0;
  std::chrono::steady_clock::time_point report_at_{};
};

/// Asks the gateway, on a thread of its own that may wait, and publishes the answers on the context's thread.
class Asking {
 public:
  Asking(boost::asio::io_context& context, Room& room, Nanoseconds every)
      : context_(context), room_(room), every_(every), thread_([this] { run(); }) {}
  ~Asking() {
    {
      const std::scoped_lock lock(mutex_);
      stops_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (!stops_) {
      lock.unlock();
      const auto begin = std::chrono::steady_clock::now();
      if (room_.present() > 0) {
        ask();
      }
      const Nanoseconds took = std::chrono::steady_clock::now() - begin;
      lock.lock();
      changed_.wait_for(lock, std::max(every_ - took, kPause * took), [this] { return stops_; });
    }
  }

  void ask() {
    const Nanoseconds utc = room_.run().utc_now();
    try {
      auto status = std::make_shared<nlohmann::ordered_json>(room_.run().status());
      boost::asio::post(context_, [this, status, utc] { room_.publish(room_.messages().take(*status, utc), utc); });
    } catch (const std::exception& error) {
      boost::asio::post(context_, [this, why = std::string(error.what()), utc] {
        room_.publish(room_.messages().take_silence(why, utc), utc);
      });
    }
  }

  boost::asio::io_context& context_;
  Room& room_;
  Nanoseconds every_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stops_ = false;
  std::thread thread_;  // last: it uses the others
};

void accept_next(tcp::acceptor& acceptor, Room& room, const FoxgloveConfig& config) {
  acceptor.async_accept([&](error_code error, tcp::socket socket) {
    if (error == boost::asio::error::operation_aborted) {
      return;
    }
    if (!error) {
      std::make_shared<Visit>(std::move(socket), room, config)->start();
    } else {
      std::this_thread::sleep_for(100ms);  // no descriptors: others of this process's clients may go meanwhile
    }
    accept_next(acceptor, room, config);
  });
}

}  // namespace

void serve_foxglove(const FoxgloveConfig& config, const FoxgloveRun& run, int listening, FoxgloveCounts& counts) {
  std::signal(SIGPIPE, SIG_IGN);
  Room room(run, counts);  // outlives the visits, which the context keeps
  boost::asio::io_context context(1);
  boost::asio::signal_set signals(context, SIGINT, SIGTERM);
  signals.async_wait([&context](error_code, int) { context.stop(); });
  const bool is_ipv6 = config.listen.host.find(':') != std::string::npos;
  tcp::acceptor acceptor(context);
  acceptor.assign(is_ipv6 ? tcp::v6() : tcp::v4(), listening);
  accept_next(acceptor, room, config);
  const Asking asking(context, room, config.every);
  context.run();
}

}  // namespace hilgate

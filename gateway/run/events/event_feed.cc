// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/events/event_feed.h"
#include "config/plain_text.h"
#include "host/background_work.h"
#include "host/control_clock.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asio/buffer.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;
using namespace std::chrono_literals;

constexpr std::size_t kRoom = std::size_t{4} << 20;  // bytes that wait for a client
constexpr double kOftenest = 0.1;                    // s
constexpr double kRarest = 3600;
constexpr auto kSettled = 100ms;  // until a change is in the links' states, which the next window has
constexpr int kShare = 10;        // a status that a change brings forward waits until the last one took 1 in so many
constexpr std::array<std::string_view, 3> kChanges = {"set", "set_back", "reload"};

// Asio closes what it is given.
int duplicate_of(const FileDescriptor& socket) {
  return checked(::fcntl(socket.get(), F_DUPFD_CLOEXEC, 0), "a subscription");
}

}  // namespace

class EventFeed::Client : public std::enable_shared_from_this<Client> {
 public:
  /// What a client subscribes to.
  struct Subscription {
    std::optional<std::chrono::milliseconds> every{};  // the status
    std::set<std::string> keys{};                      // of its top level; empty: all

    static Subscription of(const nlohmann::json& request) {
      Subscription subscription;
      if (request.contains("every_s")) {
        const auto seconds = request.at("every_s").get<double>();
        if (!(seconds >= kOftenest && seconds <= kRarest)) {
          throw std::runtime_error(fmt::format("every_s: '{}' is out of range; allowed: 0.1 to 3600 s", seconds));
        }
        subscription.every =
            std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::duration<double>(seconds));
      }
      if (request.contains("keys")) {
        subscription.keys = request.at("keys").get<std::set<std::string>>();
      }
      return subscription;
    }
  };

  Client(EventFeed& feed, Subscription subscription, const FileDescriptor& socket, std::shared_ptr<void> seat)
      : feed_(&feed),
        subscription_(std::move(subscription)),
        socket_(feed.context_, asio::local::stream_protocol(), duplicate_of(socket)),
        timer_(feed.context_),
        seat_(std::move(seat)) {}

  void start() {
    socket_.non_blocking(true);
    wait_for_end();
    if (subscription_.every) {
      tell_status();
    }
  }

  /// Lines keep their order: after a status that is being made they wait for it.
  void take(Json line) {
    if (making_ != nullptr) {
      later_.push_back(std::move(line));
    } else {
      put(text_of(std::move(line), missed_));
    }
  }

  /// The next status at once, or where changes follow each other closely, once the last one has had its share; and one
  /// more when the change is in all of it.
  void hurry() {
    settling_ = true;
    if (making_ != nullptr) {  // from what the run was like before
      outdated_ = true;
      return;
    }
    const auto at = std::max(ControlClock::now(), soonest_);
    if (subscription_.every && at < timer_.expiry()) {
      await_status(at);
    }
  }

  void close() {
    feed_ = nullptr;
    making_.reset();
    timer_.cancel();
    std::error_code ignored;
    socket_.close(ignored);
  }

 private:
  static std::string text_of(Json line, std::uint64_t missed) {
    if (missed > 0) {
      line["missed"] = missed;
    }
    return json_line(line) + "\n";
  }

  void put(std::string text) {
    if (waiting_bytes_ + text.size() > kRoom) {
      ++missed_;
      return;
    }
    missed_ = 0;
    waiting_bytes_ += text.size();
    waiting_.push_back(std::move(text));
    if (waiting_.size() == 1) {
      write();
    }
  }

  // A client sends nothing more; it ends its subscription by closing the connection.
  void wait_for_end() {
    socket_.async_read_some(asio::buffer(ignored_),
                            [self = shared_from_this()](const asio::error_code& error, std::size_t) {
                              error ? self->leave() : self->wait_for_end();
                            });
  }

  void write() {
    asio::async_write(socket_, asio::buffer(waiting_.front()),
                      [self = shared_from_this()](const asio::error_code& error, std::size_t) {
                        if (error || self->feed_ == nullptr) {
                          return self->leave();
                        }
                        self->waiting_bytes_ -= self->waiting_.front().size();
                        self->waiting_.pop_front();
                        if (!self->waiting_.empty()) {
                          self->write();
                        }
                      });
  }

  void tell_status() {
    const auto begin = ControlClock::now();
    try {
      auto make = [document = feed_->sources_.status(), keys = subscription_.keys, at = feed_->seconds(),
                   missed = missed_]() -> std::string {
        Json status;
        try {
          status = document();
        } catch (const std::exception&) {
          return {};
        }
        if (!keys.empty()) {
          Json chosen = Json::object();
          for (const std::string& key : keys) {
            if (status.contains(key)) {
              chosen[key] = std::move(status[key]);
            }
          }
          status = std::move(chosen);
        }
        return text_of({{"event", "status"}, {"sim_time_s", at}, {"status", std::move(status)}}, missed);
      };
      making_ = std::make_unique<BackgroundText>(socket_.get_executor(), feed_->sources_.background, std::move(make),
                                                 [this, begin](std::string text) {
                                                   text.empty() ? void(++missed_) : put(std::move(text));
                                                   making_.reset();
                                                   for (Json& line : std::exchange(later_, {})) {
                                                     put(text_of(std::move(line), missed_));
                                                   }
                                                   status_told(begin);
                                                 });
    } catch (const std::exception&) {  // the packet loop does not answer: the next time it may
      ++missed_;
      status_told(begin);
    }
  }

  void status_told(ControlClock::time_point begin) {
    const auto end = ControlClock::now();
    soonest_ = end + (kShare - 1) * (end - begin);
    const auto next = end + *subscription_.every;
    if (std::exchange(outdated_, false)) {
      return await_status(std::min(next, soonest_));
    }
    await_status(std::exchange(settling_, false) ? std::min(next, std::max(soonest_, end + kSettled)) : next);
  }

  void await_status(ControlClock::time_point at) {
    timer_.expires_at(at);
    timer_.async_wait([self = shared_from_this()](const asio::error_code& error) {
      if (!error && self->feed_ != nullptr) {
        self->tell_status();
      }
    });
  }

  void leave() {
    if (feed_ != nullptr) {
      feed_->leave(this);
    }
  }

  EventFeed* feed_;  // null: it has left
  Subscription subscription_;
  asio::local::stream_protocol::socket socket_;
  ControlTimer timer_;  // of the next status
  ControlClock::time_point soonest_{};
  bool settling_ = false;  // something has changed since the last status
  bool outdated_ = false;  // something has changed since the status that is being made was gathered
  std::shared_ptr<void> seat_;
  std::array<char, 256> ignored_{};
  std::deque<std::string> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::uint64_t missed_ = 0;  // lines, since the last that was taken
  std::vector<Json> later_;   // lines after the status that is being made
  std::unique_ptr<BackgroundText> making_;
};

EventFeed::EventFeed(asio::io_context& context, Sources sources) : context_(context), sources_(std::move(sources)) {}

EventFeed::~EventFeed() {
  for (const auto& client : clients_) {
    client->close();
  }
}

void EventFeed::check(const nlohmann::json& request) const {
  static_cast<void>(Client::Subscription::of(request));
  if (clients_.size() >= kMost) {
    throw std::runtime_error(fmt::format("{} clients have subscribed already; end one of them", kMost));
  }
}

void EventFeed::stream(const nlohmann::json& request, const FileDescriptor& socket, std::shared_ptr<void> seat) {
  const auto client = std::make_shared<Client>(*this, Client::Subscription::of(request), socket, std::move(seat));
  clients_.push_back(client);
  client->start();
}

void EventFeed::happened(std::string_view event, const Json& fields) {
  if (clients_.empty()) {
    return;
  }
  Json line{{"event", event}, {"sim_time_s", seconds()}};
  if (fields.is_object()) {
    line.update(fields);
  }
  const bool is_change = std::ranges::find(kChanges, event) != kChanges.end();
  for (const auto& client : clients_) {
    client->take(line);
    if (is_change) {
      client->hurry();
    }
  }
}

void EventFeed::station_came(const StationNews& news) {
  happened("station", {{"robot", news.robot}, {"access_point", news.to}, {"text", news.text}});
}

double EventFeed::seconds() const {
  return std::chrono::duration<double>(sources_.now().time_since_epoch()).count();
}

void EventFeed::leave(const Client* client) {
  const auto found = std::ranges::find_if(clients_, [client](const auto& each) { return each.get() == client; });
  if (found != clients_.end()) {
    const std::shared_ptr<Client> left = *found;
    clients_.erase(found);
    left->close();
  }
}

}  // namespace hilgate

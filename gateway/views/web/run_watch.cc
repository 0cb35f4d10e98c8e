// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/run_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <utility>

#include "gateway/run/control/control_client.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;
constexpr auto kHistoryInterval = 950ms;  // of a second, as timers have it
constexpr auto kHistorySpan = 10min;
constexpr std::size_t kHistoryBytes = std::size_t{64} << 20;
constexpr std::size_t kTextBytes = std::size_t{8} << 20;

}  // namespace

void RunHistory::add(Time at, Text report) {
  if (!reports_.empty() && at - reports_.back().at < kHistoryInterval) {
    return;
  }
  all_.reset();
  bytes_ += report->size();
  reports_.push_back({at, std::move(report)});
  while (at - reports_.front().at > kHistorySpan || (bytes_ > kHistoryBytes && reports_.size() > 1)) {
    bytes_ -= reports_.front().text->size();
    reports_.pop_front();
  }
}

RunHistory::Text RunHistory::text() const {
  if (!all_) {
    const std::size_t step = bytes_ / kTextBytes + 1;
    std::string text;
    for (std::size_t i = (reports_.size() + step - 1) % step; i < reports_.size(); i += step) {
      text += *reports_[i].text;
      text += '\n';
    }
    all_ = std::make_shared<const std::string>(std::move(text));
  }
  return all_;
}

namespace {

using namespace std::chrono_literals;
constexpr auto kWatched = 250ms;
constexpr auto kUnwatched = 1s;
constexpr int kPause = 4;  // times as long as an answer took
constexpr auto kStatusPatience = 5s;

}  // namespace

RunWatch::RunWatch(asio::io_context& context, std::string control_socket)
    : context_(context), control_socket_(std::move(control_socket)), timer_(context) {
  ask();
}

RunWatch::Subscription RunWatch::subscribe(Listener listener) {
  listeners_->push_back(std::move(listener));
  if (listeners_->size() == 1 && !asking_) {
    ask();
  }
  const auto place = std::prev(listeners_->end());
  return {nullptr, [listeners = listeners_, place](void*) { listeners->erase(place); }};
}

void RunWatch::hurry() {
  if (asking_) {
    again_ = true;
  } else {
    ask();
  }
}

void RunWatch::ask() {
  asking_ = true;
  again_ = false;
  timer_.cancel();
  control_call(context_, control_socket_, R"({"command": "status"})", kStatusPatience,
               [this, asked = std::chrono::steady_clock::now()](const std::string& answer) { take(asked, answer); });
}

void RunWatch::take(RunHistory::Time asked, const std::string& answer) {
  const auto now = std::chrono::steady_clock::now();
  asking_ = false;
  timespec wall{};
  ::clock_gettime(CLOCK_REALTIME, &wall);
  // The time of day is sent with each report: a page that is opened later gets all reports of the past at once.
  latest_ = std::make_shared<const std::string>(
      fmt::format(R"({{"at":{},"time":{},"answer":{}}})",
                  std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count(),
                  std::int64_t{wall.tv_sec} * 1000 + wall.tv_nsec / 1'000'000, answer));
  history_.add(now, latest_);
  for (auto each = listeners_->begin(); each != listeners_->end();) {
    const auto listener = each++;  // it may go
    (*listener)(latest_);
  }
  if (again_) {
    return ask();
  }
  const RunHistory::Time::duration interval = listeners_->empty() ? kUnwatched : kWatched;
  timer_.expires_after(std::max(interval, kPause * (now - asked)));
  timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      ask();
    }
  });
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/shared_question.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace hilgate {
namespace {

using namespace std::chrono_literals;
constexpr int kRestBehindWork = 4;  // times as long as it took
constexpr std::chrono::steady_clock::duration kMostRest = 1s;

}  // namespace

void InTurn::add(std::function<void()> work) {
  waiting_.push_back(std::move(work));
  if (!std::exchange(at_work_, true)) {
    next_after({});
  }
}

void InTurn::next_after(std::chrono::steady_clock::duration rest) {
  timer_.expires_after(rest);
  timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      do_one();
    }
  });
}

void InTurn::do_one() {
  if (waiting_.empty()) {
    at_work_ = false;
    return;
  }
  const auto work = std::move(waiting_.front());
  waiting_.pop_front();
  const auto begin = std::chrono::steady_clock::now();
  work();
  next_after(std::min(kRestBehindWork * (std::chrono::steady_clock::now() - begin), kMostRest));
}

namespace {

using namespace std::chrono_literals;
constexpr int kRest = 4;  // times as long as an answer took
constexpr std::chrono::steady_clock::duration kLongestRest = 1s;

}  // namespace

SharedQuestion::SharedQuestion(asio::io_context& context, Ask ask) : timer_(context), ask_(std::move(ask)) {}

void SharedQuestion::ask(Take take) {
  waiting_.push_back(std::move(take));
  if (std::exchange(asking_, true)) {
    return;
  }
  timer_.expires_at(next_);
  timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      begin();
    }
  });
}

void SharedQuestion::begin() {
  ask_([this, asked = Clock::now()](std::string answer) { take(asked, std::move(answer)); });
}

void SharedQuestion::take(Clock::time_point asked, std::string answer) {
  const auto now = Clock::now();
  next_ = now + std::min(kRest * (now - asked), kLongestRest);
  asking_ = false;
  const auto text = std::make_shared<const std::string>(std::move(answer));
  for (const Take& each : std::exchange(waiting_, {})) {
    each(text);
  }
}

}  // namespace hilgate

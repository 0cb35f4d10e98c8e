// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/shared_question.h"

#include <algorithm>
#include <utility>

namespace hilgate {
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

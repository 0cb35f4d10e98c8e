// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/in_turn.h"

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

}  // namespace hilgate

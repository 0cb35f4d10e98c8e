// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stop_token>
#include <thread>
#include <utility>

namespace hilgate {

/// Does work in addition to the control thread: on the thread that it returns, or at once, and returns none.
using BackgroundWork = std::function<std::jthread(std::function<void(const std::stop_token&)> work)>;
inline std::jthread work_on_thread(std::function<void(const std::stop_token&)> work) {
  return std::jthread(std::move(work));
}

}  // namespace hilgate

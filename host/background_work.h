// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

namespace hilgate {

/// Does work in addition to the control thread: on the thread that it returns, or at once, and returns none.
using BackgroundWork = std::function<std::jthread(std::function<void(const std::stop_token&)> work)>;
inline std::jthread work_on_thread(std::function<void(const std::stop_token&)> work) {
  return std::jthread(std::move(work));
}

/// A long text that another thread makes, so that the control thread goes on meanwhile. Belongs to the control thread;
/// its end waits for the text, and then nothing is done with it.
class BackgroundText {
 public:
  /// On another thread, from what it owns; must not throw. On the control thread where the system has no thread left.
  using Make = std::function<std::string()>;
  /// On the control thread, once, never from within the constructor; may end the BackgroundText.
  using Done = std::function<void(std::string text)>;

  BackgroundText(const asio::any_io_executor& control, const BackgroundWork& background, Make make, Done done);
  ~BackgroundText();
  BackgroundText(const BackgroundText&) = delete;
  BackgroundText& operator=(const BackgroundText&) = delete;

 private:
  struct Job;
  std::shared_ptr<Job> job_;
  std::jthread thread_;
};

}  // namespace hilgate

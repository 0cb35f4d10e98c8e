// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/top/top.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "gateway/run/control/control_client.h"
#include "gateway/views/top/seen_run.h"
#include "gateway/views/top/terminal.h"
#include "gateway/views/top/top_keys.h"
#include "gateway/views/top/top_page.h"
#include "host/file_descriptor.h"

namespace hilgate {
namespace {

/// Asks a gateway once a second how it is, as long as the context runs; also when it goes away and comes again.
class RunWatcher {
 public:
  /// `changed` is called after each answer, or where none came.
  RunWatcher(asio::io_context& context, std::string control_socket, std::function<void()> changed);
  RunWatcher(const RunWatcher&) = delete;
  RunWatcher& operator=(const RunWatcher&) = delete;

  [[nodiscard]] const SeenRun& run() const { return run_; }

 private:
  void ask();
  void take(RunMemory::Time asked, const std::string& answer);
  void take_status(RunMemory::Time now, nlohmann::ordered_json status);
  void miss(RunMemory::Time now, const std::string& why);
  void ask_world();

  asio::io_context& context_;
  std::string control_socket_;
  std::function<void()> changed_;
  asio::steady_timer timer_;
  RunMemory memory_;
  SeenRun run_;
  std::optional<RunMemory::Time> problem_since_;
  std::optional<std::uint64_t> changes_of_world_;  // configuration changes counted when `world` was read
  double uptime_s_ = 0;
};

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

constexpr auto kInterval = 1s;
constexpr int kPause = 4;  // times as long as an answer took
constexpr auto kPatience = 5s;

RunWatcher::RunWatcher(asio::io_context& context, std::string control_socket, std::function<void()> changed)
    : context_(context), control_socket_(std::move(control_socket)), changed_(std::move(changed)), timer_(context) {
  ask();
}

void RunWatcher::ask() {
  control_call(context_, control_socket_, R"({"command": "status"})", kPatience,
               [this, asked = std::chrono::steady_clock::now()](const std::string& answer) { take(asked, answer); });
}

void RunWatcher::take(RunMemory::Time asked, const std::string& answer) {
  const auto now = std::chrono::steady_clock::now();
  Json reply = Json::parse(answer, nullptr, false);
  if (!reply.is_object()) {
    miss(now, "its answer is malformed");
  } else if (!reply.value("ok", false)) {
    miss(now, reply.value("error", "it gives no reason"));
  } else {
    take_status(now, std::move(reply["result"]));
  }
  changed_();
  timer_.expires_at(asked + std::max<RunMemory::Time::duration>(kInterval, kPause * (now - asked)));
  timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      ask();
    }
  });
}

void RunWatcher::take_status(RunMemory::Time now, Json status) {
  const auto changes = part_of(status, "totals").value("changes", std::uint64_t{0});
  const double uptime_s = status.value("uptime_s", 0.0);
  const bool started_again = uptime_s < std::exchange(uptime_s_, uptime_s);
  Json world = std::move(run_.world);
  run_ = memory_.add(now, std::move(status));
  run_.world = std::move(world);
  problem_since_.reset();
  if (started_again || changes_of_world_ != changes) {
    changes_of_world_ = changes;
    ask_world();
  }
}

void RunWatcher::miss(RunMemory::Time now, const std::string& why) {
  problem_since_ = problem_since_.value_or(now);
  run_.problem = why;
  run_.problem_s = std::chrono::duration<double>(now - *problem_since_).count();
}

void RunWatcher::ask_world() {
  control_call(context_, control_socket_, R"({"command": "world"})", kPatience, [this](const std::string& answer) {
    Json reply = Json::parse(answer, nullptr, false);
    if (reply.is_object() && reply.value("ok", false)) {
      run_.world = std::move(reply["result"]);
    } else {
      changes_of_world_.reset();  // asks again
    }
    changed_();
  });
}

// A descriptor that is readable when standard input is. Asio makes what it waits for non-blocking, and a terminal would
// stay so for the shell and for standard output; this descriptor is private.
int input_events() {
  FileDescriptor events(checked(::epoll_create1(EPOLL_CLOEXEC), "waiting for keys"));
  epoll_event readable{};
  readable.events = EPOLLIN;
  checked(::epoll_ctl(events.get(), EPOLL_CTL_ADD, STDIN_FILENO, &readable), "waiting for keys");
  return ::dup(events.get());
}

/// A run, a view of it, and the terminal that shows it.
class Top {
 public:
  explicit Top(const std::string& control_socket)
      : signals_(context_, SIGINT, SIGTERM, SIGHUP),
        resizes_(context_, SIGWINCH),
        input_(context_, input_events()),
        watcher_(context_, control_socket, [this] { draw(); }) {
    signals_.async_wait([this](const asio::error_code&, int) { context_.stop(); });
    await_resize();
    await_keys();
  }

  void run() {
    draw();
    context_.run();
  }

 private:
  void draw() {
    page_ = top_page(watcher_.run(), view_, terminal_.size());
    terminal_.show(page_.lines);
  }

  void await_resize() {
    resizes_.async_wait([this](const asio::error_code& error, int) {
      if (!error) {
        terminal_.resize();
        draw();
        await_resize();
      }
    });
  }

  void await_keys() {
    input_.async_wait(asio::posix::stream_descriptor::wait_read, [this](const asio::error_code& error) {
      if (error || terminal_.gone()) {
        return context_.stop();
      }
      for (auto key = terminal_.key(); key; key = terminal_.key()) {
        if (!press(*key, view_, page_)) {
          return context_.stop();
        }
        draw();
      }
      await_keys();
    });
  }

  asio::io_context context_;
  asio::signal_set signals_;  // before the terminal, which would take these signals itself
  asio::signal_set resizes_;
  Terminal terminal_;
  asio::posix::stream_descriptor input_;
  RunWatcher watcher_;
  TopView view_;
  TopPage page_;
};

}  // namespace

int top_command(const std::string& run) {
  Top(running_gateway(run).string()).run();
  return 0;
}

}  // namespace hilgate

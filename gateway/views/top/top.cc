// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/top/top.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <asio/io_context.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/signal_set.hpp>
#include <csignal>

#include "gateway/run/control/control_client.h"
#include "gateway/views/top/run_watcher.h"
#include "gateway/views/top/terminal.h"
#include "gateway/views/top/top_keys.h"
#include "gateway/views/top/top_page.h"
#include "host/file_descriptor.h"

namespace hilgate {
namespace {

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

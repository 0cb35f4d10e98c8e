// SPDX-License-Identifier: GPL-2.0-only
#include "netsim_link/ns3/exit_message.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <sstream>
#include <string_view>

#include "host/log/log.h"

namespace hilgate::ns3net {
namespace {

std::function<int(const std::string&)> say_it;
std::ostringstream said;  // what ns-3 writes to std::cerr
bool in_journal = false;

std::string message() {
  std::string text = said.str();
  if (const auto exception = std::current_exception()) {
    try {
      std::rethrow_exception(exception);
    } catch (const std::exception& error) {
      text += error.what();
    } catch (...) {
      text += "an unknown exception";
    }
  }
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  return text.empty() ? "no message" : text;
}

[[noreturn]] void speak() {
  std::_Exit(say_it(message()));
}

// A segmentation fault leaves nothing intact to speak with but this.
void crashed(int signal) {
  constexpr std::string_view kText = "<3>hilgate-ns3: ns-3 crashed (segmentation fault)\n";
  const std::string_view line = kText.substr(in_journal ? 0 : 3);  // the journal takes the priority from the line
  [[maybe_unused]] const auto ignored = ::write(STDERR_FILENO, line.data(), line.size());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void install_exit_message(std::function<int(const std::string&)> say) {
  say_it = std::move(say);
  in_journal = stderr_is_journal();
  std::cerr.rdbuf(said.rdbuf());
  std::clog.rdbuf(said.rdbuf());
  std::set_terminate(speak);
  std::signal(SIGSEGV, crashed);
}

}  // namespace hilgate::ns3net

// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/top/run_watcher.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "gateway/run/control/control_client.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

constexpr auto kInterval = 1s;
constexpr int kPause = 4;  // times as long as an answer took
constexpr auto kPatience = 5s;

}  // namespace

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

}  // namespace hilgate

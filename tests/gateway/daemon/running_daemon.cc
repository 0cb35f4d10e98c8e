// SPDX-License-Identifier: Apache-2.0
#include "tests/gateway/daemon/running_daemon.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <fstream>
#include <stdexcept>

#include "gateway/configuration/reader/configuration_reader.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/status/status_report.h"
#include "tests/world/world_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kBuffers = 4096;
constexpr std::size_t kMostPorts = 8;
constexpr Nanoseconds kStep = 500us;
constexpr Nanoseconds kPatience = 20s;  // of simulated time

}  // namespace

RunningDaemon::RunningDaemon(std::string_view text)
    : earlier_log_(spdlog::default_logger()), machine_(folder_.file("control"), kBuffers, kMostPorts, faults_) {
  auto log = std::make_shared<spdlog::logger>("", std::make_shared<spdlog::sinks::ostream_sink_st>(log_));
  log->set_pattern("[%l] %v");
  spdlog::set_default_logger(std::move(log));
  write(text);
  const Configuration configuration = load_configuration(folder_.file("gateway.yaml"), known_names());
  daemon_ = std::make_unique<Daemon>(
      start_of(configuration), RunIdentity{}, machine_.host([this](PortSlot port, const Frame& frame) {
        sent_.push_back(
            {port.value(), Bytes(std::vector<std::byte>(frame.data, frame.data + frame.length)), machine_.now()});
      }));
  daemon_->start();
  operator_.emplace(machine_.control_socket());
}

RunningDaemon::~RunningDaemon() {
  daemon_.reset();
  spdlog::set_default_logger(earlier_log_);
  EXPECT_EQ(faults_.first(), "");
}

void RunningDaemon::write(std::string_view text) const {
  std::string whole = fmt::format("name: run\nmemory: {{frames: 2048}}\n{}", text);
  for (std::size_t at = whole.find("FOLDER"); at != std::string::npos; at = whole.find("FOLDER", at)) {
    whole.replace(at, 6, std::filesystem::path(folder_.file("gateway.yaml")).parent_path().string());
  }
  std::ofstream(folder_.file("gateway.yaml")) << whole;
}

void RunningDaemon::step() {
  machine_.set_time(machine_.now() + kStep);
  machine_.run_timers();
  machine_.poll();
  machine_.iterate();
}

void RunningDaemon::pass(Nanoseconds time) {
  for (const HostTime end = machine_.now() + time; machine_.now() < end;) {
    step();
  }
}

nlohmann::json RunningDaemon::ask(const nlohmann::json& request) {
  operator_->ask(request);
  for (const HostTime end = machine_.now() + kPatience; machine_.now() < end;) {
    step();
    if (auto answer = operator_->answer()) {
      if (!answer->value("ok", false)) {
        throw std::runtime_error(answer->dump());
      }
      return answer->value("result", nlohmann::json());
    }
  }
  throw std::runtime_error("no answer to " + request.dump());
}

nlohmann::json RunningDaemon::status_when(const std::function<bool(const nlohmann::json&)>& good) {
  nlohmann::json now = status();
  for (const HostTime end = machine_.now() + kPatience; !good(now) && machine_.now() < end;) {
    pass(20ms);
    now = status();
  }
  return now;
}

std::string RunningDaemon::status_text() {
  return hilgate::status_text(StatusJson::parse(status().dump()));
}

std::string RunningDaemon::refusal(const std::vector<std::string>& values) {
  try {
    set(values);
  } catch (const std::runtime_error& refused) {
    return refused.what();
  }
  return {};
}

std::string RunningDaemon::condition(const std::string& name, const std::string& about) {
  const nlohmann::json now = status();
  for (const auto& standing : now.at("conditions")) {
    if (standing.at("name") == name && standing.at("about") == about) {
      return standing.at("text");
    }
  }
  return {};
}

std::string RunningDaemon::await_condition(const std::string& name, const std::string& about) {
  std::string text = condition(name, about);
  for (const HostTime end = machine_.now() + kPatience; text.empty() && machine_.now() < end;) {
    pass(100ms);
    text = condition(name, about);
  }
  return text;
}

void RunningDaemon::stop() {
  daemon_->stop();
  for (const HostTime end = machine_.now() + kPatience; !machine_.context().stopped() && machine_.now() < end;) {
    step();
  }
  EXPECT_TRUE(machine_.context().stopped());
  daemon_->finish();
}

void RunningDaemon::arrive(std::size_t port, const Bytes& frame) {
  const auto number = static_cast<std::uint32_t>(port);
  const auto arrived = machine_.memory().arrive(frame,
                                                {.number = ++arrived_,
                                                 .arrived = machine_.now(),
                                                 .port = number,
                                                 .from = number,
                                                 .to = FrameIdentity::kEverybody,
                                                 .kind = FrameKind::kRobots},
                                                frame.size());
  ASSERT_TRUE(arrived);
  machine_.port(PortSlot{number})->arrive(*arrived);
}

std::size_t RunningDaemon::count_in_log(const std::string& text) const {
  const std::string log = log_.str();
  std::size_t count = 0;
  for (std::size_t at = log.find(text); at != std::string::npos; at = log.find(text, at + 1)) {
    ++count;
  }
  return count;
}

std::string robots_text(const std::vector<std::string>& names, const std::string& robot_keys) {
  std::string ports = "ports:\n";
  std::string robots = "robots:\n";
  for (unsigned n = 0; n < names.size(); ++n) {
    ports += fmt::format("  {0}: {{interface: hgr-{0}}}\n", names[n]);
    robots += fmt::format("  {0}: {{port: {0}, mac: \"{1}\", ip: {2}{3}}}\n", names[n], mac_of(n + 1).text(),
                          ipv4_of(n + 1).text(), robot_keys);
  }
  return ports + robots;
}

LineSender::LineSender(const std::filesystem::path& socket) : socket_(connect_socket(socket)) {
  if (!socket_.valid()) {
    throw std::runtime_error("no connection to " + socket.string());
  }
}

void LineSender::send(const std::string& line) const {
  send_some(socket_, line + "\n");
}

}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
#include "gateway/lab/lab_process.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <charconv>
#include <optional>
#include <stdexcept>
#include <string>

#include "host/process.h"

namespace hilgate {
namespace {

constexpr std::array<const char*, 2> kEngines = {"podman", "docker"};

std::uint32_t number_in(const std::string& text) {
  std::uint32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// The process of a running container; 0 of one that does not run. Asks each engine that is installed.
std::uint32_t process_of_container(const std::string& robot, const std::string& container) {
  std::string answers;
  for (const char* engine : kEngines) {
    try {
      return number_in(
          run_for_output({engine, "inspect", "--type", "container", "--format", "{{.State.Pid}}", container}));
    } catch (const std::runtime_error& error) {
      answers += fmt::format("{}{}", answers.empty() ? "" : "; ", error.what());
    }
  }
  throw std::runtime_error(fmt::format("robot '{}': there is no container '{}': {}", robot, container, answers));
}

bool same_network(std::uint32_t process) {
  struct stat theirs {};
  struct stat ours {};
  return ::stat(fmt::format("/proc/{}/ns/net", process).c_str(), &theirs) == 0 &&
         ::stat("/proc/self/ns/net", &ours) == 0 && theirs.st_ino == ours.st_ino && theirs.st_dev == ours.st_dev;
}

}  // namespace

std::uint32_t process_of(const LabRobot& robot) {
  const LabProcess& attach = *robot.attach;
  const std::string* container = std::get_if<std::string>(&attach);
  const std::string name = container != nullptr ? fmt::format("container '{}'", *container)
                                                : fmt::format("process {}", std::get<std::uint32_t>(attach));
  const std::uint32_t process =
      container != nullptr ? process_of_container(robot.robot, *container) : std::get<std::uint32_t>(attach);
  struct stat there {};
  if (process == 0 || ::stat(fmt::format("/proc/{}/ns/net", process).c_str(), &there) != 0) {
    throw std::runtime_error(fmt::format("robot '{}': {} does not run; start it first", robot.robot, name));
  }
  if (same_network(process)) {
    throw std::runtime_error(fmt::format(
        "robot '{}': {} is in the gateway's own network; start it in one of its own ({})", robot.robot, name,
        container != nullptr ? "without `--network host`, best with `--network none`" : "`unshare --net ...`"));
  }
  return process;
}

}  // namespace hilgate

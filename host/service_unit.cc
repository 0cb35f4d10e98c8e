// SPDX-License-Identifier: Apache-2.0
#include "host/service_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace hilgate {
namespace {

// The innermost service of a path "/system.slice/hilgate.service/part". One that leaves our namespace of control groups
// is somebody else's.
std::string innermost_service(std::string_view path) {
  if (path.starts_with("/..")) {
    return "";
  }
  while (!path.empty()) {
    const std::size_t slash = path.rfind('/');
    const std::string_view last = path.substr(slash == std::string_view::npos ? 0 : slash + 1);
    if (last.ends_with(".service")) {
      return std::string(last);
    }
    path = path.substr(0, slash == std::string_view::npos ? 0 : slash);
  }
  return "";
}

}  // namespace

std::string service_unit_in(std::string_view cgroups) {
  while (!cgroups.empty()) {
    const std::string_view line = cgroups.substr(0, cgroups.find('\n'));
    cgroups.remove_prefix(std::min(line.size() + 1, cgroups.size()));
    // "0::PATH" of the one hierarchy; "1:name=systemd:PATH" beside the old ones.
    if (line.starts_with("0::") || line.find(":name=systemd:") != std::string_view::npos) {
      if (std::string unit = innermost_service(line.substr(line.find(':', line.find(':') + 1) + 1)); !unit.empty()) {
        return unit;
      }
    }
  }
  return "";
}

std::string service_unit(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/cgroup", process));
  return service_unit_in(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace hilgate

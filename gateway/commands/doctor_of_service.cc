// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/doctor_of_service.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "config/plain_text.h"
#include "host/process.h"

namespace hilgate {
namespace {

// Keys of [Service] that are about the gateway's life; and all that begin with Exec, Restart, Timeout or Watchdog.
constexpr std::array<std::string_view, 9> kOfItsLife = {
    "Type", "NotifyAccess", "RemainAfterExit", "PIDFile", "BusName", "GuessMainPID", "KillMode", "KillSignal", "Slice"};
constexpr std::array<std::string_view, 6> kOfItsLifePrefixes = {"Exec",     "Restart",  "Timeout",
                                                                "Watchdog", "Standard", "Syslog"};

bool is_of_its_life(std::string_view key) {
  return std::ranges::find(kOfItsLife, key) != kOfItsLife.end() ||
         std::ranges::any_of(kOfItsLifePrefixes, [key](auto prefix) { return key.starts_with(prefix); });
}

constexpr std::string_view kBlank = " \t\r";

// Lines with those joined that end in a backslash (systemd.syntax(7)).
std::vector<std::string> joined_lines(std::string_view text) {
  std::vector<std::string> lines;
  bool continues = false;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = trimmed(text.substr(0, end), kBlank);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const bool goes_on = line.ends_with('\\');
    line.remove_suffix(goes_on ? 1 : 0);
    if (continues) {
      lines.back() += " " + std::string(line);
    } else {
      lines.emplace_back(line);
    }
    continues = goes_on;
  }
  return lines;
}

// By the rule of systemd/CMakeLists.txt: hilgate.service has hilgate.yaml, hilgate@NAME.service has NAME.yaml.
std::string unit_of(const std::filesystem::path& file) {
  const std::string name = file.empty() ? "hilgate" : file.stem().string();
  return name == "hilgate" ? "hilgate.service" : fmt::format("hilgate@{}.service", name);
}

// Lists that drop-ins take from ("~CAP_X"), which systemd-run would put together otherwise: asked for as they are in
// the end.
bool is_resolved(std::string_view setting) {
  return setting.starts_with("CapabilityBoundingSet=") || setting.starts_with("AmbientCapabilities=");
}

std::vector<std::string> settings_of(const std::string& unit) {
  try {
    auto settings = process_settings(run_for_output({"systemctl", "cat", "--no-pager", "--", unit}));
    std::erase_if(settings, is_resolved);
    const auto resolved = joined_lines(
        run_for_output({"systemctl", "show", "--property", "CapabilityBoundingSet,AmbientCapabilities", "--", unit}));
    settings.insert(settings.end(), resolved.begin(), resolved.end());
    return settings;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("doctor --service: {} is not there: {}", unit, error.what()));
  }
}

void become(std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) {
    pointers.push_back(argument.data());
  }
  pointers.push_back(nullptr);
  ::execvp(pointers.front(), pointers.data());
}

}  // namespace

std::vector<std::string> process_settings(std::string_view unit) {
  std::vector<std::string> settings;
  bool in_service = false;
  for (const std::string& line : joined_lines(unit)) {
    if (line.starts_with('[')) {
      in_service = line == "[Service]";
    }
    const std::size_t equals = line.find('=');
    if (in_service && equals != std::string::npos && !line.starts_with('#') && !line.starts_with(';') &&
        !is_of_its_life(trimmed(line.substr(0, equals), kBlank))) {
      settings.push_back(fmt::format("{}={}", trimmed(std::string_view(line).substr(0, equals), kBlank),
                                     trimmed(std::string_view(line).substr(equals + 1), kBlank)));
    }
  }
  return settings;
}

void become_doctor_of_service(const DoctorOptions& options) {
  if (!std::filesystem::exists("/run/systemd/system")) {
    throw std::runtime_error(
        "doctor --service: systemd does not run here, so there is no service; without --service it is this process "
        "that "
        "looks");
  }
  if (::geteuid() != 0) {
    throw std::runtime_error("doctor --service: only root may have systemd start it as another user; run it with sudo");
  }
  const std::string unit = unit_of(options.file);
  std::vector<std::string> arguments{"systemd-run", "--quiet", "--collect", "--wait", "--pipe"};
  std::string user = "root";
  for (const std::string& setting : settings_of(unit)) {
    arguments.insert(arguments.end(), {"--property", setting});
    user = setting.starts_with("User=") ? setting.substr(setting.find('=') + 1) : user;
  }
  arguments.insert(arguments.end(), {"--", std::filesystem::read_symlink("/proc/self/exe").string(), "doctor"});
  if (!options.file.empty()) {
    arguments.push_back(std::filesystem::absolute(options.file).string());
  }
  if (options.json) {
    arguments.emplace_back("--json");
  } else {
    fmt::print("as {} sees this host: user {}, in its sandbox\n\n", unit, user);
    std::fflush(stdout);
  }
  become(std::move(arguments));
  throw std::runtime_error(fmt::format("doctor --service: systemd-run: {}", std::strerror(errno)));
}

}  // namespace hilgate

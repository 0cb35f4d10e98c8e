// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/doctor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "config/plain_text.h"
#include "gateway/commands/command_line.h"
#include "gateway/configuration/reader/configuration_reader.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/lab/lab_robot.h"
#include "host/process.h"
#include "hw/doctor/doctor.h"
#include "path/addresses/directory.h"

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

namespace {

DoctorSubject subject_of(const Configuration& configuration) {
  DoctorSubject subject{.ports = configuration.ports,
                        .cpu = configuration.cores.front().cpu,
                        .hugepages = configuration.dpdk.hugepages,
                        .eal_arguments = configuration.dpdk.arguments,
                        .robots = {},
                        .neighbours = {}};
  for (const RobotConfig& robot : configuration.robots) {
    if (!robot.macs.empty()) {
      subject.neighbours.push_back(
          {robot.name, configuration.ports.at(robot.port.value()).name, robot.macs.front(), first_ipv4(robot.ips)});
    }
  }
  if (configuration.lab) {
    for (const LabRobot& robot : plan_lab(configuration).robots) {
      if (robot.has_interface()) {
        subject.robots.push_back({robot.robot, robot.netns, kRobotInterface});
      }
    }
  }
  return subject;
}

}  // namespace

int doctor_command(const DoctorOptions& options) {
  std::optional<DoctorSubject> subject;
  if (!options.file.empty()) {
    subject = subject_of(load_configuration(options.file, known_names()));
  }
  if (options.service) {
    become_doctor_of_service(options);
  }
  const DoctorSubject* about = subject ? &*subject : nullptr;
  const Fixes fixes = options.fix ? fix_host(about) : Fixes{};
  const Findings findings = examine_host(about);
  if (options.json) {
    print_findings_json(findings, options.fix ? &fixes : nullptr);
  } else {
    if (options.fix) {
      print_fixes(fixes);
    }
    print_findings(findings);
  }
  return std::ranges::count(findings, CheckState::kFail, &Finding::state) == 0 ? 0 : 1;
}

void add_doctor(CLI::App& program, Action& action) {
  auto* command =
      program.add_subcommand("doctor", "Check whether this host is fit for a gateway; report what to change");
  auto options = std::make_shared<DoctorOptions>();
  command->add_option("FILE", options->file, "configuration file (YAML) whose ports are checked too");
  command->add_flag("--json", options->json, "print JSON");
  auto* fix = command->add_flag("--fix", options->fix,
                                "first change what is safe and goes back with the next boot: offloads of ports and of "
                                "robots in a lab, huge pages, net.core.netdev_max_backlog; print what it was before");
  command
      ->add_flag(
          "--service", options->service,
          "look as the service sees this host: user, rights and sandbox of hilgate@NAME for NAME.yaml, of hilgate "
          "without FILE")
      ->excludes(fix);
  command->callback([&action, options] { action = [options] { return doctor_command(*options); }; });
}

}  // namespace hilgate

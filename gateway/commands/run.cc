// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/capability.h>
#include <sys/stat.h>

#include <array>
#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "config/config_file.h"
#include "gateway/commands/command_line.h"
#include "gateway/commands/live_check.h"
#include "gateway/configuration/configuration.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/daemon/daemon.h"
#include "gateway/daemon/scenario_check.h"
#include "gateway/daemon/site_commands.h"
#include "gateway/daemon/site_files.h"
#include "gateway/run/control/control_client.h"
#include "gateway/run/planes/configured_path.h"
#include "gateway/run/planes/data_planes.h"
#include "gateway/run/windows/window_timer.h"
#include "gateway/site/bus_settings.h"
#include "gateway/site/site_arrival.h"
#include "gateway/views/foxglove/foxglove_process.h"
#include "gateway/views/ros2/ros2_process.h"
#include "gateway/views/web/web_server.h"
#include "host/companion/companion_process.h"
#include "host/confinement.h"
#include "host/file_descriptor.h"
#include "host/log/log.h"
#include "host/processors.h"
#include "host/unix_socket.h"
#include "hw/doctor/doctor.h"
#include "rf_profiles/profile/profile_loader.h"
#include "xdp/rights.h"

namespace hilgate {

/// hilgate-site next to a gateway, and the gateway's end of the socket to it.
struct SiteProcess {
  std::unique_ptr<CompanionProcess> process;  // null: the gateway is alone
  FileDescriptor socket;
};

namespace {

constexpr std::chrono::seconds kAnswerWithin{5};

// For interfaces that come, sockets that a reload opens, and files of the user hilgate where root runs the gateway.
constexpr std::array<Capability, 9> kKept = {{{CAP_NET_ADMIN, "CAP_NET_ADMIN"},
                                              {CAP_NET_RAW, "CAP_NET_RAW"},
                                              {CAP_NET_BIND_SERVICE, "CAP_NET_BIND_SERVICE"},
                                              {CAP_BPF, "CAP_BPF"},
                                              {CAP_PERFMON, "CAP_PERFMON"},
                                              {CAP_IPC_LOCK, "CAP_IPC_LOCK"},
                                              {CAP_SYS_NICE, "CAP_SYS_NICE"},
                                              {CAP_DAC_OVERRIDE, "CAP_DAC_OVERRIDE"},
                                              {CAP_CHOWN, "CAP_CHOWN"}}};

/// A gateway that answers: who it is, and its ports by interface or device.
struct OtherRun {
  std::string name;
  LocalPeer process;
  std::map<std::string, std::string> ports{};
};

std::optional<OtherRun> ask(const std::filesystem::path& socket) {
  try {
    const auto listener = socket_listener(socket.string());
    if (!listener) {
      return std::nullopt;  // a dead process has left it
    }
    OtherRun other{.name = socket.stem().string(), .process = *listener};
    const auto status = control_request(socket, {{"command", "status"}}, kAnswerWithin);
    for (const auto& port : status.at("ports")) {
      other.ports.emplace(port.at("interface").get<std::string>(), port.at("name").get<std::string>());
    }
    return other;
  } catch (const std::exception&) {  // not let in, no answer in time, or another version's
    return std::nullopt;
  }
}

// Interfaces of the same name in another network namespace are others. Where the process cannot be looked at, it is
// taken to be in ours.
bool shares_network(const OtherRun& other) {
  struct stat ours {};
  struct stat theirs {};
  return stat(fmt::format("/proc/{}/ns/net", other.process.process).c_str(), &theirs) != 0 ||
         stat("/proc/self/ns/net", &ours) != 0 || (ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev);
}

// Virtual devices are each process's own, and a socket is its server's.
bool is_shared_device(const PortConfig& port) {
  return port.driver == PortDriver::kSerial ||
         (port.dpdk.kind == DpdkKind::kDevice ? port.dpdk.device.find(':') != std::string::npos
                                              : port.dpdk.socket.server);
}

const char* place_key(const PortConfig& port) {
  if (port.driver == PortDriver::kAfXdp) {
    return "interface";
  }
  return port.dpdk.kind == DpdkKind::kDevice ? "device" : "socket";
}

void add_ports(const Configuration& configuration, const OtherRun& other, std::vector<Fault>& faults) {
  const bool same_network = shares_network(other);
  for (const PortConfig& port : configuration.ports) {
    if (port.driver == PortDriver::kElsewhere) {
      continue;
    }
    const bool is_interface = port.driver == PortDriver::kAfXdp;
    const auto taken = other.ports.find(port_place(port));
    if (taken != other.ports.end() && (is_interface ? same_network : is_shared_device(port))) {
      faults.push_back({configuration.file.string(), port.line, fmt::format("ports.{}.{}", port.name, place_key(port)),
                        fmt::format("'{}' is the port '{}' of the run '{}', {}; stop that run, or use another",
                                    taken->first, taken->second, other.name, other.process.text())});
    }
  }
}

}  // namespace

// What other gateways of this machine have of what a configuration asks for: its name, interfaces in this network
// namespace, devices of DPDK; with who they are. Asks each of them. Gateways that do not answer, or may not be asked
// by this user, are left out.
std::vector<Fault> taken_by_other_runs(const Configuration& configuration) {
  std::vector<Fault> faults;
  for (const std::string& run : runs_of_this_machine()) {
    const auto other = ask(control_socket(run));
    if (other && other->name == configuration.name) {
      faults.push_back({configuration.file.string(), 0, "name",
                        fmt::format("a run '{}' is already running: {}; stop it, or choose another name", other->name,
                                    other->process.text())});
    } else if (other) {
      add_ports(configuration, *other, faults);
    }
  }
  return faults;
}

// Starts hilgate-site, in which DDS runs, for a gateway of a site. Before this process has threads; the new one stays
// off `cpus`. Throws std::runtime_error when the program is not installed.
SiteProcess start_site(const Configuration& configuration, const std::set<unsigned>& cpus) {
  const GatewayConfig* const own = own_gateway(configuration);
  if (own == nullptr) {
    return {};
  }
  const std::string program = companion_program("hilgate-site", "a gateway of a site");
  BusEnds ends = make_bus_ends();
  BusSettings settings{.run = configuration.name,
                       .site = configuration.site->name,
                       .gateway = own->name,
                       .address = own->address.text(),
                       .socket = ends.program.get()};
  for (const GatewayConfig& gateway : configuration.site->gateways) {
    settings.others.push_back(gateway.address.text());
  }
  const std::string argument = nlohmann::json(settings).dump();
  auto process = std::make_unique<CompanionProcess>(
      CompanionProcess::Work{
          .name = "site", .what = "hilgate-site", .body = [&program, &argument] { become(program, argument); }},
      cpus);
  return {.process = std::move(process), .socket = std::move(ends.own)};
}

namespace {

// Processes that read the log may end before this one.
void guard_output() {
  std::signal(SIGPIPE, SIG_IGN);
  limit_log();
}

/// The parts of this machine that a daemon runs on.
struct Machine {
  explicit Machine(const std::filesystem::path& ready_file) : service(ready_file) {}

  asio::io_context context;
  asio::signal_set signals{context, SIGINT, SIGTERM, SIGHUP};  // those that arrive from here on are not lost
  TscClock clock;
  HostWindowTimer window_timer{context};
  ServiceNotify service;

  DaemonHost host(const std::string& run) {
    return {.context = context,
            .clock = clock,
            .window_timer = window_timer,
            .service = service,
            .control_socket = control_socket(run),
            .make_plane = make_data_plane,
            .confine = [] { confine(kKept); }};
  }
};

// What cannot be opened may be another gateway's: then the configuration is at fault, and trying again does not help.
std::unique_ptr<Daemon> open_daemon(RunStart start, const RunIdentity& identity, Machine& machine) {
  const Configuration configuration = start.configuration;
  try {
    return std::make_unique<Daemon>(std::move(start), identity, machine.host(configuration.name));
  } catch (const std::runtime_error& error) {
    auto faults = taken_by_other_runs(configuration);
    if (faults.empty()) {
      throw;
    }
    for (Fault& fault : faults) {
      fault.text += fmt::format(" ({})", error.what());
    }
    throw ConfigError(std::move(faults));
  }
}

// Until SIGINT or SIGTERM, or the end of the scenario or of a simulator; SIGHUP reloads.
void run_on(Machine& machine, Daemon& daemon) {
  std::function<void()> wait = [&] {
    machine.signals.async_wait([&](const asio::error_code& error, int signal) {
      if (error) {
        return;
      }
      signal == SIGHUP ? daemon.reload() : daemon.stop();
      wait();
    });
  };
  wait();
  daemon.start();
  machine.context.run();
  daemon.finish();
}

std::set<unsigned> packet_processors(const Configuration& configuration) {
  std::set<unsigned> cpus;
  for (const CoreConfig& core : configuration.cores) {
    if (core.cpu) {
      cpus.insert(*core.cpu);
    }
  }
  return cpus;
}

// Who may not open ports learns that first, and not what else fails for the same reason.
void require_port_rights(const Configuration& configuration) {
  const bool has_interface = std::ranges::any_of(
      configuration.ports, [](const PortConfig& port) { return port.driver == PortDriver::kAfXdp; });
  if (has_interface && !has_all_rights()) {
    throw std::runtime_error(missing_rights("hilgate run"));
  }
}

// Before the run has threads and memory of its own.
std::unique_ptr<WebProcess> start_page(const Configuration& configuration) {
  if (!configuration.web) {
    return nullptr;
  }
  return std::make_unique<WebProcess>(WebPage{.config = *configuration.web,
                                              .control_socket = control_socket(configuration.name).string(),
                                              .profile_folders = profile_folders(configuration.profile_paths)},
                                      packet_processors(configuration));
}

std::unique_ptr<FoxgloveProcess> start_foxglove(const Configuration& configuration) {
  return configuration.foxglove ? std::make_unique<FoxgloveProcess>(*configuration.foxglove, configuration.name,
                                                                    control_socket(configuration.name).string(),
                                                                    packet_processors(configuration))
                                : nullptr;
}

void check_gateway(const Configuration& configuration) {
  if (configuration.site && own_gateway(configuration) == nullptr) {
    throw ConfigError({{configuration.file.string(), 0, "--gateway",
                        fmt::format("is missing: the file describes a site; this machine is one of its gateways: {}",
                                    fmt::join(names_of(configuration.site->gateways), ", "))}});
  }
}

RunStart begin(const Configuration& configuration, const RunOptions& options, const KnownNames& known) {
  if (options.from) {
    return start_at(configuration, *options.from, known);
  }
  if (!configuration.site) {
    return start_of(configuration);
  }
  const auto begun = meet_site(site_terms(configuration));
  return begun ? start_in_site(configuration, *begun) : start_of(configuration);
}

}  // namespace

int run_command(const RunOptions& options) {
  const KnownNames known = known_names(options.gateway);
  Configuration configuration = load_configuration(options.file, known);
  check_gateway(configuration);
  if (configuration.site) {
    configuration.site->digest = files_digest(configuration, ConfigDocument::load(configuration.file));
    configuration.site->version = options.version;
  }
  if (!options.scenario.empty()) {
    configuration.scenario = load_scenario_for(configuration, options.scenario);
  }
  check_scenario(configuration, known);
  log_to_journal(configuration.name);
  if (auto faults = host_faults(configuration); !faults.empty()) {
    throw ConfigError(std::move(faults));
  }
  require_port_rights(configuration);
  const RunIdentity identity{.version = options.version, .host = [] { return findings_json(examine_host(nullptr)); }};
  const auto page = start_page(configuration);
  const auto foxglove = start_foxglove(configuration);
  const auto ros2 = start_ros2(configuration, packet_processors(configuration));
  SiteProcess site = start_site(configuration, packet_processors(configuration));
  stay_off(packet_processors(configuration));  // all but the loops that are pinned to them
  RunStart start = begin(configuration, options, known);
  start.site_bus = std::move(site.socket);
  start.companions = {page != nullptr ? &page->process() : nullptr,
                      foxglove != nullptr ? &foxglove->process() : nullptr, ros2.get(), site.process.get()};
  std::erase(start.companions, nullptr);
  if (foxglove != nullptr) {
    start.foxglove = [&foxglove] { return foxglove->status(); };
  }
  Machine machine(options.ready_file);
  const std::unique_ptr<Daemon> daemon = open_daemon(std::move(start), identity, machine);
  if (configuration.real_time) {
    run_in_real_time(pthread_self(), kControlPriority);  // this thread is the control thread from now on
  }
  guard_output();
  run_on(machine, *daemon);
  const std::vector<std::string> failures = daemon->failures();
  for (const std::string& failure : failures) {
    log_failure(failure);  // begins with file:line, as editors like it
  }
  return failures.empty() ? 0 : 1;
}

void add_run(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand("run", "Run the gateway in the foreground until SIGINT or SIGTERM");
  auto options = std::make_shared<RunOptions>();
  options->version = HILGATE_VERSION;
  command->add_option("FILE", options->file, "configuration file (YAML)")->required();
  command->add_option("--gateway", options->gateway, "which gateway of the file's site this one is");
  command->add_option(
      "--scenario", options->scenario,
      "scenario file, played instead of the configuration's own; the run ends with it, with exit status "
      "1 when an expectation failed");
  command->add_option("--ready-file", options->ready_file,
                      "file that is there, with the process id, from when the run forwards frames until it ends");
  add_quantity<Nanoseconds>(*command, "--from",
                            "time of the scenario (20s) to begin at, with links as they would be then",
                            [options](Nanoseconds from) { options->from = from; });
  command->callback([&action, options] { action = [options] { return run_command(*options); }; });
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "tests/clock/ptp_lab.h"

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>

namespace hilgate::testing {
namespace {

std::string common_options() {
  return "network_transport UDPv4\ntime_stamping software\nlogSyncInterval -3\nlogMinDelayReqInterval -3\n"
         "logMinPdelayReqInterval -3\nlogAnnounceInterval -2\nannounceReceiptTimeout 3\nuse_syslog 0\nverbose 1\n"
         "summary_interval -3\n";
}

}  // namespace

PtpLab::PtpLab() {
  static int labs = 0;
  prefix_ = "hgt-clock-" + std::to_string(getpid()) + "-" + std::to_string(++labs);
  directory_ = std::filesystem::temp_directory_path() / prefix_;
  std::filesystem::create_directories(directory_);
  const std::string a = name(Side::kA);
  const std::string b = name(Side::kB);
  run({"ip", "netns", "add", a});
  run({"ip", "netns", "add", b});
  run({"ip", "link", "add", "va", "netns", a, "type", "veth", "peer", "name", "vb", "netns", b});
  for (const Side side : {Side::kA, Side::kB}) {
    const std::string end = side == Side::kA ? "va" : "vb";
    const std::string host = side == Side::kA ? "1" : "2";
    run({"ip", "-n", name(side), "addr", "add", "10.77.0." + host + "/24", "dev", end});
    run({"ip", "-n", name(side), "addr", "add", "fd77::" + host + "/64", "dev", end, "nodad"});
    run({"ip", "netns", "exec", name(side), "sysctl", "-qw", "net.ipv6.conf." + end + ".accept_dad=0"});
    run({"ip", "-n", name(side), "link", "set", "lo", "up"});
    run({"ip", "-n", name(side), "link", "set", end, "up"});
  }
}

PtpLab::~PtpLab() {
  for (const Side side : {Side::kA, Side::kB}) {
    try {
      run({"ip", "netns", "del", name(side)});
    } catch (const std::exception&) {  // it was never made, or somebody has removed it: nothing is left to clean up
    }
  }
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

std::string PtpLab::name(Side side) const {
  return prefix_ + (side == Side::kA ? "a" : "b");
}

std::unique_ptr<ChildProcess> PtpLab::start(Side side, std::vector<std::string> command, const std::string& log) const {
  std::vector<std::string> guarded = {
      "ip", "netns", "exec", name(side), "setpriv", "--bounding-set=-sys_time", "--inh-caps=-sys_time"};
  guarded.insert(guarded.end(), command.begin(), command.end());
  return std::make_unique<ChildProcess>(guarded, directory_ / log);
}

std::unique_ptr<ChildProcess> PtpLab::start_ptp4l(Side side, const std::string& file,
                                                  const std::string& options) const {
  const std::filesystem::path path = directory_ / (file + ".conf");
  std::ofstream{path} << "[global]\nuds_address " << socket(file).native() << "\n"
                      << options << (side == Side::kA ? "[va]\n" : "[vb]\n");
  return start(side, {"ptp4l", "-f", path.native()}, file + ".log");
}

std::string PtpLab::log(const std::string& file) const {
  std::stringstream text;
  text << std::ifstream{directory_ / (file + ".log")}.rdbuf();
  return text.str();
}

InNamespace::InNamespace(const std::string& name)
    : home_(checked(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC), "open own network namespace")) {
  const std::string path = "/run/netns/" + name;
  const FileDescriptor target{checked(::open(path.c_str(), O_RDONLY | O_CLOEXEC), "open " + path)};
  checked(setns(target.get(), CLONE_NEWNET), "setns " + path);
}

InNamespace::~InNamespace() {
  setns(home_.get(), CLONE_NEWNET);
}

bool wait_until(std::chrono::milliseconds limit, const std::function<bool()>& step, std::chrono::milliseconds pause) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!step()) {
    if (std::chrono::steady_clock::now() >= deadline) {
      return false;
    }
    std::this_thread::sleep_for(pause);
  }
  return true;
}

std::string master_options() {
  return common_options() + "free_running 1\npriority1 100\nmasterOnly 1\n";
}
std::string slave_options() {
  return common_options() +
         "clock_servo pi\npi_proportional_const 0.1\npi_integral_const 0.008\nfirst_step_threshold 0\nslaveOnly 1\n";
}
std::string measuring_options() {
  return common_options() + "free_running 1\nslaveOnly 1\n";
}

}  // namespace hilgate::testing

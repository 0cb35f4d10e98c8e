// SPDX-License-Identifier: Apache-2.0
#include "tests/clock/ptp_lab.h"

#include <fstream>
#include <system_error>
#include <thread>

namespace hilgate::test {
namespace {

std::string common_options() {
  return "network_transport UDPv4\ntime_stamping software\nlogSyncInterval -3\nlogMinDelayReqInterval -3\n"
         "logMinPdelayReqInterval -3\nlogAnnounceInterval -2\nannounceReceiptTimeout 3\nuse_syslog 0\nverbose 1\n"
         "summary_interval -3\n";
}

}  // namespace

std::vector<std::string> ptp4l_command(const std::filesystem::path& folder, const std::string& name,
                                       const std::string& interface, const std::string& options) {
  const std::filesystem::path file = folder / (name + ".conf");
  std::ofstream{file} << "[global]\nuds_address " << (folder / (name + ".uds")).native() << "\n"
                      << options << "[" << interface << "]\n";
  return {"setpriv", "--bounding-set=-sys_time", "--inh-caps=-sys_time", "ptp4l", "-f", file.native()};
}

PtpLab::PtpLab() : directory_(std::filesystem::temp_directory_path() / a_.name()) {
  std::filesystem::create_directories(directory_);
  const VethPair wire({&a_, "va", {}, {"10.77.0.1/24", "fd77::1/64"}}, {&b_, "vb", {}, {"10.77.0.2/24", "fd77::2/64"}},
                      {.offloads = true});
}

PtpLab::~PtpLab() {
  std::error_code ignored;
  std::filesystem::remove_all(directory_, ignored);
}

std::unique_ptr<Process> PtpLab::start_ptp4l(Side side, const std::string& file, const std::string& options) const {
  return this->side(side).start(ptp4l_command(directory_, file, side == Side::kA ? "va" : "vb", options));
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

}  // namespace hilgate::test

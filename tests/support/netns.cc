// SPDX-License-Identifier: Apache-2.0
#include "tests/support/netns.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "tests/support/eventually.h"

namespace hilgate::test {
namespace {

const std::string kFolder = "/run/netns/";
constexpr std::string_view kPrefix = "hgt-";

// ethtool's short name to switch a feature, and the long one it is listed under.
struct Offload {
  const char* option;
  const char* feature;
};
constexpr std::array<Offload, 7> kOffloads = {{
    {"rx", "rx-checksumming"},
    {"tx", "tx-checksumming"},
    {"tso", "tcp-segmentation-offload"},
    {"gso", "generic-segmentation-offload"},
    {"gro", "generic-receive-offload"},
    {"rxvlan", "rx-vlan-offload"},
    {"txvlan", "tx-vlan-offload"},
}};

// The pid in hgt-<purpose>-<pid>-<n>; empty when the name is not of that form.
std::optional<pid_t> maker_of(const std::string& name) {
  const std::size_t last = name.rfind('-');
  const std::size_t before = last == std::string::npos || last == 0 ? std::string::npos : name.rfind('-', last - 1);
  if (name.rfind(kPrefix, 0) != 0 || before == std::string::npos) {
    return std::nullopt;
  }
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data() + before + 1, name.data() + last, pid);
  return error == std::errc{} && end == name.data() + last && pid > 0 ? std::optional{pid} : std::nullopt;
}

void remove_stale() {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder, none)) {
    const std::string name = entry.path().filename();
    const std::optional<pid_t> maker = maker_of(name);
    if (maker && ::kill(*maker, 0) != 0 && errno == ESRCH) {
      run({"ip", "netns", "delete", name});  // another test may be quicker: no matter
    }
  }
}

// `ip` commands, one per line; one process for all.
void ip_batch(const NetNs& where, const std::string& lines) {
  where.run_ok("ip -batch - <<'END'\n" + lines + "END");
}

std::string end_lines(const VethEnd& end) {
  std::ostringstream lines;
  if (!end.mac.empty()) {
    lines << "link set " << end.name << " address " << end.mac << "\n";
  }
  for (const std::string& address : end.addresses) {
    lines << "addr add " << address << " dev " << end.name
          << (address.find(':') == std::string::npos ? "\n" : " nodad\n");
  }
  lines << "link set " << end.name << " up\n";
  return lines.str();
}

void set_up(const VethEnd& end, const VethOptions& options) {
  if (end.addresses.empty()) {
    end.where->run_ok("echo 1 > /proc/sys/net/ipv6/conf/" + end.name + "/disable_ipv6");
  }
  if (!options.offloads) {
    offloads_off(*end.where, end.name);
  }
  ip_batch(*end.where, end_lines(end));
}

void wait_until_running(const VethEnd& end) {
  const std::string state = "cat /sys/class/net/" + end.name + "/operstate";
  if (!eventually([&] { return end.where->run_ok(state) == "up\n"; }, std::chrono::seconds{5})) {
    throw std::runtime_error(end.name + " in " + end.where->name() + " does not come up");
  }
}

}  // namespace

bool can_make_namespaces() {
  return ::geteuid() == 0 && run({"unshare", "--net", "true"}).status == 0;
}

NetNs::NetNs(std::string_view purpose) {
  static std::once_flag cleaned;
  std::call_once(cleaned, remove_stale);
  static std::atomic<unsigned> count = 0;
  name_ =
      std::string(kPrefix) + std::string(purpose) + "-" + std::to_string(::getpid()) + "-" + std::to_string(++count);
  test::run_ok({"ip", "netns", "add", name_});
  run_ok(
      "ip link set lo up; cd /proc/sys/net/ipv6/conf; for c in all default; do "
      "echo 0 > $c/accept_dad; echo 0 > $c/router_solicitations; echo 0 > $c/accept_ra; done; "
      "echo 1 > default/addr_gen_mode");
}

NetNs::~NetNs() {
  test::run({"ip", "netns", "delete", name_});
}

Finished NetNs::run(const std::string& command) const {
  return test::run({"ip", "netns", "exec", name_, "sh", "-c", command});
}

std::string NetNs::run_ok(const std::string& command) const {
  return test::run_ok({"ip", "netns", "exec", name_, "sh", "-c", command});
}

std::unique_ptr<Process> NetNs::start(const std::vector<std::string>& argv) const {
  // Unlike `ip netns exec`, this leaves the mounts as they are: what a program pins below /sys/fs/bpf outlives it.
  std::vector<std::string> words = {"nsenter", "--net=" + kFolder + name_};
  words.insert(words.end(), argv.begin(), argv.end());
  return std::make_unique<Process>(words);
}

VethPair::VethPair(const VethEnd& one, const VethEnd& other, const VethOptions& options) {
  // The kernel announces a carrier at once only when the two ends' indexes differ (linkwatch_urgent_event in
  // net/core/link_watch.c); otherwise within a second.
  static std::atomic<unsigned> index = 1000;
  const std::string queues = std::to_string(options.queues);
  const std::string shape = " mtu " + std::to_string(options.mtu) + " numrxqueues " + queues + " numtxqueues " + queues;
  ip_batch(*one.where, "link add " + one.name + shape + " index " + std::to_string(++index) + " type veth peer name " +
                           other.name + shape + " index " + std::to_string(++index) + " netns " + other.where->name() +
                           "\n");
  set_up(one, options);
  set_up(other, options);
  wait_until_running(one);
  wait_until_running(other);
}

void offloads_off(const NetNs& where, const std::string& interface) {
  std::string command = "ethtool -K " + interface;
  for (const Offload& offload : kOffloads) {
    command += std::string(" ") + offload.option + " off";
  }
  where.run_ok(command);
}

std::vector<std::string> offloads_on(const NetNs& where, const std::string& interface) {
  const std::string listed = where.run_ok("ethtool -k " + interface);
  std::vector<std::string> on;
  for (const Offload& offload : kOffloads) {
    if (listed.find(std::string(offload.feature) + ": on") != std::string::npos) {
      on.emplace_back(offload.feature);
    }
  }
  return on;
}

}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
#include "xdp/kernel_path.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fmt/format.h>
#include <net/if.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "capture.skel.h"
#include "xdp/interface.h"
#include "xdp/kernel.h"
#include "xdp/rights.h"
#include "xdp/xdp_program.h"

namespace hilgate {
namespace {

using std::filesystem::path;

constexpr std::uint32_t kMostRobots = 4096;
constexpr std::chrono::milliseconds kDeadBy{300};
constexpr const char* kPlanePin = "plane";  // the map of a run's heartbeat, in its directory

[[noreturn]] void fail_kernel_path(const std::string& what, int error) {
  throw std::runtime_error(
      fmt::format("kernel path: {}: {}", what, error == EPERM ? missing_rights("this") : std::strerror(error)));
}

// Does nothing without a pin.
void remove_pin(const path& pin) {
  std::error_code gone_already;
  std::filesystem::remove(pin, gone_already);
}

std::uint64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

// The one hg_plane of a map, writable.
class PlaneView {
 public:
  explicit PlaneView(int map) {
    void* area = ::mmap(nullptr, sizeof(hg_plane), PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);
    plane_ = area == MAP_FAILED ? nullptr : static_cast<hg_plane*>(area);
  }
  ~PlaneView() {
    if (plane_ != nullptr) {
      ::munmap(plane_, sizeof(hg_plane));
    }
  }
  PlaneView(const PlaneView&) = delete;
  PlaneView& operator=(const PlaneView&) = delete;
  [[nodiscard]] hg_plane* get() const { return plane_; }
  hg_plane* take() { return std::exchange(plane_, nullptr); }

 private:
  hg_plane* plane_;
};

// The map pinned by the last gateway of a directory: a descriptor, or -1 without one of this version.
int pinned_plane(const path& directory) {
  const int map = bpf_obj_get((directory / kPlanePin).c_str());
  if (map < 0) {
    return -1;
  }
  bpf_map_info info{};
  __u32 size = sizeof info;
  if (bpf_obj_get_info_by_fd(map, &info, &size) != 0 || info.value_size != sizeof(hg_plane)) {
    ::close(map);
    return -1;
  }
  return map;
}

}  // namespace

void KernelPath::Delete::operator()(capture_bpf* programs) const {
  capture_bpf__destroy(programs);
}

KernelPath::KernelPath(const KernelPathConfig& config, const std::vector<KernelRobot>& robots)
    : config_(config), robots_(robots), room_(robots.size() + kSpareMacs), last_beats_(config.cores) {
  if (config.robots == 0 || config.robots > kMostRobots || config.ports == 0) {
    throw std::runtime_error(
        fmt::format("kernel path: {} ports and {} robots; allowed: at least one of each, at most {} robots",
                    config.ports, config.robots, kMostRobots));
  }
  if (config.stale < std::chrono::milliseconds{2} || config.stale > std::chrono::hours{1}) {
    throw std::runtime_error(
        fmt::format("kernel path: heartbeat stale after {} ms; allowed: 2 ms to 1 h", config.stale.count()));
  }
  make_maps(room_);
  PlaneView plane(map("hg_plane"));
  if (plane.get() == nullptr) {
    fail_kernel_path("mapping its heartbeat", errno);
  }
  plane.get()->stale_ns = static_cast<std::uint64_t>(Nanoseconds{config.stale}.count());
  plane.get()->robots = config.robots;
  for (const KernelRobot& robot : robots) {
    add_robot(robot);
  }
  plane.get()->trunks = config.trunks;
  if (!config.directory.empty()) {
    plane.get()->wired = config.trunks == 0 && was_wired() ? 1 : 0;
    pin_plane();
  }
  plane_ = plane.take();
}

// A process that ends clears the heartbeat at once, instead of letting it age.
KernelPath::~KernelPath() {
  __atomic_store_n(&plane_->beat_ns, std::uint64_t{0}, __ATOMIC_RELAXED);
  ::munmap(plane_, sizeof(hg_plane));
}

const std::vector<std::string>& KernelPath::shared_maps() {
  static const std::vector<std::string> kNames = {"hg_plane", "hg_ports", "hg_macs", "hg_links", "hg_link_counters"};
  return kNames;
}

// One skeleton declares all maps; here it makes those that are shared, and no program.
void KernelPath::make_maps(std::size_t macs) {
  const BpfLog log;
  maps_.reset(capture_bpf__open());
  if (!maps_) {
    fail_kernel_path("opening its maps", errno);
  }
  bpf_program__set_autoload(maps_->progs.hg_capture, false);
  for (bpf_map* own : {maps_->maps.hg_sockets, maps_->maps.hg_class_counters, maps_->maps.hg_outcome_counters,
                       maps_->maps.hg_own_names}) {
    bpf_map__set_autocreate(own, false);
  }
  bpf_map__set_max_entries(maps_->maps.hg_ports, config_.ports);
  bpf_map__set_max_entries(maps_->maps.hg_macs, static_cast<__u32>(macs));
  bpf_map__set_max_entries(maps_->maps.hg_links, config_.robots * config_.robots);
  bpf_map__set_max_entries(maps_->maps.hg_link_counters, config_.robots * config_.robots);
  if (const int error = capture_bpf__load(maps_.get()); error != 0) {
    fail_kernel_path("making its maps", -error);
  }
}

bool KernelPath::was_wired() const {
  const int map = pinned_plane(config_.directory);
  if (map < 0) {
    return false;
  }
  const PlaneView plane(map);
  ::close(map);
  return plane.get() != nullptr && plane.get()->wired != 0;
}

void KernelPath::pin_plane() {
  std::error_code error;
  std::filesystem::create_directories(config_.directory, error);
  remove_pin(config_.directory / kPlanePin);
  if (const int result = bpf_obj_pin(map("hg_plane"), (config_.directory / kPlanePin).c_str()); result != 0) {
    fail_kernel_path(fmt::format("pinning its maps in {}", config_.directory.string()), -result);
  }
}

void KernelPath::set_port(PortSlot port, unsigned interface) {
  const std::uint32_t key = port.value();
  if (bpf_map_update_elem(map("hg_ports"), &key, &interface, BPF_ANY) != 0) {
    fail_kernel_path(fmt::format("port {} of {}", key, config_.ports), errno);
  }
}

void KernelPath::clear_port(PortSlot port) {
  const std::uint32_t key = port.value();
  if (bpf_map_delete_elem(map("hg_ports"), &key) != 0 && errno != ENOENT) {
    fail_kernel_path(fmt::format("port {} of {}", key, config_.ports), errno);
  }
}

void KernelPath::set_wired(bool wired) {
  __atomic_store_n(&plane_->wired, wired ? 1U : 0U, __ATOMIC_RELAXED);
}

int KernelPath::map(const std::string& name) const {
  const int map = bpf_object__find_map_fd_by_name(maps_->obj, name.c_str());
  if (map < 0) {
    throw std::logic_error("no BPF map " + name);
  }
  return map;
}

void KernelPath::set_wired(const path& directory, bool wired) {
  const int map = pinned_plane(directory);
  if (map < 0) {
    throw std::runtime_error(fmt::format("no gateway with a fail mode has maps in {}", directory.string()));
  }
  const PlaneView plane(map);
  ::close(map);
  if (plane.get() == nullptr) {
    fail_kernel_path(fmt::format("mapping {}", (directory / kPlanePin).string()), errno);
  }
  if (wired && plane.get()->trunks > 0) {
    throw std::runtime_error(
        "a port of the run has VLANs, and the kernel changes no tags: its robots cannot be joined");
  }
  __atomic_store_n(&plane.get()->wired, wired ? 1U : 0U, __ATOMIC_RELAXED);
}

bool KernelPath::is_alive(const path& directory) {
  const int map = pinned_plane(directory);
  if (map < 0) {
    return false;
  }
  const PlaneView plane(map);
  ::close(map);
  return plane.get() != nullptr && static_cast<std::int64_t>(monotonic_ns() - plane.get()->beat_ns) <=
                                       static_cast<std::int64_t>(plane.get()->stale_ns);
}

bool KernelPath::is_alive_after_all(const path& directory) {
  const auto deadline = std::chrono::steady_clock::now() + kDeadBy;
  while (is_alive(directory) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(kDeadBy / 60);
  }
  return is_alive(directory);
}

}  // namespace hilgate

// What gateways keep on interfaces beyond their processes, and who takes it over or away.

namespace hilgate {
namespace {

using std::filesystem::path;

constexpr std::string_view kPromiscuousPin = "promiscuous-";  // the plane's map again: the flag of this one is ours

void detach_link(const path& pin) {
  if (const int link = bpf_obj_get(pin.c_str()); link >= 0) {
    bpf_link_detach(link);  // at once; taking the pin away alone does it later
    ::close(link);
  }
  remove_pin(pin);
}

// What pins of this kind are named after.
std::vector<std::string> pinned(const path& directory, std::string_view kind) {
  std::vector<std::string> interfaces;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (const std::string name = entry.path().filename(); name.starts_with(kind)) {
      interfaces.push_back(name.substr(kind.size()));
    }
  }
  std::sort(interfaces.begin(), interfaces.end());
  return interfaces;
}

path promiscuous_pin(const path& directory, const std::string& interface) {
  return directory / (std::string(kPromiscuousPin) + interface);
}

}  // namespace

void KernelPath::keep_promiscuous(const std::string& interface, bool keep) {
  const path pin = promiscuous_pin(config_.directory, interface);
  if (keep) {
    if (set_promiscuous(interface, true)) {
      bpf_obj_pin(map("hg_plane"), pin.c_str());
    }
  } else if (std::filesystem::exists(pin)) {
    set_promiscuous(interface, false);
    remove_pin(pin);
  }
}

std::vector<std::string> KernelPath::detach(const path& directory, bool exists) {
  std::vector<std::string> freed = pinned(directory, kLeftPin);
  const bool alive = exists || is_alive_after_all(directory);
  if (alive && freed.empty()) {
    throw std::runtime_error(
        fmt::format("the gateway that uses the maps in {} is running; stop it first", directory.string()));
  }
  for (const std::string& interface : freed) {
    detach_link(left_link(directory, interface));
  }
  if (alive) {
    return freed;
  }
  for (const std::string& interface : pinned(directory, kLinkPin)) {
    detach_link(pinned_link(directory, interface));
    freed.push_back(interface);
  }
  std::sort(freed.begin(), freed.end());
  for (const std::string& interface : pinned(directory, kPromiscuousPin)) {
    remove_pin(promiscuous_pin(directory, interface));
    if (::if_nametoindex(interface.c_str()) != 0) {  // it may have gone with its lab
      set_promiscuous(interface, false);
    }
  }
  remove_pin(directory / kPlanePin);
  remove_pin(directory);
  return freed;
}

// The other run has nothing to keep when this was its last interface and it has ended.
void KernelPath::inherit(const Interface& interface) const {
  const auto run = run_that_keeps(interface);
  if (!run || run->alive || config_.directory.empty()) {
    return;
  }
  const path other = config_.directory.parent_path() / run->name;
  std::error_code not_there;
  rename(run->link, pinned_link(config_.directory, interface.name), not_there);
  if (run->name == config_.directory.filename()) {
    return;
  }
  rename(promiscuous_pin(other, interface.name), promiscuous_pin(config_.directory, interface.name), not_there);
  if (!is_alive(other) && pinned(other, kLinkPin).empty() && pinned(other, kLeftPin).empty()) {
    detach(other);
  }
}

void KernelPath::leave(const Interface& interface) const {
  std::error_code not_there;
  rename(pinned_link(config_.directory, interface.name), left_link(config_.directory, interface.name), not_there);
}

}  // namespace hilgate

// What a kernel path knows of robots and links.

namespace hilgate {
namespace {

hg_mac key_of(MacAddress mac) {
  hg_mac key{};
  for (unsigned i = 0; i < 6; ++i) {
    key.bytes[i] = static_cast<__u8>(mac.value() >> (8 * (5 - i)));
  }
  return key;
}

}  // namespace

void KernelPath::check_robots(const std::vector<KernelRobot>& robots) const {
  if (robots.size() > room_) {
    throw std::runtime_error(fmt::format(
        "robots: {} MAC addresses, but the table of the fail modes has room for {}; restart the gateway to enlarge it",
        robots.size(), room_));
  }
}

void KernelPath::set_robots(const std::vector<KernelRobot>& robots) {
  check_robots(robots);
  for (const KernelRobot& before : robots_) {
    const bool stays = std::any_of(robots.begin(), robots.end(),
                                   [&before](const KernelRobot& robot) { return robot.mac == before.mac; });
    const hg_mac key = key_of(before.mac);
    if (!stays && bpf_map_delete_elem(map("hg_macs"), &key) != 0) {
      fail_kernel_path(fmt::format("MAC {}", before.mac.text()), errno);
    }
  }
  for (const KernelRobot& robot : robots) {
    if (std::find(robots_.begin(), robots_.end(), robot) == robots_.end()) {
      add_robot(robot);
    }
  }
  robots_ = robots;
}

void KernelPath::add_robot(const KernelRobot& robot) {
  const hg_mac key = key_of(robot.mac);
  const hg_robot value{robot.robot.value(), robot.port.value()};
  if (bpf_map_update_elem(map("hg_macs"), &key, &value, BPF_ANY) != 0) {
    fail_kernel_path(fmt::format("MAC {}", robot.mac.text()), errno);
  }
}

void KernelPath::set_link(RobotSlot from, RobotSlot to, LinkDecision decision) {
  const std::uint32_t key = link(from, to);
  const auto value = static_cast<std::uint32_t>(decision);
  if (bpf_map_update_elem(map("hg_links"), &key, &value, BPF_ANY) != 0) {
    fail_kernel_path(fmt::format("link from robot {} to {}", from.value(), to.value()), errno);
  }
}

hg_counter KernelPath::link_counter(RobotSlot from, RobotSlot to) const {
  const std::uint32_t key = link(from, to);
  std::vector<hg_counter> per_cpu(possible_cpus());
  if (bpf_map_lookup_elem(map("hg_link_counters"), &key, per_cpu.data()) != 0) {
    fail_kernel_path(fmt::format("counter of the link from robot {} to {}", from.value(), to.value()), errno);
  }
  hg_counter sum{};
  for (const hg_counter& one : per_cpu) {
    sum.frames += one.frames;
    sum.bytes += one.bytes;
  }
  return sum;
}

std::uint32_t KernelPath::link(RobotSlot from, RobotSlot to) const {
  if (from.value() >= config_.robots || to.value() >= config_.robots) {
    fail_kernel_path(fmt::format("robot {} of {}", std::max(from, to).value(), config_.robots), ERANGE);
  }
  return from.value() * config_.robots + to.value();
}

}  // namespace hilgate

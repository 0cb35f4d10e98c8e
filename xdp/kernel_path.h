// SPDX-License-Identifier: Apache-2.0
// What the kernel does with frames on its own: as a wire or a wall while the packet path is dead or late, as a wire by
// hand, and for links that need no path.
//
// The XDP programs of all ports share these maps. The programs of ports with a fail mode outlive the process, by links
// pinned in a directory of a BPF file system; the next process takes them over without a gap.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "frame/address.h"
#include "frame/frame.h"
#include "xdp/abi.h"
#include "xdp/interface.h"

struct capture_bpf;

namespace hilgate {

struct KernelPathConfig {
  std::filesystem::path
      directory{};  // on a BPF file system, see kernel_path_directory(); empty: no port has a fail mode
  std::uint32_t ports = 0;
  std::uint32_t robots = 0;
  std::uint32_t trunks = 0;             // ports whose robots have VLANs: with any, nothing passes from port to port
  std::size_t cores = 1;                // that beat
  std::chrono::milliseconds stale{50};  // a heartbeat older than this does not count; [2 ms, 1 h]
};

/// Where the MAC of a robot is plugged in.
struct KernelRobot {
  MacAddress mac;
  RobotSlot robot;
  PortSlot port;
  friend bool operator==(const KernelRobot&, const KernelRobot&) = default;

  /// One that is identified by its port alone.
  static KernelRobot without_address(RobotSlot robot, PortSlot port) {
    return {MacAddress{(std::uint64_t{HG_OPEN_PORT} << 40) | (port.value() & 0xFFFFU)}, robot, port};
  }
};

/// What decides the fate of a link's unicast frames.
enum class LinkDecision : std::uint8_t { kUser = HG_LINK_USER, kPass = HG_LINK_PASS, kDrop = HG_LINK_DROP };

class KernelPath {
 public:
  /// Makes the shared maps; `wire on` of an earlier process stays in force. Throws std::runtime_error: rights, no BPF
  /// file system, numbers out of range.
  KernelPath(const KernelPathConfig& config, const std::vector<KernelRobot>& robots);
  ~KernelPath();
  KernelPath(const KernelPath&) = delete;
  KernelPath& operator=(const KernelPath&) = delete;

  /// A port is this interface, from now on also to frames from other ports.
  void set_port(PortSlot port, unsigned interface);

  /// Removes the port, likewise.
  void clear_port(PortSlot port);

  /// The interface takes frames for all addresses beyond this process, as its program does, until detach() or until a
  /// later process changes that; an interface that another program made promiscuous stays so. Only with a directory.
  /// Throws std::runtime_error.
  void keep_promiscuous(const std::string& interface, bool keep);

  /// A core's packet loop is alive; the gateway is as alive as the core that was silent longest. One thread a core;
  /// stores now and then, no system call.
  void beat(HostTime now, std::size_t core = 0) noexcept {
    std::atomic<std::int64_t>& last = last_beats_[core];
    const std::int64_t ns = now.time_since_epoch().count();
    if (ns - last.load(std::memory_order_relaxed) >= kBeatInterval.count()) {
      last.store(ns, std::memory_order_relaxed);
      std::int64_t oldest = ns;
      for (const std::atomic<std::int64_t>& beat : last_beats_) {
        oldest = std::min(oldest, beat.load(std::memory_order_relaxed));
      }
      __atomic_store_n(&plane_->beat_ns, static_cast<std::uint64_t>(oldest), __ATOMIC_RELAXED);
    }
  }

  /// Throws std::runtime_error when there are more addresses than room: kSpareMacs beyond those of the start.
  void check_robots(const std::vector<KernelRobot>& robots) const;
  /// The robots are these, from now on. Control thread. Throws as check_robots().
  void set_robots(const std::vector<KernelRobot>& robots);
  static constexpr std::size_t kSpareMacs = 256;

  /// Straight from port to port, regardless of the packet path; for comparisons.
  void set_wired(bool wired);
  [[nodiscard]] bool wired() const { return __atomic_load_n(&plane_->wired, __ATOMIC_RELAXED) != 0; }

  /// Control thread; makes a system call. A link may be given to kPass only while none of its frames is held: the
  /// kernel would overtake them. Throws std::runtime_error.
  void set_link(RobotSlot from, RobotSlot to, LinkDecision decision);
  /// Frames of a link that the kernel decided, summed over CPUs.
  [[nodiscard]] hg_counter link_counter(RobotSlot from, RobotSlot to) const;

  [[nodiscard]] const std::filesystem::path& directory() const { return config_.directory; }

  /// The map of this name, for a program to share. Throws std::logic_error for an unknown name.
  [[nodiscard]] int map(const std::string& name) const;
  /// Names of the maps that programs share.
  static const std::vector<std::string>& shared_maps();

  /// `wire on|off` from outside: for the gateway that keeps its maps in this directory, alive or not. Throws
  /// std::runtime_error without one.
  static void set_wired(const std::filesystem::path& directory, bool wired);
  /// Whether the gateway that keeps its maps in this directory is running.
  static bool is_alive(const std::filesystem::path& directory);
  /// The same after waiting, 300 ms at most, for a last heartbeat to be stale: one that was killed counts as alive
  /// until then.
  static bool is_alive_after_all(const std::filesystem::path& directory);
  /// Takes programs and maps of a dead gateway away, or those of ports that a running one has left; returns the
  /// interfaces that were freed. Nothing there: none. One that was killed counts as alive until its last heartbeat is
  /// stale: waits for that, 300 ms at most. `exists`: it is known to be there, as one that is stopped by a signal,
  /// whose heartbeats are stale. Throws std::runtime_error when it is alive and has left no port.
  static std::vector<std::string> detach(const std::filesystem::path& directory, bool exists = false);

  /// What the fail mode of another run keeps on this interface is this gateway's from now on, if that run has ended or
  /// has left the port, and so is what this one has left; nothing of it is taken away meanwhile. Control thread.
  void inherit(const Interface& interface) const;
  /// The port on this interface has been taken out of a running gateway: what keeps it closed is for its next user.
  void leave(const Interface& interface) const;

 private:
  struct Delete {
    void operator()(capture_bpf* programs) const;
  };
  static constexpr Nanoseconds kBeatInterval{500'000};

  void make_maps(std::size_t macs);
  [[nodiscard]] bool was_wired() const;
  void pin_plane();
  void add_robot(const KernelRobot& robot);
  [[nodiscard]] std::uint32_t link(RobotSlot from, RobotSlot to) const;

  KernelPathConfig config_;
  std::unique_ptr<capture_bpf, Delete> maps_;
  hg_plane* plane_ = nullptr;
  std::vector<KernelRobot> robots_;
  std::size_t room_;                                   // for MAC addresses
  std::vector<std::atomic<std::int64_t>> last_beats_;  // by core, ns of host time
};

/// /sys/fs/bpf/hilgate/<run>: mounts the BPF file system if it is missing. Throws std::runtime_error.
std::filesystem::path kernel_path_directory(const std::string& run);

/// Whether this is a BPF link of a program on this interface of this thread's network namespace.
bool is_link_of(int link, const Interface& interface);

/// The run whose fail mode keeps a program on an interface; empty without one, or if it is not visible.
struct KeepingRun {
  std::string name;
  bool alive = false;            // and the interface is one of its ports
  std::filesystem::path link{};  // where the program is pinned
};
std::optional<KeepingRun> run_that_keeps(const Interface& interface);

/// The pinned link of an interface's program in a KernelPath's directory: this, and the interface's name; and the one
/// of a port that the running gateway has left.
inline constexpr std::string_view kLinkPin = "link-";
inline constexpr std::string_view kLeftPin = "left-";
std::filesystem::path pinned_link(const std::filesystem::path& directory, const std::string& interface);
std::filesystem::path left_link(const std::filesystem::path& directory, const std::string& interface);

}  // namespace hilgate

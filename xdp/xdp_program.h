// SPDX-License-Identifier: Apache-2.0
// The program in capture.bpf.c on one interface: loaded, attached, counted. It goes when this object or the process
// goes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "xdp/abi.h"
#include "xdp/interface.h"

struct capture_bpf;

namespace hilgate {

/// What a port asks for. kAuto takes the first that works: zero-copy, native, generic.
enum class XdpMode : std::uint8_t { kAuto, kZeroCopy, kNative, kGeneric };

/// Traffic of the box itself, left to the kernel. An ethertype (behind VLAN tags, if any) or, when that is 0, an IP
/// protocol (6 TCP, 17 UDP) and destination port of frames to the interface's own MAC or to a group.
struct ManagementRule {
  std::uint16_t ethertype = 0;
  std::uint8_t protocol = 0;
  std::uint16_t port = 0;
};

/// Sums over all CPUs since the program was loaded.
struct XdpCounters {
  std::array<hg_counter, HG_CLASSES> by_class{};     // indexed by hg_class
  std::array<hg_counter, HG_OUTCOMES> by_outcome{};  // indexed by hg_outcome
};

class XdpProgram {
 public:
  /// Loads; does not attach yet. Throws std::runtime_error with the kernel's reason: rights, rules, verifier.
  XdpProgram(const Interface& interface, const std::vector<ManagementRule>& management);
  ~XdpProgram();
  XdpProgram(const XdpProgram&) = delete;
  XdpProgram& operator=(const XdpProgram&) = delete;

  /// Frames of an rx queue go to this socket from now on.
  void set_socket(std::uint32_t queue, int fd);

  /// In the driver (native), or in the kernel's stack (generic) where the driver cannot and `mode` allows it. Throws
  /// std::runtime_error: who is attached already, what the driver lacks.
  void attach(XdpMode mode);

  [[nodiscard]] bool native() const { return native_; }
  /// Whether the program takes frames of more than one page.
  [[nodiscard]] bool frags() const { return frags_; }
  /// Why native mode was not possible; empty when it was, or was not asked for.
  [[nodiscard]] const std::string& fallback_reason() const { return fallback_reason_; }
  /// Any thread; makes system calls.
  [[nodiscard]] XdpCounters counters() const;
  /// For BPF_PROG_TEST_RUN.
  [[nodiscard]] int fd() const;

 private:
  struct Delete {
    void operator()(capture_bpf* program) const;
  };

  int load(const std::vector<ManagementRule>& management, bool frags);
  int try_attach(bool native);

  Interface interface_;
  std::unique_ptr<capture_bpf, Delete> program_;
  int link_ = -1;
  bool frags_ = false;
  bool native_ = false;
  std::string fallback_reason_;
};

}  // namespace hilgate

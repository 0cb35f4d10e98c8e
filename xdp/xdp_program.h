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

#include "frame/frame.h"
#include "frame/port_config.h"
#include "xdp/abi.h"
#include "xdp/interface.h"
#include "xdp/kernel_path.h"

struct bpf_object;

namespace hilgate {

/// Sums over all CPUs since the program was loaded.
struct XdpCounters {
  std::array<hg_counter, HG_CLASSES> by_class{};     // indexed by hg_class
  std::array<hg_counter, HG_OUTCOMES> by_outcome{};  // indexed by hg_outcome

  void add(const XdpCounters& more);
};

/// Constants of a program, set before it is loaded.
struct XdpProgramConfig {
  std::vector<KernelPass> kernel_pass{};
  FailMode fail = FailMode::kNone;  // other than kNone only with `kernel`
  bool kernel_links = false;        // links may be decided by the program; only with `kernel`
  bool ptp_served = false;          // PTP for the box goes to the kernel; else all of it to the socket
  bool timed = false;               // reads the device's receive timestamps, where the kernel and the mode allow it
  PortSlot port{};
  const KernelPath* kernel = nullptr;  // maps shared by all ports of a gateway; must outlive the program
};

class XdpProgram {
 public:
  /// Loads; does not attach yet. Throws std::runtime_error with the kernel's reason: rights, rules, verifier.
  XdpProgram(const Interface& interface, const XdpProgramConfig& config);
  ~XdpProgram();
  XdpProgram(const XdpProgram&) = delete;
  XdpProgram& operator=(const XdpProgram&) = delete;

  /// Frames of an rx queue go to this socket from now on.
  void set_socket(std::uint32_t queue, int fd);

  /// What the interface is called by now: what is for these addresses may be the kernel's. Any time.
  void set_own(const InterfaceNames& names);

  /// Attaches, or takes over from the program that an earlier process has left in its fail mode, without a gap. A
  /// program with a fail mode stays attached when this object and the process go, until KernelPath::detach. In the
  /// driver (native), or in the kernel's stack (generic) where the driver cannot and `mode` allows it. The interface
  /// may be down: so no frame comes before the program. Throws std::runtime_error: who is attached already, what the
  /// driver lacks.
  void attach(XdpMode mode);

  /// Number of the interface that it is attached to; 0 when that is gone, also if another has its name and number by
  /// now.
  [[nodiscard]] unsigned attached_to() const;
  /// Ends also what a fail mode keeps: of an interface that is gone, or no port any more.
  void detach();
  /// The interface is no port any more, of a gateway that keeps running. Closed where there is a fail mode, also
  /// `wire`: a cable from no port would lead past the others' paths. Until another program takes over, or
  /// KernelPath::detach.
  void leave();
  /// attach() found the program of an earlier port or process.
  [[nodiscard]] bool was_taken_over() const { return taken_over_; }

  [[nodiscard]] bool native() const { return native_; }
  /// Whether the program takes frames of more than one page.
  [[nodiscard]] bool frags() const { return frags_; }
  /// Why native mode was not possible; empty when it was, or was not asked for.
  [[nodiscard]] const std::string& fallback_reason() const { return fallback_reason_; }
  /// Any thread; makes system calls.
  [[nodiscard]] XdpCounters counters() const;
  /// Whether it reads the device's receive timestamps. After attach().
  [[nodiscard]] bool timed() const { return timed_; }
  /// Why it does not, when `timed` was asked for; empty when it does.
  [[nodiscard]] const std::string& untimed_reason() const { return untimed_reason_; }
  /// For BPF_PROG_TEST_RUN, which the kernel refuses for a program that is timed().
  [[nodiscard]] int fd() const;

 private:
  struct Delete {
    void operator()(bpf_object* object) const;
  };

  int load(bool frags);
  bool load_timed();
  void load_untimed();
  void leave_out_timestamps(std::string why);
  [[nodiscard]] int map(const char* name) const;
  int try_attach(bool native);
  int attach_native();
  bool take_over(XdpMode mode);
  int keep_attached();

  Interface interface_;
  XdpProgramConfig config_;
  std::unique_ptr<bpf_object, Delete> object_;
  int link_ = -1;
  bool frags_ = false;
  bool native_ = false;
  bool taken_over_ = false;
  bool timed_ = false;
  std::string fallback_reason_;
  std::string untimed_reason_;
};

// Messages of libbpf, kept for error messages instead of printed.

/// Collects the calling thread's libbpf warnings while it lives. One at a time per thread. Afterwards and in
/// other threads libbpf is silent.
class BpfLog {
 public:
  BpfLog();
  ~BpfLog();
  BpfLog(const BpfLog&) = delete;
  BpfLog& operator=(const BpfLog&) = delete;

  /// The last messages, 4 KiB at most.
  [[nodiscard]] std::string text() const;

 private:
  std::string text_;
};

}  // namespace hilgate

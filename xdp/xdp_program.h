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

#include "gateway/port_config.h"
#include "xdp/abi.h"
#include "xdp/interface.h"

struct capture_bpf;

namespace hilgate {

/// Sums over all CPUs since the program was loaded.
struct XdpCounters {
  std::array<hg_counter, HG_CLASSES> by_class{};     // indexed by hg_class
  std::array<hg_counter, HG_OUTCOMES> by_outcome{};  // indexed by hg_outcome
};

class XdpProgram {
 public:
  /// Loads; does not attach yet. Throws std::runtime_error with the kernel's reason: rights, rules, verifier.
  XdpProgram(const Interface& interface, const std::vector<KernelPass>& kernel_pass);
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

  int load(const std::vector<KernelPass>& kernel_pass, bool frags);
  int try_attach(bool native);

  Interface interface_;
  std::unique_ptr<capture_bpf, Delete> program_;
  int link_ = -1;
  bool frags_ = false;
  bool native_ = false;
  std::string fallback_reason_;
};

}  // namespace hilgate

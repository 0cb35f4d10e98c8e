// SPDX-License-Identifier: Apache-2.0
// The plainest AF_XDP forwarder: a burst from one interface's ring into the other's, in both directions. No hold, no
// tables, no owners, no stamps. It is the yardstick for the gateway's own path, on the same program and the same
// sockets.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "xdp/interface.h"
#include "xdp/umem.h"
#include "xdp/xdp_program.h"
#include "xdp/xsk_socket.h"

namespace hilgate {

/// Forwards between queue 0 of two interfaces. One thread.
class XskForwarder {
 public:
  static constexpr std::uint32_t kBurst = 64;

  /// Throws std::runtime_error, as AfXdpPort does.
  XskForwarder(const std::string& one, const std::string& other, XdpMode mode);

  /// One iteration: a burst each way. Returns the frames it moved.
  std::uint32_t iterate() noexcept;

 private:
  static constexpr std::uint32_t kRing = 2048;

  struct Side {
    Side(XskMemory& memory, const std::string& name, XdpMode mode);
    Interface interface;
    XdpProgram program;
    XskSocket socket;
    std::uint32_t outstanding = 0;  // sent by this side, not completed
  };

  std::uint32_t forward(Side& from, Side& to) noexcept;
  void send(Side& side) noexcept;
  void recycle(Side& sent_by, Side& filled_by) noexcept;
  void fill(Side& side);

  Umem umem_;
  XskMemory memory_;
  std::array<Side, 2> sides_;
};

}  // namespace hilgate

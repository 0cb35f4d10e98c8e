// SPDX-License-Identifier: Apache-2.0
// AF_XDP sockets and the UMEM they share, owned: libxdp's setup with errors that say what to do.
#pragma once

#include <xdp/xsk.h>

#include <cstdint>
#include <memory>
#include <string>

#include "xdp/umem.h"

namespace hilgate {

/// How all sockets of a UMEM are bound: the kernel takes this from the first one for those that share its memory.
struct XskMode {
  bool zero_copy = false;
  bool multi_buffer = false;  // frames over several chunks (kernel 6.6)
};

/// The four rings of a socket. Rings belong to the kernel and to one thread of ours.
struct XskRings {
  xsk_ring_cons rx{};
  xsk_ring_prod tx{};
  xsk_ring_prod fill{};
  xsk_ring_cons completion{};
};

/// A Umem known to the kernel. Must outlive the sockets made from it and be outlived by the Umem. It is made in the
/// network namespace that all its sockets' interfaces are in.
class XskMemory {
 public:
  /// `ring_size`: entries of each ring of each socket, a power of two. Zero-copy is the caller's decision, for all
  /// sockets together. Throws std::runtime_error that names the missing right or limit.
  XskMemory(Umem& umem, std::uint32_t ring_size, bool zero_copy);

  [[nodiscard]] Umem& umem() { return *umem_; }
  [[nodiscard]] const XskMode& mode() const { return mode_; }
  [[nodiscard]] std::uint32_t ring_size() const { return ring_size_; }

  friend class XskSocket;

 private:
  struct Delete {
    void operator()(xsk_umem* umem) const { xsk_umem__delete(umem); }
  };

  void register_umem();

  Umem* umem_;
  std::uint32_t ring_size_;
  XskMode mode_;
  bool bound_ = false;  // some socket has fixed mode_
  XskRings first_;      // libxdp fills these and moves them to the first socket
  std::unique_ptr<xsk_umem, Delete> handle_;
};

/// One socket on one queue of one interface. It receives nothing before its descriptor is in the program's map.
class XskSocket {
 public:
  /// Throws std::runtime_error.
  XskSocket(XskMemory& memory, const std::string& interface, std::uint32_t queue);

  [[nodiscard]] int fd() const { return xsk_socket__fd(handle_.get()); }
  XskRings& rings() { return *rings_; }

 private:
  struct Delete {
    void operator()(xsk_socket* socket) const { xsk_socket__delete(socket); }
  };

  int create(XskMemory& memory, const std::string& interface, std::uint32_t queue);

  std::unique_ptr<XskRings> rings_;  // libxdp keeps their addresses
  std::unique_ptr<xsk_socket, Delete> handle_;
};

/// Whether the driver takes sockets in zero-copy mode: tries one on queue 0, with memory of its own. Such an attempt
/// may restart a NIC's queue; do it before traffic matters.
bool zero_copy_works(const std::string& interface);

}  // namespace hilgate

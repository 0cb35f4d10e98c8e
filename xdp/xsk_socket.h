// SPDX-License-Identifier: Apache-2.0
// AF_XDP sockets that share one memory, with errors that say what to do.
//
// The rings are libxdp's, with its accessors. Setting up is our own: libxdp keeps the first socket bound for as long as
// the memory lives, so that its port could not be closed and opened again, nor the NIC kept from writing into chunks
// that have been taken back.
#pragma once

#include <xdp/xsk.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "frame/port_config.h"
#include "xdp/interface.h"
#include "xdp/umem.h"

namespace hilgate {

/// How all sockets of a memory are bound: the kernel takes this from the first one for those that share with it.
struct XskMode {
  bool zero_copy = false;
  bool multi_buffer = false;  // frames over several chunks (kernel 6.6)
};

/// The four rings of a socket, between the kernel and one thread.
struct XskRings {
  xsk_ring_cons rx{};
  xsk_ring_prod tx{};
  xsk_ring_prod fill{};
  xsk_ring_cons completion{};
};

/// What the sockets of a Umem have in common. Outlives them. Control thread.
class XskMemory {
 public:
  /// `ring_size`: entries of each ring of each socket, a power of two, [64, 4096]. Zero-copy is decided for all sockets
  /// together. Throws std::runtime_error when ring_size is none.
  XskMemory(Umem& umem, std::uint32_t ring_size, bool zero_copy);

  /// Before the first socket.
  void set_zero_copy(bool zero_copy) { mode_.zero_copy = zero_copy; }

  [[nodiscard]] Umem& umem() { return *umem_; }
  [[nodiscard]] const XskMode& mode() const { return mode_; }
  [[nodiscard]] std::uint32_t ring_size() const { return ring_size_; }

  friend class XskSocket;

 private:
  Umem* umem_;
  std::uint32_t ring_size_;
  XskMode mode_;
  std::vector<int> bound_;  // descriptors of the sockets there are: the next one shares with any of them
};

/// One socket on one queue of one interface. It receives nothing before its descriptor is in the program's map.
class XskSocket {
 public:
  /// Throws std::runtime_error that names the interface and the missing right, limit or feature.
  XskSocket(XskMemory& memory, const Interface& interface, std::uint32_t queue);
  ~XskSocket();
  XskSocket(const XskSocket&) = delete;
  XskSocket& operator=(const XskSocket&) = delete;

  [[nodiscard]] int fd() const { return fd_; }
  XskRings& rings() { return rings_; }

 private:
  struct Mapping {
    void* area;
    std::size_t bytes;
  };

  // Zero or an errno, with `step_` saying what was refused.
  int open(unsigned interface, std::uint32_t queue);
  int set_up_memory();
  int set_up_rings();
  int map_rings();
  int bind(unsigned interface, std::uint32_t queue);
  int bind_sharing(sockaddr_xdp& address);
  void close();
  template <class Ring>
  int map_ring(Ring& ring, const xdp_ring_offset& offsets, std::size_t entry_bytes, std::uint64_t page_offset);

  XskMemory* memory_;
  const char* step_ = "";
  int fd_ = -1;
  XskRings rings_;
  std::vector<Mapping> mappings_;
};

/// Whether the driver takes sockets in zero-copy mode: tries one on queue 0, with memory of its own. Such an attempt
/// may restart a NIC's queue; do it before traffic matters.
bool zero_copy_works(const Interface& interface);

/// Whether all sockets shall be zero-copy: the kernel knows one answer for all ports that share memory. True when every
/// port allows it and every driver can; an interface that is not there counts as one that can where a port insists, and
/// as one that cannot otherwise. Throws std::runtime_error when a port insists and another cannot.
bool choose_zero_copy(std::span<const PortConfig> ports);

}  // namespace hilgate

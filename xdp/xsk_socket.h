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
#include <string>
#include <utility>
#include <vector>

#include "frame/port_config.h"
#include "xdp/interface.h"
#include "xdp/umem.h"

namespace hilgate {

/// How all sockets of a memory are bound: the kernel takes this from the first one for those that share with it.
struct XskMode {
  bool zero_copy = false;
  bool multi_buffer = false;  // frames over several chunks (kernel 6.6; with zero-copy what the driver has)
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
  /// together. Throws std::runtime_error when ring_size is invalid.
  XskMemory(Umem& umem, std::uint32_t ring_size, bool zero_copy);

  /// Before the first socket. Frames over several chunks are tried for where the mode has them.
  void set_mode(const XskMode& mode) { mode_ = mode; }
  /// Before the first socket. No timestamps of frames that leave are requested, because of `why`.
  void leave_out_timestamps(std::string why) { no_timestamps_ = std::move(why); }
  /// Why the memory has no room for transmit metadata, and so no timestamps; empty: it has. Known from the first socket
  /// on.
  [[nodiscard]] const std::string& no_timestamps() const { return no_timestamps_; }

  [[nodiscard]] Umem& umem() { return *umem_; }
  [[nodiscard]] const XskMode& mode() const { return mode_; }
  [[nodiscard]] std::uint32_t ring_size() const { return ring_size_; }

  friend class XskSocket;

 private:
  Umem* umem_;
  std::uint32_t ring_size_;
  XskMode mode_;
  std::string no_timestamps_;
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

  // Zero or an errno, with the refused call in `step_`.
  int open(unsigned interface, std::uint32_t queue);
  int set_up_memory();
  int register_memory(bool transmit_metadata);
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

/// What became of an attempt.
struct ZeroCopyAttempt {
  bool works = false;
  XskMode mode{};              // when it works
  std::string problem;         // when it does not
  bool small_buffers = false;  // ... which larger ones would help
};

/// How sockets are to be bound.
struct XskChoice {
  XskMode mode;
  std::string advice;  // what would make zero-copy possible; empty: nothing, or it is
};

/// Whether the driver takes sockets in zero-copy mode: tries one on queue 0, with memory of its own in chunks of
/// `chunk_size`. Such an attempt may restart a NIC's queue; do it before traffic matters.
ZeroCopyAttempt try_zero_copy(const Interface& interface, std::uint32_t chunk_size);
/// Bytes of a frame that every driver takes in zero-copy mode with one buffer of so many bytes. Some NICs know lengths
/// of buffers by the kilobyte (SRRCTL.BSIZEPKT of igb, igc, 82599), and their drivers round down to a power of two; of
/// longer frames they lose all, in silence.
std::uint32_t longest_in_one_buffer(std::uint32_t bytes);

/// How all sockets shall be bound: the kernel knows one answer for all ports that share memory. Zero-copy when every
/// port allows it and every driver can, for frames as long as its MTU; an interface that is not there counts as one
/// that can where a port insists, and as one that cannot otherwise. Throws std::runtime_error when a port insists and
/// another cannot.
XskChoice choose_mode(std::span<const PortConfig> ports, std::uint32_t chunk_size);

}  // namespace hilgate

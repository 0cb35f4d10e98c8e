// SPDX-License-Identifier: Apache-2.0
#include "xdp/xsk_socket.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>

#include "xdp/kernel.h"
#include "xdp/rights.h"

namespace hilgate {
namespace {

constexpr std::chrono::milliseconds kQueueReleased{2000};
constexpr std::uint32_t kEthernetOverhead = 14 + 2 * 4;  // header and two VLAN tags

int set_option(int fd, int option, const void* value, socklen_t size) {
  return ::setsockopt(fd, SOL_XDP, option, value, size) == 0 ? 0 : errno;
}

std::string why_no_socket(int error, std::size_t memory_bytes) {
  switch (error) {
    case EPERM:
      return missing_rights("an AF_XDP socket");
    case EAFNOSUPPORT:
      return "this kernel does not support AF_XDP sockets (CONFIG_XDP_SOCKETS)";
    case ENOBUFS:
      return fmt::format(
          "this process may not lock {} MiB of frame memory (RLIMIT_MEMLOCK); give it CAP_IPC_LOCK, or a "
          "higher limit (LimitMEMLOCK= in a systemd unit, `ulimit -l`), or configure less frame memory",
          memory_bytes >> 20);
    case EBUSY:
      return "another AF_XDP socket is bound to this queue";
    case ENETDOWN:
      return "the interface is down";
    case EOPNOTSUPP:
      return "the driver has no zero-copy mode";
    default:
      return std::strerror(error);
  }
}

}  // namespace

XskMemory::XskMemory(Umem& umem, std::uint32_t ring_size, bool zero_copy)
    : umem_(&umem), ring_size_(ring_size), mode_{.zero_copy = zero_copy, .multi_buffer = true} {
  if (!std::has_single_bit(ring_size) || ring_size < 64 || ring_size > 4096) {
    throw std::runtime_error(
        fmt::format("AF_XDP rings of {} entries; allowed: a power of two from 64 to 4096", ring_size));
  }
}

XskSocket::XskSocket(XskMemory& memory, const Interface& interface, std::uint32_t queue) : memory_(&memory) {
  int error = open(interface.index, queue);
  // Frames over several chunks: kernels before 6.6 have them not (EINVAL), and later ones only for the drivers with
  // zero-copy that can (EOPNOTSUPP, xp_assign_dev in net/xdp/xsk_buff_pool.c): igb, igc, ixgbe and mlx5 cannot.
  const bool may_be_that = error == EINVAL || error == EOPNOTSUPP;
  if (may_be_that && memory.bound_.empty() && memory.mode_.multi_buffer) {
    memory.mode_.multi_buffer = false;
    error = open(interface.index, queue);
  }
  if (error != 0) {
    throw std::runtime_error(fmt::format("interface {}: queue {}: {}: {}", interface.name, queue, step_,
                                         why_no_socket(error, memory.umem().area().size())));
  }
  memory.bound_.push_back(fd_);
}

XskSocket::~XskSocket() {
  std::erase(memory_->bound_, fd_);
  close();
}

int XskSocket::open(unsigned interface, std::uint32_t queue) {
  step_ = "AF_XDP socket";
  fd_ = ::socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
  int error = fd_ >= 0 ? set_up_memory() : errno;
  error = error != 0 ? error : set_up_rings();
  error = error != 0 ? error : map_rings();
  error = error != 0 ? error : bind(interface, queue);
  if (error != 0) {
    close();
  }
  return error;
}

// The first socket brings the memory; the others share with it.
int XskSocket::set_up_memory() {
  if (!memory_->bound_.empty()) {
    return 0;
  }
  step_ = "frame memory";
  if (memory_->no_timestamps_.empty()) {
    if (const int error = register_memory(true); error != EINVAL) {
      return error;
    }
    memory_->no_timestamps_ = "this kernel has no AF_XDP transmit metadata; Linux 6.11 has";
  }
  return register_memory(false);
}

int XskSocket::register_memory(bool transmit_metadata) {
  const auto area = memory_->umem().area();
  const XdpUmemReg memory{.addr = reinterpret_cast<std::uint64_t>(area.data()),
                          .len = area.size(),
                          .chunk_size = memory_->umem().config().chunk_size,
                          .headroom = 0,
                          .flags = transmit_metadata ? kXdpUmemTxMetadataLen : 0,
                          .tx_metadata_len = transmit_metadata ? Umem::kTransmitNote : 0};
  return set_option(fd_, XDP_UMEM_REG, &memory, sizeof memory);
}

int XskSocket::set_up_rings() {
  step_ = "rings";
  const std::uint32_t size = memory_->ring_size();
  for (const int ring : {XDP_UMEM_FILL_RING, XDP_UMEM_COMPLETION_RING, XDP_RX_RING, XDP_TX_RING}) {
    if (const int error = set_option(fd_, ring, &size, sizeof size); error != 0) {
      return error;
    }
  }
  return 0;
}

int XskSocket::map_rings() {
  xdp_mmap_offsets offsets{};
  socklen_t size = sizeof offsets;
  if (::getsockopt(fd_, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &size) != 0) {
    return errno;
  }
  int error = map_ring(rings_.fill, offsets.fr, sizeof(__u64), XDP_UMEM_PGOFF_FILL_RING);
  error = error != 0 ? error : map_ring(rings_.completion, offsets.cr, sizeof(__u64), XDP_UMEM_PGOFF_COMPLETION_RING);
  error = error != 0 ? error : map_ring(rings_.rx, offsets.rx, sizeof(xdp_desc), XDP_PGOFF_RX_RING);
  error = error != 0 ? error : map_ring(rings_.tx, offsets.tx, sizeof(xdp_desc), XDP_PGOFF_TX_RING);
  // The accessors of a ring that we produce into expect its size added to the kernel's index: see xsk_prod_nb_free().
  rings_.fill.cached_cons = memory_->ring_size();
  rings_.tx.cached_cons = memory_->ring_size();
  return error;
}

template <class Ring>
int XskSocket::map_ring(Ring& ring, const xdp_ring_offset& offsets, std::size_t entry_bytes,
                        std::uint64_t page_offset) {
  const std::size_t bytes = offsets.desc + memory_->ring_size() * entry_bytes;
  void* area =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd_, static_cast<off_t>(page_offset));
  if (area == MAP_FAILED) {
    return errno;
  }
  mappings_.push_back({area, bytes});
  auto* base = static_cast<std::byte*>(area);
  ring = {};
  ring.mask = memory_->ring_size() - 1;
  ring.size = memory_->ring_size();
  ring.producer = reinterpret_cast<__u32*>(base + offsets.producer);
  ring.consumer = reinterpret_cast<__u32*>(base + offsets.consumer);
  ring.flags = reinterpret_cast<__u32*>(base + offsets.flags);
  ring.ring = base + offsets.desc;
  return 0;
}

int XskSocket::bind(unsigned interface, std::uint32_t queue) {
  step_ = "bind";
  sockaddr_xdp address{};
  address.sxdp_family = AF_XDP;
  address.sxdp_ifindex = interface;
  address.sxdp_queue_id = queue;
  if (memory_->bound_.empty()) {
    const XskMode& mode = memory_->mode_;
    address.sxdp_flags = static_cast<__u16>(XDP_USE_NEED_WAKEUP | (mode.zero_copy ? XDP_ZEROCOPY : XDP_COPY) |
                                            (mode.multi_buffer ? kXdpUseSg : 0));
  } else {
    address.sxdp_flags = XDP_SHARED_UMEM;
  }
  // The kernel lets go of the queue some time after the last socket on it was closed (xp_release_deferred in
  // net/xdp/xsk_buff_pool.c runs from a work queue), so one that is busy may be free in a moment.
  const auto deadline = std::chrono::steady_clock::now() + kQueueReleased;
  int error = bind_sharing(address);
  while (error == EBUSY && std::chrono::steady_clock::now() <= deadline) {
    std::this_thread::sleep_for(kQueueReleased / 200);
    error = bind_sharing(address);
  }
  return error;
}

// A socket whose interface has gone is bound no more (EBADF), so any other is as good.
int XskSocket::bind_sharing(sockaddr_xdp& address) {
  const bool shares = !memory_->bound_.empty();
  int error = 0;
  std::size_t tried = 0;
  do {
    address.sxdp_shared_umem_fd = shares ? static_cast<__u32>(memory_->bound_[tried]) : 0;
    error = ::bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
  } while (error == EBADF && ++tried < memory_->bound_.size());
  return error;
}

void XskSocket::close() {
  for (const Mapping& mapping : mappings_) {
    ::munmap(mapping.area, mapping.bytes);
  }
  mappings_.clear();
  if (fd_ >= 0) {
    ::close(fd_);
  }
  fd_ = -1;
}

ZeroCopyAttempt try_zero_copy(const Interface& interface, std::uint32_t chunk_size) {
  Umem umem({.chunks = 256, .chunk_size = chunk_size});
  XskMemory memory(umem, 64, true);
  try {
    const XskSocket attempt(memory, interface, 0);
  } catch (const std::runtime_error& error) {
    return {.problem = error.what()};
  }
  const std::uint32_t room = longest_in_one_buffer(umem.segment_capacity());
  if (!memory.mode().multi_buffer && interface.mtu + kEthernetOverhead > room) {
    return {
        .problem = fmt::format("interface {}: the driver ({}) has zero-copy for frames in one buffer alone, and those "
                               "of {} B (memory.frame_size) are sure to take {} B, and not an MTU of {} B",
                               interface.name, interface.driver, chunk_size, room, interface.mtu),
        .small_buffers = true};
  }
  return {.works = true, .mode = memory.mode(), .problem = {}};
}

std::uint32_t longest_in_one_buffer(std::uint32_t bytes) {
  return std::bit_floor(bytes);
}

XskChoice choose_mode(std::span<const PortConfig> ports, std::uint32_t chunk_size) {
  constexpr XskMode kCopy{.zero_copy = false, .multi_buffer = true};
  const auto insisting = std::ranges::find(ports, XdpMode::kZeroCopy, &PortConfig::xdp);
  const bool some_insist = insisting != ports.end();
  XskMode mode{.zero_copy = !ports.empty(), .multi_buffer = true};
  for (const PortConfig& port : ports) {
    ZeroCopyAttempt attempt{.works = some_insist, .mode = mode, .problem = {}};
    if (port.xdp != XdpMode::kAuto && port.xdp != XdpMode::kZeroCopy) {
      attempt = {.problem = fmt::format("interface {} is configured otherwise", port.interface)};
    } else if (const auto interface = look_up_interface(port.interface)) {
      attempt = try_zero_copy(*interface, chunk_size);
    }
    if (!attempt.works && some_insist) {
      throw std::runtime_error(
          fmt::format("interface {}: mode zero-copy is not possible, because all ports share one memory and not all "
                      "can: {}; use mode auto or native",
                      insisting->interface, attempt.problem));
    }
    if (!attempt.works) {
      return {kCopy, attempt.small_buffers ? attempt.problem : ""};
    }
    mode.multi_buffer = mode.multi_buffer && attempt.mode.multi_buffer;
  }
  return {mode.zero_copy ? mode : kCopy, ""};
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "xdp/xsk_socket.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "xdp/kernel.h"
#include "xdp/rights.h"

namespace hilgate {
namespace {

std::string why_no_umem(int error, std::size_t bytes) {
  switch (error) {
    case EPERM:
      return missing_rights("an AF_XDP socket");
    case ENOBUFS:
      return fmt::format(
          "the kernel may not pin {} MiB for this process (RLIMIT_MEMLOCK); give it CAP_IPC_LOCK, or a higher limit "
          "(LimitMEMLOCK= in a systemd unit, `ulimit -l`), or configure less frame memory",
          bytes >> 20);
    case EAFNOSUPPORT:
      return "this kernel has no AF_XDP sockets (CONFIG_XDP_SOCKETS)";
    default:
      return std::strerror(error);
  }
}

std::string why_no_socket(int error) {
  switch (error) {
    case EPERM:
      return missing_rights("an AF_XDP socket");
    case EBUSY:
      return "another AF_XDP socket is bound to this queue";
    case ENETDOWN:
      return "the interface is down; set it up first (ip link set dev NAME up)";
    case EOPNOTSUPP:
      return "the driver has no zero-copy mode";
    default:
      return std::strerror(error);
  }
}

int bind_flags(const XskMode& mode) {
  return XDP_USE_NEED_WAKEUP | (mode.zero_copy ? XDP_ZEROCOPY : XDP_COPY) | (mode.multi_buffer ? kXdpUseSg : 0);
}

}  // namespace

XskMemory::XskMemory(Umem& umem, std::uint32_t ring_size, bool zero_copy)
    : umem_(&umem), ring_size_(ring_size), mode_{.zero_copy = zero_copy, .multi_buffer = true} {
  register_umem();
}

void XskMemory::register_umem() {
  handle_.reset();
  const xsk_umem_config config{.fill_size = ring_size_,
                               .comp_size = ring_size_,
                               .frame_size = umem_->config().chunk_size,
                               .frame_headroom = 0,
                               .flags = 0};
  xsk_umem* handle = nullptr;
  const auto area = umem_->area();
  const int result = xsk_umem__create(&handle, area.data(), area.size(), &first_.fill, &first_.completion, &config);
  if (result != 0) {
    throw std::runtime_error("frame memory: " + why_no_umem(-result, area.size()));
  }
  handle_.reset(handle);
}

XskSocket::XskSocket(XskMemory& memory, const std::string& interface, std::uint32_t queue)
    : rings_(std::make_unique<XskRings>()) {
  int error = create(memory, interface, queue);
  if (error == EINVAL && !memory.bound_ && memory.mode_.multi_buffer) {  // kernels before 6.6 refuse the flag
    memory.mode_.multi_buffer = false;
    memory.register_umem();
    error = create(memory, interface, queue);
  }
  if (error != 0) {
    throw std::runtime_error(fmt::format("interface {}: queue {}: {}", interface, queue, why_no_socket(error)));
  }
  memory.bound_ = true;
}

int XskSocket::create(XskMemory& memory, const std::string& interface, std::uint32_t queue) {
  const xsk_socket_config config{.rx_size = memory.ring_size_,
                                 .tx_size = memory.ring_size_,
                                 .libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
                                 .xdp_flags = 0,
                                 .bind_flags = static_cast<__u16>(bind_flags(memory.mode_))};
  xsk_socket* handle = nullptr;
  const int result = xsk_socket__create_shared(&handle, interface.c_str(), queue, memory.handle_.get(), &rings_->rx,
                                               &rings_->tx, &rings_->fill, &rings_->completion, &config);
  handle_.reset(handle);
  return -result;
}

bool zero_copy_works(const std::string& interface) {
  Umem umem({.chunks = 256, .chunk_size = 4096});
  XskMemory memory(umem, 64, true);
  try {
    XskSocket attempt(memory, interface, 0);
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "xdp/xsk_forwarder.h"

#include <sys/socket.h>

#include <vector>

namespace hilgate {

XskForwarder::Side::Side(XskMemory& memory, const std::string& name, XdpMode mode)
    : interface(find_interface(name)), program(interface, {}), socket(memory, interface, 0) {
  program.set_socket(0, socket.fd());
  program.attach(mode);
}

XskForwarder::XskForwarder(const std::string& one, const std::string& other, XdpMode mode)
    : umem_({.chunks = 2 * kRing, .chunk_size = 2048}),
      memory_(umem_, kRing, false),
      sides_{Side(memory_, one, mode), Side(memory_, other, mode)} {
  fill(sides_[0]);
  fill(sides_[1]);
}

std::uint32_t XskForwarder::iterate() noexcept {
  return forward(sides_[0], sides_[1]) + forward(sides_[1], sides_[0]);
}

std::uint32_t XskForwarder::forward(Side& from, Side& to) noexcept {
  xsk_ring_cons& rx = from.socket.rings().rx;
  xsk_ring_prod& tx = to.socket.rings().tx;
  std::uint32_t in = 0;
  std::uint32_t out = 0;
  const std::uint32_t frames = xsk_ring_cons__peek(&rx, std::min(kBurst, xsk_prod_nb_free(&tx, kBurst)), &in);
  if (frames > 0) {
    xsk_ring_prod__reserve(&tx, frames, &out);
    for (std::uint32_t i = 0; i < frames; ++i) {
      *xsk_ring_prod__tx_desc(&tx, out + i) = *xsk_ring_cons__rx_desc(&rx, in + i);
    }
    xsk_ring_prod__submit(&tx, frames);
    xsk_ring_cons__release(&rx, frames);
    to.outstanding += frames;
  }
  if (to.outstanding > 0) {
    send(to);
    recycle(to, from);
  }
  return frames;
}

void XskForwarder::send(Side& side) noexcept {
  if (xsk_ring_prod__needs_wakeup(&side.socket.rings().tx) != 0) {
    ::sendto(side.socket.fd(), nullptr, 0, MSG_DONTWAIT, nullptr, 0);
  }
}

// Chunks that have been sent go back to the side that received into them.
void XskForwarder::recycle(Side& sent_by, Side& filled_by) noexcept {
  xsk_ring_cons& completion = sent_by.socket.rings().completion;
  xsk_ring_prod& fill = filled_by.socket.rings().fill;
  std::uint32_t in = 0;
  std::uint32_t out = 0;
  const std::uint32_t done = xsk_ring_cons__peek(&completion, kRing, &in);
  if (done == 0) {
    return;
  }
  xsk_ring_prod__reserve(&fill, done, &out);  // there is room: no more chunks exist than entries
  for (std::uint32_t i = 0; i < done; ++i) {
    *xsk_ring_prod__fill_addr(&fill, out + i) = umem_.buffer(*xsk_ring_cons__comp_addr(&completion, in + i));
  }
  xsk_ring_prod__submit(&fill, done);
  xsk_ring_cons__release(&completion, done);
  sent_by.outstanding -= done;
}

void XskForwarder::fill(Side& side) {
  std::vector<std::uint64_t> chunks(kRing);
  umem_.allocate(chunks);
  std::uint32_t at = 0;
  xsk_ring_prod__reserve(&side.socket.rings().fill, kRing, &at);
  for (std::uint32_t i = 0; i < kRing; ++i) {
    *xsk_ring_prod__fill_addr(&side.socket.rings().fill, at + i) = chunks[i];
  }
  xsk_ring_prod__submit(&side.socket.rings().fill, kRing);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// Sockets that come and go while the packet loop goes on, with an interface or with the configuration.
#include <memory>
#include <stdexcept>
#include <utility>

#include "xdp/af_xdp_port.h"

namespace hilgate {

void AfXdpPort::prepare() {
  if (const auto found = look_up_interface(config_.interface)) {
    take(*found);
    if (interface_.up) {
      open_sockets();
    }
  }
}

void AfXdpPort::open_sockets() {
  auto session = std::make_unique<XskSession>(SessionPlace{memory_, umem_, lender_, tsc_, counters_}, interface_);
  if (!promiscuous_.valid()) {
    promiscuous_ = take_frames_for_all(interface_);
  }
  session_ = std::move(session);
  mode_ = {.driver = interface_.driver,
           .native = program_->native(),
           .zero_copy = memory_.mode().zero_copy,
           .multi_buffer = memory_.mode().multi_buffer && program_->frags(),
           .queues = interface_.rx_queues,
           .fallback_reason = program_->fallback_reason(),
           .vlan_offloads_off = vlan_offloads_off_};
  mode_.largest_frame = umem_.segment_capacity() * (mode_.multi_buffer ? Umem::kMaxSegments : 1);
  carrier_.store(interface_.carrier, std::memory_order_relaxed);
}

void AfXdpPort::give_sockets(const Wake& wake) {
  open_.store(true, std::memory_order_relaxed);
  hand_over(session_.get(), wake);  // first there are chunks to receive into, and then frames
  try {
    session_->each_socket([this](std::uint32_t queue, int socket) { program_->set_socket(queue, socket); });
  } catch (const std::runtime_error&) {
    unplug(wake);
    throw;
  }
}

void AfXdpPort::cancel() {
  session_.reset();
  promiscuous_.close();
  if (program_ && program_->was_taken_over()) {
    program_->leave();
  } else if (program_) {
    program_->detach();
  }
  program_.reset();
  kernel_.give_up(interface_);
}

void AfXdpPort::join(const Wake& wake) {
  if (session_ != nullptr) {
    tell_own_names();
    give_sockets(wake);
  }
  attend(wake);
}

// The program first: one with `fail: wire` takes a port without sockets for a dead one. A packet loop that does not
// answer in time may be stopped for the moment, or is about to be ended by the watchdog.
void AfXdpPort::leave(const Wake& wake) {
  removed_.store(true, std::memory_order_relaxed);
  if (program_) {
    program_->leave();
    program_.reset();
  }
  while (!unplug(wake) || !has_left(wake)) {
  }
  promiscuous_.close();
  kernel_.give_up(interface_);
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "dpdk/arrival_interrupts.h"

#include <rte_ethdev.h>
#include <rte_interrupts.h>
#include <rte_log.h>
#include <sys/epoll.h>

#include <array>
#include <utility>

namespace hilgate {
namespace {

// Devices without receive interrupts are no errors here, and DPDK would log them as such.
class Quiet {
 public:
  Quiet() : level_(rte_log_get_global_level()) { rte_log_set_global_level(RTE_LOG_CRIT); }
  ~Quiet() { rte_log_set_global_level(level_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  std::uint32_t level_;
};

}  // namespace

std::unique_ptr<ArrivalInterrupts> ArrivalInterrupts::of(std::uint16_t port, std::uint16_t queues) {
  const Quiet quiet;
  FileDescriptor events(::epoll_create1(EPOLL_CLOEXEC));
  if (events.get() < 0) {
    return nullptr;
  }
  std::unique_ptr<ArrivalInterrupts> interrupts(new ArrivalInterrupts(port, std::move(events)));
  for (; interrupts->queues_ < queues; ++interrupts->queues_) {
    if (rte_eth_dev_rx_intr_ctl_q(port, interrupts->queues_, interrupts->fd(), RTE_INTR_EVENT_ADD, nullptr) != 0) {
      return nullptr;
    }
  }
  return interrupts;
}

ArrivalInterrupts::~ArrivalInterrupts() {
  disarm();
  for (std::uint16_t queue = 0; queue < queues_; ++queue) {
    rte_eth_dev_rx_intr_ctl_q(port_, queue, fd(), RTE_INTR_EVENT_DEL, nullptr);
  }
}

// Devices whose interrupts are always on, as net_tap's, have nothing to switch.
bool ArrivalInterrupts::arm() noexcept {
  if (armed_) {
    return false;
  }
  for (std::uint16_t queue = 0; queue < queues_; ++queue) {
    rte_eth_dev_rx_intr_enable(port_, queue);
  }
  armed_ = true;
  return true;
}

void ArrivalInterrupts::disarm() noexcept {
  if (!armed_) {
    return;
  }
  armed_ = false;
  for (std::uint16_t queue = 0; queue < queues_; ++queue) {
    rte_eth_dev_rx_intr_disable(port_, queue);
  }
  std::array<rte_epoll_event, 16> arrived{};
  while (rte_epoll_wait(fd(), arrived.data(), static_cast<int>(arrived.size()), 0) ==
         static_cast<int>(arrived.size())) {
  }
}

}  // namespace hilgate

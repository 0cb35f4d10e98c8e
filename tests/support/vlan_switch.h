// SPDX-License-Identifier: Apache-2.0
// A switch with an access port per VLAN and a trunk, for kernels without 802.1Q: frames of an access port go out by the
// trunk with the VLAN's tag, and those of the trunk by the access port of their VLAN, without it.
#pragma once

#include <poll.h>

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/netns.h"
#include "tests/support/raw_socket.h"

namespace hilgate::test {

class VlanSwitch {
 public:
  struct Access {
    std::string interface;
    std::uint16_t vlan;
  };

  /// Interfaces of one namespace, which is there as long as this is.
  VlanSwitch(const NetNs& where, const std::string& trunk, const std::vector<Access>& accesses)
      : trunk_(where, trunk), descriptors_{{trunk_.fd(), POLLIN, 0}} {
    for (const Access& access : accesses) {
      ports_.push_back({std::make_unique<RawSocket>(where, access.interface), access.vlan});
      descriptors_.push_back({ports_.back().socket->fd(), POLLIN, 0});
    }
    thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
  }

 private:
  struct Port {
    std::unique_ptr<RawSocket> socket;
    std::uint16_t vlan;
  };
  static constexpr std::size_t kAddresses = 12;
  static constexpr std::size_t kTag = 4;
  static constexpr int kLookForStopMs = 20;

  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (::poll(descriptors_.data(), descriptors_.size(), kLookForStopMs) <= 0) {
        continue;
      }
      if ((descriptors_.front().revents & POLLIN) != 0) {
        from_trunk();
      }
      for (std::size_t i = 0; i < ports_.size(); ++i) {
        if ((descriptors_[i + 1].revents & POLLIN) != 0) {
          from_access(ports_[i]);
        }
      }
    }
  }
  void from_access(const Port& port) const {
    auto frame = port.socket->receive({});
    const Bytes tag = {0x81, 0x00, static_cast<std::uint8_t>(port.vlan >> 8), static_cast<std::uint8_t>(port.vlan)};
    frame->insert(frame->begin() + kAddresses, tag.begin(), tag.end());
    trunk_.send(*frame);
  }
  void from_trunk() const {
    auto frame = trunk_.receive({});
    for (const Port& port : ports_) {
      if (frame->size() >= kAddresses + kTag && get16(*frame, kAddresses) == 0x8100 &&
          (get16(*frame, kAddresses + 2) & 0xFFF) == port.vlan) {
        frame->erase(frame->begin() + kAddresses, frame->begin() + kAddresses + kTag);
        return port.socket->send(*frame);
      }
    }
  }

  RawSocket trunk_;
  std::vector<Port> ports_;
  std::vector<pollfd> descriptors_;
  std::jthread thread_;
};

}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pcap/pcap.h>
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frame/address.h"
#include "frame/drop_reason.h"
#include "frame/frame.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/planes/path_slots.h"
#include "netsim_link/link_state.h"

namespace hilgate {

/// Names of ports and robots in the packet path, for people. Immutable.
struct CaptureNames {
  CaptureNames(const Configuration& configuration, const RobotSlots& slots);

  struct Robot {
    std::string name{};  // empty: free slot
    PortSlot port{};
    std::vector<MacAddress> macs{};
  };
  std::vector<std::string> ports;  // by PortSlot; empty: a free slot
  std::vector<Robot> robots;       // by slot

  [[nodiscard]] RobotSlot sender(LinkSlot link) const {
    return RobotSlot{static_cast<std::uint32_t>(link.value() / robots.size())};
  }
  [[nodiscard]] RobotSlot receiver(LinkSlot link) const {
    return RobotSlot{static_cast<std::uint32_t>(link.value() % robots.size())};
  }
  [[nodiscard]] const Robot& operator[](RobotSlot slot) const { return robots[slot.value()]; }
  /// The sender of a frame captured at `port`; by its source address where the port has several robots. Empty: unknown.
  [[nodiscard]] OptionalIndex<RobotSlot> sender(PortSlot port, std::span<const std::byte> frame) const;
};

/// Parameters of a capture.
struct CaptureRequest {
  static constexpr std::uint32_t kWhole = 65535;

  std::uint32_t snaplen = kWhole;                            // bytes of each frame
  std::uint64_t count = 0;                                   // packets, then it ends; 0: no limit
  std::vector<std::string> robots{};                         // of one of these, or all
  std::vector<std::pair<std::string, std::string>> links{};  // on one of these, or all
  std::vector<DropReason> reasons{};                         // dropped for one of these; none: whatever became of it
  std::vector<bpf_insn> program{};                           // that accepts its bytes; none: all

  /// Of a control request; see docs/how-to/captures.md. Throws std::runtime_error with what is wrong with it.
  static CaptureRequest of(const nlohmann::json& request, const CaptureNames& names);
};

}  // namespace hilgate

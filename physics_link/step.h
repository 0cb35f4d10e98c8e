// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "clock/time.h"

namespace hilgate {

/// What one BEGIN asks a simulator to advance through: sim time [from, from + length).
struct Step {
  std::uint64_t window = 0;  // the window it is part of
  std::uint64_t number = 0;  // counts the BEGINs to this simulator, from 0
  SimTime from{};
  Nanoseconds length{0};
  [[nodiscard]] SimTime end() const { return from + length; }
};

/// A payload from one simulator to the other, which the gateway carries without reading it.
struct PeerPayload {
  enum class Form : std::uint8_t {
    kNone,
    kRosNetSimChannels,  // gzip of ChannelData
    kDancers,            // gzip of whatever the DANCERS connectors exchange
  };
  Form form = Form::kNone;
  std::string bytes{};
};

}  // namespace hilgate

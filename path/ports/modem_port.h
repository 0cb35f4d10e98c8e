// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

namespace hilgate {

/// A port that may lead to a modem with a buffer of its own: it makes the next frame when the radio asks for it.
template <class P>
concept ModemPort = requires(P& port, std::uint32_t bytes) {
  { port.awaits_ask() } -> std::same_as<bool>;  // has a modem, and was not asked since it sent its last frame
  port.ask(bytes);                              // for a frame of up to so many bytes after its MAC header
};

}  // namespace hilgate

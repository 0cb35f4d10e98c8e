// SPDX-License-Identifier: Apache-2.0
// Who is how strong where, as a medium's stations need it at run time: the newest link table, by slot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "netsim_link/link_state.h"

namespace hilgate {

/// A view; the table must be there as long as it is used. Empty: everybody hears everybody, equally strong.
struct AirSignals {
  static constexpr std::uint32_t kNobody = 0xFFFF'FFFF;

  std::span<const LinkState> links{};              // by LinkId of the table
  std::span<const std::uint32_t> index_of_slot{};  // in the table, kNobody without; empty: they are the same
  std::size_t robots = 0;                          // of the table

  /// The link between two slots; null where there is none.
  [[nodiscard]] const LinkState* between(std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t sender = index_of_slot.empty() ? from : index_of_slot[from];
    const std::uint32_t receiver = index_of_slot.empty() ? to : index_of_slot[to];
    return links.empty() || sender == kNobody || receiver == kNobody ? nullptr : &links[sender * robots + receiver];
  }
  /// Power at `to` of what `from` sends.
  [[nodiscard]] float power_dbm(std::uint32_t from, std::uint32_t to) const {
    const LinkState* const link = between(from, to);
    return link != nullptr ? link->rssi_dbm : links.empty() ? 0 : -std::numeric_limits<float>::infinity();
  }
};

}  // namespace hilgate

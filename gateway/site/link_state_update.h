// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "netsim_link/link_state.h"

namespace hilgate {

/// A link-state update that a gateway with a simulator sends to the others of its site: the states of all links that
/// are not silent, from a window on.
struct LinkStateUpdate {
  std::uint64_t window = 0;  // with which it is to count
  std::vector<std::pair<std::uint32_t, LinkState>> links{};
  std::vector<Attachment> attachments{};

  /// Of a table, with what is not silent in it.
  static LinkStateUpdate of(const LinkTable& table, std::uint64_t window);
  /// The table that it is of, of as many links.
  void write_to(LinkTable& table) const;
};

/// As texts without zeros, at most kMostAirText each, which come in their order.
std::vector<std::string> air_texts(const LinkStateUpdate& word);

inline constexpr std::size_t kMostAirText = 55'000;

/// Puts texts of one gateway together again.
class AirTexts {
 public:
  /// `ends`: of link tables. Texts about other links are refused.
  explicit AirTexts(std::size_t ends) : ends_(ends) {}

  /// A whole update, once its last text has come; nothing before, and nothing, and counted, when it is invalid. One
  /// that lacks a text is left out.
  std::optional<LinkStateUpdate> take(std::string_view text);
  [[nodiscard]] std::uint64_t refused() const { return refused_; }

 private:
  std::optional<LinkStateUpdate> refuse();

  std::size_t ends_;
  std::optional<LinkStateUpdate> word_;  // of which some texts have come
  std::uint64_t refused_ = 0;
};

}  // namespace hilgate

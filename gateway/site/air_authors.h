// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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

/// Selects the gateway whose link states hold in each window, of all gateways of a site that have a simulator: the
/// first in the file's order with an update at most kOldest windows old. Gateways that have received the same updates
/// choose alike, window by window, and change together.
class AirAuthors {
 public:
  static constexpr std::uint64_t kOldest = 5;      // windows: then the next one is author
  static constexpr std::size_t kMostAhead = 4096;  // updates of one gateway that are kept for later windows

  explicit AirAuthors(std::size_t gateways) : gateways_(gateways) {}

  /// An update of a gateway, which holds from its window on.
  void note(std::uint32_t gateway, LinkStateUpdate word);
  /// A window begins. The update that holds from here on where it is another than before; else nothing. Valid until the
  /// next call of this object.
  const LinkStateUpdate* begin(std::uint64_t window);
  /// Windows have other numbers from here on.
  void forget();

  /// As of the last window; nothing: no gateway has a simulator that answers, and the last update holds.
  [[nodiscard]] std::optional<std::uint32_t> author() const { return author_; }
  /// Whether that gateway publishes link states now.
  [[nodiscard]] bool speaks(std::uint32_t gateway) const { return is_new(gateways_[gateway]); }
  /// Windows of an author that began without an update for them.
  [[nodiscard]] std::uint64_t without_word() const { return without_word_; }
  /// Updates that came after their window had begun.
  [[nodiscard]] std::uint64_t late() const { return late_; }
  /// That another gateway became author.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }

 private:
  struct Gateway {
    std::map<std::uint64_t, LinkStateUpdate> ahead{};  // by window
    std::optional<LinkStateUpdate> now{};
  };
  [[nodiscard]] bool is_new(const Gateway& gateway) const {
    return gateway.now && window_ - gateway.now->window < kOldest;
  }

  std::vector<Gateway> gateways_;
  std::uint64_t window_ = 0;
  bool begun_ = false;
  std::optional<std::uint32_t> author_;
  std::optional<std::uint32_t> last_author_;
  std::optional<std::uint64_t> used_;  // window of last_author_'s update in force
  std::uint64_t without_word_ = 0, late_ = 0, changes_ = 0;
};

}  // namespace hilgate

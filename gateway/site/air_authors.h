// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "gateway/site/air_word.h"

namespace hilgate {

/// Whose link states count in each window, of all gateways of a site that have a simulator: those of the first in the
/// file's order of which a word is not older than kOldest windows. All gateways that have heard the same come to the
/// same, window by window, and change together.
class AirAuthors {
 public:
  static constexpr std::uint64_t kOldest = 5;      // windows: then the next one is author
  static constexpr std::size_t kMostAhead = 4096;  // words of one gateway that are kept for later windows

  explicit AirAuthors(std::size_t gateways) : gateways_(gateways) {}

  /// A word of a gateway, which counts from its window on.
  void note(std::uint32_t gateway, AirWord word);
  /// A window begins. The word that counts from here on where it is another than before; else nothing. Valid until the
  /// next call of this object.
  const AirWord* begin(std::uint64_t window);
  /// Windows have other numbers from here on.
  void forget();

  /// As of the last window; nothing: no gateway has a simulator that answers, and what was said last holds.
  [[nodiscard]] std::optional<std::uint32_t> author() const { return author_; }
  /// Whether that gateway says link states now.
  [[nodiscard]] bool speaks(std::uint32_t gateway) const { return is_new(gateways_[gateway]); }
  /// Windows of an author that began without a word for them.
  [[nodiscard]] std::uint64_t without_word() const { return without_word_; }
  /// Words that came after their window had begun.
  [[nodiscard]] std::uint64_t late() const { return late_; }
  /// That another gateway became author.
  [[nodiscard]] std::uint64_t changes() const { return changes_; }

 private:
  struct Gateway {
    std::map<std::uint64_t, AirWord> ahead{};  // by window
    std::optional<AirWord> now{};
  };
  [[nodiscard]] bool is_new(const Gateway& gateway) const {
    return gateway.now && window_ - gateway.now->window < kOldest;
  }

  std::vector<Gateway> gateways_;
  std::uint64_t window_ = 0;
  bool begun_ = false;
  std::optional<std::uint32_t> author_;
  std::optional<std::uint32_t> last_author_;
  std::optional<std::uint64_t> used_;  // window of last_author_'s word that counts
  std::uint64_t without_word_ = 0, late_ = 0, changes_ = 0;
};

}  // namespace hilgate

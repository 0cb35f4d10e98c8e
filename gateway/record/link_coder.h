// SPDX-License-Identifier: Apache-2.0
// The links of a table as differences from the table before, in as few bits as they are likely to be so. Writing and
// reading are one function, so that both learn the same.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "gateway/record/bit_coder.h"
#include "gateway/record/link_codes.h"

namespace hilgate {

class LinkCoder {
 public:
  /// Begins anew, with so many links.
  void restart(std::size_t links) {
    models_ = {};
    past_.assign(links, Past{});
  }

  /// All links: `now` of each to `written`, which is how it was. When reading, `now` is ignored. `each(link)` is called
  /// for those that differ; `prepare(link)` returns what it is now, after those with smaller numbers.
  template <class Coder, class Prepare, class Each>
  void code(Coder& coder, std::vector<LinkCodes>& written, Prepare prepare, Each each) {
    bool neighbour = false;
    for (std::size_t i = 0; i < written.size(); ++i) {
      neighbour = code_link(coder, prepare(i), written[i], past_[i], neighbour);
      if (neighbour) {
        each(i);
      }
    }
  }

 private:
  static constexpr std::int64_t kFar = 3;  // a change of the signal by more is as one by so much
  static constexpr std::size_t kTrends = 2 * kFar + 1;
  using Trends = std::array<NumberModel, kTrends>;

  struct Past {
    std::uint8_t differed = 0;  // a bit for each field, of the last change; 0: the link was as before
    std::int8_t signal = 0;     // how the signal changed then
  };
  struct Models {
    std::array<std::array<BitModel, 2>, 3> changes{};  // by: kept, changed slowly, changed before; by its neighbour
    std::array<std::array<std::array<BitModel, kTrends>, 2>, LinkCodes::kFields> differs{};  // by differed; by trend
    std::array<Trends, LinkCodes::kFields> numbers{};                                        // by trend
    BitModel combines;
    std::array<BitModel, 3> combined_differs{};
    std::array<NumberModel, 3> combined{};
  };

  static std::size_t trend_of(std::int64_t change) {
    return static_cast<std::size_t>(std::clamp(change, -kFar, kFar) + kFar);
  }

  template <class Coder>
  bool code_link(Coder& coder, const LinkCodes& now, LinkCodes& written, Past& past, bool neighbour) {
    const std::size_t before = past.differed == 0 ? 0 : past.signal == 0 ? 1 : 2;
    if (!coder.bit(models_.changes[before][neighbour ? 1 : 0], now != written)) {
      past = {};
      return false;
    }
    std::uint8_t differs = 0;
    // The signal first, by its last change; the others by what it does now.
    std::size_t trend = trend_of(past.signal);
    std::int64_t signal = 0;
    for (const LinkCodes::Field field : kOrder) {
      const std::int64_t wanted = difference(now.fields[field], written.fields[field]);
      const std::size_t did = (past.differed >> field & 1) != 0 ? 1 : 0;
      if (coder.bit(models_.differs[field][did][trend], wanted != 0)) {
        differs |= static_cast<std::uint8_t>(1U << field);
        const std::int64_t change = code_number(coder, models_.numbers[field][trend], wanted);
        written.fields[field] = sum(written.fields[field], change);
        signal = field == LinkCodes::kSnr ? change : signal;
      }
      if (field == LinkCodes::kSnr) {
        trend = trend_of(signal);
      }
    }
    code_combined(coder, now, written);
    past = {.differed = static_cast<std::uint8_t>(differs != 0 ? differs : 1U << LinkCodes::kAckLoss),
            .signal = static_cast<std::int8_t>(std::clamp<std::int64_t>(signal, -kFar, kFar))};
    return true;
  }

  template <class Coder>
  void code_combined(Coder& coder, const LinkCodes& now, LinkCodes& written) {
    if (!coder.bit(models_.combines, now.combined != written.combined)) {
      return;
    }
    for (std::size_t i = 0; i < now.combined.size(); ++i) {
      const std::int64_t wanted = difference(now.combined[i], written.combined[i]);
      if (coder.bit(models_.combined_differs[i], wanted != 0)) {
        written.combined[i] = sum(written.combined[i], code_number(coder, models_.combined[i], wanted));
      }
    }
  }

  static constexpr std::array<LinkCodes::Field, LinkCodes::kFields> kOrder = {
      LinkCodes::kSnr,   LinkCodes::kRssi,  LinkCodes::kUnicast, LinkCodes::kMulticast,
      LinkCodes::kModes, LinkCodes::kDelay, LinkCodes::kAckLoss, LinkCodes::kFlags};

  Models models_;
  std::vector<Past> past_;
};

}  // namespace hilgate

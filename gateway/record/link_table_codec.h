// SPDX-License-Identifier: Apache-2.0
// Messages of link tables: of each only the links that differ from the table before.
//
//   window, sim time in ns (signed), 1 for a whole table or 0; of a whole table the number of ends
//   number of links that differ; of each: slots since the one before (the first: its slot + 1)
//   of each: a number with a bit for each of its numbers that differs (LinkCodes::numbers)
//   for each bit: of each link that has it, the difference (signed)
//   number of robots whose attachment differs; of each: robot, state, access point + 1, or 0 for none
//
// All are varints but the byte. A whole table differs from one whose numbers are all 0. Of a link whose sender has the
// greater number, the numbers are differences from those of the way back, which is most often the same. Like numbers
// stand together because zstd, which compresses the chunks of the file, then finds more of them alike.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "gateway/record/varint.h"
#include "netsim_link/link_state.h"

namespace hilgate {

// Link states as records have them: whole numbers, so that a change too small to matter is not written again.
// docs/how-to/records.md has the steps.

/// Bit-error hazards from 2^-30 to 64, in steps of 1/16 of a power of two; below is 0 (one frame of 1500 bytes in 90000
/// is lost), above is certainty.
class HazardCode {
 public:
  static std::int64_t of(double hazard) {
    if (!(hazard >= kLeast)) {
      return 0;
    }
    return hazard >= kMost ? kCertain : static_cast<std::int64_t>(bits(hazard) - bits(kLeast)) + 1;
  }
  static double hazard(std::int64_t code) {
    if (code <= 0) {
      return 0;
    }
    constexpr std::uint64_t kMiddle = std::uint64_t{1} << (kShift - 1);
    return code >= kCertain
               ? std::numeric_limits<double>::infinity()
               : std::bit_cast<double>(((bits(kLeast) + static_cast<std::uint64_t>(code - 1)) << kShift) + kMiddle);
  }

 private:
  static constexpr double kLeast = 0x1p-30;
  static constexpr double kMost = 64;
  static constexpr unsigned kShift = 52 - 4;
  static constexpr std::uint64_t bits(double hazard) { return std::bit_cast<std::uint64_t>(hazard) >> kShift; }
  static constexpr std::int64_t kCertain = (6 + 30) * 16 + 1;
};

/// One link of a table.
struct LinkCodes {
  static constexpr double kPerDb = 4;             // steps of power and of signal to noise
  static constexpr double kPerLoss = 256;         // of a probability
  static constexpr std::int64_t kDelayStep = 16;  // ns
  static constexpr std::int64_t kMostDelay = 3'600'000'000'000;

  enum Number : std::uint8_t { kUnicast, kMulticast, kDelay, kNoise, kSnr, kModes, kAckLoss, kFlags, kCombined };
  static constexpr std::size_t kNumbers = kCombined + std::tuple_size_v<decltype(LinkState::combined)>;
  std::array<std::int64_t, kNumbers> numbers{};

  friend bool operator==(const LinkCodes&, const LinkCodes&) = default;

  static LinkCodes of(const LinkState& link) {
    LinkCodes codes;
    codes.numbers = {HazardCode::of(link.unicast.per_bit),
                     HazardCode::of(link.multicast.per_bit),
                     (link.delay.count() + kDelayStep / 2) / kDelayStep,
                     decibels(link.rssi_dbm - link.snr_db),  // noise: it stays where the signal changes
                     decibels(link.snr_db),
                     std::int64_t{link.unicast_mode} * 256 + link.multicast_mode,
                     std::lrint(std::clamp(static_cast<double>(link.ack_loss), 0.0, 1.0) * kPerLoss),
                     (link.reachable ? 1 : 0) | (link.line_of_sight ? 2 : 0)};
    for (std::size_t i = 0; i < link.combined.size(); ++i) {
      codes.numbers[kCombined + i] = HazardCode::of(static_cast<double>(link.combined[i]));
    }
    return codes;
  }

  /// Out of reach every frame is lost, whatever its errors would be: these are as they were `before`.
  void keep_errors(const LinkCodes& before) {
    for (const Number number : {kUnicast, kMulticast, kModes, kAckLoss}) {
      numbers[number] = before.numbers[number];
    }
    std::copy(before.numbers.begin() + kCombined, before.numbers.end(), numbers.begin() + kCombined);
  }

  /// Each number less, or more, that of `other`.
  [[nodiscard]] LinkCodes minus(const LinkCodes& other) const { return each(other, difference); }
  [[nodiscard]] LinkCodes plus(const LinkCodes& other) const { return each(other, sum); }

  [[nodiscard]] LinkState link() const {
    LinkState link{
        .unicast = {HazardCode::hazard(numbers[kUnicast])},
        .multicast = {HazardCode::hazard(numbers[kMulticast])},
        .delay = Nanoseconds{std::clamp(numbers[kDelay], std::int64_t{0}, kMostDelay / kDelayStep) * kDelayStep},
        .rssi_dbm = static_cast<float>(static_cast<double>(numbers[kNoise] + numbers[kSnr]) / kPerDb),
        .snr_db = static_cast<float>(static_cast<double>(numbers[kSnr]) / kPerDb),
        .unicast_mode = static_cast<std::uint8_t>(numbers[kModes] >> 8),
        .multicast_mode = static_cast<std::uint8_t>(numbers[kModes]),
        .reachable = (numbers[kFlags] & 1) != 0,
        .line_of_sight = (numbers[kFlags] & 2) != 0,
        .ack_loss = static_cast<float>(static_cast<double>(numbers[kAckLoss]) / kPerLoss)};
    for (std::size_t i = 0; i < link.combined.size(); ++i) {
      link.combined[i] = static_cast<float>(HazardCode::hazard(numbers[kCombined + i]));
    }
    return link;
  }

 private:
  template <class Combine>
  [[nodiscard]] LinkCodes each(const LinkCodes& other, Combine combine) const {
    LinkCodes codes;
    std::ranges::transform(numbers, other.numbers, codes.numbers.begin(), combine);
    return codes;
  }
  static std::int64_t decibels(float db) {
    constexpr float kMost = 1000;  // an external simulator may say anything
    return std::isnan(db) ? 0 : std::lrint(static_cast<double>(std::clamp(db, -kMost, kMost)) * kPerDb);
  }
};

class LinkTableEncoder {
 public:
  /// The next table is whole. A message ends with the next hops of meshes, all of them where one has changed.
  void restart() { whole_ = true; }
  [[nodiscard]] std::string encode(const LinkTable& table);

 private:
  void append_links(const LinkTable& table, std::string& bytes);
  void append_routes(const LinkTable& table, std::string& bytes);

  bool whole_ = true;
  std::vector<LinkCodes> links_;    // as they are
  std::vector<LinkCodes> written_;  // as they were written: differences, some of them
  std::vector<LinkCodes> changes_;  // of the links of changed_, now less before
  std::vector<std::uint16_t> differs_;
  std::vector<Attachment> attachments_;
  std::shared_ptr<const MeshRoutes> routes_;
  std::string changed_;
};

class LinkTableDecoder {
 public:
  /// The table after the message. Throws std::runtime_error for a message that cannot be one.
  const LinkTable& decode(std::string_view message);
  /// The links that the last message had, by LinkIndex.
  [[nodiscard]] const std::vector<std::size_t>& changed() const { return changed_; }
  /// The robots whose attachments it had.
  [[nodiscard]] const std::vector<std::size_t>& moved() const { return moved_; }

 private:
  void take_links(VarintReader& reader);
  void take_routes(VarintReader& reader);
  void use(std::size_t link);

  std::vector<LinkCodes> codes_;  // as they are written
  std::vector<std::uint64_t> differs_;
  std::size_t ends_ = 0;
  std::vector<std::size_t> changed_, moved_;
  LinkTable table_;
};

}  // namespace hilgate

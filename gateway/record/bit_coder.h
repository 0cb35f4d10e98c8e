// SPDX-License-Identifier: Apache-2.0
// Adaptive binary arithmetic coding: each decision costs as few bits as it was likely. Probabilities follow the
// decisions before; writer and reader keep the same. The range coder is that of LZMA (Martin, "Range encoding", 1979).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace hilgate {

/// Probability of a "no" in one context.
class BitModel {
 public:
  /// The part of a range for a "no": neither nothing nor all.
  [[nodiscard]] std::uint32_t share(std::uint32_t range) const { return (range >> 16) * no_; }
  void saw(bool yes) { no_ = static_cast<std::uint16_t>(yes ? no_ - (no_ >> kRate) : no_ + ((65536U - no_) >> kRate)); }

 private:
  static constexpr unsigned kRate = 5;
  std::uint16_t no_ = 1U << 15;
};

/// Of a number: its sign, how many bits it has, and the bits themselves.
struct NumberModel {
  BitModel negative;
  std::array<BitModel, 64> longer{};  // by the bits so far
  std::array<BitModel, 64> upper{};   // by the number's bits: the one after the first
};

/// The writing end: what is given is written, and returned.
class BitEncoder {
 public:
  bool bit(BitModel& model, bool yes) {
    const std::uint32_t share = model.share(range_);
    low_ += yes ? share : 0;
    range_ = yes ? range_ - share : share;
    model.saw(yes);
    normalise();
    return yes;
  }
  /// One that is as likely as not.
  bool plain(bool yes) {
    range_ >>= 1;
    low_ += yes ? range_ : 0;
    normalise();
    return yes;
  }
  /// All bytes written. The encoder is not used any more.
  std::string finish() {
    for (int i = 0; i < 5; ++i) {
      shift();
    }
    bytes_.erase(0, 1);  // the first is always 0
    while (!bytes_.empty() && bytes_.back() == '\0') {
      bytes_.pop_back();  // past the end a reader finds zeros
    }
    return std::move(bytes_);
  }

 private:
  void normalise() {
    while (range_ < 1U << 24) {
      range_ <<= 8;
      shift();
    }
  }
  // The byte on top is settled unless a carry may still come.
  void shift() {
    if (low_ < 0xFF00'0000 || low_ >> 32 != 0) {
      const auto carry = static_cast<std::uint8_t>(low_ >> 32);
      for (; waiting_ > 0; --waiting_) {
        bytes_.push_back(static_cast<char>(next_ + carry));
        next_ = 0xFF;
      }
      next_ = static_cast<std::uint8_t>(low_ >> 24);
    }
    ++waiting_;
    low_ = (low_ & 0x00FF'FFFF) << 8;
  }

  std::string bytes_;
  std::uint64_t low_ = 0;
  std::uint32_t range_ = 0xFFFF'FFFF;
  std::uint8_t next_ = 0;
  std::uint64_t waiting_ = 1;
};

/// The reading end: what is given is ignored, and what was written is returned. Any bytes can be read.
class BitDecoder {
 public:
  explicit BitDecoder(std::string_view bytes) : left_(bytes) {
    for (int i = 0; i < 4; ++i) {
      code_ = code_ << 8 | next();
    }
  }
  bool bit(BitModel& model, bool) {
    const std::uint32_t share = model.share(range_);
    const bool yes = code_ >= share;
    code_ -= yes ? share : 0;
    range_ = yes ? range_ - share : share;
    model.saw(yes);
    normalise();
    return yes;
  }
  bool plain(bool) {
    range_ >>= 1;
    const bool yes = code_ >= range_;
    code_ -= yes ? range_ : 0;
    normalise();
    return yes;
  }

 private:
  void normalise() {
    while (range_ < 1U << 24) {
      range_ <<= 8;
      code_ = code_ << 8 | next();
    }
  }
  std::uint8_t next() {
    if (left_.empty()) {
      return 0;
    }
    const auto first = static_cast<std::uint8_t>(left_.front());
    left_.remove_prefix(1);
    return first;
  }

  std::string_view left_;
  std::uint32_t range_ = 0xFFFF'FFFF;
  std::uint32_t code_ = 0;
};

/// A number other than 0.
template <class Coder>
std::int64_t code_number(Coder& coder, NumberModel& model, std::int64_t number) {
  const bool negative = coder.bit(model.negative, number < 0);
  const std::uint64_t given = number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
  const unsigned has = given == 0 ? 0 : static_cast<unsigned>(std::bit_width(given)) - 1;
  unsigned bits = 0;  // after the first
  while (bits < 63 && coder.bit(model.longer[bits], bits < has)) {
    ++bits;
  }
  std::uint64_t magnitude = 1;
  for (unsigned i = bits; i > 0; --i) {
    const bool wanted = (given >> (i - 1) & 1) != 0;
    magnitude = magnitude << 1 | (i == bits ? coder.bit(model.upper[bits], wanted) : coder.plain(wanted));
  }
  return static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
}

}  // namespace hilgate

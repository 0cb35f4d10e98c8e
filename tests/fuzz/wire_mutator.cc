// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/wire_mutator.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

// libFuzzer's own.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t room);

namespace hilgate::test {
namespace {

enum Wire : unsigned { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

constexpr int kDeepest = 6;

struct Field {
  std::uint64_t tag = 0;
  std::uint64_t number = 0;     // of a varint
  std::string bytes{};          // of everything else
  std::vector<Field> inside{};  // instead of bytes, where they read as a message

  [[nodiscard]] unsigned wire() const { return static_cast<unsigned>(tag & 7); }
};
using Fields = std::vector<Field>;

std::optional<std::uint64_t> take_varint(std::string_view& text) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 10 && i < text.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(text[i]);
    value |= static_cast<std::uint64_t>(byte & 0x7F) << (7 * i);
    if (byte < 0x80) {
      text.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

void put_varint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) {
    out.push_back(static_cast<char>(value | 0x80));
  }
  out.push_back(static_cast<char>(value));
}

std::optional<Fields> read(std::string_view text, int depth);

bool read_value(std::string_view& text, Field& field, int depth) {
  if (field.wire() == kVarint) {
    const auto number = take_varint(text);
    field.number = number.value_or(0);
    return number.has_value();
  }
  std::size_t size = field.wire() == kFixed64 ? 8 : 4;
  if (field.wire() == kBytes) {
    const auto length = take_varint(text);
    if (!length || *length > text.size()) {
      return false;
    }
    size = static_cast<std::size_t>(*length);
  } else if (field.wire() != kFixed64 && field.wire() != kFixed32) {
    return false;
  }
  if (size > text.size()) {
    return false;
  }
  field.bytes = text.substr(0, size);
  text.remove_prefix(size);
  if (field.wire() == kBytes && depth < kDeepest && !field.bytes.empty()) {
    field.inside = read(field.bytes, depth + 1).value_or(Fields{});
  }
  return true;
}

std::optional<Fields> read(std::string_view text, int depth) {
  Fields fields;
  while (!text.empty()) {
    const auto tag = take_varint(text);
    if (!tag || *tag < 8) {
      return std::nullopt;
    }
    Field field{.tag = *tag};
    if (!read_value(text, field, depth)) {
      return std::nullopt;
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

void write(const Fields& fields, std::string& out) {
  for (const Field& field : fields) {
    put_varint(field.tag, out);
    if (field.wire() == kVarint) {
      put_varint(field.number, out);
      continue;
    }
    std::string bytes = field.bytes;
    if (!field.inside.empty()) {
      bytes.clear();
      write(field.inside, bytes);
    }
    if (field.wire() == kBytes) {
      put_varint(bytes.size(), out);
    }
    out += bytes;
  }
}

class Change {
 public:
  explicit Change(unsigned seed) : random_(seed) {}

  void apply(Fields& fields) {
    Fields* at = &fields;
    for (int depth = 0; depth < kDeepest && !at->empty(); ++depth) {
      Field& field = any(*at);
      if (field.inside.empty() || random_() % 4 == 0) {
        break;
      }
      at = &field.inside;
    }
    if (at->empty()) {
      at->push_back({.tag = 8 + random_() % 8 * 8, .number = random_() % 4});
      return;
    }
    change(*at);
  }

 private:
  Field& any(Fields& fields) { return fields[random_() % fields.size()]; }

  void change(Fields& fields) {
    switch (random_() % 8) {
      case 0: {
        const Field copy = any(fields);
        const auto copies = random_() % 8 == 0 ? 64 : 1;
        fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(random_() % (fields.size() + 1)), copies, copy);
        break;
      }
      case 1:
        fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(random_() % fields.size()));
        break;
      case 2:
        std::swap(any(fields), any(fields));
        break;
      case 3:
        any(fields).tag = (1 + random_() % 14) << 3 | any(fields).wire();
        break;
      case 4: {
        const Field copy = any(fields);
        Field& to = any(fields);
        if (to.wire() == kBytes) {
          to.inside.push_back(copy);
        }
        break;
      }
      default:
        set_value(any(fields));
    }
  }

  void set_value(Field& field) {
    if (field.wire() == kVarint) {
      constexpr std::array<std::uint64_t, 10> kNumbers = {
          0, 1, 2, 3, 0x7F, 0x7FFF'FFFF, 0x8000'0000, 0xFFFF'FFFF, std::uint64_t{1} << 63, ~0ULL};
      const auto choice = random_() % (kNumbers.size() + 3);
      field.number = choice < kNumbers.size() ? kNumbers[choice] : field.number + choice - kNumbers.size() - 1;
    } else if (field.wire() == kFixed64 ||
               (field.wire() == kBytes && field.bytes.size() % 8 == 0 && random_() % 2 == 0)) {
      set_double(field);
    } else {
      set_bytes(field);
    }
  }
  // A double, or one of a packed list of them.
  void set_double(Field& field) {
    constexpr auto kInfinite = std::numeric_limits<double>::infinity();
    constexpr std::array<double, 14> kDoubles = {
        0,   -0.0, 1,     -1,      0.5,      1e-9,      1e-320,
        1e7, 1e20, -1e20, 1.7e308, -1.7e308, kInfinite, std::numeric_limits<double>::quiet_NaN()};
    if (field.bytes.size() < sizeof(double)) {
      return;
    }
    const double value = kDoubles[random_() % kDoubles.size()];
    std::memcpy(field.bytes.data() + random_() % (field.bytes.size() / 8) * 8, &value, sizeof value);
    field.inside.clear();
  }
  void set_bytes(Field& field) {
    std::string changed = field.bytes;
    const std::size_t room = field.wire() == kBytes ? changed.size() + 32 : changed.size();
    const std::size_t size = changed.size();
    changed.resize(room);
    changed.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(changed.data()), size, room));
    if (field.wire() == kBytes || changed.size() == size) {
      field.bytes = std::move(changed);
      field.inside.clear();
    }
  }

  std::minstd_rand random_;
};

}  // namespace

std::size_t mutate_protobuf(std::uint8_t* data, std::size_t size, std::size_t room, unsigned seed, std::size_t prefix) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto fields = size >= prefix ? read(text.substr(prefix), 0) : std::nullopt;
  if (!fields || seed % 5 == 0) {
    return LLVMFuzzerMutate(data, size, room);
  }
  Change(seed).apply(*fields);
  std::string out;
  write(*fields, out);
  if (prefix + out.size() > room) {
    return LLVMFuzzerMutate(data, size, room);
  }
  std::memcpy(data + prefix, out.data(), out.size());
  return prefix + out.size();
}

std::size_t mutate_ptp(std::uint8_t* data, std::size_t size, std::size_t room, unsigned seed) {
  constexpr std::array<std::uint8_t, 10> kTypes = {0x0, 0x1, 0x2, 0x3, 0x8, 0x9, 0xa, 0xb, 0xc, 0xd};
  constexpr std::size_t kHeader = 34;
  size = LLVMFuzzerMutate(data, size, room);
  if (size < kHeader || seed % 5 == 0) {
    return size;
  }
  if (seed % 5 == 1) {
    data[0] = static_cast<std::uint8_t>((data[0] & 0xF0) | kTypes[seed / 5 % kTypes.size()]);
  }
  data[1] = 2;
  data[2] = static_cast<std::uint8_t>(size >> 8);
  data[3] = static_cast<std::uint8_t>(size);
  return size;
}

}  // namespace hilgate::test

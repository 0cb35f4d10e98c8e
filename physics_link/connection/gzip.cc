// SPDX-License-Identifier: Apache-2.0
#include "physics_link/connection/gzip.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

namespace hilgate {
namespace {

constexpr int kGzipWrapper = 16;           // zlib's manual, deflateInit2: add 16 to windowBits for a gzip header
constexpr int kWindowBits = 13;            // 8 KiB back references: messages are small, and a reset clears less
constexpr int kMemLevel = 6;               // the same, for the hash chains
constexpr std::size_t kStoredMargin = 16;  // deflateBound of zlib 1.2.13 is too small by some bytes at level 0
constexpr std::size_t kFirstGuess = 1024;
constexpr std::size_t kLeastMember = 18;  // bytes: header and trailer
constexpr std::size_t kMostRatio = 1032;  // of DEFLATE: 258 bytes for two bits
// A member without options (RFC 1952, 2.3) and, after them, the one block of its content that is stored (RFC 1951,
// 3.2.4): its length and the complement of that.
constexpr std::string_view kPlainHeader("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
constexpr char kLastAndStored = 1;
constexpr std::size_t kBlockHeader = 5;
constexpr std::size_t kTrailer = 8;  // CRC, length
constexpr std::size_t kAround = kPlainHeader.size() + kBlockHeader + kTrailer;

// zlib's next_in is not const, though it never writes there.
Bytef* bytes_of(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

Bytef* bytes_at(std::string& text, std::size_t offset) {
  return reinterpret_cast<Bytef*>(text.data()) + offset;
}

// Length from a member's trailer (RFC 1952, ISIZE), modulo 2^32; requires kLeastMember bytes.
std::size_t said_length(std::string_view packed) {
  std::size_t length = 0;
  for (std::size_t byte = 1; byte <= 4; ++byte) {
    length = length << 8 | static_cast<unsigned char>(packed[packed.size() - byte]);
  }
  return length;
}

std::uint32_t crc_of(std::string_view text) {
  return static_cast<std::uint32_t>(crc32_z(0, bytes_of(text), text.size()));
}

void append_little(std::string& text, std::uint32_t value, int bytes) {
  for (int byte = 0; byte < bytes; ++byte) {
    text.push_back(static_cast<char>(value >> (8 * byte)));
  }
}

std::uint32_t little_at(std::string_view text, std::size_t at, int bytes) {
  std::uint32_t value = 0;
  for (int byte = bytes; byte-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(text[at + static_cast<std::size_t>(byte)]);
  }
  return value;
}

void store(std::string_view plain, std::string& packed) {
  const auto length = static_cast<std::uint32_t>(plain.size());
  packed.append(kPlainHeader);
  packed.push_back(kLastAndStored);
  append_little(packed, length, 2);
  append_little(packed, ~length, 2);
  packed.append(plain);
  append_little(packed, crc_of(plain), 4);
  append_little(packed, length, 4);
}

// The content of a member as store() makes it, without options and right; nothing where zlib has to look.
std::optional<std::string_view> stored(std::string_view packed) {
  constexpr std::size_t kOptions = 3, kBlock = kPlainHeader.size();
  if (packed.size() < kAround || packed.substr(0, kOptions) != kPlainHeader.substr(0, kOptions) ||
      packed[kOptions] != 0 || packed[kBlock] != kLastAndStored) {
    return std::nullopt;
  }
  const std::uint32_t length = little_at(packed, kBlock + 1, 2);
  const std::string_view plain = packed.substr(kBlock + kBlockHeader, packed.size() - kAround);
  const std::size_t end = packed.size() - kTrailer;
  const bool right = length == plain.size() && little_at(packed, kBlock + 3, 2) == (~length & 0xFFFF) &&
                     little_at(packed, end, 4) == crc_of(plain) && little_at(packed, end + 4, 4) == length;
  return right ? std::optional(plain) : std::nullopt;
}

ProtocolFault bad_member(std::string_view packed, std::string_view why) {
  return {ProtocolError::kBadGzip, fmt::format("invalid gzip member of {} bytes: {}", packed.size(), why)};
}

}  // namespace

Gzip::Gzip(int level, std::size_t limit) : limit_(limit) {
  if (level < 0 || level > 9) {
    throw std::runtime_error(fmt::format("gzip level {} is not in 0..9", level));
  }
  if (deflateInit2(&deflate_, level, Z_DEFLATED, kWindowBits + kGzipWrapper, kMemLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("cannot start zlib compression: out of memory");
  }
  if (inflateInit2(&inflate_, MAX_WBITS + kGzipWrapper) != Z_OK) {
    deflateEnd(&deflate_);
    throw std::runtime_error("cannot start zlib decompression: out of memory");
  }
}

Gzip::~Gzip() {
  deflateEnd(&deflate_);
  inflateEnd(&inflate_);
}

void Gzip::pack(std::string_view plain, std::string& packed) {
  if (!plain.empty() && plain.size() <= kStored) {
    return store(plain, packed);
  }
  deflateReset(&deflate_);
  const std::size_t start = packed.size();
  packed.resize(start + deflateBound(&deflate_, plain.size()) + kStoredMargin);
  deflate_.next_in = bytes_of(plain);
  deflate_.avail_in = static_cast<uInt>(plain.size());
  deflate_.next_out = bytes_at(packed, start);
  deflate_.avail_out = static_cast<uInt>(packed.size() - start);
  [[maybe_unused]] const int status = deflate(&deflate_, Z_FINISH);
  assert(status == Z_STREAM_END);
  packed.resize(packed.size() - deflate_.avail_out);
}

MaybeFault Gzip::unpack(std::string_view packed, std::string& plain) {
  // A member that is too long is refused before it is unpacked; one longer than its trailer states, at that length.
  const std::size_t said = packed.size() < kLeastMember ? 0 : said_length(packed);
  if (said > packed.size() * kMostRatio) {
    return bad_member(packed, "truncated, or its end is wrong");
  }
  if (said > limit_) {
    return ProtocolFault{
        ProtocolError::kBomb,
        fmt::format("{} compressed bytes expand to {}, more than the limit of {} bytes", packed.size(), said, limit_)};
  }
  if (const auto content = stored(packed)) {
    plain.assign(*content);
    return std::nullopt;
  }
  inflateReset(&inflate_);
  inflate_.next_in = bytes_of(packed);
  inflate_.avail_in = static_cast<uInt>(packed.size());
  plain.resize(std::min(said + 1, std::max(kFirstGuess, packed.size() * 4)));
  std::size_t used = 0;
  int status = Z_OK;
  while (true) {
    inflate_.next_out = bytes_at(plain, used);
    inflate_.avail_out = static_cast<uInt>(plain.size() - used);
    status = inflate(&inflate_, Z_NO_FLUSH);
    used = plain.size() - inflate_.avail_out;
    if (used > said) {
      return bad_member(packed, fmt::format("longer than the {} bytes in its trailer", said));
    }
    if (status != Z_OK || inflate_.avail_out > 0) {
      break;
    }
    plain.resize(std::min(said + 1, plain.size() * 2));
  }
  if (status != Z_STREAM_END) {
    return bad_member(packed, inflate_.msg != nullptr ? inflate_.msg : "truncated");
  }
  if (inflate_.avail_in > 0) {
    return ProtocolFault{ProtocolError::kBadGzip,
                         fmt::format("{} excess bytes after the gzip member", inflate_.avail_in)};
  }
  plain.resize(used);
  return std::nullopt;
}

}  // namespace hilgate

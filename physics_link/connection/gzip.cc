// SPDX-License-Identifier: Apache-2.0
#include "physics_link/connection/gzip.h"

#include <algorithm>
#include <cassert>
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

// zlib's next_in is not const, though it never writes there.
Bytef* bytes_of(std::string_view text) {
  return reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
}

Bytef* bytes_at(std::string& text, std::size_t offset) {
  return reinterpret_cast<Bytef*>(text.data()) + offset;
}

// What a member says at its end of its length (RFC 1952, ISIZE), modulo 2^32; requires kLeastMember bytes.
std::size_t said_length(std::string_view packed) {
  std::size_t length = 0;
  for (std::size_t byte = 1; byte <= 4; ++byte) {
    length = length << 8 | static_cast<unsigned char>(packed[packed.size() - byte]);
  }
  return length;
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
  // What is too long is refused before it is unpacked, and what says less than it is, where it gets longer.
  const std::size_t said = packed.size() < kLeastMember ? 0 : said_length(packed);
  if (said > packed.size() * kMostRatio) {
    return bad_member(packed, "truncated, or its end is wrong");
  }
  if (said > limit_) {
    return ProtocolFault{
        ProtocolError::kBomb,
        fmt::format("{} compressed bytes expand to {}, more than the limit of {} bytes", packed.size(), said, limit_)};
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
      return bad_member(packed, fmt::format("longer than the {} bytes that its end says", said));
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

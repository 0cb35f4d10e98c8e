// SPDX-License-Identifier: Apache-2.0
#include "physics_link/connection/framing.h"

#include <cassert>
#include <cstring>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

namespace hilgate {

void append_frame(std::string_view body, std::string& out) {
  if (body.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw std::length_error(fmt::format("a frame of {} bytes exceeds its 4-byte length field", body.size()));
  }
  const auto length = static_cast<std::uint32_t>(body.size());
  for (int shift = 24; shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>((length >> shift) & 0xff));
  }
  out.append(body);
}

char* FrameReader::space(std::size_t bytes) {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() < end_ + bytes) {
    buffer_.resize(end_ + bytes);
  }
  return buffer_.data() + end_;
}

std::size_t FrameReader::announced() const {
  assert(pending() >= kFrameHeader);
  std::size_t length = 0;
  for (std::size_t i = 0; i < kFrameHeader; ++i) {
    length = (length << 8) | static_cast<unsigned char>(buffer_[begin_ + i]);
  }
  return length;
}

FrameReader::Status FrameReader::next(std::string_view& body) {
  if (pending() < kFrameHeader) {
    return Status::kNeedMore;
  }
  const std::size_t length = announced();
  if (length > limit_) {
    return Status::kTooLong;
  }
  if (pending() < kFrameHeader + length) {
    return Status::kNeedMore;
  }
  body = std::string_view(buffer_).substr(begin_ + kFrameHeader, length);
  begin_ += kFrameHeader + length;
  return Status::kFrame;
}

}  // namespace hilgate

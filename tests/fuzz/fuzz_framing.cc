// SPDX-License-Identifier: Apache-2.0
// Frames arrive in pieces of any size, and their bodies are unpacked.
#include <cstring>

#include "physics_link/connection/framing.h"
#include "physics_link/connection/gzip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static hilgate::Gzip gzip(1, 1 << 20);
  static std::string plain;
  hilgate::FrameReader reader(1 << 16);
  const std::size_t piece = size > 0 ? data[0] % 32U + 1 : 1;
  for (std::size_t at = 0; at < size; at += piece) {
    const std::size_t bytes = std::min(piece, size - at);
    std::memcpy(reader.space(bytes), data + at, bytes);
    reader.received(bytes);
    std::string_view body;
    hilgate::FrameReader::Status status = reader.next(body);
    for (; status == hilgate::FrameReader::Status::kFrame; status = reader.next(body)) {
      (void)gzip.unpack(body, plain);
    }
    if (status == hilgate::FrameReader::Status::kTooLong) {
      return 0;
    }
  }
  return 0;
}

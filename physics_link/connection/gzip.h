// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <zlib.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "physics_link/connection/protocol_fault.h"

namespace hilgate {

/// One gzip member (RFC 1952) at a time. Keeps zlib's state between calls, because setting it up costs more than
/// packing a message. For one thread.
class Gzip {
 public:
  static constexpr std::size_t kDefaultLimit = std::size_t{64} << 20;
  /// Messages up to this length, in bytes, are stored, which is what one block of DEFLATE takes: simulators are near,
  /// and a socket takes bytes faster than zlib packs them, which took a third of a window's time.
  static constexpr std::size_t kStored = 65'535;

  /// `level` is zlib's, 0 (stored) to 9; `limit` bounds what unpack() accepts, bytes. Throws std::runtime_error.
  explicit Gzip(int level = 1, std::size_t limit = kDefaultLimit);
  ~Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  /// Appends `plain`, packed, to `packed`.
  void pack(std::string_view plain, std::string& packed);

  /// Replaces `plain` by what `packed` holds. Nothing may follow the member.
  [[nodiscard]] MaybeFault unpack(std::string_view packed, std::string& plain);

 private:
  z_stream deflate_{};
  z_stream inflate_{};
  std::size_t limit_;
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/site_socket.h"

#include <algorithm>

namespace hilgate {

bool SiteSocket::add(const SiteEnd& to, std::span<const iovec> parts) noexcept {
  if (added_ == kBatch || parts.size() > kMostParts) {
    return false;
  }
  Outgoing& next = outgoing_[added_++];
  next.ipv4 = to.ipv4;
  next.port = to.port;
  std::ranges::copy(parts, next.parts.begin());
  next.count = parts.size();
  next.length = 0;
  next.taken = false;
  for (const iovec& part : parts) {
    next.length += part.iov_len;
  }
  return true;
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
// Which clock should be master: the data set comparison and the record of foreign masters.
#pragma once

#include <optional>
#include <vector>

#include "clock/ptp/ptp_message.h"

namespace hilgate {

/// IEEE 1588-2008, figure 27, for two different grandmasters: is `a` the better one?
bool is_better_master(const PtpAnnounce& a, const PtpAnnounce& b);

/// Other clocks received on a port. A clock qualifies with its second Announce within four intervals and is forgotten
/// four intervals after its last (IEEE 1588-2008, 9.3.2.4).
class ForeignMasters {
 public:
  explicit ForeignMasters(Nanoseconds announce_interval) : window_(4 * announce_interval) {}

  void heard(HostTime now, const PortIdentity& source, const PtpAnnounce& announce);
  /// The best clock that qualifies now.
  [[nodiscard]] std::optional<PtpAnnounce> best(HostTime now) const;
  [[nodiscard]] std::size_t qualified(HostTime now) const;

 private:
  struct Foreign {
    PortIdentity source;
    PtpAnnounce announce;
    HostTime last;
    std::optional<HostTime> before;
  };
  [[nodiscard]] bool qualifies(const Foreign& foreign, HostTime now) const;

  // More than this cannot be distinguished from an attack; the oldest entry is replaced.
  static constexpr std::size_t kMost = 8;
  Nanoseconds window_;
  std::vector<Foreign> known_;
};

}  // namespace hilgate

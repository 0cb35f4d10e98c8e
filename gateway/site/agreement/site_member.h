// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clock/time.h"

namespace hilgate {

/// A command that changes the air.
struct SiteChange {
  std::string command;                // "set", "reload"
  std::vector<std::string> values{};  // of `set`
};

/// What a gateway does with a change that all make or none. Control thread.
class SiteMember {
 public:
  virtual ~SiteMember() = default;
  SiteMember() = default;
  SiteMember(const SiteMember&) = delete;
  SiteMember& operator=(const SiteMember&) = delete;

  /// Reads and checks it, and changes nothing; the digest of the configuration as it would be. Throws std::exception
  /// with what is wrong.
  virtual std::uint64_t prepare(const SiteChange& change) = 0;
  /// What was prepared does not come.
  virtual void forget() = 0;
  /// What was prepared comes with the first window that begins at that instant or later; then SiteAgreement::applied().
  virtual void await(SimTime from) = 0;
  /// Where a window begins that the change can reach all others before.
  [[nodiscard]] virtual SimTime soon() const = 0;
};

}  // namespace hilgate

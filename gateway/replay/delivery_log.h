// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hilgate {

/// What became of the frames of each link, to be compared with what became of the same frames another time: the bytes
/// of what was released, in their order, and how many were dropped for which reason.
class DeliveryLog {
 public:
  void released(std::string_view link, std::uint32_t length, std::span<const std::byte> bytes);
  void dropped(std::string_view link, std::string_view reason) { ++of(link).dropped[std::string(reason)]; }

  [[nodiscard]] std::uint64_t released() const;
  [[nodiscard]] std::uint64_t dropped() const;
  /// Where `again` differs, a line for each link; empty when equal. A run that ends drops frames in flight, and a
  /// replay does not: `again` may have up to as many more releases as this log has drops for that reason.
  [[nodiscard]] std::vector<std::string> differences(const DeliveryLog& again) const;

 private:
  struct Link {
    std::vector<std::uint64_t> released{};  // a digest of each
    std::map<std::string, std::uint64_t> dropped{};
  };
  [[nodiscard]] Link& of(std::string_view link);
  static std::string difference(const Link& before, const Link& again);

  std::map<std::string, Link, std::less<>> links_;
};

}  // namespace hilgate

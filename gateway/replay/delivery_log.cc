// SPDX-License-Identifier: Apache-2.0
#include "gateway/replay/delivery_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "frame/drop_reason.h"

namespace hilgate {
namespace {

// FNV-1a.
std::uint64_t digest_of(std::uint32_t length, std::span<const std::byte> bytes) {
  constexpr std::uint64_t kPrime = 0x100000001B3;
  std::uint64_t sum = (0xCBF29CE484222325 ^ length) * kPrime;
  for (const std::byte byte : bytes) {
    sum = (sum ^ std::to_integer<std::uint64_t>(byte)) * kPrime;
  }
  return sum;
}

std::uint64_t sum_of(const std::map<std::string, std::uint64_t>& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& count) { return sum + count.second; });
}

std::uint64_t count_of(const std::map<std::string, std::uint64_t>& counts, const std::string& reason) {
  const auto found = counts.find(reason);
  return found == counts.end() ? 0 : found->second;
}

}  // namespace

DeliveryLog::Link& DeliveryLog::of(std::string_view link) {
  const auto found = links_.find(link);
  return found == links_.end() ? links_[std::string(link)] : found->second;
}

void DeliveryLog::released(std::string_view link, std::uint32_t length, std::span<const std::byte> bytes) {
  of(link).released.push_back(digest_of(length, bytes));
}

std::uint64_t DeliveryLog::released() const {
  return std::accumulate(links_.begin(), links_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& link) { return sum + link.second.released.size(); });
}

std::uint64_t DeliveryLog::dropped() const {
  return std::accumulate(links_.begin(), links_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const auto& link) { return sum + sum_of(link.second.dropped); });
}

std::string DeliveryLog::difference(const Link& before, const Link& again) {
  const std::string ended(name(DropReason::kShutdown));
  const auto differs = std::ranges::mismatch(before.released, again.released);
  if (differs.in1 != before.released.end()) {
    return fmt::format("release {} of {} is {}", differs.in1 - before.released.begin() + 1, before.released.size(),
                       differs.in2 == again.released.end() ? "missing" : "another one");
  }
  const std::uint64_t more = again.released.size() - before.released.size();
  if (more > count_of(before.dropped, ended)) {
    return fmt::format("{} releases more than the {} of the record", more, before.released.size());
  }
  for (const auto& [reason, count] : again.dropped) {
    if (reason != ended && count_of(before.dropped, reason) < count && more == 0) {
      return fmt::format("{} drops for {} instead of {}", count, reason, count_of(before.dropped, reason));
    }
  }
  return {};
}

std::vector<std::string> DeliveryLog::differences(const DeliveryLog& again) const {
  std::vector<std::string> lines;
  const auto add = [&lines](const std::string& link, const std::string& text) {
    if (!text.empty()) {
      lines.push_back(fmt::format("{}: {}", link, text));
    }
  };
  for (const auto& [link, before] : links_) {
    const auto found = again.links_.find(link);
    add(link, difference(before, found == again.links_.end() ? Link{} : found->second));
  }
  for (const auto& [link, deliveries] : again.links_) {
    if (!links_.contains(link)) {
      add(link, difference(Link{}, deliveries));
    }
  }
  return lines;
}

}  // namespace hilgate

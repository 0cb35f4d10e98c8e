// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "host/large_pages.h"
#include "netsim_link/link_state.h"

namespace hilgate {

/// Hands whole link tables from the control thread to the packet loop: three buffers, one exchange, wait-free. The
/// reader always gets the newest complete table; tables it had no time for are skipped.
class LinkTableFeed {
 public:
  explicit LinkTableFeed(std::size_t links) {
    for (LinkTable& table : tables_) {
      reserve_large_pages(table.links, links);
      table.links.resize(links);
    }
  }

  /// Writer: the table to fill in. Its content is that of some earlier window.
  LinkTable& back() { return tables_[back_]; }
  /// Writer: publishes back(), which then names another buffer.
  void publish() { back_ = middle_.exchange(back_ | kFresh, std::memory_order_acq_rel) & ~kFresh; }

  /// Reader: true when front() is a newer table than before.
  bool take() {
    if ((middle_.load(std::memory_order_relaxed) & kFresh) == 0) {
      return false;
    }
    front_ = middle_.exchange(front_, std::memory_order_acq_rel) & ~kFresh;
    return true;
  }
  /// Reader: whether take() would say true.
  [[nodiscard]] bool has_newer() const { return (middle_.load(std::memory_order_relaxed) & kFresh) != 0; }
  [[nodiscard]] const LinkTable& front() const { return tables_[front_]; }

 private:
  static constexpr std::uint32_t kFresh = 4;
  std::array<LinkTable, 3> tables_;
  std::uint32_t back_ = 0;
  std::atomic<std::uint32_t> middle_{1};
  std::uint32_t front_ = 2;
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "gateway/run/conditions/condition.h"

namespace hilgate {

/// The conditions that stand, and since when. The log hears of each when it begins, as a warning, and when it is over.
/// Control thread.
class Conditions {
 public:
  struct Standing {
    Condition condition;  // with its newest text
    HostTime since{};
    HostTime seen{};  // last
  };

  /// Called when one begins, and when it is over.
  using News = std::function<void(const Condition& condition, bool begins)>;
  void tell(News news) { news_ = std::move(news); }

  /// These are there now, each kind once about each thing.
  void update(std::vector<Condition> found, HostTime now);

  /// In the order in which they began.
  [[nodiscard]] const std::vector<Standing>& standing() const { return standing_; }

 private:
  std::vector<Standing> standing_;
  News news_ = [](const Condition&, bool) {};
};

}  // namespace hilgate

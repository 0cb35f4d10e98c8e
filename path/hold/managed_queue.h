// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "clock/time.h"
#include "frame/slab.h"
#include "netsim_link/impairments/queue_rules.h"
#include "path/hold/codel.h"
#include "path/hold/delivery_line.h"
#include "path/hold/dual_pi2.h"
#include "path/hold/fq_codel.h"
#include "path/hold/pie.h"

namespace hilgate {

/// The deliveries of a queue with a discipline other than FIFO. Does not allocate after construction.
class ManagedQueue {
 public:
  /// `stream` of the random numbers of `seed` is this queue's alone.
  ManagedQueue(const QueueRules& rules, std::uint64_t seed, std::uint32_t stream)
      : rules_(rules), discipline_(make(rules, seed, stream)) {}

  /// Of a delivery that comes to `bytes` that wait.
  QueueVerdict judge(const QueuedDelivery& delivery, std::uint64_t bytes) {
    auto* const pie = std::get_if<Pie>(&discipline_);
    return pie == nullptr ? QueueVerdict::kPass : pie->judge(head_of(delivery, delivery.ready, bytes));
  }
  void append(Slab<QueuedDelivery>& nodes, NodeIndex node) {
    if (auto* const fair = std::get_if<FqCodel>(&discipline_)) {
      fair->append(nodes, node);
    } else if (auto* const dual = std::get_if<DualPi2>(&discipline_)) {
      dual->append(nodes, node);
    } else {
      line_.append(nodes, node);
    }
  }
  /// The delivery that is sent at `now`; those that are taken before it are handed to drop(const QueuedDelivery&).
  /// Requires that one waits.
  template <class Drop>
  QueuedDelivery pop(Slab<QueuedDelivery>& nodes, HostTime now, Drop drop) {
    if (auto* const fair = std::get_if<FqCodel>(&discipline_)) {
      return fair->pop(nodes, now, drop);
    }
    if (auto* const dual = std::get_if<DualPi2>(&discipline_)) {
      return dual->pop(nodes, now, drop);
    }
    if (auto* const pie = std::get_if<Pie>(&discipline_)) {
      const QueuedDelivery delivery = line_.pop(nodes);
      pie->leaves(head_of(delivery, now, line_.bytes));
      return delivery;
    }
    return *pop_by(std::get<CoDel>(discipline_), line_, nodes, now, drop);  // CoDel lets the last one through
  }
  /// A full queue drops the first delivery of its longest flow, also when that is the one that came.
  [[nodiscard]] bool drops_longest() const { return std::holds_alternative<FqCodel>(discipline_); }
  /// The oldest one, or the first of the longest flow, without a look at the discipline. Requires that one waits.
  QueuedDelivery pop_first(Slab<QueuedDelivery>& nodes) {
    if (auto* const dual = std::get_if<DualPi2>(&discipline_)) {
      return dual->pop_first(nodes);
    }
    auto* const fair = std::get_if<FqCodel>(&discipline_);
    return fair == nullptr ? line_.pop(nodes) : fair->pop_longest(nodes);
  }

  [[nodiscard]] std::size_t bytes() const {
    const auto* const fair = std::get_if<FqCodel>(&discipline_);
    return sizeof(*this) + (fair == nullptr ? 0 : fair->bytes());
  }

  /// What the discipline remembers of the delays, where its rules are the same.
  void take_over(const ManagedQueue& old) {
    if (rules_ != old.rules_) {
      return;
    }
    if (auto* const fair = std::get_if<FqCodel>(&discipline_)) {
      fair->take_over(std::get<FqCodel>(old.discipline_));
    } else if (auto* const dual = std::get_if<DualPi2>(&discipline_)) {
      dual->take_over(std::get<DualPi2>(old.discipline_));
    } else if (auto* const pie = std::get_if<Pie>(&discipline_)) {
      *pie = std::get<Pie>(old.discipline_);
    } else {
      std::get<CoDel>(discipline_) = std::get<CoDel>(old.discipline_);
    }
  }

 private:
  using Discipline = std::variant<CoDel, FqCodel, Pie, DualPi2>;
  static Discipline make(const QueueRules& rules, std::uint64_t seed, std::uint32_t stream) {
    switch (rules.discipline) {
      case QueueDiscipline::kFqCodel:
        return FqCodel(rules);
      case QueueDiscipline::kPie:
        return Pie(rules, seed, stream);
      case QueueDiscipline::kDualPi2:
        return DualPi2(rules);
      default:
        return CoDel(rules);
    }
  }

  QueueRules rules_;
  Discipline discipline_;
  DeliveryLine line_;  // of CoDel and PIE
};

}  // namespace hilgate

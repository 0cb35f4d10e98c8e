// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "clock/time.h"

namespace hilgate {

class YamlReader;

enum class QueueDiscipline : std::uint8_t {
  kFifo,
  kCodel,    // RFC 8289
  kFqCodel,  // RFC 8290
  kPie,      // RFC 8033
  kDualPi2,  // RFC 9332
};

/// What a queue does to its frames before it is full. The classes of the disciplines are in path/hold/.
struct QueueRules {
  QueueDiscipline discipline = QueueDiscipline::kFifo;
  Nanoseconds target{5'000'000};      // CoDel's TARGET, PIE's QDELAY_REF, DualPI2's target
  Nanoseconds interval{100'000'000};  // CoDel's INTERVAL, PIE's T_UPDATE, DualPI2's Tupdate
  bool ecn = false;                   // frames that are capable of ECN are marked where others are dropped
  std::uint32_t flows = 1024;         // of FQ-CoDel: queues that flows are hashed into
  std::uint32_t quantum = 1514;       // of FQ-CoDel: bytes of a flow's turn

  friend bool operator==(const QueueRules&, const QueueRules&) = default;

  [[nodiscard]] bool is_fifo() const { return discipline == QueueDiscipline::kFifo; }
  /// Reads the keys of the map `queue` that belong to its discipline.
  static QueueRules read(YamlReader& queue);
};

}  // namespace hilgate

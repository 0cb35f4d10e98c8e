// SPDX-License-Identifier: Apache-2.0
// The packet path on several cores: each has two ports of net_null devices that copy, whose robots send to one another,
// or to those of the next core. Bit error rate and delay as LoadRig's.
#pragma once

#include <memory>
#include <vector>

#include "bench/path/load_rig.h"
#include "bench/path/null_port.h"
#include "path/cores/crossings.h"

namespace hilgate {

struct CoresMeasured {
  double pps = 0;      // released, of all cores together
  double crossed = 0;  // share of these that changed cores
  double lost = 0;     // share of the captured frames that found a full ring or hold; without the air's losses
};

class CoresRig {
 public:
  /// On as many processors as there are cores. `next_device`: the first of the load's devices; becomes the next free.
  CoresRig(const std::vector<unsigned>& processors, const Load& load, unsigned& next_device, MbufPool& pool,
           const TscClock& clock, Nanoseconds delay);
  ~CoresRig();
  CoresRig(const CoresRig&) = delete;
  CoresRig& operator=(const CoresRig&) = delete;

  /// The first `cores` of them at once, each with a thread of its own, where `percent` of the frames go to another. The
  /// others are idle.
  CoresMeasured run(std::size_t cores, unsigned percent, Nanoseconds duration);
  /// Frames per second that these processors hand from port to port without a path, at once: the machine's throughput
  /// with all of them busy.
  double forward(std::size_t cores, Nanoseconds duration);

 private:
  struct Core {
    unsigned processor = 0;
    std::vector<std::unique_ptr<NullPort>> ports;
    std::vector<const CrossingRing*> to;  // by core
    std::unique_ptr<BenchPath<NullPort>> path;
  };

  MbufPool& pool_;
  const TscClock& clock_;
  CrossingRings rings_;
  std::vector<Core> cores_;
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "bench/path/bench_memory.h"
#include "bench/path/load_rig.h"
#include "bench/path/path_bench.h"

namespace hilgate {

void measure_core_limits(const CoreLimitsOptions& options,
                         const std::function<void(const std::string& size, const CoreLimits& limits)>& each) {
  constexpr double kPartialDropRate = 0.005;
  std::vector<Load> loads;
  for (const std::string& size : options.sizes) {
    loads.push_back(loads_of(size).front());
  }
  const BenchCore core;
  const LoadDevices devices(loads);
  const BenchMemory memory = bench_memory(mbuf_bytes(LoadRig::kPoolFrames, devices.largest), 0, "certify");
  const Eal eal(bench_eal(memory, devices.words));
  core.stay();
  const BenchClock clock(core.first());
  MbufPool pool("bench", LoadRig::kPoolFrames, devices.largest);
  unsigned next_device = 0;
  for (const Load& load : loads) {
    LoadRig rig(load, next_device, pool, clock);
    CoreLimits found;
    found.forwarder = rig.forward(options.trial);
    rig.run(options.trial);  // the path's memory is warm
    RateSearch search([&](double pps) { return rig.offer(pps, options.trial); },
                      {.most = found.forwarder, .precision = options.precision});
    found.ndr = search.highest(0).rate;
    found.pdr = search.highest(kPartialDropRate).rate;
    each(load.name, found);
  }
}

}  // namespace hilgate

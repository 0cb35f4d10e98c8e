// SPDX-License-Identifier: Apache-2.0
// The experiment of Fig. 5 in "CORNET 2.0: A Co-Simulation Middleware for Robot Networks": a leader sends its position
// to a follower over a network of 1 s delay, while the physics simulator runs at 0.49 to 0.65 of real time.
//
// Everything but the physics simulator is the product's: the window engine in lockstep, the scripted network, the
// CORNET rule. Host time is virtual, so that an hour takes a second and every run is the same.
#pragma once

#include <cstdint>
#include <vector>

#include "clock/time.h"

namespace hilgate {

struct Fig5Sample {
  double physics_s = 0;   // physics' time
  double leader_m = 0;    // where the leader is
  double follower_m = 0;  // where the follower is: the leader's position as received
  double real_time_factor = 0;
};

struct Fig5Result {
  std::vector<Fig5Sample> samples;
  std::vector<Nanoseconds> delays;  // of every message, in physics' time
  double correlation = 0;           // of the follower with the leader 1 s of physics' time earlier
};

struct Fig5Options {
  bool synchronised = true;  // false: messages are released after 1 s of host time, as by a network simulator alone
  Nanoseconds duration{60'000'000'000};  // physics' time
  std::uint64_t seed = 1;
};

Fig5Result run_fig5(const Fig5Options& options);

}  // namespace hilgate

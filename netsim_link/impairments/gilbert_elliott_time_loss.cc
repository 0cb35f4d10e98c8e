// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/gilbert_elliott_time_loss.h"

#include "config/range.h"

namespace hilgate {

void GilbertElliottTimeLoss::read(YamlReader& loss) {
  using namespace std::chrono_literals;
  constexpr Range<Nanoseconds> kStay{1us, 1h, "1us to 1h"};
  states.good = require_within(loss, "good_for", kStay).value_or(1s);
  states.bad = require_within(loss, "bad_for", kStay).value_or(1s);
  good_loss = loss.optional<Probability>("good", Probability{0}).value;
  bad_loss = loss.optional<Probability>("bad", Probability{1}).value;
}

}  // namespace hilgate

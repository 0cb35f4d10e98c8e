// SPDX-License-Identifier: Apache-2.0
// A cell whose base station grants the air (LTE: 3GPP TS 36.321, 5.3 and 5.4; NR: TS 38.321), one frame after the other
// and without collisions. Who waits and has had the least time on the air is next, so that users who always have
// something to send get equal shares of it, each at its own rate: what a round robin over resource blocks gives, and
// proportional fairness where rates do not change (start-time fair queueing, Goyal, Vin and Cheng 1997). Who had
// nothing to send does not save up.
//
// A base station's frames are shared out by their receivers, and users' frames by their senders. In one domain for both
// ways (TDD) a frame from user to user takes the air twice, up and down; else (FDD) its way down is another domain's,
// which is as long and not counted. Within a frame's time the whole band is its own: what goes by blocks of a
// millisecond side by side goes one after the other here.
#pragma once

#include "path/air/access_method.h"

namespace hilgate {

class Scheduled final : public AccessMethod {
 public:
  using AccessMethod::AccessMethod;

  bool step(HostTime now) override;
  [[nodiscard]] HostTime next_event() const override;
  void head_changed(Transmitter& transmitter) override;

 private:
  [[nodiscard]] HostTime access_of(const Transmitter& transmitter) const;
  [[nodiscard]] int passes_of(const Transmitter& transmitter) const;

  Nanoseconds service_{0};  // Transmitter::service where the last transmission began: the cell's virtual time
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <string>
#include <utility>

#include "tests/fault/peers/foreign_words.h"
#include "tests/fault/peers/in_place.h"

namespace hilgate::test {

/// A hostile simulator of another protocol in the place of the right one. The other simulator is native, so that what
/// it notices is of the gateway alone.
class ForeignFault : public InPlaceOf {
 protected:
  void start_foreign(const ForeignSide& foreign) {
    GatewayTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    foreign_ = foreign;
    Between between;
    if (foreign.side == Side::kPhysics) {
      between.physics_protocol = foreign.protocol;
    } else {
      between.netsim_protocol = foreign.protocol;
      between.netsim = foreign.is_rosnetsim() ? ", expiry: 300ms" : "";
    }
    start_between(between);
    begin_quietly();
  }
  [[nodiscard]] const ForeignSide& foreign() const { return foreign_; }
  [[nodiscard]] std::string whose() const {
    return fmt::format("{} {} simulator", foreign_.is_rosnetsim() ? "ROS-NetSim's" : "DANCERS'",
                       foreign_.side == Side::kPhysics ? "physics" : "network");
  }
  using Answer = std::function<void(StreamPeer&, const HostileSimulator::Begin&)>;
  [[nodiscard]] HostileSimulator::Ways answering(Answer answer) const {
    return {.answer = std::move(answer),
            .listens = foreign_.listens(),
            .question = [foreign = foreign_](const auto& body) { return foreign.question(body); }};
  }
  void conclude_foreign(const std::string& fault, const std::string& promise, HostileSimulator::Ways ways,
                        const Expected& expected) {
    const std::string measured = in_place_of(foreign_.side, std::move(ways), expected);
    // Packets wait for the verdicts of ROS-NetSim's network simulator, and expire without it.
    const bool judged = foreign_.side == Side::kNetsim && foreign_.is_rosnetsim();
    conclude_windows({whose() + " " + fault, promise, measured}, {other(foreign_.side)},
                     {.lost = judged ? std::numeric_limits<std::size_t>::max() : 0});
  }

 private:
  ForeignSide foreign_{};
};

}  // namespace hilgate::test

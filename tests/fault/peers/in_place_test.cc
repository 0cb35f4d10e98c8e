// SPDX-License-Identifier: Apache-2.0
// A simulator that does not keep to the protocol: the gateway says so, the other simulator and frames go on, and the
// right one is taken when it comes.
#include <limits>

#include "physics_link/connection/gzip.h"
#include "physics_link/rosnetsim/rosnetsim_physics.pb.h"
#include "tests/fault/peers/in_place.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

class InPlace : public InPlaceOf {
 protected:
  /// At the gateway that it speaks to by this protocol; the other simulator is native, so that what it notices is of
  /// the gateway alone.
  void flood(Side side, const Between& between, const std::string& answer, HostileSimulator::Ways ways,
             const FaultRow& row, const std::string& told) {
    start_between(between);
    begin_quietly();
    std::string many;
    for (int n = 0; n < 1000; ++n) {
      many += answer;
    }
    ways.connected = [&many](StreamPeer& peer) {
      for (const auto end = std::chrono::steady_clock::now() + 500ms;
           std::chrono::steady_clock::now() < end && peer.send(many, 100ms);) {
      }
    };
    const std::string measured = in_place_of(side, std::move(ways), {.told = told});
    // Packets wait for the verdicts of ROS-NetSim's network simulator, and expire without it.
    const std::size_t lost = side == Side::kNetsim ? std::numeric_limits<std::size_t>::max() : 0;
    conclude_windows({row.fault, row.promise, measured}, {other(side)}, {.lost = lost});
  }
};

TEST_F(InPlace, FloodOfAnswers) {
  flood(Side::kPhysics, {}, end_of(1), {.greeting = hello_of(native::Role::kPhysics)},
        {"The physics simulator sends answers without a pause and without a question", "Named; each costs a look at it",
         ""},
        "expected");
}

class InPlaceOfRosNetSim : public InPlace {};

TEST_F(InPlaceOfRosNetSim, FloodOfAnswers) {
  wire::rosnetsim::PhysicsUpdate update;  // both of ROS-NetSim's messages begin alike
  update.set_msg_type(wire::rosnetsim::PhysicsUpdate::END);
  Gzip gzip;
  std::string packed;
  gzip.pack(update.SerializeAsString(), packed);
  flood(Side::kNetsim, {.netsim_protocol = "rosnetsim", .netsim = ", expiry: 300ms"}, framed(packed), {.listens = true},
        {"ROS-NetSim's network simulator sends answers without a pause and without a question",
         "Named; each costs a look at it", ""},
        "unexpected frame");
}

}  // namespace
}  // namespace hilgate::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "physics_link/connection/gzip.h"
#include "physics_link/connection/physics_codec.h"
#include "physics_link/rosnetsim/rosnetsim_physics.h"

namespace hilgate {

struct RosNetSimPhysicsOptions {
  std::size_t robots = 0;
  rosnetsim::SightRule sight = rosnetsim::SightRule::kTwoHops;
  int gzip_level = 1;        // any level suits any peer
  bool check_window = true;  // report, once, an END that names another window; it counts all the same
  Nanoseconds window{0};     // simulator's end only: the wire carries no length
};

/// ROS-NetSim's physics link: gzip of PhysicsUpdate, with gzip of ChannelData inside.
class RosNetSimPhysicsCodec final : public PhysicsCodec {
 public:
  explicit RosNetSimPhysicsCodec(const RosNetSimPhysicsOptions& options)
      : options_(options), gzip_(options.gzip_level) {}

  void encode_begin(const PhysicsQuestion& question, std::string& body) override;
  MaybeFault decode_end(std::string_view body, PhysicsAnswer& answer) override;
  MaybeFault decode_begin(std::string_view body, ReceivedPhysicsQuestion& question) override;
  void encode_end(const PhysicsAnswer& answer, std::string& body) override;

 private:
  void pack(std::string& body);

  RosNetSimPhysicsOptions options_;
  Gzip gzip_;
  Step step_;
  rosnetsim::PhysicsUpdate update_;
  std::string plain_;
  bool told_window_ = false;  // an END that names another window has been reported
};

}  // namespace hilgate

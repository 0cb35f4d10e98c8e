// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "physics_link/connection/gzip.h"
#include "physics_link/connection/simulator_codec.h"
#include "physics_link/dancers/dancers_messages.h"
#include "physics_link/physics_simulator.h"

namespace hilgate {

struct DancersOptions {
  std::size_t robots = 0;
  dancers::Version version = dancers::Version::kV1;
  int gzip_level = 1;
  Nanoseconds step{0};  // simulator's end only: connectors count their steps, for no time is on the wire
};

namespace dancers {

SessionProtocol::ControlMessage read_control(std::string_view body, Gzip& gzip);
bool write_close(Version version, Gzip& gzip, std::string& body);
/// A message of a coordinator: a BEGIN.
MaybeFault read_begin(std::string_view body, Gzip& gzip, Update& update);
/// A message of a connector: an END.
MaybeFault read_end(std::string_view body, Gzip& gzip, Update& update);

}  // namespace dancers

/// Common to both DANCERS links: CLOSE at the end (v1.0 only), steps that are counted, packed messages. `Codec` is
/// PhysicsCodec or NetworkCodec.
template <class Codec>
class DancersSession : public Codec {
 public:
  explicit DancersSession(const DancersOptions& options) : options_(options), gzip_(options.gzip_level) {}

  SessionProtocol::ControlMessage control_message(std::string_view body, MaybeFault&, std::string&) final {
    return dancers::read_control(body, gzip_);
  }
  bool goodbye(std::string& body) final { return dancers::write_close(options_.version, gzip_, body); }

 protected:
  /// `update_`, as it goes out.
  void write(std::string& body) {
    body.clear();
    dancers::encode(update_, options_.version, gzip_, body);
  }
  /// Simulator's end: the step that a BEGIN asks for.
  Step next_step() {
    const Step step{.window = begins_,
                    .number = begins_,
                    .from = SimTime{options_.step * static_cast<std::int64_t>(begins_)},
                    .length = options_.step};
    ++begins_;
    end_ = step.end();
    return step;
  }
  /// The robots of a scene as the payload of `update_`.
  void pack_poses(const Scene& scene) {
    agents_.clear();
    for (std::uint32_t i = 0; i < scene.robots.size(); ++i) {
      agents_.push_back({.agent = i, .pose = scene.robots[i]});
    }
    dancers::encode_poses(agents_, plain_);
    gzip_.pack(plain_, update_.payload);
  }
  /// The payload of `update_` as robots of a scene. Those that it leaves out stay where they were.
  MaybeFault unpack_poses(Scene& scene) {
    if (MaybeFault fault = gzip_.unpack(update_.payload, plain_)) {
      return fault;
    }
    if (MaybeFault fault = dancers::decode_poses(plain_, agents_)) {
      return fault;
    }
    scene.robots.resize(options_.robots, kUnplaced);
    scene.sights.resize(pair_count(options_.robots));
    return std::nullopt;
  }

  DancersOptions options_;
  Gzip gzip_;
  SimTime end_{};  // of the step at hand
  dancers::Update update_;
  std::vector<dancers::AgentPose> agents_;

 private:
  std::uint64_t begins_ = 0;
  std::string plain_;
};

}  // namespace hilgate

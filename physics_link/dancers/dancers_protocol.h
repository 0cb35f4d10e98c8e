// SPDX-License-Identifier: Apache-2.0
// DANCERS' messages, between bytes and hilgate's words. Both of its links use them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "physics_link/connection/gzip.h"
#include "physics_link/connection/protocol_fault.h"
#include "physics_link/connection/simulator_codec.h"
#include "physics_link/physics_simulator.h"
#include "physics_link/scene.h"

namespace hilgate::dancers {

/// v1.0 writes a BEGIN without payload as a frame without body; the versions before do not know that shortcut. Those of
/// March to December 2024 have another message, with a time in it.
enum class Version : std::uint8_t { kV1, kLegacy, kTimed };

enum class Kind : std::uint8_t { kBegin = 0, kEnd = 1, kClose = 2 };

struct Update {
  Kind kind = Kind::kBegin;
  std::string payload{};      // gzip of a PoseVector, or of what a peer's own version sends; empty: none
  bool of_network = false;    // whose payload it is; only in kTimed
  std::uint32_t time_ns = 0;  // of sim time, its lower 32 bits; only kTimed has it on the wire
};

/// An instant as in a TimedUpdate.
constexpr std::uint32_t low_time(SimTime at) {
  return static_cast<std::uint32_t>(at.time_since_epoch().count());
}

/// Appends the frame's body: gzip of the message, or nothing for v1.0's empty BEGIN.
void encode(const Update& update, Version version, Gzip& gzip, std::string& body);
/// Takes a frame's body of any version.
[[nodiscard]] MaybeFault decode(std::string_view body, Gzip& gzip, Update& update);

/// One agent of a PoseVector. DANCERS' connectors fill in only some of it: positions, waypoints or velocities.
struct AgentPose {
  std::uint32_t agent = 0;
  Pose pose{};
  Vec3 velocity{};  // m/s
  friend bool operator==(const AgentPose& a, const AgentPose& b) {
    return a.agent == b.agent && a.pose.position == b.pose.position && a.pose.orientation == b.pose.orientation &&
           a.velocity == b.velocity;
  }
};

/// A PoseVector, not yet packed. Read, agents that all say 0 are numbered in their order, as the versions before June
/// 2025 mean it.
void encode_poses(const std::vector<AgentPose>& agents, std::string& plain);
[[nodiscard]] MaybeFault decode_poses(std::string_view plain, std::vector<AgentPose>& agents);

/// Moves the robots that `agents` names; agent numbers are robot numbers. A quaternion of zeros (DANCERS never
/// sets it) leaves the orientation level. Unknown agents are a fault of kBadValue.
[[nodiscard]] MaybeFault place(const std::vector<AgentPose>& agents, Scene& scene);

}  // namespace hilgate::dancers

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

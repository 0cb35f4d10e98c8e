// SPDX-License-Identifier: Apache-2.0
#include "physics_link/dancers/dancers_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "physics_link/connection/entry_limit.h"
#include "physics_link/dancers/dancers.pb.h"
#include "physics_link/foreign_numbers.h"

namespace hilgate::dancers {
namespace {

using Message = wire::dancers::DancersUpdate;

constexpr std::array<EntryShape, 1> kPoseVector = {{{.field = wire::dancers::PoseVector::kPoseFieldNumber}}};

std::string timed_message(const Update& update) {
  wire::dancers::TimedUpdate message;
  message.set_msg_type(static_cast<Message::MsgType>(update.kind));
  message.set_time_val(update.time_ns);
  (update.of_network ? message.mutable_ordered_neighbors() : message.mutable_robots_positions())
      ->assign(update.payload);
  return message.SerializeAsString();
}

}  // namespace

void encode(const Update& update, Version version, Gzip& gzip, std::string& body) {
  if (version == Version::kV1 && update.kind == Kind::kBegin && update.payload.empty()) {
    return;
  }
  if (version == Version::kTimed) {
    gzip.pack(timed_message(update), body);
    return;
  }
  Message message;
  message.set_msg_type(static_cast<Message::MsgType>(update.kind));
  message.set_payload(update.payload);
  gzip.pack(message.SerializeAsString(), body);
}

MaybeFault decode(std::string_view body, Gzip& gzip, Update& update) {
  update = Update{};
  if (body.empty()) {
    return std::nullopt;
  }
  std::string plain;
  if (MaybeFault fault = gzip.unpack(body, plain)) {
    return fault;
  }
  Message message;
  if (!message.ParseFromString(plain)) {
    return ProtocolFault{ProtocolError::kBadMessage, fmt::format("invalid DancersUpdate of {} bytes", plain.size())};
  }
  const int kind = message.msg_type();
  if (kind < Message::BEGIN || kind > Message::CLOSE) {
    return ProtocolFault{ProtocolError::kBadMessage,
                         fmt::format("DancersUpdate of unknown type {}; known: 0, 1, 2", kind)};
  }
  update.kind = static_cast<Kind>(kind);
  // A TimedUpdate's number is no payload, and is skipped as an unknown field.
  for (std::string* words :
       {message.mutable_payload(), message.mutable_robots_positions(), message.mutable_ordered_neighbors()}) {
    if (update.payload.empty()) {
      update.payload = std::move(*words);
    }
  }
  return std::nullopt;
}

void encode_poses(const std::vector<AgentPose>& agents, std::string& plain) {
  wire::dancers::PoseVector message;
  for (const AgentPose& agent : agents) {
    auto& pose = *message.add_pose();
    const Vec3& at = agent.pose.position;
    pose.set_x(at.x);
    pose.set_y(at.y);
    pose.set_z(at.z);
    const Quaternion& q = agent.pose.orientation;
    pose.set_qx(q.x);
    pose.set_qy(q.y);
    pose.set_qz(q.z);
    pose.set_qw(q.w);
    pose.set_vx(agent.velocity.x);
    pose.set_vy(agent.velocity.y);
    pose.set_vz(agent.velocity.z);
    pose.set_agent_id(agent.agent);
  }
  message.SerializeToString(&plain);
}

MaybeFault decode_poses(std::string_view plain, std::vector<AgentPose>& agents) {
  if (MaybeFault fault = check_entries(plain, kPoseVector)) {
    return fault;
  }
  wire::dancers::PoseVector message;
  if (!message.ParseFromArray(plain.data(), static_cast<int>(plain.size()))) {
    return ProtocolFault{ProtocolError::kBadMessage, fmt::format("invalid PoseVector of {} bytes", plain.size())};
  }
  agents.clear();
  for (const auto& pose : message.pose()) {
    agents.push_back({.agent = pose.agent_id(),
                      .pose = {.position = {pose.x(), pose.y(), pose.z()},
                               .orientation = {pose.qw(), pose.qx(), pose.qy(), pose.qz()}},
                      .velocity = {pose.vx(), pose.vy(), pose.vz()}});
  }
  if (std::ranges::all_of(agents, [](const AgentPose& agent) { return agent.agent == 0; })) {
    for (std::uint32_t i = 0; i < agents.size(); ++i) {
      agents[i].agent = i;
    }
  }
  return std::nullopt;
}

MaybeFault place(const std::vector<AgentPose>& agents, Scene& scene) {
  MaybeFault fault;
  for (const AgentPose& agent : agents) {
    const auto pose = bounded_pose(agent.pose.position, agent.pose.orientation);
    if (agent.agent < scene.robots.size() && pose) {
      scene.robots[agent.agent] = *pose;
    } else if (!fault) {
      fault = ProtocolFault{ProtocolError::kBadValue,
                            fmt::format("agent {} at ({}, {}, {}); agents are 0..{}{}", agent.agent,
                                        agent.pose.position.x, agent.pose.position.y, agent.pose.position.z,
                                        scene.robots.size() - 1, pose ? "" : ", within 1e8 m of the origin")};
    }
  }
  return fault;
}

namespace {

// CLOSE, DancersUpdate type 2, is 2 bytes before packing: anything longer is no goodbye and need not be unpacked.
constexpr std::size_t kLongestClose = 64;

}  // namespace

SessionProtocol::ControlMessage read_control(std::string_view body, Gzip& gzip) {
  Update update;
  if (body.empty() || body.size() > kLongestClose || decode(body, gzip, update) || update.kind != Kind::kClose) {
    return SessionProtocol::ControlMessage::kNone;
  }
  return SessionProtocol::ControlMessage::kGoodbye;
}

bool write_close(Version version, Gzip& gzip, std::string& body) {
  body.clear();
  if (version != Version::kV1) {
    return false;
  }
  encode({.kind = Kind::kClose}, version, gzip, body);
  return true;
}

MaybeFault read_begin(std::string_view body, Gzip& gzip, Update& update) {
  if (MaybeFault fault = decode(body, gzip, update)) {
    return fault;
  }
  if (update.kind != Kind::kBegin) {
    return ProtocolFault{ProtocolError::kUnexpected,
                         "received END from a coordinator, which may send BEGIN and CLOSE only"};
  }
  return std::nullopt;
}

MaybeFault read_end(std::string_view body, Gzip& gzip, Update& update) {
  if (MaybeFault fault = decode(body, gzip, update)) {
    return fault;
  }
  if (update.kind != Kind::kEnd) {
    return ProtocolFault{ProtocolError::kUnexpected, "received BEGIN from a connector, which may send END only"};
  }
  return std::nullopt;
}

}  // namespace hilgate::dancers

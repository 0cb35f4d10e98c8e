// SPDX-License-Identifier: Apache-2.0
#include "tests/fault/peers/foreign_words.h"

#include "physics_link/connection/gzip.h"

namespace hilgate::test {
namespace {

using wire::dancers::DancersUpdate;
using wire::rosnetsim::NetworkUpdate;
using wire::rosnetsim::PhysicsUpdate;

constexpr int kBegin = 0;

std::string unpacked(const std::string& body) {
  Gzip gzip;
  std::string plain;
  return gzip.unpack(body, plain) ? "" : plain;
}

}  // namespace

std::string packed(std::string_view plain) {
  Gzip gzip;
  std::string bytes;
  gzip.pack(plain, bytes);
  return bytes;
}

std::optional<HostileSimulator::Begin> ForeignSide::question(const std::string& body) const {
  HostileSimulator::Begin begin;
  if (!is_rosnetsim()) {
    return begin;
  }
  // Both of ROS-NetSim's messages begin alike.
  PhysicsUpdate update;
  if (!update.ParseFromString(unpacked(body)) || update.msg_type() != PhysicsUpdate::BEGIN) {
    return std::nullopt;
  }
  begin.set_window(update.time_val());
  return begin;
}

std::string ForeignSide::message(int kind, std::uint64_t window) const {
  if (!is_rosnetsim()) {
    DancersUpdate update;
    update.set_msg_type(static_cast<DancersUpdate::MsgType>(kind));
    return framed(packed(update.SerializeAsString()));
  }
  PhysicsUpdate update;
  update.set_msg_type(kind == kBegin ? PhysicsUpdate::BEGIN : PhysicsUpdate::END);
  update.set_time_val(static_cast<std::uint32_t>(window));
  return framed(packed(update.SerializeAsString()));
}

std::string end_with(const wire::rosnetsim::ChannelData& channels, std::uint64_t window) {
  PhysicsUpdate update;
  update.set_msg_type(PhysicsUpdate::END);
  update.set_time_val(static_cast<std::uint32_t>(window));
  update.set_channel_data(packed(channels.SerializeAsString()));
  return framed(packed(update.SerializeAsString()));
}

std::string end_with(NetworkUpdate& deliveries, std::uint64_t window) {
  deliveries.set_msg_type(NetworkUpdate::END);
  deliveries.set_time_val(static_cast<std::uint32_t>(window));
  return framed(packed(deliveries.SerializeAsString()));
}

std::string end_with(const wire::dancers::PoseVector& poses) {
  DancersUpdate update;
  update.set_msg_type(DancersUpdate::END);
  update.set_payload(packed(poses.SerializeAsString()));
  return framed(packed(update.SerializeAsString()));
}

}  // namespace hilgate::test

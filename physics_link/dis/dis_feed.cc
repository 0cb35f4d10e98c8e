// SPDX-License-Identifier: Apache-2.0
#include "physics_link/dis/dis_feed.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "clock/host_now.h"
#include "host/socket_buffers.h"
#include "physics_link/foreign_numbers.h"
#include "physics_link/place.h"

namespace hilgate {
namespace {

// Stamps count modulo an hour.
constexpr std::uint32_t kHalfAnHour = std::uint32_t{1} << 30U;

// Of the socket: PDUs of thousands of entities while the control thread does something else.
constexpr int kReceiveBuffer = 8 << 20;

bool is_before(std::uint32_t stamp, std::uint32_t other) {
  const std::uint32_t ahead = (other - stamp) & (2 * kHalfAnHour - 1);
  return ahead > 0 && ahead < kHalfAnHour;
}

// The tangent plane's east, north and up are x, y and z after turns about z and x.
Quaternion to_local_at(const mavlink::Geodetic& origin) {
  const double radian = M_PI / 180;
  return times(from_rpy((origin.lat_deg - 90) * radian, 0, 0), from_rpy(0, 0, -(90 + origin.lon_deg) * radian));
}

}  // namespace

DisFeed::DisFeed(const std::vector<std::string>& entities, const DisOptions& options)
    : PositionFeed(entities),
      states_(entities.size()),
      sources_(entities.size()),
      options_(options),
      to_local_(to_local_at(options.origin)) {
  for (std::uint32_t i = 0; i < entities.size(); ++i) {
    sources_[i].name = entities[i];
    if (const auto id = dis::EntityId::parse(entities[i])) {
      robots_.emplace(*id, RobotIndex{i});
    }
  }
}

void DisFeed::take(std::span<const std::byte> datagram) {
  for (const dis::Pdu& pdu : dis::read_datagram(datagram)) {
    if (const auto* fault = std::get_if<dis::Fault>(&pdu)) {
      note_malformed(dis::kFaults[static_cast<std::size_t>(*fault)]);
    } else if (const auto* state = std::get_if<dis::EntityState>(&pdu);
               state != nullptr && state->exercise == options_.exercise) {
      take(*state);
    }
  }
}

void DisFeed::take(const dis::EntityState& state) {
  const auto found = robots_.find(state.id);
  if (found == robots_.end()) {
    note_unknown();
    return;
  }
  const std::size_t robot = found->second.value();
  FeedSource& source = sources_[robot];
  const auto last = heard(found->second);
  const auto now = host_now();
  if (last && now - *last < kOutOfOrder && is_before(state.timestamp, states_[robot]->timestamp)) {
    ++source.old;
    source.refused = now;
    return;
  }
  const Pose pose = pose_of(state, Nanoseconds{0});
  if (!is_bounded(pose.position)) {
    ++source.malformed;
    source.refused = now;
    note_malformed(dis::kFaults[static_cast<std::size_t>(dis::Fault::kNumbers)]);
    return;
  }
  ++source.positions;
  states_[robot] = state;
  place(found->second, pose);
}

Pose DisFeed::pose_of(const dis::EntityState& state, Nanoseconds after) const {
  const dis::WorldPose world = dis::reckoned(state, after);
  const Quaternion to_the_left{0, 1, 0, 0};  // half a turn about x: from right and down to left and up
  return {.position = enu_of_centred(world.location, options_.origin),
          .orientation = normalised(times(times(to_local_, world.orientation), to_the_left)),
          .oriented = true};
}

void DisFeed::scene_at(SimTime at, Scene& scene) {
  PositionFeed::scene_at(at, scene);
  const auto now = host_now();
  for (std::uint32_t i = 0; i < states_.size(); ++i) {
    if (const auto last = heard(RobotIndex{i})) {
      const Pose pose = pose_of(*states_[i], std::min<Nanoseconds>(now - *last, stale_after()));
      scene.robots[i] = is_bounded(pose.position) ? pose : scene.robots[i];
    }
  }
}

DisPhysics::DisPhysics(asio::io_context& context, const std::vector<std::string>& entities, const Endpoint& address,
                       const DisOptions& options)
    : OwnedPhysics<DisFeed>(entities, options), socket_(context, {asio::ip::make_address(address.host), address.port}) {
  enlarge_receive_buffer(socket_.native_handle(), kReceiveBuffer);
  receive();
}

void DisPhysics::receive() {
  socket_.async_receive(asio::buffer(buffer_), [this, alive = alive_](std::error_code error, std::size_t bytes) {
    if (!*alive || error == asio::error::operation_aborted) {
      return;
    }
    if (!error) {
      source_.take(std::span(buffer_).first(bytes));
    }
    receive();
  });
}

}  // namespace hilgate

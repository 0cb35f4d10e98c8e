// SPDX-License-Identifier: Apache-2.0
// Robots where Entity State PDUs report them: physics of another simulation, as a position feed.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <asio/io_context.hpp>
#include <asio/ip/udp.hpp>

#include "physics_link/connection/endpoint.h"
#include "physics_link/dis/entity_state.h"
#include "physics_link/feeds/feed_physics.h"
#include "physics_link/feeds/position_feed.h"
#include "physics_link/mavlink/geodetic.h"

namespace hilgate {

struct DisOptions {
  std::uint8_t exercise = 1;   // PDUs of others are left out
  mavlink::Geodetic origin{};  // where x, y and z are 0; height above the ellipsoid
};

/// Between two PDUs a robot moves as its dead reckoning has it, by this machine's clock from the PDU's arrival on: DIS
/// is a protocol of real time. After stale_after() without one it stays.
class DisFeed final : public PositionFeed {
 public:
  /// A PDU that is stamped before one of the same entity which came less than so long ago is late and left out. A
  /// sender that has begun anew may count from 0, and is silent for longer.
  static constexpr Nanoseconds kOutOfOrder = std::chrono::seconds(1);

  /// `entities`: by RobotIndex, as EntityId::parse() takes them, each once.
  DisFeed(const std::vector<std::string>& entities, const DisOptions& options);

  void take(std::span<const std::byte> datagram);

  void scene_at(SimTime at, Scene& scene) override;
  [[nodiscard]] std::span<const FeedSource> sources() const override { return sources_; }
  /// 2.4 heartbeats of 5 s: HBT_TIMEOUT_MPLIER and HBT_PDU_ENTITY_STATE of IEEE 1278.1-2012.
  [[nodiscard]] Nanoseconds stale_after() const override { return std::chrono::seconds(12); }

 private:
  void take(const dis::EntityState& state);
  [[nodiscard]] Pose pose_of(const dis::EntityState& state, Nanoseconds after) const;

  std::map<dis::EntityId, RobotIndex> robots_;
  std::vector<std::optional<dis::EntityState>> states_;  // the last ones, by RobotIndex
  std::vector<FeedSource> sources_;                      // likewise
  DisOptions options_;
  Quaternion to_local_;  // from the world's axes to east, north and up of the origin
};

/// DisFeed as a simulator, with the UDP socket to which PDUs are sent.
class DisPhysics final : public OwnedPhysics<DisFeed> {
 public:
  /// Throws std::system_error for an address that cannot be had.
  DisPhysics(asio::io_context& context, const std::vector<std::string>& entities, const Endpoint& address,
             const DisOptions& options);
  ~DisPhysics() override { *alive_ = false; }
  DisPhysics(const DisPhysics&) = delete;
  DisPhysics& operator=(const DisPhysics&) = delete;

  [[nodiscard]] std::uint16_t port() const { return socket_.local_endpoint().port(); }

 private:
  void receive();

  asio::ip::udp::socket socket_;
  std::array<std::byte, 8192> buffer_{};  // MAX_PDU_SIZE_OCTETS of IEEE 1278.1-2012, bundles included
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace hilgate

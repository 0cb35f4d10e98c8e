// SPDX-License-Identifier: Apache-2.0
// Robots where Cursor on Target events report them: phones, vehicles and drones of TAK's programs, as a position feed.
#pragma once

#include <array>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/udp.hpp>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/accept_loop.h"
#include "physics_link/connection/endpoint.h"
#include "physics_link/cot/cot_event.h"
#include "physics_link/feeds/feed_physics.h"
#include "physics_link/feeds/position_feed.h"
#include "physics_link/mavlink/geodetic.h"

namespace hilgate {

struct CotFeedOptions {
  mavlink::Geodetic origin{};                    // where x, y and z are 0
  Nanoseconds stale = std::chrono::seconds(60);  // a robot without an event for so long has a stale position
  bool stamps = true;                            // events that are not valid yet or any more are refused
};

/// An event is a robot's whose name it has as its uid, or else as its callsign. Between two events a robot stays where
/// it is. An event of unknown height keeps the robot's height, at first that of the origin.
class CotFeed final : public PositionFeed {
 public:
  /// How far a sender's clock may be ahead of this machine's.
  static constexpr Nanoseconds kMostAhead = std::chrono::seconds(10);
  /// An event farther than this from the origin, m, whose position with latitude and longitude swapped is ten times
  /// nearer, is taken for swapped.
  static constexpr double kFar = 100'000;

  /// `robots`: uid or callsign, by RobotIndex, each once.
  CotFeed(const std::vector<std::string>& robots, const CotFeedOptions& options);

  /// One document; `utc`: now, since 1970.
  void take(std::string_view event, Nanoseconds utc);
  void refuse(cot::Fault fault);

  [[nodiscard]] std::span<const FeedSource> sources() const override { return sources_; }
  [[nodiscard]] Nanoseconds stale_after() const override { return options_.stale; }

 private:
  void take(const cot::Event& event, Nanoseconds utc);
  [[nodiscard]] std::optional<RobotIndex> robot_of(const cot::Event& event) const;
  [[nodiscard]] bool is_swapped(const cot::Event& event, const Vec3& at) const;
  void note_stranger(const cot::Event& event);

  std::map<std::string, RobotIndex, std::less<>> robots_;
  std::vector<std::optional<Nanoseconds>> times_;  // of the last events, by RobotIndex
  std::vector<double> heights_m_;                  // likewise
  std::vector<FeedSource> sources_;                // likewise
  std::set<std::string, std::less<>> strangers_;   // that the log has
  std::set<cot::Fault> logged_;                    // likewise
  CotFeedOptions options_;
};

/// CotFeed as a simulator: events are datagrams, one each, or a stream over TCP, both at one address.
class CotPhysics final : public OwnedPhysics<CotFeed> {
 public:
  /// `group`: a multicast group to join; empty: none. Throws std::system_error for an address that cannot be had.
  CotPhysics(asio::io_context& context, const std::vector<std::string>& robots, const Endpoint& address,
             const std::string& group, const CotFeedOptions& options);
  ~CotPhysics() override { *alive_ = false; }
  CotPhysics(const CotPhysics&) = delete;
  CotPhysics& operator=(const CotPhysics&) = delete;

  [[nodiscard]] std::uint16_t port() const { return socket_.local_endpoint().port(); }

 private:
  struct Peer;
  void receive();
  void read_more(std::shared_ptr<Peer> peer);

  asio::ip::udp::socket socket_;
  asio::ip::tcp::acceptor acceptor_;
  std::array<char, cot::kLongestEvent> buffer_{};
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  AcceptLoop<asio::ip::tcp::acceptor> accept_loop_;
};

}  // namespace hilgate

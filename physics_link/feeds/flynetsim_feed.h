// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <asio/io_context.hpp>

#include "physics_link/feeds/position_feed.h"

namespace hilgate {

/// Subscribes to the telemetry of FlyNetSim's UAV processes by ZeroMQ, instead of ns-3, and takes the positions. Robots
/// are named by their three digits.
class FlyNetSimFeed {
 public:
  /// `address`: ZeroMQ's, tcp://127.0.0.1:5600 in the reference; connecting never fails, it waits. Throws
  /// std::runtime_error for an invalid address.
  FlyNetSimFeed(asio::io_context& io, const std::string& address, PositionFeed& feed);
  ~FlyNetSimFeed();
  FlyNetSimFeed(const FlyNetSimFeed&) = delete;
  FlyNetSimFeed& operator=(const FlyNetSimFeed&) = delete;

 private:
  struct Socket;
  void wait();
  void drain();

  PositionFeed& feed_;
  std::unique_ptr<Socket> socket_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace hilgate

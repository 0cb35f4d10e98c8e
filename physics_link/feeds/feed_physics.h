// SPDX-License-Identifier: Apache-2.0
// Feeds as physics simulators.
#pragma once

#include <asio/io_context.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "physics_link/feeds/position_feed.h"
#include "physics_link/physics.h"
#include "physics_link/physics_simulator.h"

namespace hilgate {

/// A simulator that pushes its positions.
class FedPhysics : public PhysicsSimulator {
 public:
  [[nodiscard]] virtual const PositionFeed& feed() const = 0;
};

/// A PositionFeed of its own as a simulator, which has the scene at the beginning of a step.
template <class Source>
class OwnedPhysics : public FedPhysics {
 public:
  template <class... Arguments>
  explicit OwnedPhysics(const Arguments&... arguments)
      : source_(arguments...), local_(source_, LocalPhysics::SceneAt::kStepBegin) {}

  void open(Listener listener) final {
    source_.on_clock(listener.clock);
    local_.open(std::move(listener));
  }
  void begin(const PhysicsQuestion& question) final { local_.begin(question); }
  void close() final {}
  [[nodiscard]] const PositionFeed& feed() const final { return source_; }

 protected:
  Source source_;

 private:
  LocalPhysics local_;
};

/// A PositionFeed with what keeps it moving.
template <class Sockets>
class FeedPhysics final : public OwnedPhysics<PositionFeed> {
 public:
  template <class... Arguments>
  FeedPhysics(asio::io_context& context, const std::vector<std::string>& robots, const Arguments&... arguments)
      : OwnedPhysics<PositionFeed>(robots), sockets_(context, arguments..., source_) {}

 private:
  Sockets sockets_;
};

/// Makes a FeedPhysics of `Sockets` with these arguments.
template <class Sockets, class... Arguments>
auto feed_maker(const Arguments&... arguments) {
  return [arguments...](asio::io_context& context,
                        const std::vector<std::string>& robots) -> std::unique_ptr<PhysicsSimulator> {
    return std::make_unique<FeedPhysics<Sockets>>(context, robots, arguments...);
  };
}

}  // namespace hilgate

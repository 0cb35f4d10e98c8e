// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "clock/tsc_clock.h"
#include "gateway/data_plane.h"
#include "gateway/frame_path.h"
#include "gateway/hot_loop.h"
#include "gateway/link_table_feed.h"

namespace hilgate {

/// A data plane over one kind of ports. `Ports` owns the ports and the memory of their frames:
///   using Port, using Pool; Pool& pool(); std::vector<Port*> ports(); std::vector<PortReport> reports();
///   std::size_t bytes(); void enter_thread() called on the loop's thread before its first turn.
template <class Ports>
class PathPlane final : public DataPlane {
 public:
  PathPlane(std::unique_ptr<Ports> ports, const PathSettings& settings, const TscClock& clock,
            std::optional<std::uint32_t> cpu)
      : ports_(std::move(ports)),
        feed_(settings.robots.size() * settings.robots.size()),
        path_(settings, ports_->ports(), ports_->pool(), feed_),
        loop_(path_, clock, cpu) {}
  ~PathPlane() override { stop(); }

  LinkTableFeed& feed() override { return feed_; }
  VerdictRings& verdicts() override { return path_.verdicts(); }
  void start() override {
    loop_.start([this] { ports_->enter_thread(); });
  }
  void stop() override {
    loop_.stop();
    path_.drain();
  }
  std::optional<PathTotals> snapshot(std::chrono::milliseconds patience) override { return loop_.snapshot(patience); }
  [[nodiscard]] std::uint64_t heartbeat() const override { return loop_.heartbeat(); }
  [[nodiscard]] const std::vector<LinkCounters>& links() const override { return path_.links(); }
  [[nodiscard]] std::vector<PortReport> ports() const override { return ports_->reports(); }
  [[nodiscard]] std::size_t bytes() const override { return ports_->bytes() + path_.bytes(); }

 private:
  std::unique_ptr<Ports> ports_;
  LinkTableFeed feed_;
  FramePath<typename Ports::Port, typename Ports::Pool> path_;
  HotLoop<decltype(path_)> loop_;
};

}  // namespace hilgate

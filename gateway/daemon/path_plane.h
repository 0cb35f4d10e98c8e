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
        feed_(make_feed(settings)),
        path_(settings, ports_->ports(), ports_->pool(), *feed_),
        loop_(path_, clock, cpu) {}
  ~PathPlane() override { stop(); }

  void publish(const LinkTable& table) override {
    feed_->back() = table;  // same size: copies without allocating
    feed_->publish();
  }
  bool change(const PathSettings& settings, const LinkTable& first, std::chrono::milliseconds patience) override {
    auto feed = make_feed(settings);
    feed->back() = first;
    feed->publish();
    PathParts parts(settings, ports_->ports().size(), *feed, &path_.parts());
    if (!loop_.change(parts, patience)) {
      return false;
    }
    feed_ = std::move(feed);
    return true;
  }
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
  [[nodiscard]] LinkCounts counts(LinkId link) const override {
    LinkCounts counts;
    path_.links()[link.value()].add_to(counts);
    return counts;
  }
  [[nodiscard]] std::vector<PortReport> ports() const override { return ports_->reports(); }
  [[nodiscard]] std::size_t bytes() const override { return ports_->bytes() + path_.bytes(); }

 private:
  static std::unique_ptr<LinkTableFeed> make_feed(const PathSettings& settings) {
    return std::make_unique<LinkTableFeed>(settings.table_robots() * settings.table_robots());
  }

  std::unique_ptr<Ports> ports_;
  std::unique_ptr<LinkTableFeed> feed_;
  FramePath<typename Ports::Port, typename Ports::Pool> path_;
  HotLoop<decltype(path_)> loop_;
};

}  // namespace hilgate

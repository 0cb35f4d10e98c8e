// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "gateway/run/events/run_observer.h"
#include "host/background_work.h"
#include "host/file_descriptor.h"

namespace hilgate {

/// Events of a run, as lines of JSON for clients that subscribed over the control socket; docs/reference/control.md
/// lists them. A slow client misses lines and is sent their number; the feed never waits for it. Control thread.
class EventFeed final : public RunObserver {
 public:
  static constexpr std::size_t kMost = 8;  // clients at a time

  struct Sources {
    std::function<SimTime()> now;
    /// Gathers a status; may throw. What it returns makes the document, on another thread.
    std::function<std::function<nlohmann::ordered_json()>()> status;
    BackgroundWork background = work_on_thread;
  };
  EventFeed(asio::io_context& context, Sources sources);
  /// Ends all subscriptions.
  ~EventFeed() override;

  /// Whether a control request for a subscription can be carried out. Throws std::runtime_error with why not.
  void check(const nlohmann::json& request) const;
  /// Carries out what check() has found good, for the client at `socket`; `seat` is kept as long as it is connected.
  void stream(const nlohmann::json& request, const FileDescriptor& socket, std::shared_ptr<void> seat);

  void happened(std::string_view event, const nlohmann::ordered_json& fields) override;
  void station_came(const StationNews& news) override;
  /// No clients.
  [[nodiscard]] bool idle() const { return clients_.empty(); }

 private:
  class Client;
  void leave(const Client* client);
  [[nodiscard]] double seconds() const;

  asio::io_context& context_;
  Sources sources_;
  std::vector<std::shared_ptr<Client>> clients_;
};

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/simulators/positions.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <cmath>
#include <csignal>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "clock/host_now.h"
#include "gateway/commands/simulators/position_senders.h"
#include "host/log/journal.h"

namespace hilgate {
namespace {

constexpr std::array<std::pair<std::string_view, PositionProtocol>, 5> kPositionProtocols = {
    {{"cornet", PositionProtocol::kCornet},
     {"cornet2", PositionProtocol::kCornet2},
     {"flynetsim", PositionProtocol::kFlyNetSim},
     {"robonetsim", PositionProtocol::kRoboNetSim},
     {"avens", PositionProtocol::kAvens}}};

class Positions {
 public:
  Positions(asio::io_context& io, const PositionsOptions& options)
      : io_(io), options_(options), sender_(make_position_sender(io, options)), timer_(io), begun_(host_now()) {
    step();
  }
  [[nodiscard]] int status() const { return status_; }

 private:
  void step() {
    const Nanoseconds since = host_now() - begun_;
    if (!connected_) {
      connected_ = sender_->connect();
      if (connected_) {
        begun_ = host_now();
        spdlog::info("connected");
      } else if (since > options_.patience) {
        return fail(fmt::format("no gateway for {:g} s", std::chrono::duration<double>(since).count()));
      }
    } else if (options_.duration && since > *options_.duration) {
      return io_.stop();
    } else {
      try {
        send(SimTime{Nanoseconds{std::llround(static_cast<double>(since.count()) * options_.speed)}});
      } catch (const std::system_error& error) {
        return fail(fmt::format("the gateway is gone: {}", error.what()));
      }
    }
    timer_.expires_after(options_.every);
    timer_.async_wait([this](const asio::error_code& error) {
      if (!error) {
        step();
      }
    });
  }
  void fail(const std::string& why) {
    spdlog::error("{}", why);
    status_ = 1;
    io_.stop();
  }
  void send(SimTime at) {
    const double laps = static_cast<double>(at.time_since_epoch().count()) / static_cast<double>(options_.lap.count());
    robots_.resize(options_.robots);
    for (std::size_t i = 0; i < robots_.size(); ++i) {
      const double radius = options_.radius_m * static_cast<double>(i + 1);
      robots_[i] = {radius * std::cos(2 * M_PI * laps), radius * std::sin(2 * M_PI * laps), 10};
    }
    sender_->send(at, robots_);
  }

  asio::io_context& io_;
  const PositionsOptions& options_;
  std::unique_ptr<PositionSender> sender_;
  asio::steady_timer timer_;
  HostTime begun_;
  bool connected_ = false;
  int status_ = 0;
  std::vector<Vec3> robots_;
};

}  // namespace

PositionProtocol parse_position_protocol(std::string_view text) {
  for (const auto& [name, protocol] : kPositionProtocols) {
    if (name == text) {
      return protocol;
    }
  }
  throw std::invalid_argument(
      fmt::format("unknown protocol '{}'; allowed: cornet, cornet2, flynetsim, robonetsim, avens", text));
}

int positions_command(const PositionsOptions& options) {
  log_plainly(options.run);
  std::signal(SIGPIPE, SIG_IGN);
  asio::io_context io(1);
  const Positions positions(io, options);
  asio::signal_set signals(io, SIGINT, SIGTERM);
  signals.async_wait([&io](std::error_code error, int) {
    if (!error) {
      io.stop();
    }
  });
  io.run();
  return positions.status();
}

}  // namespace hilgate

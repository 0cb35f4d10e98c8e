// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/simulators/positions.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <array>
#include <asio/buffer.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/udp.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <asio/write.hpp>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include "clock/host_now.h"
#include "gateway/configuration/simulator_config.h"
#include "host/log/log.h"
#include "physics_link/connection/endpoint.h"
#include "physics_link/feeds/position_formats.h"
#include "physics_link/scene.h"

namespace hilgate {
namespace {

// One sender for each protocol of physics_link/feeds, as the original program sends.

class PositionSender {
 public:
  virtual ~PositionSender() = default;
  PositionSender() = default;
  PositionSender(const PositionSender&) = delete;
  PositionSender& operator=(const PositionSender&) = delete;

  /// False while there is no listener yet.
  virtual bool connect() = 0;
  /// All robots, at the sender's own time. Throws std::system_error when the gateway is gone.
  virtual void send(SimTime at, std::span<const Vec3> robots) = 0;
};

double seconds_at(SimTime at) {
  return std::chrono::duration<double>(at.time_since_epoch()).count();
}

std::string own_folder_file(const PositionsOptions& options, std::string_view file) {
  return run_socket(options.run.empty() ? only_run() : options.run, file, RunSide::kSimulator);
}

Endpoint host_and_port(const PositionsOptions& options, const std::string& usual) {
  return Endpoint::parse("tcp:" + (options.address.empty() ? usual : options.address));
}

std::vector<std::string> robot_names(const PositionsOptions& options) {
  std::vector<std::string> names = options.names;
  for (std::uint32_t robot = static_cast<std::uint32_t>(names.size()); robot < options.robots; ++robot) {
    names.push_back(options.protocol == PositionProtocol::kFlyNetSim ? fmt::format("{:03}", robot + 1)
                                                                     : fmt::format("uav_{}", robot + 1));
  }
  return names;
}

// CORNET of 2026: its bridges of /clock and of /tf.
class CornetSender final : public PositionSender {
 public:
  CornetSender(asio::io_context& io, const PositionsOptions& options)
      : names_(robot_names(options)),
        positions_path_(options.address.empty() ? own_folder_file(options, kCornetPositionsSocket) : options.address),
        clock_path_(std::filesystem::path(positions_path_).parent_path() / kCornetClockSocket),
        clock_(io),
        positions_(io) {}

  bool connect() override {
    std::error_code absent;
    clock_.connect(clock_path_.string(), absent);
    if (!absent) {
      positions_.connect(positions_path_, absent);
    }
    if (absent) {
      clock_.close();
      positions_.close();
    }
    return !absent;
  }
  void send(SimTime at, std::span<const Vec3> robots) override {
    asio::write(clock_, asio::buffer(fmt::format("{{\"t\": {:.6f}}}\n", seconds_at(at))));
    for (std::size_t i = 0; i < robots.size(); ++i) {
      asio::write(positions_, asio::buffer(fmt::format("{{\"name\": \"{}\", \"x\": {}, \"y\": {}, \"z\": {}}}\n",
                                                       names_[i], robots[i].x, robots[i].y, robots[i].z)));
    }
  }

 private:
  std::vector<std::string> names_;
  std::string positions_path_;
  std::filesystem::path clock_path_;
  asio::local::stream_protocol::socket clock_;
  asio::local::stream_protocol::socket positions_;
};

// CORNET 2.0: a connection for every command, whole numbers, z 0, and a reply that is read.
class Cornet2Sender final : public PositionSender {
 public:
  Cornet2Sender(asio::io_context& io, const PositionsOptions& options)
      : io_(io), names_(robot_names(options)), to_(host_and_port(options, "127.0.0.1:12345")) {}

  bool connect() override {
    std::error_code absent;
    open(absent);
    return !absent;
  }
  void send(SimTime, std::span<const Vec3> robots) override {
    for (std::size_t i = 0; i < robots.size(); ++i) {
      std::error_code gone;
      asio::ip::tcp::socket connection = open(gone);
      if (gone) {
        throw std::system_error(gone, "cornet2");
      }
      asio::write(connection, asio::buffer(fmt::format("set.{}.setPosition(\"{:.0f},{:.0f},0\")", names_[i],
                                                       robots[i].x, robots[i].y)));
      std::array<char, 1024> reply{};
      connection.read_some(asio::buffer(reply));
    }
  }

 private:
  asio::ip::tcp::socket open(std::error_code& error) {
    asio::ip::tcp::socket connection(io_);
    connection.connect({asio::ip::make_address(to_.host), to_.port}, error);
    return connection;
  }

  asio::io_context& io_;
  std::vector<std::string> names_;
  Endpoint to_;
};

// FlyNetSim's UAV processes: they publish, and any number of clients subscribe.
class FlyNetSimSender final : public PositionSender {
 public:
  explicit FlyNetSimSender(const PositionsOptions& options)
      : names_(robot_names(options)), publisher_(context_, zmq::socket_type::pub) {
    const std::string address = options.address.empty() ? "tcp://127.0.0.1:5600" : options.address;
    try {
      publisher_.set(zmq::sockopt::linger, 0);
      publisher_.bind(address);
    } catch (const zmq::error_t& error) {
      throw std::runtime_error(fmt::format("cannot publish at '{}': {}", address, error.what()));
    }
  }

  bool connect() override { return true; }
  void send(SimTime at, std::span<const Vec3> robots) override {
    for (std::size_t i = 0; i < robots.size(); ++i) {
      publish(fmt::format("@@@U_{}***{}***{:.3f}***TELEMETRY#***", names_[i], ++sequence_, seconds_at(at)));
      publish(fmt::format("@@@U_{}***DISTANCE***{:.3f}***{:.3f}***", names_[i], robots[i].x, robots[i].y));
    }
  }

 private:
  void publish(const std::string& text) { publisher_.send(zmq::buffer(text), zmq::send_flags::dontwait); }

  std::vector<std::string> names_;
  zmq::context_t context_;
  zmq::socket_t publisher_;
  std::uint64_t sequence_ = 0;
};

// RoboNetSim's scheduler in ARGoS: hands shakes, and waits for one datagram before each of its ticks.
class RoboNetSimSender final : public PositionSender {
 public:
  RoboNetSimSender(asio::io_context& io, const PositionsOptions& options)
      : every_(options.every), socket_(io, asio::ip::udp::v4()) {
    const Endpoint to = host_and_port(options, "127.0.0.1:9999");
    peer_ = {asio::ip::make_address(to.host), to.port};
    socket_.non_blocking(true);
  }

  bool connect() override {
    std::error_code absent;
    if (!asked_) {
      socket_.send_to(asio::buffer(robonetsim::simulation_information({.robots = 2, .step_s = seconds_of_step()})),
                      peer_, 0, absent);
      asked_ = !absent;
    }
    const bool answered = take();
    asked_ = asked_ && !absent;
    return answered;
  }
  void send(SimTime at, std::span<const Vec3> robots) override {
    while (take()) {
      ++ticks_;
    }
    if (ticks_ == 0) {
      return;  // ARGoS would wait here
    }
    --ticks_;
    robonetsim::NodePositions positions{.timestamp_s = seconds_at(at)};
    for (std::size_t i = 0; i < robots.size(); ++i) {
      positions.nodes.push_back({.robot = std::to_string(i), .at = robots[i]});
    }
    socket_.send_to(asio::buffer(robonetsim::node_positions(positions)), peer_);
  }

 private:
  [[nodiscard]] double seconds_of_step() const { return std::chrono::duration<double>(every_).count(); }
  bool take() {
    std::array<char, 100> datagram{};
    std::error_code none;
    socket_.receive(asio::buffer(datagram), 0, none);
    if (none == asio::error::connection_refused) {
      asked_ = false;  // no listener: ask again
    }
    return !none;
  }

  Nanoseconds every_;
  asio::ip::udp::socket socket_;
  asio::ip::udp::endpoint peer_;
  bool asked_ = false;
  std::uint64_t ticks_ = 0;  // that the gateway has allowed
};

// AVENS' plug-in of X-Plane: the file is written anew each time.
class AvensSender final : public PositionSender {
 public:
  explicit AvensSender(const PositionsOptions& options) : file_(options.address) {
    if (options.address.empty()) {
      throw std::runtime_error("avens: name the file of the configuration with --address");
    }
  }

  bool connect() override { return true; }
  void send(SimTime, std::span<const Vec3> robots) override {
    std::string text = "<?xml version=\"1.0\"?>\n<AVENS>\n <FANET>\n";
    for (const Vec3& robot : robots) {
      text += fmt::format("  <Aircraft XPosition=\"{:.3f}\" YPosition=\"{:.3f}\" ZPosition=\"{:.3f}\"/>\n", robot.x,
                          robot.y, robot.z);
    }
    std::ofstream(file_, std::ios::trunc) << text << " </FANET>\n</AVENS>\n";
  }

 private:
  std::filesystem::path file_;
};

// Throws std::runtime_error for an invalid address.
std::unique_ptr<PositionSender> make_position_sender(asio::io_context& io, const PositionsOptions& options) {
  switch (options.protocol) {
    case PositionProtocol::kCornet2:
      return std::make_unique<Cornet2Sender>(io, options);
    case PositionProtocol::kFlyNetSim:
      return std::make_unique<FlyNetSimSender>(options);
    case PositionProtocol::kRoboNetSim:
      return std::make_unique<RoboNetSimSender>(io, options);
    case PositionProtocol::kAvens:
      return std::make_unique<AvensSender>(options);
    case PositionProtocol::kCornet:
      break;
  }
  return std::make_unique<CornetSender>(io, options);
}

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

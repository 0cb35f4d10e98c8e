// SPDX-License-Identifier: Apache-2.0
#include "tests/netsim_link/ns3/ns3_rig.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "netsim_link/native/native_network_codec.h"
#include "netsim_link/rosnetsim/rosnetsim_network_codec.h"

namespace hilgate::test {
namespace {

constexpr auto kPatience = std::chrono::seconds(60);  // sanitizers on a busy machine

std::vector<std::string> command(const std::string& scenario) {
  return {HILGATE_BIN_DIR "/hilgate-ns3", scenario};
}

}  // namespace

std::vector<std::uint32_t> rig_ips(std::size_t robots) {
  std::vector<std::uint32_t> ips;
  for (std::uint32_t i = 0; i < robots; ++i) {
    ips.push_back(0x0A4D0001 + i);
  }
  return ips;
}

std::string rig_robots(std::size_t robots) {
  std::string text = "robots:\n";
  for (std::size_t i = 0; i < robots; ++i) {
    text += fmt::format("  r{}: {{ip: 10.77.0.{}}}\n", i, i + 1);
  }
  return text;
}

std::unique_ptr<NetworkCodec> Ns3Rig::codec() const {
  if (setup_.protocol == "rosnetsim") {
    return std::make_unique<RosNetSimNetworkCodec>(
        RosNetSimNetworkOptions{.robot_ips = rig_ips(setup_.robots), .extensions = true, .window = setup_.window});
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < setup_.robots; ++i) {
    names.push_back(fmt::format("r{}", i));
  }
  return std::make_unique<NativeNetworkCodec>(
      NativeOptions{.hello = {.role = native::Role::kGateway, .name = "rig", .step = setup_.window, .robots = names},
                    .peer = native::Role::kNetwork});
}

Ns3Rig::Ns3Rig(Setup setup) : setup_(std::move(setup)) {
  std::ofstream(folder_.file("scenario.yaml")) << rig_robots(setup_.robots) << setup_.scenario;
  const std::string socket = "unix:" + folder_.file("netsim");
  link_ = std::make_unique<RemoteSimulator<NetworkCodec>>(
      io_,
      StepLinkOptions{.link = {.name = "ns-3", .endpoint = Endpoint::parse(socket), .role = ConnectionRole::kListen}},
      codec(), [](const ConnectionEvent&) {});
  link_->open({.ready = [this] { ready_ = true; },
               .ended =
                   [this](NetworkAnswer& answer) {
                     verdicts_.insert(verdicts_.end(), answer.verdicts.begin(), answer.verdicts.end());
                     forgotten_ += answer.forget.size();
                     ended_ = true;
                   },
               .failed = [this](const std::string& why) { failed_ = why; }});
  auto argv = command(folder_.file("scenario.yaml"));
  argv.insert(argv.end(), {"--protocol", setup_.protocol, "--socket", socket, "--connect", "--window",
                           fmt::format("{}ns", setup_.window.count())});
  process_ = std::make_unique<Process>(argv);
  run_until(
      io_, [this] { return ready_ || process_->wait(std::chrono::milliseconds(0)).has_value(); }, kPatience);
  if (!ready_) {
    throw std::runtime_error("hilgate-ns3 is not ready: " + process_->output());
  }
}

void Ns3Rig::place(const std::vector<Vec3>& at) {
  scene_.robots.clear();
  for (const Vec3& position : at) {
    scene_.robots.push_back({.position = position, .orientation = {}});
  }
  scene_.sights.open_all(pair_count(at.size()));
  fresh_ = true;
}

std::uint64_t Ns3Rig::send(std::uint32_t from, std::optional<std::uint32_t> to, std::uint32_t bytes, Nanoseconds offset,
                           std::uint8_t traffic_class) {
  CapturedPacket packet{.id = packets_.size(),
                        .captured = now() + offset,
                        .sender = RobotIndex{from},
                        .receiver = std::nullopt,
                        .length = bytes,
                        .src_ip = 0x0A4D0001 + from,
                        .dst_ip = to ? 0x0A4D0001 + *to : 0xFFFFFFFF,
                        .traffic_class = traffic_class};
  if (to) {
    packet.receiver = RobotIndex{*to};
  }
  packets_.push_back(packet);
  return packet.id;
}

void Ns3Rig::step() {
  ended_ = false;
  const Step step{.window = window_, .number = window_, .from = now(), .length = setup_.window};
  link_->begin({.step = step,
                .packets = std::span(packets_).subspan(asked_),
                .scene = scene_.robots.empty() ? nullptr : &scene_,
                .fresh = std::exchange(fresh_, false)});
  asked_ = packets_.size();
  if (!run_until(
          io_, [this] { return ended_ || !failed_.empty(); }, kPatience) ||
      !ended_) {
    throw std::runtime_error(fmt::format("window {}: {}: {}", window_, failed_, process_->output()));
  }
  ++window_;
}

void Ns3Rig::steps(int windows) {
  for (int i = 0; i < windows; ++i) {
    step();
  }
}

bool Ns3Rig::settle(int most) {
  for (int i = 0; i < most && (asked_ < packets_.size() || forgotten_ < packets_.size()); ++i) {
    step();
  }
  return forgotten_ == packets_.size();
}

std::size_t Ns3Rig::delivered(std::uint32_t to) const {
  return static_cast<std::size_t>(std::ranges::count_if(verdicts_, [to](const Verdict& verdict) {
    return verdict.receiver == RobotIndex{to} && verdict.drop == AirDrop::kNone;
  }));
}

std::size_t Ns3Rig::lost(std::uint32_t to, AirDrop cause) const {
  return static_cast<std::size_t>(std::ranges::count_if(verdicts_, [to, cause](const Verdict& verdict) {
    return verdict.receiver == RobotIndex{to} && verdict.drop == cause;
  }));
}

Finished refused(const std::string& scenario) {
  const TempDir folder;
  std::ofstream(folder.file("scenario.yaml")) << scenario;
  return run(command(folder.file("scenario.yaml")));
}

}  // namespace hilgate::test

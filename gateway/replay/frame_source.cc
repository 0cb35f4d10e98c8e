// SPDX-License-Identifier: Apache-2.0
#include "gateway/replay/frame_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "gateway/replay/recorded_fates.h"

namespace hilgate {
namespace {

constexpr Nanoseconds kShortestInterval{1'000};
constexpr std::uint16_t kVlanTag = 0x8100;
constexpr std::uint16_t kLocalExperiment = 0x88B5;  // IEEE 802, for frames of private protocols

void append_number16(std::vector<std::byte>& bytes, std::uint16_t number) {
  bytes.push_back(std::byte{static_cast<std::uint8_t>(number >> 8)});
  bytes.push_back(std::byte{static_cast<std::uint8_t>(number)});
}

class MadeFrames final : public FrameSource {
 public:
  MadeFrames(const Configuration& configuration, const MadeTraffic& traffic) : traffic_(traffic) {
    if (traffic.interval < kShortestInterval) {
      throw std::runtime_error(
          fmt::format("frames each {} ns are too many; allowed: 1us and more", traffic.interval.count()));
    }
    const auto robots = static_cast<std::uint32_t>(configuration.robots.size());
    for (std::uint32_t from = 0; from < robots; ++from) {
      for (std::uint32_t to = 0; to < robots; ++to) {
        if (from != to && are_linked(configuration, RobotIndex{from}, RobotIndex{to})) {
          add(configuration.robots[from], configuration.robots[to]);
        }
      }
    }
  }

  bool next(SourceFrame& frame) override {
    if (links_.empty()) {
      return false;
    }
    const auto link = static_cast<std::size_t>(number_ % links_.size());
    const auto turn = static_cast<std::int64_t>(number_ / links_.size());
    const Nanoseconds behind{traffic_.interval.count() * static_cast<std::int64_t>(link) /
                             static_cast<std::int64_t>(links_.size())};
    if (traffic_.interval * turn >= traffic_.length) {
      return false;
    }
    frame = links_[link];
    frame.at = SimTime{traffic_.interval * turn + behind};
    const auto sequence = static_cast<std::uint32_t>(turn);
    std::memcpy(frame.bytes.data() + frame.bytes.size() - sizeof sequence, &sequence, sizeof sequence);
    ++number_;
    return true;
  }

 private:
  void add(const RobotConfig& from, const RobotConfig& to) {
    for (const RobotConfig* robot : {&from, &to}) {
      if (robot->macs.empty()) {
        throw std::runtime_error(fmt::format(
            "robot '{}' has no MAC address, which made frames need; give it a 'mac', or take recorded frames",
            robot->name));
      }
    }
    constexpr std::size_t kAddress = 6;
    SourceFrame frame{.port = from.port};
    frame.bytes.resize(2 * kAddress);
    to.macs.front().to_wire(frame.bytes.data());
    from.macs.front().to_wire(frame.bytes.data() + kAddress);
    if (from.vlan != 0) {
      append_number16(frame.bytes, kVlanTag);
      append_number16(frame.bytes, from.vlan);
    }
    append_number16(frame.bytes, kLocalExperiment);
    frame.length = traffic_.bytes + (from.vlan != 0 ? 4 : 0);
    frame.bytes.resize(frame.length);
    links_.push_back(std::move(frame));
  }

  MadeTraffic traffic_;
  std::vector<SourceFrame> links_;
  std::uint64_t number_ = 0;
};

class CapturedFrames final : public FrameSource {
 public:
  CapturedFrames(const Configuration& configuration, const std::filesystem::path& capture)
      : configuration_(configuration), capture_(capture), file_(capture) {}

  bool next(SourceFrame& frame) override {
    for (CapturedFrame captured; file_.next(captured);) {
      const auto port = port_in(captured);
      if (!port) {
        continue;
      }
      const Nanoseconds at{static_cast<std::int64_t>(captured.at.nanoseconds)};
      began_ = began_.value_or(at);
      frame.port = port_named(configuration_, *port, capture_);
      frame.at = std::max(SimTime{at - *began_}, SimTime{});
      frame.length = captured.length;
      frame.bytes.assign(captured.bytes.begin(), captured.bytes.end());
      return true;
    }
    return false;
  }

 private:
  const Configuration& configuration_;
  std::filesystem::path capture_;
  PcapngReader file_;
  std::optional<Nanoseconds> began_;
};

}  // namespace

std::unique_ptr<FrameSource> made_frames(const Configuration& configuration, const MadeTraffic& traffic) {
  return std::make_unique<MadeFrames>(configuration, traffic);
}

std::unique_ptr<FrameSource> captured_frames(const Configuration& configuration, const std::filesystem::path& capture) {
  return std::make_unique<CapturedFrames>(configuration, capture);
}

PortIndex port_named(const Configuration& configuration, std::string_view name, const std::filesystem::path& capture) {
  const auto found = std::ranges::find(configuration.ports, name, &PortConfig::name);
  if (found == configuration.ports.end()) {
    throw std::runtime_error(
        fmt::format("{}: has the port '{}', which the configuration does not have", capture.string(), name));
  }
  return PortIndex{static_cast<std::uint32_t>(found - configuration.ports.begin())};
}

}  // namespace hilgate

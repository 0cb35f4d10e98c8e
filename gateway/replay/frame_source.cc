// SPDX-License-Identifier: Apache-2.0
#include "gateway/replay/frame_source.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "gateway/replay/captured_frames.h"

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

class CapturedSource final : public FrameSource {
 public:
  CapturedSource(const Configuration& configuration, const std::filesystem::path& capture)
      : frames_(configuration, capture) {}

  bool next(SourceFrame& frame) override {
    EnteringFrame entering;
    if (!frames_.next(entering)) {
      return false;
    }
    const Nanoseconds at{static_cast<std::int64_t>(entering.at.nanoseconds)};
    began_ = began_.value_or(at);
    frame.port = entering.port;
    frame.at = SimTime{at - *began_};
    frame.length = entering.length;
    frame.bytes = std::move(entering.bytes);
    return true;
  }

 private:
  CapturedFrames frames_;
  std::optional<Nanoseconds> began_;
};

}  // namespace

std::unique_ptr<FrameSource> made_frames(const Configuration& configuration, const MadeTraffic& traffic) {
  return std::make_unique<MadeFrames>(configuration, traffic);
}

std::unique_ptr<FrameSource> captured_frames(const Configuration& configuration, const std::filesystem::path& capture) {
  return std::make_unique<CapturedSource>(configuration, capture);
}

}  // namespace hilgate

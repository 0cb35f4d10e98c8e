// SPDX-License-Identifier: Apache-2.0
#include "gateway/replay/captured_frames.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "gateway/replay/recorded_fates.h"
#include "host/byte_cursor.h"

namespace hilgate {
namespace {

constexpr std::size_t kMacBytes = 6;
constexpr std::uint32_t kArpSender = 14;  // RFC 826, of IPv4 over Ethernet: behind the head and the MAC address
constexpr std::uint32_t kArpTarget = 24;
constexpr std::uint32_t kIpv4Bytes = 4;

struct IpEnds {
  IpAddress source;
  IpAddress destination;
};

std::optional<IpEnds> ip_ends(std::span<const std::byte> bytes, const EthernetHeader& ethernet) {
  if (ethernet.type == EtherType::kArp) {
    if (bytes.size() < ethernet.payload + kArpTarget + kIpv4Bytes) {
      return std::nullopt;
    }
    const std::byte* const arp = bytes.data() + ethernet.payload;
    return IpEnds{IpAddress::from_wire_v4(arp + kArpSender), IpAddress::from_wire_v4(arp + kArpTarget)};
  }
  const auto ip = parse_ip(bytes, ethernet);
  return ip ? std::optional(IpEnds{ip->source, ip->destination}) : std::nullopt;
}

// Its interfaces are a run's ports.
bool is_of_a_run(const PcapngReader& file) {
  return std::ranges::any_of(file.interfaces(),
                             [](const std::string& name) { return port_in({.interface = name}).has_value(); });
}

}  // namespace

CapturedRobots::CapturedRobots(const Configuration& configuration) : robots_(configuration.robots) {
  for (std::uint32_t i = 0; i < robots_.size(); ++i) {
    for (const MacAddress& mac : robots_[i].macs) {
      macs_.emplace(mac, RobotIndex{i});
    }
    for (const IpAddress& ip : robots_[i].ips) {
      ips_.emplace(ip, RobotIndex{i});
    }
  }
}

std::optional<RobotIndex> CapturedRobots::owner_of(const IpAddress& ip) const {
  const auto found = ips_.find(ip);
  return found == ips_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<RobotIndex> CapturedRobots::sender_of(std::vector<std::byte>& bytes) const {
  const auto ethernet = parse_ethernet(bytes);
  if (!ethernet) {
    return std::nullopt;
  }
  std::optional<RobotIndex> sender;
  if (const auto by_mac = macs_.find(ethernet->source); by_mac != macs_.end()) {
    sender = by_mac->second;
  } else if (const auto ends = ip_ends(bytes, *ethernet)) {
    sender = owner_of(ends->source);
  }
  if (sender) {
    readdress(bytes, *sender, *ethernet);
  }
  return sender;
}

void CapturedRobots::readdress(std::vector<std::byte>& bytes, RobotIndex sender, const EthernetHeader& ethernet) const {
  const RobotConfig& robot = robots_[sender.value()];
  if (!robot.macs.empty() && !macs_.contains(ethernet.source)) {
    robot.macs.front().to_wire(bytes.data() + kMacBytes);
  }
  if (!ethernet.destination.is_group() && !macs_.contains(ethernet.destination)) {
    const auto ends = ip_ends(bytes, ethernet);
    const auto receiver = ends ? owner_of(ends->destination) : std::nullopt;
    if (receiver && !robots_[receiver->value()].macs.empty()) {
      robots_[receiver->value()].macs.front().to_wire(bytes.data());
    }
  }
  if (robot.vlan != 0 && ethernet.payload == kEthernetHeader) {
    constexpr auto kTagType = static_cast<std::uint16_t>(EtherType::kVlan);
    const std::array tag = {std::byte{kTagType >> 8}, std::byte{kTagType & 0xFF},
                            std::byte{static_cast<std::uint8_t>(robot.vlan >> 8)},
                            std::byte{static_cast<std::uint8_t>(robot.vlan & 0xFF)}};
    bytes.insert(bytes.begin() + 2 * kMacBytes, tag.begin(), tag.end());
  }
}

CapturedFrames::CapturedFrames(const Configuration& configuration, const std::filesystem::path& capture)
    : configuration_(configuration), capture_(capture), file_(capture), robots_(configuration) {}

bool CapturedFrames::next(EnteringFrame& frame) {
  for (CapturedFrame captured; file_.next(captured);) {
    foreign_ = foreign_.value_or(!is_of_a_run(file_));
    if (*foreign_ ? enter_foreign(captured, frame) : enter(captured, frame)) {
      earlier_ += *foreign_ && captured.at.nanoseconds < before_.nanoseconds ? 1 : 0;
      frame.at = {std::max(captured.at.nanoseconds, before_.nanoseconds)};
      before_ = frame.at;
      return true;
    }
  }
  if (!foreign_ && !is_of_a_run(file_)) {
    throw std::runtime_error(fmt::format("{}: has no frames", capture_.string()));
  }
  return false;
}

bool CapturedFrames::enter(const CapturedFrame& captured, EnteringFrame& frame) {
  const auto port = port_in(captured);
  if (!port) {
    return false;
  }
  frame.port = port_named(configuration_, *port, capture_);
  frame.length = captured.length;
  frame.bytes.assign(captured.bytes.begin(), captured.bytes.end());
  frame.id = captured.id;
  frame.robot.reset();
  return true;
}

bool CapturedFrames::enter_foreign(const CapturedFrame& captured, EnteringFrame& frame) {
  check_foreign(captured);
  frame.bytes.assign(captured.bytes.begin(), captured.bytes.end());
  const auto sender = robots_.sender_of(frame.bytes);
  if (!sender) {
    ++of_nobody_;
    return false;
  }
  frame.port = configuration_.robots[sender->value()].port;
  frame.length = captured.length + static_cast<std::uint32_t>(frame.bytes.size() - captured.bytes.size());
  frame.id.reset();
  frame.robot = sender;
  return true;
}

void CapturedFrames::check_foreign(const CapturedFrame& captured) {
  constexpr std::uint16_t kEthernetLink = 1;  // LINKTYPE_ETHERNET
  if (captured.link_type != kEthernetLink) {
    throw std::runtime_error(fmt::format(
        "{}: has link type {} and not Ethernet, which is 1; capture on one Ethernet interface, not on 'any'",
        capture_.string(), captured.link_type));
  }
  if (interface_.value_or(captured.number) != captured.number) {
    throw std::runtime_error(fmt::format(
        "{}: has packets of several interfaces, which may have the same frame twice; keep one: `tshark -r {} -Y "
        "'frame.interface_id == {}' -w one.pcapng`",
        capture_.string(), capture_.string(), *interface_));
  }
  interface_ = captured.number;
}

std::string earlier_text(std::uint64_t frames) {
  return fmt::format(
      "{} frames are earlier than the one in front of them, and come in with it: sort them with reordercap", frames);
}

std::string CaptureCount::text() const {
  std::string all;
  for (const auto& [robot, count] : frames) {
    all += fmt::format("{}{}{} of {}", all.empty() ? "" : ", ", count, all.empty() ? " frames" : "", robot);
  }
  if (of_nobody > 0) {
    all += fmt::format("; {} of no robot are left out", of_nobody);
  }
  if (earlier > 0) {
    all += "; " + earlier_text(earlier);
  }
  return all + (cut ? "; the capture ends within a block" : "");
}

CaptureCount count_frames(const Configuration& configuration, const std::filesystem::path& capture) {
  CapturedFrames frames(configuration, capture);
  CaptureCount count;
  for (EnteringFrame frame; frames.next(frame);) {
    if (frame.robot) {
      ++count.frames[configuration.robots[frame.robot->value()].name];
    }
  }
  count.foreign = frames.is_foreign();
  count.of_nobody = frames.of_nobody();
  count.earlier = frames.earlier();
  count.cut = frames.cut();
  if (count.frames.empty() && count.of_nobody > 0) {
    throw std::runtime_error(
        fmt::format("{}: has {} frames, of no robot; give robots the `mac` or `ip` that they have in the capture",
                    capture.string(), count.of_nobody));
  }
  return count;
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

// SPDX-License-Identifier: Apache-2.0
// The frames of a capture that come in by the ports of a gateway: of a run, or of Wireshark, tcpdump and others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frame/address.h"
#include "frame/headers.h"
#include "gateway/configuration/configuration.h"
#include "gateway/record/pcapng/pcapng_reader.h"

namespace hilgate {

/// Whose the frames are that another program captured on one interface: of the robot with their source MAC address,
/// else of that with their source IP address.
class CapturedRobots {
 public:
  explicit CapturedRobots(const Configuration& configuration);

  /// The robot that sent it. Then `bytes` are as it sends by its port: with the MAC addresses of the configuration
  /// where robots are known by their IP addresses alone, and with its VLAN.
  std::optional<RobotIndex> sender_of(std::vector<std::byte>& bytes) const;

 private:
  [[nodiscard]] std::optional<RobotIndex> owner_of(const IpAddress& ip) const;
  void readdress(std::vector<std::byte>& bytes, RobotIndex sender, const EthernetHeader& ethernet) const;

  const std::vector<RobotConfig>& robots_;
  std::map<MacAddress, RobotIndex> macs_;
  std::map<IpAddress, RobotIndex> ips_;
};

/// A frame that comes in.
struct EnteringFrame {
  PortIndex port{};
  CaptureTime at{};                   // not before that of the frame in front
  std::uint32_t length = 0;           // bytes
  std::vector<std::byte> bytes{};     // its first
  std::optional<std::uint64_t> id{};  // of a run's capture
  std::optional<RobotIndex> robot{};  // of another program's
};

/// In the order of the file.
class CapturedFrames {
 public:
  /// `configuration` must outlive it. Throws as PcapngReader.
  CapturedFrames(const Configuration& configuration, const std::filesystem::path& capture);

  /// The next frame; false at the end. Throws std::runtime_error for a port that the configuration does not have,
  /// and for a capture of another program that is of several interfaces, of no Ethernet, or without frames.
  bool next(EnteringFrame& frame);

  /// Another program wrote it: what came of the frames is not in it. False before the first frame.
  [[nodiscard]] bool is_foreign() const { return foreign_.value_or(false); }
  /// Of such a capture, frames that no robot sent.
  [[nodiscard]] std::uint64_t of_nobody() const { return of_nobody_; }
  /// Of such a capture, frames that the file has after later ones.
  [[nodiscard]] std::uint64_t earlier() const { return earlier_; }
  /// Whether the file ends within a frame; to ask at the end.
  [[nodiscard]] bool cut() const { return file_.cut(); }

 private:
  bool enter(const CapturedFrame& captured, EnteringFrame& frame);
  bool enter_foreign(const CapturedFrame& captured, EnteringFrame& frame);
  void check_foreign(const CapturedFrame& captured);

  const Configuration& configuration_;
  std::filesystem::path capture_;
  PcapngReader file_;
  CapturedRobots robots_;
  std::optional<bool> foreign_;
  std::optional<std::uint32_t> interface_;  // of a foreign capture
  std::uint64_t of_nobody_ = 0;
  std::uint64_t earlier_ = 0;
  CaptureTime before_{};
};

/// For people, of frames that a capture has after later ones.
std::string earlier_text(std::uint64_t frames);

/// How many frames of a capture each robot sent.
struct CaptureCount {
  bool foreign = false;
  std::map<std::string, std::uint64_t> frames;  // by robot; of a run's capture nothing
  std::uint64_t of_nobody = 0;
  std::uint64_t earlier = 0;  // than the frame in front of them
  bool cut = false;           // the file ends within a frame

  /// For people: "120 frames of red, 80 of blue; 17 of no robot are left out".
  [[nodiscard]] std::string text() const;
};

/// Reads a capture through. Throws as CapturedFrames, and std::runtime_error for one of another program that has no
/// frame of a robot.
CaptureCount count_frames(const Configuration& configuration, const std::filesystem::path& capture);

/// The port of this name. Throws std::runtime_error with the capture's name when there is none.
PortIndex port_named(const Configuration& configuration, std::string_view name, const std::filesystem::path& capture);

}  // namespace hilgate

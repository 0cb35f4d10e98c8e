// SPDX-License-Identifier: Apache-2.0
// Packets between gateways of a site: GENEVE over UDP (RFC 8926), the frame of a robot inside, with an option of ours
// that has what its gateway has decided: when the frame is to be released, on which link. Or nothing is decided yet,
// and it is a request: when the frame was captured, its sender and its receiver. Without a frame it is a beacon: that
// the gateway is there, and what time it has.
//
//   GENEVE header                    8 bytes   version 0, C: our option is critical, O: of beacons, VNI: the site
//   option header                    4 bytes   class 0xfff7 (experimental), type 0x81 (critical), length
//   version of the option, kind      2 bytes
//   gateway that sends               2 bytes   its index in the configuration
//   digest of the configuration      8 bytes
//   epoch                            8 bytes   when the gateway began, TAI ns: what it sent in earlier lives is old
//   sequence                         8 bytes   to this peer, in this epoch
//   sent                             8 bytes   TAI ns
//   release, capture, or zero        8 bytes   TAI ns; of a frame, of a request; of a beacon: when its simulation
//                                              time was 0, 0 while it has none
//   sender, receiver                 4 bytes   robots, their indices in the configuration
//   flags, nothing                   4 bytes
//   proof                           16 bytes   of a site with a key: SiteKey's, of the rest of the datagram
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "clock/time.h"
#include "gateway/site/site_key.h"

namespace hilgate {

struct SitePacket {
  enum class Kind : std::uint8_t {
    kFrame = 0,    // decided: to be released
    kBeacon = 1,   // no frame
    kRequest = 2,  // to be decided as if it had been captured where it goes
  };

  Kind kind = Kind::kFrame;
  std::uint16_t gateway = 0;
  std::uint64_t digest = 0;
  std::uint64_t epoch = 0;
  std::uint64_t sequence = 0;
  WallTime sent{};
  WallTime instant{};          // of a frame: its release; of a request: its capture; of a beacon: the site's zero
  std::uint16_t sender = 0;    // of what has a frame
  std::uint16_t receiver = 0;  // likewise; means nothing with `all`
  bool loose = false;          // of a frame: HeldFrame::loose
  bool ptp = false;            // of a frame: HeldFrame::ptp
  bool all = false;            // of a request: for all that its address reaches

  [[nodiscard]] bool has_frame() const { return kind != Kind::kBeacon; }
};

/// Why bytes are no packet of this site.
enum class SiteFault : std::uint8_t {
  kNone,
  kTruncated,  // fewer bytes than its length field, or than there must be
  kNotGeneve,  // another version of GENEVE, another payload, options that do not add up
  kForeign,    // another site's, or without our option, or with a critical one that is not ours
  kVersion,    // another version of our option
  kInstant,    // instants outside the years 1970 to 2043: what is computed from others does not overflow
};

inline constexpr std::size_t kGeneveHeader = 8;
inline constexpr std::size_t kSiteOption = 4 + 52;  // with its header
inline constexpr std::size_t kSiteHeader = kGeneveHeader + kSiteOption;
inline constexpr std::size_t kProvenHeader = kSiteHeader + SiteKey::kProof;
inline constexpr std::uint16_t kSiteOptionClass = 0xfff7;
inline constexpr std::uint8_t kSiteOptionType = 0x81;

/// Whether a received instant can be computed with.
constexpr bool is_sane(WallTime instant) {
  return instant >= WallTime{} && instant < WallTime{Nanoseconds{std::int64_t{1} << 61}};
}

/// The number of a site's virtual network, 24 bits, from its name.
std::uint32_t site_network(std::string_view name);

/// Writes the headers, kSiteHeader bytes, or kProvenHeader with room for a proof at their end.
void write_site_header(const SitePacket& packet, std::uint32_t network, std::span<std::byte> to);

/// The contents of a datagram.
struct ParsedSitePacket {
  SiteFault fault = SiteFault::kNone;  // the rest means nothing with another one
  SitePacket packet{};
  std::size_t payload = 0;  // offset of the frame, or of the beacon's contents
  std::size_t proof = 0;    // likewise; 0: it has none
};

/// `network` as of site_network(). Foreign options that are not critical are skipped, as RFC 8926, 3.5 asks.
ParsedSitePacket parse_site_packet(std::span<const std::byte> datagram, std::uint32_t network);

/// What a beacon has after its headers: the last beacon received from the gateway that it is sent to, since when its
/// sender decides media that others have stations of, and the sender's files and version, of which too long a text is
/// cut.
struct BeaconWords {
  static constexpr std::size_t kVersion = 32;

  WallTime echo_sent{};        // of that beacon; zero: none yet
  WallTime echo_heard{};       // when it came, by the clock of this beacon's sender
  std::uint64_t files = 0;     // digest of the sender's files, without what was set since
  WallTime decides_from{};     // MediaDeciders; zero: not yet
  Nanoseconds request_way{0};  // of 99 % of the requests that it has taken, at most so long since their capture
  std::array<char, kVersion> version{};

  static constexpr std::size_t kBytes = 40 + kVersion;
  void write(std::span<std::byte, kBytes> to) const;
  /// Nothing when there are too few bytes, or their instants are not sane.
  static std::optional<BeaconWords> parse(std::span<const std::byte> bytes);
  void set_version(std::string_view text);
  /// What can be printed of it.
  [[nodiscard]] std::string_view version_text() const;
};

}  // namespace hilgate

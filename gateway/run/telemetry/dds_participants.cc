// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/telemetry/dds_participants.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

namespace hilgate {
namespace {

constexpr std::size_t kRtpsHeader = 20;
constexpr std::size_t kSubmessageHeader = 4;
constexpr std::uint8_t kData = 0x15;
constexpr std::uint8_t kLittleEndian = 0x01;
constexpr std::uint8_t kInlineQos = 0x02;
constexpr std::uint32_t kParticipantWriter = 0x0001'00C2;  // ENTITYID_SPDP_BUILTIN_PARTICIPANT_WRITER

enum Parameter : std::uint16_t {
  kSentinel = 0x0001,
  kLease = 0x0002,
  kEntityName = 0x0062,
  kPropertyList = 0x0059,
  kStatusInfo = 0x0071,
};
constexpr std::uint8_t kDisposedOrUnregistered = 0x03;

/// Bytes that are read from the front. What is not there reads as 0, and good() is false from then on.
class RtpsReader {
 public:
  RtpsReader(std::span<const std::byte> bytes, bool little) : left_(bytes), little_(little) {}

  std::uint32_t number(std::size_t bytes) {
    std::uint32_t value = 0;
    const auto digits = take(bytes);
    for (std::size_t i = 0; i < digits.size(); ++i) {
      value = value << 8 | std::to_integer<std::uint32_t>(digits[little_ ? digits.size() - 1 - i : i]);
    }
    return value;
  }
  std::span<const std::byte> take(std::size_t bytes) {
    good_ = good_ && bytes <= left_.size();
    const auto taken = left_.first(good_ ? bytes : 0);
    left_ = left_.subspan(taken.size());
    return taken;
  }
  /// Of CDR: a length with the end's zero, and padding to four bytes.
  std::string text() {
    const std::size_t length = number(4);
    const auto bytes = take(length);
    take(std::min((4 - length % 4) % 4, left_.size()));
    std::string text;
    for (const std::byte each : bytes.first(std::min(bytes.size(), DdsAnnouncement::kText))) {
      const char letter = std::to_integer<char>(each);
      if (letter == '\0') {
        break;
      }
      text += letter >= ' ' && letter <= '~' ? letter : '?';
    }
    return text;
  }
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool empty() const { return left_.empty(); }
  [[nodiscard]] std::span<const std::byte> rest() const { return left_; }

 private:
  std::span<const std::byte> left_;
  bool little_;
  bool good_ = true;
};

void read_properties(RtpsReader list, DdsAnnouncement& announcement) {
  for (std::uint32_t left = list.number(4); left > 0 && list.good(); --left) {
    const std::string name = list.text();
    const std::string value = list.text();
    if (name == "__ProcessName") {
      announcement.process = value;
    } else if (name == "__Hostname") {
      announcement.host = value;
    }
  }
}

/// A list of parameters up to its sentinel; `reader` is then positioned after it.
void read_parameters(RtpsReader& reader, bool little, DdsAnnouncement& announcement) {
  while (reader.good() && !reader.empty()) {
    const auto id = static_cast<std::uint16_t>(reader.number(2));
    const std::size_t length = reader.number(2);
    if (id == kSentinel) {
      return;
    }
    RtpsReader value(reader.take(length), little);
    if (id == kEntityName) {
      announcement.name = value.text();
    } else if (id == kPropertyList) {
      read_properties(value, announcement);
    } else if (id == kLease) {
      const auto seconds = value.number(4);
      announcement.lease = std::chrono::seconds{std::min(seconds, std::uint32_t{1} << 30)};
    } else if (id == kStatusInfo && value.rest().size() >= 4) {
      announcement.leaves = (std::to_integer<std::uint8_t>(value.rest()[3]) & kDisposedOrUnregistered) != 0;
    }
  }
}

/// Whether this submessage is an announcement, which is added to what is known.
bool read_data(std::span<const std::byte> body, std::uint8_t flags, DdsAnnouncement& announcement) {
  const bool little = (flags & kLittleEndian) != 0;
  RtpsReader reader(body, little);
  reader.take(2);  // extra flags
  const std::size_t to_qos = reader.number(2);
  reader.take(4);  // reader
  RtpsReader writer(reader.take(4), false);
  if (!reader.good() || writer.number(4) != kParticipantWriter || to_qos < 8) {
    return false;
  }
  reader.take(to_qos - 8);
  if ((flags & kInlineQos) != 0) {
    read_parameters(reader, little, announcement);
  }
  if (!announcement.leaves) {
    RtpsReader kind(reader.take(4), false);
    const std::uint32_t representation = kind.number(4) >> 16;
    const bool payload_little = representation == 0x0003;  // PL_CDR_LE; 0x0002 PL_CDR_BE
    if (representation == 0x0002 || payload_little) {
      RtpsReader payload(reader.rest(), payload_little);
      read_parameters(payload, payload_little, announcement);
    }
  }
  return true;
}

}  // namespace

bool is_rtps(std::span<const std::byte> datagram) {
  return datagram.size() >= kRtpsHeader && std::memcmp(datagram.data(), "RTPS", 4) == 0;
}

std::optional<DdsAnnouncement> read_dds_announcement(std::span<const std::byte> datagram) {
  if (!is_rtps(datagram)) {
    return std::nullopt;
  }
  DdsAnnouncement announcement;
  announcement.vendor = static_cast<std::uint16_t>(RtpsReader(datagram.subspan(6), false).number(2));
  std::memcpy(announcement.prefix.data(), datagram.data() + 8, announcement.prefix.size());
  for (auto left = datagram.subspan(kRtpsHeader); left.size() >= kSubmessageHeader;) {
    const auto flags = std::to_integer<std::uint8_t>(left[1]);
    const std::size_t length = RtpsReader(left.subspan(2), (flags & kLittleEndian) != 0).number(2);
    const auto body = left.subspan(kSubmessageHeader);
    // A length of 0 is the rest of the datagram; a truncated datagram is shorter than its length field.
    const auto own = body.first(length == 0 ? body.size() : std::min(length, body.size()));
    if (std::to_integer<std::uint8_t>(left[0]) == kData && read_data(own, flags, announcement)) {
      return announcement;
    }
    left = body.subspan(own.size());
  }
  return std::nullopt;
}

std::string dds_vendor_name(std::uint16_t vendor) {
  // https://www.dds-foundation.org/dds-rtps-vendor-and-product-ids/
  constexpr std::array<std::pair<std::uint16_t, std::string_view>, 6> kVendors{{{0x0101, "RTI Connext"},
                                                                                {0x0102, "OpenSplice"},
                                                                                {0x0103, "OpenDDS"},
                                                                                {0x010F, "Fast DDS"},
                                                                                {0x0110, "Cyclone DDS"},
                                                                                {0x0112, "RustDDS"}}};
  const auto found = std::ranges::find(kVendors, vendor, &std::pair<std::uint16_t, std::string_view>::first);
  return found != kVendors.end() ? std::string(found->second)
                                 : fmt::format("vendor {:02X}.{:02X}", vendor >> 8, vendor & 0xFF);
}

namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kLook = 1s;          // between two checks for expired participants, where there are too many
constexpr Nanoseconds kUsualLease = 100s;  // RTPS 2.5, table 9.18: the default

}  // namespace

bool DdsParticipants::Participant::is_here(HostTime now) const {
  return now - last <= said.lease.value_or(kUsualLease);
}

void DdsParticipants::take(const std::string& robot, std::uint16_t domain, const DdsAnnouncement& announcement,
                           HostTime at) {
  const Key key{robot, announcement.prefix};
  auto found = participants_.find(key);
  if (announcement.leaves) {
    if (found != participants_.end()) {
      forget(found);
      ++left_;
    }
    return;
  }
  if (found == participants_.end()) {
    if (participants_.size() >= kMost && !make_room(robot, at)) {
      ++refused_;
      return;
    }
    found = participants_.try_emplace(key, Participant{.first = at}).first;
    ++counts_[robot];
  }
  Participant& participant = found->second;
  participant.domain = domain;
  participant.said = announcement;
  participant.last = at;
  ++participant.announcements;
}

// So a robot that makes participants up keeps out those of no other.
bool DdsParticipants::make_room(const std::string& robot, HostTime at) {
  if (at - looked_ >= kLook) {
    looked_ = at;
    forget_gone(at);
  }
  if (participants_.size() < kMost) {
    return true;
  }
  const auto most = std::max_element(counts_.begin(), counts_.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  const auto own = counts_.find(robot);
  if (most->second <= (own == counts_.end() ? 0 : own->second) + 1) {
    return false;
  }
  const auto begin = participants_.lower_bound({most->first, {}});
  forget(std::max_element(begin, std::next(begin, static_cast<std::ptrdiff_t>(most->second)),
                          [](const auto& a, const auto& b) { return a.second.first < b.second.first; }));
  ++refused_;
  return true;
}

void DdsParticipants::forget(Participants::iterator participant) {
  const auto count = counts_.find(participant->first.first);
  if (--count->second == 0) {
    counts_.erase(count);
  }
  participants_.erase(participant);
}

void DdsParticipants::forget_gone(HostTime now) {
  for (auto each = participants_.begin(); each != participants_.end();) {
    const auto participant = each++;
    if (!participant->second.is_here(now)) {
      forget(participant);
      ++silent_;
    }
  }
}

}  // namespace hilgate

// What `hilgate status` shows of DDS.

namespace hilgate {

DdsStatus DdsParticipants::status(HostTime now) const {
  DdsStatus status{.participants = {}, .left = left_, .silent = silent_, .refused = refused_, .unread = unread_};
  for (const auto& [key, participant] : participants_) {
    if (!participant.is_here(now)) {
      ++status.silent;
      continue;
    }
    status.participants.push_back({.robot = key.first,
                                   .domain = participant.domain,
                                   .vendor = dds_vendor_name(participant.said.vendor),
                                   .name = participant.said.name,
                                   .process = participant.said.process,
                                   .host = participant.said.host,
                                   .announcements = participant.announcements,
                                   .here_s = seconds_of(now - participant.first),
                                   .silent_s = seconds_of(now - participant.last)});
  }
  return status;
}

}  // namespace hilgate

// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/telemetry/radio_statuses.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

#include "physics_link/mavlink/messages.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr std::uint8_t kSikSystem = 51;     // '3'
constexpr std::uint8_t kSikComponent = 68;  // 'D'
constexpr auto kEvery = 1s;
constexpr auto kSilent = 10s;   // the peer is gone
constexpr auto kUnlinked = 3s;  // the peer's packets: six times half a second, as the firmware counts
// Of some twelve packets in that time as likely as not none gets through (a round of SiK's firmware is 237 ms).
constexpr double kNoneHeard = 0.944;

// Frames that bit errors took, or that arrived with some. The counter on the wire has 16 bits and wraps.
std::uint16_t errors_in(const LinkCounts& counts) {
  std::uint64_t sum = counts.damaged;
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    sum += kDropReasonTable[i].air_error ? counts.dropped[i] : 0;
  }
  return static_cast<std::uint16_t>(sum);
}

std::uint64_t waiting_frames(const LinkCounts& out) {
  const std::uint64_t gone = out.released + out.dropped_total();
  return out.deliveries > gone ? out.deliveries - gone : 0;
}

std::uint8_t free_percent(std::uint64_t waiting, std::uint32_t room) {
  return static_cast<std::uint8_t>(100 * (room - std::min<std::uint64_t>(waiting, room)) / room);
}

std::uint8_t free_percent(const RadioPair& pair) {
  if (pair.queue_bytes > 0) {
    return free_percent(pair.queued_bytes, pair.queue_bytes);
  }
  return pair.queue_frames > 0 ? free_percent(waiting_frames(pair.out), pair.queue_frames) : 100;
}

}  // namespace

mavlink::RadioStatus radio_status(const RadioPair& pair) {
  const auto power = [](const LinkReading& link) {
    return link.has_radio ? mavlink::sik_level(link.rssi_dbm) : mavlink::kUnknownLevel;
  };
  const auto noise = [](const LinkReading& link) {
    return link.has_radio ? mavlink::sik_level(link.rssi_dbm - link.snr_db) : mavlink::kUnknownLevel;
  };
  return {.rxerrors = errors_in(pair.in),
          .fixed = 0,  // the radio models do not report what their decoders repaired
          .rssi = power(pair.heard),
          .remrssi = power(pair.heard_there),
          .txbuf = free_percent(pair),
          .noise = noise(pair.heard),
          .remnoise = noise(pair.heard_there)};
}

void RadioReports::note(const RadioPair& pair, bool linked, SimTime now) {
  status = radio_status(pair);
  if (linked) {
    last_linked = now;
  } else if (!last_linked || now - *last_linked >= kUnlinked) {
    status.remrssi = status.remnoise = 0;
  }
}

std::string RadioReports::message() const {
  return mavlink::write_radio_status(
      {.version = version, .sequence = sequence, .system = kSikSystem, .component = kSikComponent}, status);
}

void RadioReports::note_sent(bool taken) {
  if (taken) {
    ++sent;
    ++sequence;
  } else {
    ++refused;
  }
}

void RadioStatuses::note(RobotIndex from, RobotIndex to, const UdpEnds& ends, mavlink::Version version, SimTime at) {
  for (const Flow& flow : {Flow{to, from, ends}, Flow{from, to, ends.reversed()}}) {
    Peer& peer = peer_of(flow, from);
    peer.version = version;
    peer.last_heard = at;
  }
}

RadioStatuses::Peer& RadioStatuses::peer_of(const Flow& flow, RobotIndex speaker) {
  if (Peer* const peer = known(flow)) {
    return *peer;
  }
  make_room_for(speaker);
  return shares_[speaker][flow];
}

// One of its ends spoke first.
RadioStatuses::Peer* RadioStatuses::known(const Flow& flow) {
  for (const RobotIndex end : {flow.robot, flow.peer}) {
    if (const auto share = shares_.find(end); share != shares_.end()) {
      if (const auto found = share->second.find(flow); found != share->second.end()) {
        return &found->second;
      }
    }
  }
  return nullptr;
}

// So a robot that sends endless flows ends those of no other.
void RadioStatuses::make_room_for(RobotIndex speaker) {
  Flows& own = shares_[speaker];
  if (own.size() >= kMostOfRobot) {
    return forget_oldest(own);
  }
  std::size_t all = 0;
  for (const auto& [robot, flows] : shares_) {
    all += flows.size();
  }
  if (all >= kMost) {
    forget_oldest(std::ranges::max_element(shares_, {}, [](const auto& share) { return share.second.size(); })->second);
  }
}

void RadioStatuses::forget_oldest(Flows& flows) {
  const auto oldest = std::ranges::min_element(flows, {}, [](const auto& flow) { return flow.second.last_heard; });
  const Receiver receiver = receiver_of(oldest->first);
  flows.erase(oldest);
  const bool still_receives = std::ranges::any_of(shares_, [&receiver](const auto& share) {
    return std::ranges::any_of(share.second,
                               [&receiver](const auto& flow) { return receiver_of(flow.first) == receiver; });
  });
  if (!still_receives) {
    sequences_.erase(receiver);
  }
}

std::map<RadioStatuses::Flow, RadioStatuses::Peer> RadioStatuses::flows() const {
  Flows all;
  for (const auto& [speaker, flows] : shares_) {
    all.insert(flows.begin(), flows.end());
  }
  return all;
}

bool RadioStatuses::note_stream(RobotIndex from, RobotIndex to) {
  return static_cast<int>(streams_.insert({from, to}).second) + static_cast<int>(streams_.insert({to, from}).second) ==
         2;
}

void RadioStatuses::note_status(const RadioPair& pair, SimTime now, Peer& peer) {
  peer.note(pair, pair.heard.reachable && pair.heard.least_loss < kNoneHeard, now);
}

bool RadioStatuses::is_due(const Peer& peer, SimTime now) {
  return now - peer.last_heard < kSilent && (!peer.last_sent || now - *peer.last_sent >= kEvery);
}

void LineStatuses::heartbeat(RobotIndex robot, mavlink::Version version) {
  Host& host = hosts_[robot];
  host.version = version;
  host.due = true;
}

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kHead = 150;  // the most bytes of a datagram without its links and the robot's name

double rounded(double value, double unit) {
  return std::round(value / unit) * unit;
}

Json reading_json(const LinkReading& link) {
  Json json{{"reachable", link.reachable}};
  if (link.has_radio) {
    json["rssi_dbm"] = rounded(link.rssi_dbm, 0.125);
    json["snr_db"] = rounded(link.snr_db, 0.125);
  }
  json["rate_mbps"] = link.rate_mbps;
  json["loss"] = rounded(link.frame_loss, 1.0 / 65536);
  return json;
}

}  // namespace

std::vector<std::string> feed_datagrams(const std::string& robot, SimTime at, std::uint64_t window,
                                        const std::vector<PeerReading>& peers, std::size_t most) {
  std::vector<Json> parts{Json::array()};
  std::size_t size = 0;
  for (const PeerReading& peer : peers) {
    Json link{{"peer", peer.peer}, {"rx", reading_json(peer.rx)}, {"tx", reading_json(peer.tx)}};
    const std::size_t length = link.dump().size() + 1;
    if (!parts.back().empty() && kHead + robot.size() + size + length > most) {
      parts.push_back(Json::array());
      size = 0;
    }
    parts.back().push_back(std::move(link));
    size += length;
  }
  std::vector<std::string> datagrams;
  for (Json& links : parts) {
    datagrams.push_back(Json{
        {"robot", robot},
        {"sim_time_s", static_cast<double>(at.time_since_epoch().count()) / 1e9},
        {"window", window},
        {"part", datagrams.size()},
        {"parts", parts.size()},
        {"links",
         std::move(links)}}.dump());
  }
  return datagrams;
}

}  // namespace hilgate

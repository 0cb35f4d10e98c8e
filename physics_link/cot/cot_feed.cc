// SPDX-License-Identifier: Apache-2.0
#include "physics_link/cot/cot_feed.h"

#include <spdlog/spdlog.h>

#include <asio/buffer.hpp>
#include <asio/ip/multicast.hpp>
#include <utility>
#include <variant>

#include "clock/host_now.h"
#include "config/plain_text.h"
#include "physics_link/foreign_numbers.h"
#include "physics_link/place.h"
#include "physics_link/tracklog/track_log.h"

namespace hilgate {
namespace {

constexpr std::size_t kMostStrangers = 32;  // names in the log; others are counted alone

Nanoseconds utc_now() {
  return host_now().time_since_epoch() + utc_ahead_of_host();
}

// What to do about events that are refused; empty where the count suffices.
std::string_view remedy(cot::Fault fault) {
  switch (fault) {
    case cot::Fault::kProtobuf:
      return "a datagram is TAK's protobuf; have its sender write XML (TAK protocol version 0)";
    case cot::Fault::kSwapped:
      return "an event has its latitude and longitude swapped; have its sender write `lat` and `lon` the other way "
             "round";
    case cot::Fault::kXml:
      return "a message is no whole XML document";
    default:
      return {};
  }
}

}  // namespace

CotFeed::CotFeed(const std::vector<std::string>& robots, const CotFeedOptions& options)
    : PositionFeed(robots),
      times_(robots.size()),
      heights_m_(robots.size()),
      sources_(robots.size()),
      options_(options) {
  for (std::uint32_t i = 0; i < robots.size(); ++i) {
    sources_[i].name = robots[i];
    robots_.emplace(robots[i], RobotIndex{i});
    heights_m_[i] = options.origin.alt_m;
  }
}

void CotFeed::take(std::string_view event, Nanoseconds utc) {
  const cot::Parsed parsed = cot::read_event(event);
  if (const auto* fault = std::get_if<cot::Fault>(&parsed)) {
    refuse(*fault);
  } else if (const auto* good = std::get_if<cot::Event>(&parsed)) {
    take(*good, utc);
  }
}

void CotFeed::refuse(cot::Fault fault) {
  note_malformed(cot::kFaults[static_cast<std::size_t>(fault)]);
  if (const std::string_view text = remedy(fault); !text.empty() && logged_.insert(fault).second) {
    spdlog::warn("Cursor on Target: {}", text);
  }
}

void CotFeed::take(const cot::Event& event, Nanoseconds utc) {
  const auto robot = robot_of(event);
  if (!robot) {
    return note_stranger(event);
  }
  FeedSource& source = sources_[robot->value()];
  const auto now = host_now();
  auto& last = times_[robot->value()];
  if (options_.stamps && event.time > utc + kMostAhead) {
    ++source.future;
    source.refused = now;
    return;
  }
  if ((options_.stamps && event.stale <= utc) || (last && event.time < *last)) {
    ++source.old;
    source.refused = now;
    return;
  }
  const double height_m = event.height_m.value_or(heights_m_[robot->value()]);
  const Vec3 at = mavlink::enu_of({event.lat_deg, event.lon_deg, height_m}, options_.origin);
  const bool swapped = is_swapped(event, at);
  if (swapped || !is_bounded(at)) {
    ++source.malformed;
    source.refused = now;
    return refuse(swapped ? cot::Fault::kSwapped : cot::Fault::kNumbers);
  }
  last = event.time;
  heights_m_[robot->value()] = height_m;
  ++source.positions;
  place(*robot, {.position = at, .orientation = {}});
}

std::optional<RobotIndex> CotFeed::robot_of(const cot::Event& event) const {
  auto found = robots_.find(event.uid);
  found = found == robots_.end() ? robots_.find(event.callsign) : found;
  return found == robots_.end() ? std::nullopt : std::optional(found->second);
}

bool CotFeed::is_swapped(const cot::Event& event, const Vec3& at) const {
  const double far = distance_m(at, {});
  if (far < kFar || std::abs(event.lon_deg) > 90) {
    return false;
  }
  const Vec3 other = mavlink::enu_of({event.lon_deg, event.lat_deg, options_.origin.alt_m}, options_.origin);
  return distance_m(other, {}) * 10 < far;
}

void CotFeed::note_stranger(const cot::Event& event) {
  note_unknown();
  if (strangers_.size() < kMostStrangers && strangers_.insert(event.uid).second) {
    spdlog::warn("Cursor on Target: no robot has the uid '{}' or the callsign '{}' as its `id`; its events are counted",
                 shown(event.uid), shown(event.callsign));
  }
}

struct CotPhysics::Peer {
  asio::ip::tcp::socket socket;
  ConnectionSeat seat;
  cot::EventCutter events{};
  std::array<char, 4096> buffer{};
};

CotPhysics::CotPhysics(asio::io_context& context, const std::vector<std::string>& robots, const Endpoint& address,
                       const std::string& group, const CotFeedOptions& options)
    : OwnedPhysics<CotFeed>(robots, options),
      socket_(context),
      acceptor_(context, {asio::ip::make_address(address.host), address.port}),
      accept_loop_(acceptor_, {}, [this](asio::ip::tcp::socket peer, ConnectionSeat seat) {
        read_more(std::make_shared<Peer>(Peer{.socket = std::move(peer), .seat = std::move(seat)}));
      }) {
  const asio::ip::udp::endpoint here(asio::ip::make_address(address.host), acceptor_.local_endpoint().port());
  socket_.open(here.protocol());
  socket_.set_option(asio::socket_base::reuse_address(true));  // others may listen to the group as well
  socket_.bind(here);
  if (!group.empty()) {
    socket_.set_option(asio::ip::multicast::join_group(asio::ip::make_address(group)));
  }
  receive();
}

void CotPhysics::receive() {
  socket_.async_receive(asio::buffer(buffer_), [this, alive = alive_](std::error_code error, std::size_t bytes) {
    if (!*alive || error == asio::error::operation_aborted) {
      return;
    }
    if (!error) {
      source_.take({buffer_.data(), bytes}, utc_now());
    }
    receive();
  });
}

void CotPhysics::read_more(std::shared_ptr<Peer> peer) {
  Peer& reading = *peer;
  reading.socket.async_read_some(asio::buffer(reading.buffer), [this, alive = alive_, peer = std::move(peer)](
                                                                   std::error_code error, std::size_t bytes) mutable {
    if (!*alive || error) {
      return;
    }
    peer->events.add({peer->buffer.data(), bytes});
    while (const auto event = peer->events.next()) {
      source_.take(*event, utc_now());
    }
    if (peer->events.too_long()) {
      return source_.refuse(cot::Fault::kLength);  // and the connection ends
    }
    read_more(std::move(peer));
  });
}

}  // namespace hilgate

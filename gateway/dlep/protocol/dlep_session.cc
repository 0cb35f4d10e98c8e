// SPDX-License-Identifier: Apache-2.0
#include "gateway/dlep/protocol/dlep_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace hilgate {
namespace {

constexpr std::int64_t kSilentIntervals = 2;    // RFC 8175, 7.3.1
constexpr std::int64_t kResponseIntervals = 4;  // of the router's

}  // namespace

bool differs_visibly(const DlepMetrics& one, const DlepMetrics& other) {
  constexpr std::uint64_t kLeastLatency = 50;
  const std::uint64_t apart = std::max(one.latency_us, other.latency_us) - std::min(one.latency_us, other.latency_us);
  DlepMetrics same_latency = other;
  same_latency.latency_us = one.latency_us;
  return !(one == same_latency) || (apart > kLeastLatency && apart > one.latency_us / 20);
}

DlepSession::DlepSession(std::string peer_type, Nanoseconds heartbeat, HostTime now)
    : peer_type_(std::move(peer_type)), heartbeat_(heartbeat), received_(now), sent_(now) {}

void DlepSession::receive(std::span<const std::byte> bytes, HostTime now) {
  input_.insert(input_.end(), bytes.begin(), bytes.end());
  std::span<const std::byte> rest(input_);
  for (auto length = dlep_message_bytes(rest); state_ != State::kOver && length && *length <= rest.size();
       length = dlep_message_bytes(rest)) {
    take(rest.first(*length), now);
    rest = rest.subspan(*length);
  }
  input_.erase(input_.begin(), input_.end() - static_cast<std::ptrdiff_t>(rest.size()));
}

void DlepSession::take(std::span<const std::byte> message, HostTime now) {
  ++counts_.received;
  received_ = now;
  const auto read = read_dlep_message(message);
  const auto* const fault = std::get_if<DlepFault>(&read);
  if (fault != nullptr) {
    counts_.malformed += state_ == State::kTerminating ? 0 : 1;
    return terminate(fault->code, fault->text, now);
  }
  const auto& good = std::get<DlepRouterMessage>(read);
  switch (state_) {
    case State::kInitializing:
      // Before a session there is nobody to answer to (RFC 8175, 7.2).
      return good.type == DlepMessageType::kSessionInitialization
                 ? begin(good, now)
                 : end(fmt::format("the router began with message type {} instead of Session Initialization",
                                   static_cast<unsigned>(good.type)));
    case State::kInSession:
      return take_in_session(good, now);
    case State::kTerminating:
      if (good.type == DlepMessageType::kSessionTermination) {
        send(DlepWriter(DlepMessageType::kSessionTerminationResponse), now);
      }
      if (good.type == DlepMessageType::kSessionTermination ||
          good.type == DlepMessageType::kSessionTerminationResponse) {
        state_ = State::kOver;
      }
      return;
    case State::kOver:
      return;
  }
}

void DlepSession::begin(const DlepRouterMessage& message, HostTime now) {
  state_ = State::kInSession;
  router_ = message.peer_type;
  router_heartbeat_ = message.heartbeat;
  send(std::move(DlepWriter(DlepMessageType::kSessionInitializationResponse)
                     .status(DlepStatusCode::kSuccess)
                     .peer_type(peer_type_)
                     .heartbeat(heartbeat_)
                     .metrics(metrics_)),
       now);
  report(now);
}

void DlepSession::take_in_session(const DlepRouterMessage& message, HostTime now) {
  using enum DlepMessageType;
  switch (message.type) {
    case kHeartbeat:
      return;
    case kSessionUpdate:  // of the router's addresses, which the modem has no use for
      return send(std::move(DlepWriter(kSessionUpdateResponse).status(DlepStatusCode::kSuccess)), now);
    case kSessionTermination:
      send(DlepWriter(kSessionTerminationResponse), now);
      return end(fmt::format("the router ended the session: {}{}{}", dlep_status_name(message.status),
                             message.status_text.empty() ? "" : ": ", message.status_text));
    case kDestinationUpResponse:
      return take_up_response(message, now);
    case kDestinationDownResponse:
      return take_down_response(message, now);
    case kDestinationDown:
      return take_down(message, now);
    case kDestinationAnnounce:
      return take_announce(message, now);
    case kLinkCharacteristicsRequest:
      return take_request(message, now);
    default:
      ++counts_.malformed;
      return terminate(DlepStatusCode::kUnexpectedMessage,
                       fmt::format("message type {}", static_cast<unsigned>(message.type)), now);
  }
}

DlepSession::ReportedMap::iterator DlepSession::reported(const DlepMac& mac) {
  const auto address = mac.eui48();
  return address ? reported_.find(*address) : reported_.end();
}

const DlepDestination* DlepSession::destination(const DlepMac& mac) const {
  const auto address = mac.eui48();
  const auto found = address ? destinations_.find(*address) : destinations_.end();
  return found == destinations_.end() ? nullptr : &found->second;
}

void DlepSession::take_up_response(const DlepRouterMessage& message, HostTime now) {
  const auto about = reported(message.mac);
  if (about == reported_.end() || about->second.report != Report::kUpSent) {
    ++counts_.malformed;
    return terminate(DlepStatusCode::kUnexpectedMessage, "Destination Up Response without Destination Up", now);
  }
  if (message.status >= DlepStatusCode::kUnknownMessage) {
    return terminate(message.status, "the router's status of a Destination Up Response", now);
  }
  about->second.report = message.status == DlepStatusCode::kSuccess ? Report::kUp : Report::kDeclined;
  if (message.status > DlepStatusCode::kNotInterested) {
    problem_ = fmt::format("the router answered Destination Up of {} with: {}", about->first.text(),
                           dlep_status_name(message.status));
  }
  report_known(about, now);
}

void DlepSession::take_down_response(const DlepRouterMessage& message, HostTime now) {
  const auto about = reported(message.mac);
  if (about == reported_.end() || about->second.report != Report::kDownSent) {
    ++counts_.malformed;
    return terminate(DlepStatusCode::kUnexpectedMessage, "Destination Down Response without Destination Down", now);
  }
  reported_.erase(about);
  report(now);
}

// The router has no more interest in it.
void DlepSession::take_down(const DlepRouterMessage& message, HostTime now) {
  const auto about = reported(message.mac);
  if (about == reported_.end()) {
    return terminate(DlepStatusCode::kInvalidDestination, "Destination Down of a destination that is not up", now);
  }
  if (about->second.report != Report::kDownSent) {  // else both at once: the response to this modem's still comes
    about->second.report = Report::kDeclined;
  }
  send(std::move(
           DlepWriter(DlepMessageType::kDestinationDownResponse).mac(message.mac).status(DlepStatusCode::kSuccess)),
       now);
}

void DlepSession::take_announce(const DlepRouterMessage& message, HostTime now) {
  const DlepDestination* const wanted = destination(message.mac);
  const auto about = reported(message.mac);
  DlepWriter response(DlepMessageType::kDestinationAnnounceResponse);
  response.mac(message.mac);
  if (wanted == nullptr || !wanted->up) {
    if (about != reported_.end() && about->second.report == Report::kDeclined) {
      reported_.erase(about);
    }
    response.status(DlepStatusCode::kRequestDenied,
                    wanted == nullptr ? "no destination of this modem" : "out of reach; it is reported when it is up");
    return send(std::move(response), now);
  }
  send(std::move(response.status(DlepStatusCode::kSuccess).metrics(wanted->metrics)), now);
  if (about == reported_.end() || about->second.report == Report::kDeclined) {
    reported_.insert_or_assign(*message.mac.eui48(),
                               Reported{.report = Report::kUp, .metrics = wanted->metrics, .sent = now});
  }
}

// Links are as simulated; a router cannot choose.
void DlepSession::take_request(const DlepRouterMessage& message, HostTime now) {
  const DlepDestination* const wanted = destination(message.mac);
  if (wanted == nullptr) {
    ++counts_.malformed;
    return terminate(DlepStatusCode::kInvalidDestination,
                     "Link Characteristics Request of a destination that this modem does not have", now);
  }
  send(std::move(DlepWriter(DlepMessageType::kLinkCharacteristicsResponse)
                     .mac(message.mac)
                     .status(DlepStatusCode::kRequestDenied, "links are as the simulation has them")
                     .metrics(wanted->metrics)),
       now);
}

void DlepSession::update(DlepDestinations destinations, const DlepMetrics& session, HostTime now) {
  destinations_ = std::move(destinations);
  metrics_ = session;
  if (state_ == State::kInSession) {
    report(now);
  }
}

void DlepSession::report(HostTime now) {
  for (auto about = reported_.begin(); about != reported_.end();) {
    report_known(about++, now);
  }
  for (const auto& [mac, destination] : destinations_) {
    if (destination.up && !reported_.contains(mac)) {
      send_up(mac, destination, now);
    }
  }
}

void DlepSession::report_known(ReportedMap::iterator reported, HostTime now) {
  auto& [mac, state] = *reported;
  const auto found = destinations_.find(mac);
  const bool up = found != destinations_.end() && found->second.up;
  if (state.report != Report::kUp) {
    return;
  }
  if (!up) {
    state.report = Report::kDownSent;
    state.sent = now;
    return send(std::move(DlepWriter(DlepMessageType::kDestinationDown).mac(DlepMac::of(mac))), now);
  }
  if (differs_visibly(state.metrics, found->second.metrics) && now - state.sent >= kLeastUpdateInterval) {
    state.metrics = found->second.metrics;
    state.sent = now;
    send(std::move(DlepWriter(DlepMessageType::kDestinationUpdate).mac(DlepMac::of(mac)).metrics(state.metrics)), now);
  }
}

void DlepSession::send_up(MacAddress mac, const DlepDestination& destination, HostTime now) {
  DlepWriter message(DlepMessageType::kDestinationUp);
  message.mac(DlepMac::of(mac)).metrics(destination.metrics);
  for (const IpAddress& address : destination.addresses) {
    message.address(address);
  }
  reported_.emplace(mac, Reported{.report = Report::kUpSent, .metrics = destination.metrics, .sent = now});
  send(std::move(message), now);
}

void DlepSession::tick(HostTime now) {
  switch (state_) {
    case State::kInitializing:
      if (now - received_ > kInitializationPatience) {
        end("the router has sent no complete Session Initialization");
      }
      return;
    case State::kInSession:
      break;
    case State::kTerminating:
      if (now - terminated_ > kSilentIntervals * heartbeat_) {
        state_ = State::kOver;
      }
      return;
    case State::kOver:
      return;
  }
  if (now - received_ > kSilentIntervals * router_heartbeat_) {
    return terminate(DlepStatusCode::kTimedOut, "no message for two heartbeat intervals of the router", now);
  }
  const auto is_late = [&](const ReportedMap::value_type& about) {
    const bool waits = about.second.report == Report::kUpSent || about.second.report == Report::kDownSent;
    return waits && now - about.second.sent > kResponseIntervals * router_heartbeat_;
  };
  if (const auto late = std::ranges::find_if(reported_, is_late); late != reported_.end()) {
    return terminate(DlepStatusCode::kTimedOut, fmt::format("no response about {}", late->first.text()), now);
  }
  if (now - sent_ >= heartbeat_) {
    send(DlepWriter(DlepMessageType::kHeartbeat), now);
  }
}

void DlepSession::terminate(DlepStatusCode code, std::string_view why, HostTime now) {
  std::string text = fmt::format("{}: {}", dlep_status_name(code), why);
  if (state_ == State::kInitializing) {
    return end(std::move(text));
  }
  if (state_ == State::kInSession) {
    send(std::move(DlepWriter(DlepMessageType::kSessionTermination).status(code, why)), now);
    state_ = State::kTerminating;
    terminated_ = now;
    problem_ = std::move(text);
  }
}

void DlepSession::lost(std::string_view why) {
  if (state_ == State::kInSession || state_ == State::kInitializing) {
    problem_ = why;
  }
  state_ = State::kOver;
}

void DlepSession::end(std::string why) {
  state_ = State::kOver;
  problem_ = std::move(why);
}

std::size_t DlepSession::up() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(reported_, [](const auto& about) { return about.second.report == Report::kUp; }));
}

void DlepSession::send(DlepWriter&& message, HostTime now) {
  output_ += std::move(message).bytes();
  sent_ = now;
  ++counts_.sent;
}

std::string DlepSession::take_output() {
  return std::exchange(output_, {});
}

}  // namespace hilgate
